"""Ways to choose moves that lead where bugs live.

In go twins and the moves of both sides; out comes a choice of ours. Random play meets what is
common; other styles look one move ahead on our side, for the end or away from it, for what was
played or paid seldom, for positions in which the next to move has few moves or many, for rules
that have fired seldom, and for what brings one nearer that has not fired at all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from gdl.conform.comparison import Comparison, Partners
from gdl.conform.coverage import Coverage
from gdl.conform.source import CHANCE, EngineMove, Position
from gdl.conform.sources.rules import RulesPosition
from gdl.conform.twin import Choice, Twin
from gdl.language.diagnostics import GdlError

if TYPE_CHECKING:
    from gdl.conform.aims import Aim

LOOKED_AT: Final = 12
"""Choices of a position that are looked at one move ahead."""
LOOKED_AT_CLOSELY: Final = 4
"""The same where the rules that fire are counted for each."""
LOOKED_AT_ONCE: Final = 40
"""The same where all are looked at in one pass."""
LOOKED_AHEAD: Final = 30
"""Moves of a game that are chosen towards rules that fired seldom; the rest is left to chance."""
OFTEN: Final = 0.75
"""How often a style has its way; else chance has."""
ENDED: Final = -1e9
"""What an end is worth to a style that counts answers."""


@dataclass
class Memory:
    """What was met so far in one piece of work.

    Attributes:
        coverage: The rules that fired, None where they cannot be counted.
        moves: How often each move of ours was made.
        ends: How often each end was met, by what it is worth.
        aim: How near states are to where the game under way is to lead.
    """

    coverage: Coverage | None
    moves: Counter[EngineMove] = field(default_factory=Counter)
    ends: Counter[tuple[float, ...]] = field(default_factory=Counter)
    aim: Aim | None = None


Style: TypeAlias = Callable[[Comparison, Twin, Partners, random.Random, Memory], Choice]


def by_chance(
    comparison: Comparison, twin: Twin, partners: Partners, rng: random.Random, memory: Memory
) -> Choice:
    """Choose any moves, each with the same chance."""
    del comparison, twin, memory
    return {role: rng.choice(pairs.moves) for role, pairs in partners.items()}


def seldom(
    comparison: Comparison, twin: Twin, partners: Partners, rng: random.Random, memory: Memory
) -> Choice:
    """Choose the moves that were made least often."""
    del comparison, twin
    return {
        role: min(pairs.moves, key=lambda move: (memory.moves[move], rng.random()))
        if rng.random() < OFTEN
        else rng.choice(pairs.moves)
        for role, pairs in partners.items()
    }


def _looking(wanted: Callable[[Comparison, Position, Memory], float], count: int) -> Style:
    """Return the style that looks one move ahead and takes what is wanted most."""

    def choose(
        comparison: Comparison, twin: Twin, partners: Partners, rng: random.Random, memory: Memory
    ) -> Choice:
        if CHANCE in partners or rng.random() > OFTEN:
            return by_chance(comparison, twin, partners, rng, memory)
        best: tuple[float, Choice] | None = None
        for choice in _some(partners, rng, count):
            after = comparison.ours.play(twin.ours, choice)
            worth = wanted(comparison, after, memory)
            if best is None or worth > best[0]:
                best = worth, choice
        assert best is not None
        return best[1]

    return choose


def _some(partners: Partners, rng: random.Random, count: int) -> list[Choice]:
    """Return some of the choices of a position in any order."""
    roles = list(partners)
    if len(roles) == 1:
        moves = partners[roles[0]].moves
        picked = rng.sample(list(moves), min(count, len(moves)))
        return [{roles[0]: move} for move in picked]
    picks = [list(partners[role].moves) for role in roles]
    for moves in picks:
        rng.shuffle(moves)
    joints = [joint for joint, _ in zip(product(*picks), range(count), strict=False)]
    return [dict(zip(roles, joint, strict=True)) for joint in joints]


def ends(comparison: Comparison, after: Position, memory: Memory) -> float:
    """Prefer ends, above all those that were met seldom; else what leaves few moves.

    Where nobody has many moves left, play is over sooner than chance would have it.
    """
    if not comparison.ours.is_terminal(after):
        return few_answers(comparison, after, memory)
    return 1 / (1 + memory.ends[comparison.ours.returns(after)])


def going_on(comparison: Comparison, after: Position, memory: Memory) -> float:
    """Prefer what does not end."""
    del memory
    return -float(comparison.ours.is_terminal(after))


def few_answers(comparison: Comparison, after: Position, memory: Memory) -> float:
    """Prefer what leaves the next to move few moves, but does not end."""
    del memory
    ours = comparison.ours
    if ours.is_terminal(after):
        return ENDED
    return -float(sum(len(ours.legal(after, role)) for role in ours.movers(after)))


def many_answers(comparison: Comparison, after: Position, memory: Memory) -> float:
    """Prefer what leaves the next to move many moves, and does not end: far into a puzzle."""
    worth = few_answers(comparison, after, memory)
    return worth if worth == ENDED else -worth


def seldom_rules(comparison: Comparison, after: Position, memory: Memory) -> float:
    """Prefer what makes rules fire that fired seldom."""
    del comparison
    if memory.coverage is None or not isinstance(after, RulesPosition) or after.chosen:
        return 0.0
    counts = memory.coverage.counts
    try:
        fired = memory.coverage.fired(after.inner)
        if after.before is not None and after.joint is not None:
            fired |= memory.coverage.fired(after.before.inner, after.joint)
    except GdlError:
        return 0.0
    return sum(1 / (1 + counts[rule]) for rule in fired)


def unfired_rule(comparison: Comparison, after: Position, memory: Memory) -> float:
    """Prefer what is nearer to where a rule fires that has not fired, before the end if need be."""
    if memory.aim is None or not isinstance(after, RulesPosition) or after.chosen:
        return 0.0
    return aimed(memory.aim([after.inner])[0], is_over=comparison.ours.is_terminal(after))


def aimed(near: float, *, is_over: bool) -> float:
    """Return what being so near is worth: nothing where play is over, and nothing reached."""
    return ENDED if is_over and near < 1 else near


CHANCE_ALONE, SELDOM, RULES = "by chance", "moves made seldom", "towards rules that fired seldom"
UNFIRED: Final = "towards a rule that has not fired"
Wanted: TypeAlias = Callable[[Comparison, Position, Memory], float]
LOOKING: Final[Mapping[str, tuple[Wanted, int]]] = MappingProxyType(
    {
        "towards ends met seldom": (ends, LOOKED_AT),
        "away from the end": (going_on, LOOKED_AT),
        "leaving few moves": (few_answers, LOOKED_AT),
        "leaving many moves": (many_answers, LOOKED_AT),
        RULES: (seldom_rules, LOOKED_AT_CLOSELY),
        UNFIRED: (unfired_rule, LOOKED_AT_ONCE),
    }
)
"""Of each style that looks one move ahead what it wants, and how many choices it looks at."""
STYLES: Final[Mapping[str, tuple[Style, int]]] = MappingProxyType(
    {
        CHANCE_ALONE: (by_chance, 8),
        SELDOM: (seldom, 8),
        **{
            name: (_looking(*LOOKING[name]), games)
            for name, games in zip(LOOKING, (3, 3, 2, 2, 1, 2), strict=True)
        },
    }
)
"""Ways to play a whole game, by name, and how many games of each are played in turn: those that
look ahead cost more."""
