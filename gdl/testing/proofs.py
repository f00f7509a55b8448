"""Tests that need a solver: what is proved of a game, and how another ruleset compares.

In: a case and the game. Out: a `Diagnostic` for each verdict that is not as the case says.
"""

from __future__ import annotations

from dataclasses import replace

from gdl.game import Game
from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.ruleset.errors import did_you_mean, one_of
from gdl.testing.games import Games
from gdl.testing.suite import Case, Comparison, Proofs
from gdl.verify.properties.custom import CustomProperty
from gdl.verify.properties.verdict import Verdict


def check_proofs(case: Case, game: Game) -> list[Diagnostic]:
    """Return each property that is not proved or refuted as a case says.

    Raises:
        GdlError: The packages of the extra ``verify`` are missing.
    """
    from gdl.verify.verification import verify

    test = case.body
    assert isinstance(test, Proofs)
    probes = [
        CustomProperty(f"{word} {formula}", formula, is_possible=word == "possible")
        for word, formulas in (("never", test.never), ("possible", test.possible))
        for formula in formulas
    ]
    probes = [
        replace(probe, place=case.place(word, text=probe.formula))
        for probe in probes
        for word in [probe.name.partition(" ")[0]]
    ]
    verification = verify(game, probes=probes, seconds=test.seconds)
    names = [verdict.name for verdict in verification.verdicts]
    problems = [
        _unknown(case, key, name, names)
        for key, said in (("expect", test.expect), ("skip", test.skip))
        for name in said
        if name not in names
    ]
    for verdict in verification.verdicts:
        wanted = test.expect.get(verdict.name)
        if verdict.name in test.skip or (wanted is None and verdict.is_well):
            continue
        if verdict.status != (wanted or "proved"):
            problems.append(_other(case, verdict, wanted, game))
    return problems


def _unknown(case: Case, key: str, name: str, names: list[str]) -> Diagnostic:
    return Diagnostic(
        "unknown-property",
        Severity.ERROR,
        f"there is no property {name}",
        case.place(key, name) if key == "expect" else case.place(key, text=name),
        expected=one_of(names, most=40),
        help=did_you_mean(name, names),
    )


def _other(case: Case, verdict: Verdict, wanted: str | None, game: Game) -> Diagnostic:
    key, _, formula = verdict.name.partition(" ")
    if wanted is not None:
        place = case.place("expect", verdict.name)
    elif key in ("never", "possible") and formula:
        place = case.place(key, text=formula)
    else:
        place = case.place()
    return Diagnostic(
        "test-failed",
        Severity.ERROR,
        f"{verdict.name} is {verdict.status}: {verdict.text}",
        place,
        expected=f"{wanted or 'proved'}: {verdict.claim}",
        help=f"gdl verify {game.id}" + (" shows the play" if verdict.play else ""),
    )


def check_comparison(case: Case, game: Game, games: Games) -> list[Diagnostic]:
    """Return what is not as a case says of two rulesets.

    Raises:
        GdlError: The packages of the extra ``verify`` are missing.
    """
    from gdl.verify.diff import diff

    test = case.body
    assert isinstance(test, Comparison)
    try:
        other = games.ruleset(test.other, case.folder)
        difference = diff(game, other, seconds=test.seconds)
    except GdlError as error:
        first = error.message or error.headline
        place = case.place("with", text=test.other)
        problem = Diagnostic("bad-comparison", Severity.ERROR, first, place, error.expected)
        return [replace(problem, help=(error.help or "").partition("\n")[0] or None)]
    parts = difference.play is not None and difference.proved and difference.depth == test.after
    if difference.equivalent if test.after is None else parts:
        return []
    key = "equivalent" if test.after is None else "after"
    return [
        Diagnostic(
            "test-failed",
            Severity.ERROR,
            f"{game.id} and {other.id}: {difference.headline}",
            case.place(key),
            expected="equivalent" if test.after is None else f"the shortest play has {test.after}",
            help=f"gdl diff {game.id} {other.id}",
        )
    ]
