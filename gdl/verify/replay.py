"""A play that a solver found, played again on the rules as written, and what differs then.

In: two sides, their matching, choices. Out: the states of both games along the way, and
what differs at the end, in words. Nothing is reported that the reasoner does not confirm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.machine import IllegalMoveError, JointMove
from gdl.state import State
from gdl.verify.answer import Kind
from gdl.verify.correspondence.compared_game import ComparedGame
from gdl.verify.correspondence.turns import (
    EXPECTED,
    WAITING,
    TurnError,
    is_broken_after,
    plies_of,
)
from gdl.verify.systems.matching import SAME_NAMES, Matching

SHOWN: Final = 6
"""Moves that are listed, at most."""


class WitnessError(GdlError):
    """A play that the reasoner does not confirm: a fault of this package or of its solver."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that differs.

    Attributes:
        kind: In what the games differ.
        text: What, in words.
        query: What to ask each game ``why`` about, empty for nothing.
        asked: The states to ask, where these are not the last ones: those between the plies of a
            whole turn.
    """

    kind: Kind
    text: str
    query: tuple[str, str] = ("", "")
    asked: tuple[State, State] | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """Both games after the same play.

    Attributes:
        sides: The games.
        states: The last state of each game.
        plays: The joint moves of each game, ply by ply.
        moves: What was chosen, move by move: the moves of each role in both games.
        findings: What differs at the end.
        steps: Both states before the first move and after each, the last ones are `states`.
    """

    sides: tuple[ComparedGame, ComparedGame]
    states: tuple[State, State]
    plays: tuple[tuple[JointMove, ...], tuple[JointMove, ...]]
    moves: tuple[tuple[tuple[Term, Term], ...], ...]
    findings: tuple[Finding, ...]
    steps: tuple[tuple[State, State], ...]


def replay(
    sides: tuple[ComparedGame, ComparedGame],
    matching: Matching,
    choices: Sequence[Sequence[int]],
    *,
    with_open_goals: bool,
) -> Replay:
    """Follow choices on both reasoners and compare what comes of them.

    Args:
        sides: The games.
        matching: What the choices mean.
        choices: For each move the number of the pair of each role.
        with_open_goals: Whether goals count where play goes on.

    Raises:
        TurnError: A game was read in whole turns, and here its plies make none.
        WitnessError: A move is not legal, or the games do not differ at the end.
    """
    states = [side.game.initial() for side in sides]
    plays: list[list[JointMove]] = [[], []]
    read: list[list[JointMove]] = [[], []]  # the same as the games are read: whole turns, say
    moves, steps = [], [(states[0], states[1])]
    # A choice is a pair of moves, and a move of a game that is read in whole turns is many plies:
    # each reasoner plays those that its own side makes of it.
    for chosen in choices:
        pairs = [row[choice] for row, choice in zip(matching.pairs, chosen, strict=True)]
        joints = _joints(sides, matching, pairs)
        named = tuple(
            (joints[0][role], joints[1][theirs]) for role, theirs in enumerate(matching.roles)
        )
        moves.append(named)
        expanded: list[list[JointMove]] = []
        for side in (0, 1):
            read[side].append(joints[side])
            with _refused(sides[side]):
                expanded.append(sides[side].expand(states[side].inner, joints[side]))
        if all(side.turns is not None for side in sides):  # one may end in the middle of a turn
            expanded = [plies[: min(map(len, expanded))] for plies in expanded]
        for side, plies in enumerate(expanded):
            with _refused(sides[side]):
                for joint in plies:
                    states[side] = states[side].play(joint)
                    plays[side].append(joint)
        steps.append((states[0], states[1]))
    try:
        findings = _findings(
            sides, matching, (states[0], states[1]), with_open_goals=with_open_goals
        )
    except IllegalMoveError as error:  # to make half a turn somebody may not wait: it is no turn
        _check_turns(sides, (states[0], states[1]), (read[0], read[1]), (plays[0], plays[1]))
        raise WitnessError(f"a reasoner does not go on after a play found: {error}") from error
    # What may be done where plies make no turns, or none that were known, tells nothing: a turn
    # that only one of the games seems to have may be one that the other was not read to have.
    # Where somebody is stuck no turn begins: of that game there is nothing to be read.
    if all(finding.kind is Kind.LEGAL for finding in findings):
        _check_turns(sides, (states[0], states[1]), (read[0], read[1]), (plays[0], plays[1]))
    if not findings:
        raise WitnessError("the reasoner sees no difference after the play that was found")
    return Replay(
        sides,
        (states[0], states[1]),
        (tuple(plays[0]), tuple(plays[1])),
        tuple(moves),
        tuple(findings),
        tuple(steps),
    )


def _check_turns(
    sides: tuple[ComparedGame, ComparedGame],
    states: tuple[State, State],
    read: tuple[Sequence[JointMove], Sequence[JointMove]],
    plays: tuple[Sequence[JointMove], Sequence[JointMove]],
) -> None:
    """Refuse games that are not in whole turns after a play; the fault is not the solver's.

    Raises:
        TurnError: A game is not; says which, and where that is known by which ply.
    """
    stuck = _stuck_alone(sides, states)
    for number, (side, state, turns) in enumerate(zip(sides, states, read, strict=True)):
        if side.turns is None or (stuck is not None and stuck[0] == number):
            continue
        hurried = side.hurried(state.inner)
        is_broken = hurried is not None or is_broken_after(side.turns, turns)
        if not is_broken and not side.has_unknown_turn(state.inner):
            continue
        after = f"after {len(turns)} turns" if turns else "at the beginning"
        if hurried is not None:
            why = f"{after} {hurried} may not wait while another makes a ply"
        elif (dead_end := side.dead_end(state.inner)) is not None:
            why = f"{after} {dead_end[0]} may play {dead_end[1]}, and then not every role can go on"
        else:
            why = f"{after} its plies do not make turns of two"
        error = TurnError(
            f"{side.name} cannot be read in whole turns: {why}",
            expected=EXPECTED,
            help="compare ply by ply (--plies), or mend the rules where no role may be stuck",
        )
        error.side, error.play = number, tuple(plays[number])
        raise error


@contextmanager
def _refused(side: ComparedGame) -> Iterator[None]:
    """Say of a move that a game does not allow that a solver found it."""
    try:
        yield
    except IllegalMoveError as error:
        raise WitnessError(f"{side.name} does not allow a move found: {error}") from error


def _stuck_alone(
    sides: tuple[ComparedGame, ComparedGame], states: tuple[State, State]
) -> tuple[int, list[int]] | None:
    """Return the one game in which somebody has no move, and its roles that have none.

    None where that is so of no game or of both, or where both are read in plies.
    """
    stuck = [
        [
            number
            for number, role in enumerate(side.plies.roles)
            if not side.reasoner.legal(state.inner, role)
        ]
        for side, state in zip(sides, states, strict=True)
    ]
    if bool(stuck[0]) == bool(stuck[1]) or all(side.turns is None for side in sides):
        return None
    return (0, stuck[0]) if stuck[0] else (1, stuck[1])


def _joints(
    sides: tuple[ComparedGame, ComparedGame], matching: Matching, pairs: Sequence[tuple[int, int]]
) -> tuple[JointMove, JointMove]:
    left = tuple(sides[0].circuit.moves[role][a] for role, (a, _) in enumerate(pairs))
    right: list[Term | None] = [None] * len(left)
    for role, (_, b) in enumerate(pairs):
        theirs = matching.roles[role]
        right[theirs] = sides[1].circuit.moves[theirs][b]
    return left, tuple(move for move in right if move is not None)


def _findings(
    sides: tuple[ComparedGame, ComparedGame],
    matching: Matching,
    states: tuple[State, State],
    *,
    with_open_goals: bool,
) -> list[Finding]:
    over = [state.is_terminal for state in states]
    if over[0] != over[1]:
        ended, going = (sides[0], sides[1]) if over[0] else (sides[1], sides[0])
        return [
            Finding(
                Kind.TERMINAL,
                f"the game is over in {ended.name}, not in {going.name}",
                ("terminal", "terminal"),
            ),
            *_goals(sides, matching, states),
        ]
    findings = []
    if not over[0]:
        stuck = _stuck_alone(sides, states)
        for role, theirs in enumerate(matching.roles):
            if stuck is None or (theirs if stuck[0] else role) in stuck[1]:
                findings += _legal(sides, matching, states, role)
    if over[0] or with_open_goals:
        findings += _goals(sides, matching, states)
    return findings + _percepts(sides, matching, states)


def _legal(
    sides: tuple[ComparedGame, ComparedGame],
    matching: Matching,
    states: tuple[State, State],
    role: int,
) -> list[Finding]:
    owners = role, matching.roles[role]
    names = [side.circuit.roles[owner] for side, owner in zip(sides, owners, strict=True)]
    legal = [
        side.legal(state.inner, name)
        for side, state, name in zip(sides, states, names, strict=True)
    ]
    moves = [side.circuit.moves[owner] for side, owner in zip(sides, owners, strict=True)]
    answered: list[set[Term]] = [set(), set()]
    for a, b in matching.pairs[role]:
        if moves[0][a] in legal[0] and moves[1][b] in legal[1]:
            answered[0].add(moves[0][a])
            answered[1].add(moves[1][b])
    for side, finer, coarser in matching.rivals(role):
        if moves[side][finer] in legal[side]:
            answered[side].discard(moves[side][coarser])
    findings = []
    for side in (0, 1):
        alike = sides[side].alike(states[side].inner, names[side], answered[side])
        alone = sorted(legal[side] - answered[side] - alike)
        if alone:
            text = sides[side].listed(alone[:SHOWN])
            more = f" and {len(alone) - SHOWN} more" if len(alone) > SHOWN else ""
            what = f"legal for {names[side]} in {sides[side].name} only: {text}{more}"
            asked, query = _why_legal(sides, matching, states, role, (side, alone[0]))
            findings.append(Finding(Kind.LEGAL, what, query, asked))
    return findings


def _why_legal(
    sides: tuple[ComparedGame, ComparedGame],
    matching: Matching,
    states: tuple[State, State],
    role: int,
    refused: tuple[int, Term],
) -> tuple[tuple[State, State], tuple[str, str]]:
    """Return whom to ask about a move that only one game allows, and about its partner, and what.

    A whole turn is not allowed where one of its plies is not: that one is asked about.

    Args:
        sides: The games.
        matching: What stands for what.
        states: The state of each.
        role: Of the first game.
        refused: Which game allows a move, and which move.
    """
    side, move = refused
    owners = role, matching.roles[role]
    names = [str(s.circuit.roles[owner]) for s, owner in zip(sides, owners, strict=True)]
    moves = [compared.circuit.moves[owner] for compared, owner in zip(sides, owners, strict=True)]
    index = moves[side].index(move)
    partners = [pair[1 - side] for pair in matching.pairs[role] if pair[side] == index]
    # Where names are the same, what has no partner can be asked for by name: why is it not legal?
    partner: Term | None = moves[1 - side][partners[0]] if partners else None
    if partner is None and matching.method.startswith(SAME_NAMES):
        partner = move
    asked, queries, half = [states[0], states[1]], ["", ""], 0
    if partner is not None:
        there, half = _stopped(sides[1 - side], states[1 - side], owners[1 - side], partner)
        asked[1 - side] = there
        queries[1 - side] = f"legal {names[1 - side]} {plies_of(partner)[half]}"
    plies = plies_of(move)
    half = min(half, len(plies) - 1) if sides[side].turns is not None else 0
    if half:
        asked[side] = _between(sides[side], states[side], owners[side], plies[0])
        half = int(asked[side] is not states[side])
    queries[side] = f"legal {names[side]} {plies[half]}"
    return (asked[0], asked[1]), (queries[0], queries[1])


def _stopped(side: ComparedGame, state: State, role: int, move: Term) -> tuple[State, int]:
    """Return the state in which a ply of a move is not legal, and which ply that is."""
    plies = plies_of(move)
    if side.turns is None or len(plies) == 1:
        return state, 0
    middle = _between(side, state, role, plies[0])
    return middle, int(middle is not state)


def _between(side: ComparedGame, state: State, role: int, first: Term) -> State:
    """Return the state after the first ply of a turn; the same one where it leads to none."""
    joint = tuple(first if own == role else WAITING for own in range(len(side.plies.roles)))
    try:
        after = state.play(joint)
    except IllegalMoveError:
        return state
    return state if after.is_terminal else after


def _goals(
    sides: tuple[ComparedGame, ComparedGame], matching: Matching, states: tuple[State, State]
) -> list[Finding]:
    findings = []
    for role, theirs in enumerate(matching.roles):
        names = sides[0].circuit.roles[role], sides[1].circuit.roles[theirs]
        values = [
            side.reasoner.goals(state.inner, name)
            for side, state, name in zip(sides, states, names, strict=True)
        ]
        if values[0] != values[1]:
            texts = [" and ".join(map(str, row)) or "no goal" for row in values]
            who = names[0] if names[0] == names[1] else f"{names[0]} ({names[1]})"
            telling = [_telling(values[0], values[1]), _telling(values[1], values[0])]
            queries = [
                "" if value is None else f"goal {name} {value}"
                for name, value in zip(names, telling, strict=True)
            ]
            text = f"goal of {who}: {texts[0]} in {sides[0].name}, {texts[1]} in {sides[1].name}"
            findings.append(Finding(Kind.GOAL, text, (queries[0], queries[1])))
    return findings


def _telling(values: Sequence[int], others: Sequence[int]) -> int | None:
    """Return a value that the other game does not give, else any; None for no value."""
    return next((value for value in values if value not in others), next(iter(values), None))


def _percepts(
    sides: tuple[ComparedGame, ComparedGame], matching: Matching, states: tuple[State, State]
) -> list[Finding]:
    findings = []
    before = [state.previous for state in states]
    if before[0] is None or before[1] is None:
        return []
    for role, theirs in enumerate(matching.roles):
        names = sides[0].circuit.roles[role], sides[1].circuit.roles[theirs]
        seen = [
            side.reasoner.percepts(earlier.inner, state.last_move, name)
            for side, state, earlier, name in zip(sides, states, before, names, strict=True)
            if earlier is not None
        ]
        called = matching.percepts.of(role) if matching.percepts is not None else _same
        mine = {called(percept): percept for percept in sorted(seen[0])}
        if len(mine) < len(seen[0]) or mine.keys() != seen[1]:
            texts = [", ".join(map(str, sorted(percepts))) or "nothing" for percepts in seen]
            text = f"{names[0]} saw {texts[0]} in {sides[0].name}, {texts[1]} in {sides[1].name}"
            # Asked of both is one thing that only one of them shows.
            told = min(mine.keys() ^ seen[1], default=None)
            queries = ("", "")
            if told is not None:
                back = {name: percept for percept, name in _named(matching, role)}
                own = mine.get(told, back.get(told, told))
                queries = f"sees {names[0]} {own}", f"sees {names[1]} {told}"
            findings.append(Finding(Kind.SEES, text, queries))
    return findings


def _same(percept: Term) -> Term:
    return percept


def _named(matching: Matching, role: int) -> Iterable[tuple[Term, Term]]:
    """Return percepts of a role with other names in the second game."""
    percepts = matching.percepts
    return percepts.names[role].items() if percepts is not None and percepts.names else ()
