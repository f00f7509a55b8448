"""Moves matched by what they do to the board.

In: two rulesets whose manifests draw the same board, and their circuits. Out: a
`Matching`: marks on the same cell of the picture are the same fact, and two moves stand
for each other when they have the same effect on the same boards.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import of_facts, of_step
from gdl.verify.systems.matching import Matching, make_matching
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import game_system
from gdl.view.picture import Picture
from gdl.view.plan import plan
from gdl.view.scene import Piece, place

if TYPE_CHECKING:
    from gdl.verify.systems.bit_parallel import Bits

BOARDS: Final = 12
"""Boards of each ply on which moves are tried."""


@dataclass(frozen=True, slots=True)
class _View:
    """A game with what its facts are called in common, and boards that play came to."""

    circuit: GameCircuit
    names: tuple[Hashable, ...]
    boards: tuple[Bits, ...]


def by_effects(
    left: GameCircuit, right: GameCircuit, pictures: tuple[Picture, Picture], budget: Budget
) -> Matching | None:
    """Return the matching of moves with equal effects, None where none can be made.

    Roles are matched in their order. Cost: a few simulations of each move of each role.
    """
    sizes = {tuple(len(panel.sites) for panel in plan(p).panels) for p in pictures}
    if len(sizes) > 1 or len(left.roles) != len(right.roles):
        return None
    quiet = [_quiet(circuit, budget) for circuit in (left, right)]
    plies = min(map(len, quiet))
    views = [
        _view(circuit, picture, boards[:plies])
        for circuit, picture, boards in zip((left, right), pictures, quiet, strict=True)
    ]
    states = _common_states(*views)
    if states is None:
        return None
    pairs = []
    for role in range(len(left.roles)):
        mine, theirs = (_effects(v, s, role) for v, s in zip(views, states, strict=True))
        pairs.append(_paired(mine, theirs, (left.moves[role], right.moves[role])))
    if not all(pairs):
        return None
    return make_matching(left, right, range(len(left.roles)), pairs, "equal effects on the board")


def _quiet(circuit: GameCircuit, budget: Budget) -> list[Bits]:
    """Return boards of the plies before the first at which some play stops."""
    sampled = sample(game_system(circuit), budget, lanes=256)
    quiet = []
    for going, stopped in zip(sampled.going, sampled.stopped, strict=True):
        if stopped.shape[1]:
            break
        quiet.append(going)
    return quiet


def _view(circuit: GameCircuit, picture: Picture, boards: list[Bits]) -> _View:
    names: list[Hashable] = []
    for index, fact in enumerate(circuit.facts):
        placed, _, _ = place(picture, [fact])
        marks = [
            (_where(picture, site), *_piece_name(circuit, piece))
            for site, pieces in placed.items()
            for piece in pieces
        ]
        names.append(marks[0] if len(marks) == 1 else _history(index, boards))
    return _View(circuit, tuple(names), tuple(boards))


def _where(picture: Picture, number: int) -> Hashable:
    """Return row and column of a cell, and where any other site is: names may differ."""
    site = plan(picture).sites[number]
    return site.at if site.row is None else (site.row, site.column)


def _piece_name(circuit: GameCircuit, piece: Piece) -> tuple[Hashable, ...]:
    mark = None if piece.mark is None else _role_name(circuit, piece.mark.name)
    return mark, piece.count, piece.turn


def _role_name(circuit: GameCircuit, mark: str) -> Hashable:
    names = [str(role) for role in circuit.roles]
    return names.index(mark) if mark in names else mark


def _history(fact: int, boards: list[Bits]) -> Hashable:
    """Return how often a fact holds at each ply: always, never, or now and then."""
    history: list[str] = []
    for states in boards:
        row = states[fact]
        history.append("always" if row.all() else "sometimes" if row.any() else "never")
    return tuple(history)


def _common_states(left: _View, right: _View) -> tuple[Bits, Bits] | None:
    """Return the same boards as states of both games; None if facts cannot be told apart."""
    import numpy as np

    places = {}
    for index, name in enumerate(right.names):
        if name in places and not _is_never(name):
            return None
        places[name] = index
    columns = [states[:, :BOARDS] for states in left.boards]
    if not columns:
        return None
    mine = np.concatenate(columns, axis=1)
    theirs = np.zeros((len(right.names), mine.shape[1]), np.bool_)
    for index, name in enumerate(left.names):
        if name in places:
            theirs[places[name]] = mine[index]
        elif mine[index].any():
            return None
    return mine, theirs


def _is_never(name: Hashable) -> bool:
    return isinstance(name, tuple) and set(name) <= {"never"}


def _effects(view: _View, states: Bits, role: int) -> list[tuple[Hashable, ...]]:
    """Return for each move of a role what it makes of each state, None where it is illegal."""
    import numpy as np

    circuit, system = view.circuit, game_system(view.circuit)
    looker = of_facts(system, system.flat_legal)
    rows: list[Bits] = list(system.by_role(looker.run(states)))
    chosen = np.concatenate([_first(row) for row in rows])
    offset = sum(len(moves) for moves in circuit.moves[:role])
    mover = of_step(system)
    order = sorted(
        (i for i, name in enumerate(view.names) if not _is_never(name)),
        key=lambda index: repr(view.names[index]),
    )
    effects = []
    for move in range(len(circuit.moves[role])):
        joint = chosen.copy()
        joint[offset : offset + len(circuit.moves[role])] = False
        joint[offset + move] = True
        after = mover.run(np.concatenate([states, joint]))[order].T
        effects.append(
            tuple(
                after[lane].tobytes() if allowed else None
                for lane, allowed in enumerate(rows[role][move])
            )
        )
    return effects


def _first(row: Bits) -> Bits:
    """Return the first legal move of each state alone."""
    import numpy as np

    firsts = np.zeros_like(row)
    firsts[row.argmax(axis=0), np.arange(row.shape[1])] = row.any(axis=0)
    return firsts


def _paired(
    mine: list[tuple[Hashable, ...]],
    theirs: list[tuple[Hashable, ...]],
    names: tuple[tuple[Term, ...], tuple[Term, ...]],
) -> list[tuple[int, int]]:
    """Return moves with the same effects; where several have, as many on both sides, in order."""
    groups: dict[tuple[Hashable, ...], tuple[list[int], list[int]]] = {}
    for side, rows in enumerate((mine, theirs)):
        for index, effects in enumerate(rows):
            if any(effect is not None for effect in effects):
                groups.setdefault(effects, ([], []))[side].append(index)
    pairs = [
        pair
        for left, right in groups.values()
        if len(left) == len(right)
        for pair in zip(left, right, strict=True)
    ]
    alone = [
        sorted(set(range(len(rows))) - {pair[side] for pair in pairs})
        for side, rows in enumerate((mine, theirs))
    ]
    return pairs + _left_over(names, alone)


def _left_over(
    names: tuple[tuple[Term, ...], tuple[Term, ...]], alone: list[list[int]]
) -> list[tuple[int, int]]:
    """Return moves of the same name: waiting has no effect that could be compared."""
    theirs = {names[1][index]: index for index in alone[1]}
    return [(a, theirs[names[0][a]]) for a in alone[0] if names[0][a] in theirs]
