"""A difference in words: what it is, the play, both boards, both lists of moves, and why.

In: a `Found` with a difference, or its comparison and parting. Out: text. What it is, is said of
the engine, for it is the engine that is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gdl.conform.comparison import ONCE, Comparison, named_moves
from gdl.conform.found import Found
from gdl.conform.likeness import rules_of
from gdl.conform.source import CHANCE, EngineMove, Source, written
from gdl.conform.sources.rules import RulesPosition, RulesSource
from gdl.conform.twin import Parting
from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term, kif_text
from gdl.language.words import counted
from gdl.state import State


def headline(audit: Found, *, is_theirs: bool = False) -> str:
    """Return in one clause what the engine does otherwise, and after how many moves.

    Args:
        audit: It has a difference.
        is_theirs: Whether roles and moves are named as the engine names them, for its own people.
    """
    parting, comparison = audit.parting, audit.comparison
    assert parting is not None
    depth = parting.twin.depth
    after = f"after {counted(depth, 'move')}" if depth else "at the start"
    who = "chance"
    if parting.role not in (None, CHANCE):
        sides = comparison.theirs.roles, comparison.matching.roles
        role = parting.role or 0
        who = sides[0][sides[1][role]] if is_theirs else comparison.ours.roles[role]
    if parting.kind == "terminal":
        late = parting.ours == "True"
        return f"play {'is not over' if late else 'is over too early'}, {after}"
    if parting.kind == "returns":
        return f"{who} is paid {parting.theirs}, by the rules {parting.ours}, {after}"
    if parting.kind == "legal" and parting.ours.startswith(ONCE):
        return f"{who} has a move twice, {parting.ours.removeprefix(ONCE)}, {after}"
    if parting.kind == "legal":
        return f"{_moves_told(comparison, parting, who, is_theirs=is_theirs)}, {after}"
    if parting.kind == "failure":
        return f"it fails, {after}: {parting.theirs}"
    if parting.kind == "turn":
        return f"it is the turn of {parting.theirs}, by the rules of {parting.ours}, {after}"
    if parting.kind == "chance":
        return f"{parting.what} is {parting.theirs}, by the rules {parting.ours}, {after}"
    told = "more" if parting.ours.startswith("as it was") else "less"
    return f"{who} is told {told} than by the rules, {after}"


def _moves_told(comparison: Comparison, parting: Parting, who: str, *, is_theirs: bool) -> str:
    missing, extra = parting.only
    told = []
    if missing:
        role = parting.role or 0
        said = named_moves(comparison.ours, parting.twin.ours, role, missing)
        names = [their_name(comparison, parting, move) for move in missing] if is_theirs else []
        if names and all(names):
            said = f"{', '.join(names)} ({said} in the notation of the rules)"
        told.append(f"{who} cannot make the legal move{_s(missing)} {said}")
    if extra:
        role = comparison.matching.theirs_of(parting.role or 0)
        said = named_moves(comparison.theirs, parting.twin.theirs, role, extra)
        told.append(f"{who} may make the illegal move{_s(extra)} {said}")
    return " and ".join(told)


def _s(moves: tuple[EngineMove, ...]) -> str:
    return "" if len(moves) == 1 else "s"


def their_name(comparison: Comparison, parting: Parting, move: EngineMove) -> str:
    """Return how the engine writes a move that it does not allow here, from where it does.

    Looked for along the play; empty where it was never met.
    """
    move_there = their_move(comparison, parting, move)
    return "" if move_there is None else written(comparison.theirs, *move_there)


def their_move(
    comparison: Comparison, parting: Parting, move: EngineMove
) -> tuple[object, int, EngineMove] | None:
    """Return where on the way the engine had a move of ours: position, role and its move."""
    matching, role = comparison.matching, parting.role or 0
    wanted, other = matching.ours(parting.twin.ours, role, move), matching.theirs_of(role)
    for here in parting.twin.path:
        if comparison.theirs.is_terminal(here.theirs):
            continue
        for mover in comparison.theirs.movers(here.theirs):
            for candidate in comparison.theirs.legal(here.theirs, mover):
                if matching.theirs(here.theirs, other, candidate) == wanted:
                    return here.theirs, mover, candidate
    return None


def difference_lines(audit: Found) -> Iterator[str]:
    """Yield what differs, after which play, both boards, both lists of moves, and why."""
    parting, comparison = audit.parting, audit.comparison
    assert parting is not None
    count = parting.twin.depth
    first = "" if audit.first_length == count else f"; {audit.first_length} when it was met"
    yield f"{parting.what}: they differ after {counted(count, 'move')}{first}"
    yield f"  rules:  {parting.ours}"
    yield f"  engine: {parting.theirs}"
    yield f"  play:   {'; '.join(play_texts(comparison, parting, 0)) or '(none)'}"
    yield f"  there:  {'; '.join(play_texts(comparison, parting, 1)) or '(none)'}"
    for name, source, position in (
        ("rules", comparison.ours, parting.twin.ours),
        ("engine", comparison.theirs, parting.twin.theirs),
    ):
        yield f"  the board of the {name}:"
        yield from _indented(picture_of(source, position))
    yield from _legal_lines(comparison, parting)
    reason = why(comparison, parting)
    if reason:
        yield "  why, by the rules:"
        yield from _indented(reason)


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"    {line}".rstrip()


def picture_of(source: Source, position: object) -> str:
    """Return the picture of a position, or what was raised where it was asked for."""
    try:
        return source.draw(position)
    except Exception as error:  # noqa: BLE001  # a picture is a courtesy; what it says is shown
        return f"({type(error).__name__}: {error})"


def play_texts(comparison: Comparison, parting: Parting, side: int) -> Iterator[str]:
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
    rules = rules_of(comparison.ours)
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
