"""``gdl verify``: is a game well-formed, and does it have a property?"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from gdl.cli.comparing.proving import (
    UNKNOWN,
    CertificatesOption,
    MemoryOption,
    NeverOption,
    OpinionOption,
    ProofsOption,
    TimeOption,
    play_as_json,
    say_uncertified,
    stage_line,
)
from gdl.cli.rules.check import diagnostic_as_json
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.options import GameArgument, JsonOption, SeedOption, option
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.words import counted
from gdl.ruleset.errors import did_you_mean, one_of

if TYPE_CHECKING:
    from gdl.verify.properties.custom import CustomProperty
    from gdl.verify.properties.verdict import Verdict, Verification
    from gdl.verify.questions.proof_core import ProofCore
    from gdl.verify.questions.reasons import Reasons

OUTCOMES: Final = ("proved", "refuted")
STYLES = {"proved": "green", "refuted": "bold red", "open": "yellow"}


class _Settings(TypedDict):
    """What all questions about properties take."""

    probes: list[CustomProperty]
    seconds: float
    megabytes: int
    seed: int
    limits: Limits


def verify(
    game: GameArgument,
    never: NeverOption = None,
    properties: Annotated[
        Path | None,
        option(
            "--properties", "FILE", "One a line: never NAME: FORMULA, or possible NAME: FORMULA."
        ),
    ] = None,
    why: Annotated[
        str | None,
        option(
            "--why",
            "PROPERTY",
            "What the proof of a property is made of: the nearest changes of one rule that refute "
            "it, and for a formula the shorter ones that never hold either.",
        ),
    ] = None,
    core: Annotated[
        str | None,
        option(
            "--core",
            "PROPERTY",
            "Which definitions, invariants and rules the proof of a property needs, and which not.",
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        option(
            "--expect",
            "NAME=STATUS",
            "What must be said of a property: proved or refuted; anything else fails, repeatable.",
        ),
    ] = None,
    skip: Annotated[
        list[str] | None,
        option("--skip", "NAME", "A property that is of no interest, repeatable."),
    ] = None,
    proofs: ProofsOption = None,
    certificates: CertificatesOption = None,
    second_opinion: OpinionOption = False,
    time: TimeOption = 120.0,
    memory: MemoryOption = 4096,
    seed: SeedOption = 0,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Prove or refute what a well-formed game must have: playable, terminating, winnable, ...

    Moves made at once (turn-taking) and goals of several sums (constant sum) are no fault of a
    game: where these are refuted nothing fails, unless they are expected to be proved.

    Exit codes: 0 all as it must be; 1 something is refuted, or not as expected; 2 an error;
    3 something is open.

    Examples:
      gdl verify tictactoe
      gdl verify pentago/strict --never "(and (line black) (line white))"
      gdl verify tictactoe --why "goals unique"
      gdl verify breakthrough --core "goals unique"
      gdl verify lightsout --skip "winnable by player" --expect terminating=refuted
      gdl verify tictactoe --certificates shown, then: gdl certify shown
    """
    from gdl.verify.properties.custom import read_properties

    wanted, left_out = expectations(expect or ()), tuple(skip or ())
    own = never_properties(never or ())
    if properties is not None:
        own += read_properties(properties.read_text(encoding="utf-8"), name=str(properties))
    _refuse_unknown((*wanted, *left_out), game, own, limits)
    is_proving = proofs is not None or certificates is not None or second_opinion
    _refuse_together(core, why, is_proving=is_proving)
    settings: _Settings = {
        "probes": own,
        "seconds": time,
        "megabytes": memory,
        "seed": seed,
        "limits": limits,
    }
    # Each question brings engines of its own, which are read when it is asked.
    if core is not None:
        from gdl.verify.questions.proof_core import proof_core

        with stage_line() as on_stage:
            needed = proof_core(game, core, **settings, on_stage=on_stage)
        _print_core(needed, json=json)
        return
    if why is not None:
        from gdl.verify.questions.reasons import reasons

        with stage_line() as on_stage:
            answer = reasons(game, why, **settings, on_stage=on_stage)
        _print_reasons(answer, json=json)
        return
    from gdl.verify.verification import verify as examine

    with stage_line() as on_stage:
        verification = examine(
            game,
            **settings,
            proofs=proofs,
            certificates=certificates,
            second_opinion=second_opinion,
            on_stage=on_stage,
        )
    if json:
        say_json(_as_json(verification))
    else:
        _print(verification, game, limits)
        if certificates is not None:
            say_uncertified(certificates)
    judged = judge(verification, wanted, left_out)
    for verdict in judged.failed if not json else ():
        if verdict.name in wanted:
            said = f"{verdict.name} is {verdict.status}, not {wanted[verdict.name]} as expected"
            say(said, style=STYLES["refuted"])
    if judged.failed:
        raise typer.Exit(FAILED)
    if judged.unknown:
        raise typer.Exit(UNKNOWN)


