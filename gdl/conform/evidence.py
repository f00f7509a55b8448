"""What an audit found, for people and for other programs.

In: an `Audit`. Out: its report; and of a difference a folder with a saved play, a test in pytest
for the engine, and a text for its tracker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gdl.conform.comparison import Comparison, Parting
from gdl.conform.conventions import told
from gdl.conform.matching.map_file import map_text
from gdl.conform.source import CHANCE, EngineMove, Source, written
from gdl.conform.sources.merged import Merged
from gdl.conform.sources.rules import RulesPosition, RulesSource
from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term, kif_text
from gdl.plays import played, saved_text
from gdl.state import State

if TYPE_CHECKING:
    from gdl.conform.audit import Audit

SHOWN_RULES: Final = 12
"""Rules that a report lists as not exercised."""
PLAY_FILE, TEST_FILE, ISSUE_FILE, MAP_FILE = (
    "play.toml",
    "test_difference.py",
    "issue.md",
    "map.toml",
)


def report_text(audit: Audit) -> str:
    """Return the report of an audit for people."""
    return "\n".join(_lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    compared = f"{audit.positions:,} positions, {audit.games:,} games to the end"
    if audit.agree:
        yield f"{audit.game} and {audit.against} agree: {compared}"
    elif audit.parting is None:
        yield f"no position of {audit.game} and {audit.against} was compared: the time was over"
    else:
        yield f"{audit.game} and {audit.against} differ ({compared})"
    yield f"matched by {audit.matching}"
    yield f"roles: {', '.join(f'{ours} = {theirs}' for ours, theirs in audit.roles)}"
    yield f"returns: {'; '.join(audit.units)}"
    yield from (f"allowed and needed: {name} ({told(name)})" for name in audit.conventions)
    yield from audit.remarks
    if audit.uncovered is not None:
        yield from _coverage(audit)
    if audit.parting is not None:
        yield ""
        yield from difference_lines(audit)


def _coverage(audit: Audit) -> Iterator[str]:
    assert audit.uncovered is not None
    exercised = audit.rules - len(audit.uncovered)
    yield f"rules exercised: {exercised} of {audit.rules}"
    for rule in audit.uncovered[:SHOWN_RULES]:
        yield f"  never: {rule.place} {rule.text}".rstrip()
    if len(audit.uncovered) > SHOWN_RULES:
        yield f"  and {len(audit.uncovered) - SHOWN_RULES} more"


def difference_lines(audit: Audit) -> Iterator[str]:
    """Yield what differs, after which play, both boards, both lists of moves, and why."""
    parting, comparison = audit.parting, audit.comparison
    assert parting is not None
    count = parting.twin.depth
    first = "" if audit.first_length == count else f"; {audit.first_length} when it was met"
    yield f"{parting.what}: they differ after {count} move{'' if count == 1 else 's'}{first}"
    yield f"  rules:  {parting.ours}"
    yield f"  engine: {parting.theirs}"
    yield f"  play:   {'; '.join(_texts(comparison, parting, 0)) or '(none)'}"
    yield f"  there:  {'; '.join(_texts(comparison, parting, 1)) or '(none)'}"
    for name, source, position in (
        ("rules", comparison.ours, parting.twin.ours),
        ("engine", comparison.theirs, parting.twin.theirs),
    ):
        yield f"  the board of the {name}:"
        yield from _indented(_drawn(source, position))
    yield from _legal_lines(comparison, parting)
    reason = why(comparison, parting)
    if reason:
        yield "  why, by the rules:"
        yield from _indented(reason)


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"    {line}".rstrip()


def _drawn(source: Source, position: object) -> str:
    try:
        return source.draw(position)
    except Exception as error:  # noqa: BLE001  # a picture is a courtesy; what it says is shown
        return f"({type(error).__name__}: {error})"


def _texts(comparison: Comparison, parting: Parting, side: int) -> Iterator[str]:
    """Yield the moves of the play as one side writes them."""
    source = comparison.theirs if side else comparison.ours
    path = parting.twin.path
    for before, after in pairwise(path):
        position = before.theirs if side else before.ours
        for choice in after.plays[side]:
            texts = [written(source, position, role, move) for role, move in choice.items()]
            position = source.play(position, choice)
            yield " & ".join(texts)


def _legal_lines(comparison: Comparison, parting: Parting) -> Iterator[str]:
    twin = parting.twin
    for name, source, position in (
        ("rules", comparison.ours, twin.ours),
        ("engine", comparison.theirs, twin.theirs),
    ):
        if parting.kind == "failure" and source is comparison.theirs:
            continue
        for role in source.movers(position):
            texts = sorted(written(source, position, role, m) for m in source.legal(position, role))
            who = "chance" if role == CHANCE else source.roles[role]
            yield f"  legal by the {name} for {who}: {', '.join(texts)}"


def why(comparison: Comparison, parting: Parting) -> str:
    """Return why the rules say what they say where two sides part; empty where nothing explains."""
    rules = _rules(comparison.ours)
    position = parting.twin.ours
    if rules is None or not isinstance(position, RulesPosition):
        return ""
    state = rules.state(position)
    texts = []
    for query in _queries(comparison, rules, parting, state):
        try:
            texts.append(str(state.why(query)))
        except GdlError as error:
            texts.append(f"{query}: {error.headline}")
    return "\n".join(texts)


def _rules(source: Source) -> RulesSource | None:
    inner = source.source if isinstance(source, Merged) else source
    return inner if isinstance(inner, RulesSource) else None


def _queries(
    comparison: Comparison, rules: RulesSource, parting: Parting, state: State
) -> Iterator[str]:
    """Yield the questions whose answers say why the rules are right, or where they are wrong."""
    role = None if parting.role in (None, CHANCE) else rules.roles[parting.role or 0]
    if parting.kind == "terminal":
        yield "terminal"
    elif parting.kind == "returns" and role is not None:
        yield f"goal {role} {state.goal(role)}"
    elif parting.kind == "legal" and role is not None:
        for move in parting.only[0][:1]:
            if isinstance(move, Term):
                yield f"(legal {role} {kif_text(move)})"
        for move in parting.only[1][:1]:
            term = _term_of(comparison, parting, move)
            if term is not None:
                yield f"(legal {role} {kif_text(term)})"
    elif parting.kind == "turn":
        for mover in state.movers:
            yield f"(legal {mover} {kif_text(state.legal(mover)[0])})"


def _term_of(comparison: Comparison, parting: Parting, move: EngineMove) -> Term | None:
    """Return the move of ours that a move of theirs would be, from the moves met on the way."""
    matching, twin = comparison.matching, parting.twin
    if parting.role is None:
        return None
    other = matching.theirs_of(parting.role)
    wanted = matching.theirs(twin.theirs, other, move)
    for here in twin.path:
        if comparison.ours.is_terminal(here.ours):
            continue
        for role in comparison.ours.movers(here.ours):
            for mine in comparison.ours.legal(here.ours, role):
                if matching.ours(here.ours, parting.role, mine) == wanted:
                    return mine if isinstance(mine, Term) else None
    return None


# Files ----------------------------------------------------------------------------------------


def write_report(audit: Audit, folder: Path) -> list[Path]:
    """Write what an audit found: the map, and of a difference a play, a test and a text.

    Returns:
        The files, in the order in which they were written.

    Raises:
        OSError: The folder cannot be written.
    """
    texts = {"report.txt": report_text(audit) + "\n", MAP_FILE: map_text(audit.comparison)}
    if audit.parting is not None:
        texts |= _difference_files(audit, audit.parting)
    return write_texts(texts, folder)


def write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write texts by their names into a folder, made where it is not there; return the files.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in texts.items():
        paths.append(folder / name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def _difference_files(audit: Audit, parting: Parting) -> Mapping[str, str]:
    files = {TEST_FILE: test_text(audit), ISSUE_FILE: issue_text(audit)}
    rules = _rules(audit.comparison.ours)
    position = parting.twin.ours
    if rules is not None and isinstance(position, RulesPosition):
        joints = tuple(
            state.last_move
            for state in rules.state(position).history
            if state.last_move is not None
        )
        saved = played(audit.game, joints, limits=rules.game.limits)
        comment = f"{audit.game} and {audit.against}: {parting.what}"
        said = f"the rules: {parting.ours}; the engine: {parting.theirs}"
        files[PLAY_FILE] = saved_text([saved], [comment, said])
    return files


def test_text(audit: Audit) -> str:
    """Return a test in pytest that fails as long as the engine says what it says."""
    parting, comparison = audit.parting, audit.comparison
    assert parting is not None
    theirs = comparison.theirs
    plays = parting.twin.played(1)
    script = theirs.script(plays)
    head = [f'"""{_plain(audit.against)}: {_plain(parting.what)}, found by rules in GDL."""', ""]
    if script is None or (check := _check(comparison, parting)) is None:
        return "\n".join(head + _own_test(audit)) + "\n"
    lines = script.splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    body = [line for line in lines if line and line not in imports]
    body += [f"# {_plain(parting.what)}: the rules say {_plain(parting.ours)}", check]
    return (
        "\n".join(
            [*head, *imports, "", "", "def test_difference() -> None:", *(f"    {b}" for b in body)]
        )
        + "\n"
    )


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")


SPIEL_ENDS: Final = "pyspiel:"


def _check(comparison: Comparison, parting: Parting) -> str | None:
    """Return the assertion that the rules make, in words of OpenSpiel; None for other engines."""
    theirs, twin = comparison.theirs, parting.twin
    if not theirs.name.startswith(SPIEL_ENDS):
        return None
    if parting.kind == "terminal":
        return f"assert state.is_terminal() is {parting.ours}"
    if parting.kind == "returns" and parting.role is not None:
        goal = comparison.ours.returns(twin.ours)[parting.role]
        low, high = theirs.bounds or (-1.0, 1.0)
        role = comparison.matching.roles[parting.role]
        return f"assert state.returns()[{role}] == {low + (high - low) * goal / 100:g}"
    if parting.kind == "legal" and parting.role is not None:
        extra = [move for move in parting.only[1] if not isinstance(move, tuple)]
        role = comparison.matching.theirs_of(parting.role)
        if extra:
            legal = f"state.legal_actions({role})"
            return f"assert not set({extra}) & set({legal})"
        count = len(comparison.ours.legal(twin.ours, parting.role))
        return f"assert len(state.legal_actions({role})) == {count}"
    if parting.kind == "turn":
        movers = comparison.ours.movers(twin.ours)
        if len(movers) == 1 and movers != (CHANCE,):
            return f"assert state.current_player() == {comparison.matching.roles[movers[0]]}"
    return None


def _own_test(audit: Audit) -> list[str]:
    """Return a test that plays the engine through this project."""
    play = [{str(role): str(move) for role, move in ply.items()} for ply in audit.play or ()]
    name = audit.comparison.theirs.name
    return [
        "from gdl.conform import conform_play",
        "",
        f"PLAY = {play!r}",
        "",
        "",
        "def test_difference() -> None:",
        f"    found = conform_play({audit.game!r}, {name!r}, PLAY)",
        "    assert found is None, found",
    ]


def issue_text(audit: Audit) -> str:
    """Return a text for the engine's tracker, in Markdown."""
    parting, comparison = audit.parting, audit.comparison
    assert parting is not None
    theirs = comparison.theirs
    there = "; ".join(_texts(comparison, parting, 1)) or "(no move)"
    lines = [
        f"# {theirs.name}: {parting.what} differs from the rules after {parting.twin.depth} moves",
        "",
        f"Engine: {audit.against}. Rules: `{audit.game}`, a description in GDL.",
        "",
        f"Play: {there}",
        "",
        f"- The engine says: {parting.theirs}",
        f"- The rules say: {parting.ours}",
        "",
        "The engine's position:",
        "",
        "```",
        _drawn(theirs, parting.twin.theirs),
        "```",
    ]
    script = theirs.script(parting.twin.played(1))
    if script is not None:
        lines += ["", "To see it again:", "", "```python", script, "print(state)", "```"]
    reason = why(comparison, parting)
    if reason:
        lines += ["", "Why, by the rules:", "", "```", reason, "```"]
    lines += ["", f"Compared before it: {audit.positions:,} positions."]
    return "\n".join(lines) + "\n"
