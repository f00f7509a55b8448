"""What a difference is for the engine's own people: a test in pytest, and a text for their tracker.

In: a `Found` with a difference. Out: text in which, as far as the engine can be asked from Python
alone, nothing of this project stands: whoever gets it can run it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gdl.conform.comparison import ONCE, WHICH_IS, Comparison
from gdl.conform.found import Found
from gdl.conform.source import CHANCE, Source
from gdl.conform.sources.frozen import is_hashable
from gdl.conform.sources.merged import Merged, inner
from gdl.conform.sources.own import OwnSource, literals
from gdl.conform.twin import Parting
from gdl.conform.words import headline, picture_of, play_texts, their_move, why
from gdl.language.words import counted


@dataclass(frozen=True)
class Asked:
    """How an engine is asked in Python where ``state`` is a position.

    Attributes:
        over: Whether play is over.
        returns: What the end is worth; by role.
        legal: The legal moves of a role, for which ``{role}`` stands.
        turn: Whose turn it is.
        roles: What the engine calls its roles.
        is_by_place: Whether returns are in the order of the roles, not named by them.
    """

    over: str
    returns: str
    legal: str
    turn: str
    roles: tuple[str | int, ...]
    is_by_place: bool = True


SPIEL: Final = "pyspiel:"


def _asked(theirs: Source, parting: Parting) -> Asked | None:
    """Return how an engine is asked; None where no words are known for it."""
    if isinstance(theirs, Merged) and theirs.whole_turns:
        return None  # its moves are several of the engine's
    if theirs.name.startswith(SPIEL):
        roles = tuple(range(len(theirs.roles)))
        words = "state.is_terminal()", "state.returns()", "state.legal_actions({role})"
        return Asked(*words, "state.current_player()", roles)
    own = inner(theirs)
    if not isinstance(own, OwnSource):
        return None
    is_named = parting.kind == "returns" and own.names_returns(parting.twin.theirs)
    return Asked(*own.asked(), own.roles, is_by_place=not is_named)


def test_text(audit: Found) -> str:
    """Return a test in pytest that fails as long as the engine says what it says."""
    parting, comparison = audit.parting, audit.comparison
    assert parting is not None
    head = [f'"""{_plain(audit.against)}: {_plain(headline(audit, is_theirs=True))}."""', ""]
    script = comparison.theirs.script(parting.twin.played(1))
    asked = _asked(comparison.theirs, parting)
    check = None if asked is None else _check(comparison, parting, asked)
    if script is None or check is None:
        return "\n".join(head + _own_test(audit)) + "\n"
    lines = script.splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    body = [line for line in lines if line and line not in imports]
    body += [f"# {_plain(parting.what)}: the rules say {_plain(parting.ours)}", check]
    inside = ["def test_difference() -> None:", *(f"    {line}" for line in body)]
    return "\n".join([*head, *imports, "", "", *inside]) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")


def _check(comparison: Comparison, parting: Parting, asked: Asked) -> str | None:
    """Return the assertion that the rules make of the engine; None where there are no words."""
    if parting.kind == "terminal":
        return f"assert ({asked.over}) is {parting.ours}"
    if parting.kind == "turn":
        movers = comparison.ours.movers(parting.twin.ours)
        if len(movers) == 1 and movers != (CHANCE,):
            role = asked.roles[comparison.matching.roles[movers[0]]]
            return f"assert {asked.turn} == {role!r}"
    if parting.role is None or parting.role == CHANCE:
        return None
    role = asked.roles[comparison.matching.roles[parting.role]]
    if parting.kind == "returns":
        _, said, value = parting.ours.rpartition(WHICH_IS)
        place = comparison.matching.roles[parting.role] if asked.is_by_place else role
        return f"assert {asked.returns}[{place!r}] == {value}" if said else None
    if parting.kind == "legal":
        return _check_of_moves(comparison, parting, asked.legal.format(role=role))
    return None


def _check_of_moves(comparison: Comparison, parting: Parting, legal: str) -> str:
    own, role = inner(comparison.theirs), parting.role or 0
    given = own.given if isinstance(own, OwnSource) else lambda move: move
    met = (their_move(comparison, parting, move) for move in parting.only[0])
    extra = literals(map(given, parting.only[1]))
    missing = literals(given(each[2]) for each in met if each)
    if parting.ours.startswith(ONCE):
        listed = comparison.theirs.legal(parting.twin.theirs, comparison.matching.theirs_of(role))
        told = legal if all(is_hashable(given(move)) for move in listed) else f"map(repr, {legal})"
        return f"assert len({legal}) == len(set({told}))"
    if extra and not all(map(is_hashable, extra)):
        return f"assert not [move for move in {extra!r} if move in {legal}]"
    if extra:
        return f"assert not {_set(extra)} & set({legal})"
    if missing and not all(map(is_hashable, missing)):
        return f"assert [move for move in {missing!r} if move in {legal}] == {missing!r}"
    if missing:
        return f"assert {_set(missing)} <= set({legal})"
    count = len(comparison.ours.legal(parting.twin.ours, role))
    return f"assert len({legal}) == {count}"


def _set(moves: Sequence[object]) -> str:
    return f"{{{', '.join(map(repr, moves))}}}"


def _own_test(audit: Found) -> list[str]:
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


def issue_text(audit: Found) -> str:
    """Return a text for the engine's tracker, in Markdown."""
    parting, comparison = audit.parting, audit.comparison
    assert parting is not None
    theirs = comparison.theirs
    there = "; ".join(play_texts(comparison, parting, 1)) or "(no move)"
    lines = [
        f"# {theirs.name}: {headline(audit, is_theirs=True)}",
        "",
        f"Engine: {audit.against}. Compared with the rules of `{audit.game}`, written in GDL.",
        "",
        f"Moves from the start: {there}",
        "",
        f"- The engine says of {parting.what}: {parting.theirs}",
        f"- The rules say: {parting.ours}",
        "",
        "The engine's position:",
        "",
        "```",
        picture_of(theirs, parting.twin.theirs),
        "```",
    ]
    script = theirs.script(parting.twin.played(1))
    if script is not None:
        asked = _asked(theirs, parting)
        check = None if asked is None else _check(comparison, parting, asked)
        shown = ["print(state)", *([] if check is None else [f"{check}  # fails"])]
        lines += ["", "To see it again:", "", "```python", script, *shown, "```"]
    lines += _rules_lines(comparison, parting)
    compared = f"{audit.positions:,} positions in {counted(audit.games, 'game')}"
    lines += ["", f"Found after {compared} on which both agree or that end in it."]
    return "\n".join(lines) + "\n"


def _rules_lines(comparison: Comparison, parting: Parting) -> list[str]:
    """Return the position as the rules draw it, and why they say what they say."""
    picture = picture_of(comparison.ours, parting.twin.ours)
    lines = ["", "The same position as the rules draw it:", "", "```", picture, "```"]
    reason = why(comparison, parting)
    if reason:
        lines += ["", "Why, by the rules (file and line in brackets):", "", "```", reason, "```"]
    return lines