def _refuse_unknown(
    named: Collection[str], game: str, own: Sequence[CustomProperty], limits: Limits
) -> None:
    """Refuse names that no property can have, before anything is proved.

    Raises:
        UsageError: A name is none of a property; says which there are.
    """
    from gdl.reason.machine import Reasoner
    from gdl.ruleset import find
    from gdl.verify.properties.examination import asked_of_all

    if not named:
        return
    roles = Reasoner(find(game, limits=limits).checked(limits), limits=limits).roles
    names = [*asked_of_all(roles, own), "one NAME a place"]
    for name in named:
        if name not in names and not re.fullmatch(r"one \S+ a place", name):
            raise _no_property(name, names)


def _no_property(name: str, names: Sequence[str]) -> UsageError:
    return UsageError(
        f"there is no property {name}",
        expected=one_of(names, most=len(names)),
        help=did_you_mean(name, names),
    )


def _refuse_together(core: str | None, why: str | None, *, is_proving: bool) -> None:
    """Refuse options of which only one can be heard.

    Raises:
        UsageError: Says which.
    """
    if core is not None and (why is not None or is_proving):
        raise UsageError(
            "--core writes no proofs, and asks nothing else",
            help="gdl verify GAME --core PROPERTY, alone",
        )
    if why is not None and is_proving:
        raise UsageError(
            "--why writes no proofs",
            help="gdl verify GAME --proofs FOLDER, or --certificates FOLDER",
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """Which verdicts are not as they must be.

    Attributes:
        failed: Those that are refuted, or not as expected.
        unknown: Those that are open and may be, as nothing was expected of them.
    """

    failed: tuple[Verdict, ...]
    unknown: tuple[Verdict, ...]


def judge(
    verification: Verification, wanted: Mapping[str, str], left_out: Collection[str]
) -> Judgement:
    """Return which verdicts are not as they must be.

    Args:
        verification: All verdicts.
        wanted: What is expected of properties, by name.
        left_out: Properties that are of no interest.

    Raises:
        UsageError: A name is none of a property; says which there are.
    """
    names = [verdict.name for verdict in verification.verdicts]
    for name in (*wanted, *left_out):
        if name not in names:
            raise _no_property(name, names)
    asked = [verdict for verdict in verification.verdicts if verdict.name not in left_out]
    failed = tuple(
        verdict
        for verdict in asked
        if (
            verdict.status != wanted[verdict.name]
            if verdict.name in wanted
            else verdict.status == "refuted" and not verdict.is_well
        )
    )
    unknown = tuple(verdict for verdict in asked if verdict.status == "open")
    return Judgement(failed, unknown)


def expectations(words: Sequence[str]) -> dict[str, str]:
    """Return what each ``--expect NAME=STATUS`` says.

    Raises:
        UsageError: One of them says nothing.
    """
    verdict_of = {}
    for word in words:
        name, _, status = word.rpartition("=")
        if not name or status not in OUTCOMES:
            raise UsageError(
                f"--expect {word} expects nothing",
                expected=f"NAME=STATUS, where STATUS is {one_of(OUTCOMES)}",
                help=did_you_mean(status, OUTCOMES) if name else None,
            )
        verdict_of[name.strip()] = status
    return verdict_of


def never_properties(formulas: Sequence[str]) -> list[CustomProperty]:
    """Return what the option ``--never`` asks."""
    from gdl.language.source import Source, Span
    from gdl.verify.properties.custom import CustomProperty

    return [
        CustomProperty(
            f"never {formula}", formula, place=Span(Source("--never", formula), 0, len(formula))
        )
        for formula in formulas
    ]


def _print(verification: Verification, game: str, limits: Limits) -> None:
    from gdl.game import load
    from gdl.ruleset import find
    from gdl.verify.properties.coverage import LISTED
    from gdl.verify.sentence import fault_sentence

    ruleset = find(game, limits=limits)  # the id alone finds no manifest outside the search path
    notation = ruleset.notation
    is_shown = any(
        verdict.status == "refuted" and verdict.play is not None
        for verdict in verification.verdicts
    )
    first = load(ruleset, backend="reason").initial() if is_shown else None
    for verdict in verification.verdicts:
        style = "open" if verdict.status == "refuted" and verdict.is_well else verdict.status
        say(f"{verdict.status:8} {verdict.name}: {verdict.claim}", style=STYLES[style])
        say(f"         {verdict.text}")
        for diagnostic in verdict.said[:LISTED]:
            say(textwrap.indent(str(diagnostic), 9 * " "))
        for number, joint in enumerate(verdict.play or (), start=1):
            moves = [m for m in joint if str(m) != "noop"] or list(joint)
            say(f"         {number}. {' & '.join(map(notation.format, moves))}")
        if first is not None and verdict.status == "refuted" and verdict.play is not None:
            state = reduce(lambda before, joint: before.play(list(joint)), verdict.play, first)
            if told := fault_sentence(state, verdict.name):
                say(f"         {'then' if verdict.play else 'in the first state'}: {told}")


def _print_reasons(answer: Reasons, *, json: bool) -> None:
    """Show what a proof is made of; leave with 1 where there is none, with 3 where it is open."""
    verdict = answer.verdict
    if json:
        say_json(
            {
                "verdict": _verdict(verdict),
                "weaker": list(answer.weaker),
                "breaks": [
                    {
                        "change": change.change,
                        "patch": change.patch,
                        "play": play_as_json(change.play),
                    }
                    for change in answer.breaks
                ],
                "tried": answer.tried,
                "stopped": answer.stopped,
            }
        )
    else:
        say(f"{verdict.status:8} {verdict.name}: {verdict.claim}", style=STYLES[verdict.status])
        say(f"         {verdict.text}")
        for formula in answer.weaker:
            say(f"never, too: {formula}")
        for change in answer.breaks:
            after = f"after {counted(len(change.play), 'move')}" if change.play else "at once"
            say(f"refuted {after} by {change.change}")
        say(f"{counted(answer.tried, 'change')} of one rule tried{_ended(answer)}")
    if verdict.status != "proved":
        raise typer.Exit(FAILED if verdict.status == "refuted" else UNKNOWN)


def _print_core(proof: ProofCore, *, json: bool) -> None:
    """Show what a proof needs; leave with 1 where it is refuted, with 3 where there is none."""
    verdict, core = proof.verdict, proof.core
    if json:
        say_json(
            {
                "verdict": _verdict(verdict),
                "why_not": proof.why,
                "definitions": list(proof.definitions),
                "invariants": None if core is None else core.needed,
                "known_invariants": None if core is None else core.available,
                "minimal": None if core is None else core.is_minimal,
                "every_state": proof.is_of_every_state,
                "vacuous": list(proof.vacuous),
                "not_needed": list(proof.not_needed),
            }
        )
    else:
        say(f"{verdict.status:8} {verdict.name}: {verdict.claim}", style=STYLES[verdict.status])
        say(f"         {verdict.text}")
        _say_core(proof)
    if verdict.status == "refuted":
        raise typer.Exit(FAILED)
    if core is None:
        raise typer.Exit(UNKNOWN)


def _say_core(proof: ProofCore) -> None:
    core = proof.core
    for why in proof.vacuous:
        say(f"vacuous: {why}")
    if core is None:
        say(f"no core: {proof.why}")
        return
    if proof.is_of_every_state:
        say("needs nothing of play: it holds of every state there could be")
    for definition in proof.definitions:
        say(f"needs: {definition}")
    say(f"needs: {core.needed} of {counted(core.available, 'invariant')}")
    for rule in proof.not_needed:
        say(f"not needed: {rule}")
    if not core.is_minimal:
        say("not minimal: the time was too short to leave out more")


def _ended(answer: Reasons) -> str:
    return f": {answer.stopped}" if answer.stopped else ""


def _as_json(verification: Verification) -> dict[str, object]:
    return {
        "game": verification.name,
        "verdicts": [_verdict(verdict) for verdict in verification.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {
        "name": verdict.name,
        "claim": verdict.claim,
        "status": verdict.status,
        "text": verdict.text,
        "depth": verdict.depth,
        "shortest": verdict.is_shortest,
        "culprits": list(verdict.culprits),
        "said": list(map(diagnostic_as_json, verdict.said)),
        "play": play_as_json(verdict.play),
    }
