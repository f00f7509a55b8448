"""How the states of a game are written as keys: guessed from random plays, checked by the solver.

In: a compiled game. Out: a `Guess`: a `Packing` whose groups no sampled state breaks, and the
fields that only ever fill, one a move, so that their number tells how far play is. Neither is
believed: the solver checks both for every state that it reaches (`gdl.native.kernel.packed`), and
asks for another guess when one was wrong.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.game import GameCircuit
from gdl.circuit.mutex import families
from gdl.language.diagnostics import GdlError
from gdl.native.game import NativeGame
from gdl.native.kernel.packed import Field, Packing, place_fields

GAMES: Final = 256
"""Random plays that are looked at side by side."""
PLIES: Final = 120
"""Moves of each; a game that is over begins anew."""
MOST_MEMBERS: Final = 4096
MOST_WORDS: Final = 4
"""Words of a key, at most."""


class TooWideError(GdlError):
    """The states of a game do not fit the keys of the solver."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Random plays, side by side.

    Attributes:
        plays: Facts, ``bool[plies, games, facts]``; a game that is over stays as it is.
        moves: What each role did there, by number, ``int32[plies - 1, games, roles]``.
        is_simultaneous: Whether several roles but nature had a choice at once.
        sums: What the goals of all roles but nature added up to where games ended.
    """

    plays: NDArray[np.bool_]
    moves: NDArray[np.int32]
    is_simultaneous: bool
    sums: frozenset[int]


@dataclass(frozen=True, slots=True)
class Guess:
    """What random plays suggest.

    Attributes:
        packing: How a state is written.
        low: Lowest bits of the fields that fill one by one, ``uint64[words]``; zero for none.
        high: Their second bits.
    """

    packing: Packing
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]

    @property
    def counts(self) -> bool:
        """Whether the fields that are filled tell how far play is."""
        return bool(self.low.any())

    @property
    def counted(self) -> tuple[bool, ...]:
        """For each field whether it is one of those."""
        return tuple(
            field.width > 0 and bool(int(self.low[field.start // 64]) >> field.start % 64 & 1)
            for field in self.packing.fields
        )


def guess_packing(
    native: NativeGame,
    sample: Sample,
    *,
    seen: Collection[frozenset[int]] = (),
    is_counted: bool = True,
) -> Guess:
    """Return a guess.

    Args:
        native: The game.
        sample: Random plays of it.
        seen: States that refuted an earlier guess, as facts by index.
        is_counted: Whether to look for fields that fill one by one.

    Raises:
        TooWideError: A state needs more than `MOST_WORDS` words.
    """
    packing = guess_fields(native, sample, seen)
    if packing.words > MOST_WORDS:
        raise TooWideError(
            f"a state of this game takes {packing.bits} bits, and a key has "
            f"{64 * MOST_WORDS} at most",
            help="the solver is for games with fewer facts; gdl play with mcts or solve asks about "
            "one position",
        )
    low, high = _count(packing, sample.plays)
    if not is_counted:
        low[:], high[:] = 0, 0
    return Guess(packing, low, high)


def proved_groups(circuit: GameCircuit) -> list[Field]:
    """Return groups of which at most one fact holds in every state, proved; each fact is in one.

    What was proved stands in the circuit; a fact of no group is one by itself.
    """
    taken: set[int] = set()
    fields: list[Field] = []
    groups = sorted(circuit.assumed or (), key=lambda group: (-len(group[0]), group[0]))
    for members, is_exact in groups:
        if len(members) > 1 and taken.isdisjoint(members):
            # Number 0 is how play begins, in a group of which one always holds.
            ordered = sorted(members, key=lambda fact: (fact not in circuit.initial, fact))
            fields.append(Field(tuple(ordered), is_exact=is_exact))
            taken.update(members)
    fields += [
        Field((fact,), is_exact=False) for fact in range(len(circuit.facts)) if fact not in taken
    ]
    return sorted(fields, key=lambda field: min(field.members))


def guess_fields(
    native: NativeGame, sample: Sample, seen: Collection[frozenset[int]] = ()
) -> Packing:
    """Return how states could be written, however many bits they take; see `guess_packing`."""
    states = np.zeros((len(seen), sample.plays.shape[-1]), np.bool_)
    for row, held in enumerate(seen):
        states[row, sorted(held)] = True
    return place_fields(_fields(native.circuit, np.concatenate([*sample.plays, states])))


def sample_plays(native: NativeGame, nature: int) -> Sample:
    """Play at random, always the same games.

    Args:
        native: The game.
        nature: The role that draws; -1 for none.
    """
    batch = native.batch(GAMES)
    rng = np.random.default_rng(0)
    seen = [batch.observations.copy()]
    made: list[NDArray[np.int32]] = []
    players = [r for r in range(len(batch.roles)) if r != nature]
    is_simultaneous = False
    for _ in range(PLIES):
        playing = ~batch.terminal
        counts = np.array([legal.sum(axis=1) for legal in batch.legal])
        if not playing.any() or (counts == 0).any(axis=0)[playing].any():
            break
        is_simultaneous |= bool(((counts[players] > 1).sum(axis=0) > 1)[playing].any())
        moves = [
            (legal * rng.random(legal.shape)).argmax(axis=1)
            if legal.shape[1]
            else np.zeros(GAMES, np.int64)
            for legal in batch.legal
        ]
        made.append(np.array(moves, np.int32).T)
        batch.step(made[-1])
        seen.append(batch.observations.copy())
    goals = batch.goals[batch.terminal][:, players].astype(np.int64)
    return Sample(
        np.array(seen),
        np.array(made, np.int32).reshape(-1, GAMES, len(batch.roles)),
        is_simultaneous,
        frozenset(goals.sum(axis=1).tolist()),
    )


def _fields(circuit: GameCircuit, states: NDArray[np.bool_]) -> list[Field]:
    """Return groups that no sampled state breaks, each fact in one, few bits in all."""
    candidates: list[tuple[int, Field]] = []
    seen: set[tuple[int, ...]] = set()
    for group in families(circuit.facts).values():
        members = tuple(group)
        if not members or len(members) > MOST_MEMBERS or members in seen:
            continue
        seen.add(members)
        held = states[:, members].sum(axis=1)
        if held.max() > 1:
            continue
        field = Field(_begin_with_initial(circuit, members), is_exact=bool(held.min() == 1))
        candidates.append((len(members) - field.width, field))
    # Greedy: the group that saves most bits first; a fact that is taken is taken.
    candidates.sort(key=lambda pair: (-pair[0], pair[1].members))
    taken: set[int] = set()
    fields: list[Field] = []
    for saved, field in candidates:
        if saved > 0 and taken.isdisjoint(field.members):
            fields.append(field)
            taken.update(field.members)
    fields += [
        Field((fact,), is_exact=False) for fact in range(len(circuit.facts)) if fact not in taken
    ]
    return sorted(fields, key=lambda field: min(field.members))


def _begin_with_initial(circuit: GameCircuit, members: tuple[int, ...]) -> tuple[int, ...]:
    """Return the members, the one that holds at first in front: number 0 is how play begins."""
    return tuple(sorted(members, key=lambda fact: (fact not in circuit.initial, fact)))


def _count(
    packing: Packing, plays: NDArray[np.bool_]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the fields of one or two bits that are never emptied, if just one fills a move."""
    low = np.zeros(packing.words, np.uint64)
    high = np.zeros(packing.words, np.uint64)
    total = np.zeros(plays.shape[:2], np.int64)
    for field in packing.fields:
        if field.width not in (1, 2):
            continue
        empty = 0 if field.is_exact else -1
        filled = np.zeros(plays.shape[:2], np.bool_)
        for place, fact in enumerate(field.members):
            if place != empty:
                filled |= plays[:, :, fact]
        if (filled[:-1] & ~filled[1:]).any() or not filled.any():
            continue
        total += filled
        word, bit = divmod(field.start, 64)
        low[word] |= np.uint64(1 << bit)
        if field.width == 2:  # noqa: PLR2004  # bits
            high[word] |= np.uint64(1 << (bit + 1))
    steps = np.diff(total, axis=0)
    moved = (plays[1:] != plays[:-1]).any(axis=-1)
    if not moved.any() or (steps[moved] != 1).any():
        low[:], high[:] = 0, 0
    return low, high
