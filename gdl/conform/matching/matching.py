"""Which moves and roles of two sources stand for each other: two ways to name a move.

A matching gives each move of either side a key; at the same position, moves with the same key are
the same move. A move without a partner is a difference, never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl.conform.source import (
    CHANCE,
    EngineMove,
    Position,
    Source,
    SourceError,
    in_turn,
    written,
)
from gdl.language.keywords import RANDOM

Key: TypeAlias = Callable[[Position, int, EngineMove], Hashable]
"""Position, role of that side, move."""


class UnmatchedError(SourceError):
    """Roles or moves of two sources that cannot be brought together."""


def how_to_map(ours: Source) -> str:
    """Return how a map says what stands for what, with a move of the first position."""
    first = next(in_turn(ours, ours.initial()), None)
    if first is None:
        return "--map FILE says which move stands for which"
    role, move = first
    name = RANDOM if role == CHANCE else ours.roles[role]
    text = written(ours, ours.initial(), role, move)
    return (
        f'--map FILE says which move stands for which: in TOML a table [moves."{name}"] with a '
        f'line such as "{text}" = "what the engine calls it" for each'
    )


@dataclass(frozen=True, slots=True)
class Unmet:
    """The key of a move that was not met while moves were matched.

    Where one such move of either side is all that is left over in a position, they are partners
    from there on (`gdl.conform.comparison`): a pass that no game came to has no other name.

    Attributes:
        name: What it is called; moves of both sides that are called alike are partners as well.
    """

    name: Hashable


@dataclass(frozen=True)
class Matching:
    """What stands for what.

    Attributes:
        roles: For each of our roles, theirs.
        ours: The key of a move of ours.
        theirs: The key of a move of theirs.
        method: How it was found, for people.
        doubt: What speaks against it, in words; empty where nothing does.
        is_cut: Whether time ended the search for it.
        is_learned: Whether play alone vouches for it.
        is_verbatim: Whether both sides write moves alike.
        is_told: Whether words vouch for it: the same ones, or rows and columns.
        is_static: Whether a move had the same key wherever it was met.
        is_positional: Whether the key of a move of ours depends on the position.
        met_keys: The keys of moves that were met, by side and role of that side, where they are
            quicker to have at once.
        exchanged: The same with two moves of ours exchanged, where the key of one depends on the
            others that are legal.
    """

    roles: tuple[int, ...]
    ours: Key
    theirs: Key
    method: str
    doubt: str = ""
    is_cut: bool = False
    is_learned: bool = False
    is_verbatim: bool = False
    is_told: bool = False
    is_static: bool = False
    is_positional: bool = False
    met_keys: Callable[[int, int], dict[EngineMove, Hashable]] = lambda _side, _role: {}
    exchanged: Callable[[EngineMove, EngineMove], Matching] | None = None

    def theirs_of(self, role: int) -> int:
        """Return their number of a role of ours; chance is chance."""
        return CHANCE if role == CHANCE else self.roles[role]


def by_table(
    table: Mapping[tuple[int, str], str],
    roles: tuple[int, ...],
    texts: tuple[Callable[..., str], Callable[..., str]],
    method: str,
) -> Matching:
    """Return the matching of moves by a table of texts: our role and move, their move."""
    said = {(CHANCE if r == CHANCE else roles[r], theirs) for (r, _), theirs in table.items()}

    def ours(position: Position, role: int, move: EngineMove) -> Hashable:
        text = texts[0](position, role, move)
        return table.get((role, text), Unmet(("ours", text)))

    def theirs(position: Position, role: int, move: EngineMove) -> Hashable:
        text = texts[1](position, role, move)
        return text if (role, text) in said else Unmet(("theirs", text))

    return Matching(roles, ours, theirs, method)


def by_moves(
    tables: Sequence[Mapping[EngineMove, EngineMove]], roles: tuple[int, ...], method: str
) -> Matching:
    """Return the matching of moves by a table for each role of ours: our move, their move."""
    places = {other: role for role, other in enumerate(roles)}
    met = {other: set(tables[role].values()) for role, other in enumerate(roles)}

    def ours(position: Position, role: int, move: EngineMove) -> Hashable:
        del position
        return tables[role].get(move, Unmet(("ours", move)))

    def theirs(position: Position, role: int, move: EngineMove) -> Hashable:
        del position
        return move if move in met[role] else Unmet(("theirs", move))

    def met_keys(side: int, role: int) -> dict[EngineMove, Hashable]:
        if role == CHANCE:
            return {}
        if side:
            return {move: move for move in tables[places[role]].values()}
        return dict(tables[role])

    return Matching(roles, ours, theirs, method, is_static=True, met_keys=met_keys)
