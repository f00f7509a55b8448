"""Which games a tournament has: who sits where, from which opening, with which chance.

In: a `Plan`. Out: its bouts, numbered, always the same ones in the same order; so a
tournament can be cut anywhere and played in any order.

Two players meet in every ruleset, in rounds. A round begins from one opening, and every
seating is played from it: both colours where there are two roles; where there are more, each
player alone against the other in all other roles, and the other way round; where there is
one role, each by itself, and the goals are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM

NATURE: Final = -1
"""Stands for a player at the role that nature plays."""


class PlanError(GdlError):
    """A tournament that cannot be played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be played.

    Attributes:
        rulesets: Ruleset ids or rule files.
        players: Names with options, as `gdl.play.make` takes them, all different.
        is_gauntlet: Whether only the first player meets the others.
        rounds: How many openings two players play in each ruleset.
        seconds: Time for a move, in seconds.
        start_seconds: Time to get ready for a game, in seconds; players that need less take less.
        simulations: Most simulations for a move; with it and no hurry, results are repeatable.
        opening_plies: Joint moves drawn at random before the players begin.
        max_plies: A game longer than this counts as drawn.
        seed: What all chance comes from.
    """

    rulesets: tuple[str, ...]
    players: tuple[str, ...]
    is_gauntlet: bool = False
    rounds: int = 1
    seconds: float = 1.0
    start_seconds: float = 30.0
    simulations: int | None = None
    opening_plies: int = 2
    max_plies: int = 1_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what makes no tournament.

        Raises:
            PlanError: Says what is missing.
        """
        if not self.rulesets:
            raise PlanError("there is no ruleset", expected="at least one")
        if len(set(self.rulesets)) < len(self.rulesets):
            raise PlanError(f"a ruleset is named twice among {', '.join(self.rulesets)}")
        if len(self.players) < 2:  # noqa: PLR2004  # it takes two
            raise PlanError(f"{len(self.players) or 'no'} player", expected="at least two")
        if len(set(self.players)) < len(self.players):
            raise PlanError(
                f"a player is named twice among {', '.join(self.players)}",
                help="give one of them another option",
            )
        for name, value in (("rounds", self.rounds), ("max_plies", self.max_plies)):
            if value < 1:
                raise PlanError(f"{name} is {value}", expected="at least 1")
        if self.opening_plies < 0:
            raise PlanError(f"opening_plies is {self.opening_plies}", expected="at least 0")
        for name, seconds in (("seconds", self.seconds), ("start_seconds", self.start_seconds)):
            if not 0 < seconds < float("inf"):
                raise PlanError(f"{name} is {seconds}", expected="more than 0, and not for ever")


@dataclass(frozen=True, slots=True)
class Bout:
    """One game of a tournament.

    Attributes:
        number: Counts the games, from 0.
        ruleset: Number of its ruleset in the plan.
        pair: Numbers of the two players that meet.
        round: Which of their rounds in this ruleset, from 0.
        seats: Number of the player of each role, in role order; `NATURE` at nature's role.
    """

    number: int
    ruleset: int
    pair: tuple[int, int]
    round: int
    seats: tuple[int, ...]

    @property
    def opening(self) -> str:
        """Name of the opening, the same for all seatings of a round."""
        return f"{self.ruleset}/{self.pair[0]}/{self.pair[1]}/{self.round}"


def bouts(plan: Plan, roles: Sequence[Sequence[str]]) -> Iterator[Bout]:
    """Yield all games, rounds first, so that an unfinished tournament is a fair one.

    Args:
        plan: What is to be played.
        roles: The roles of each ruleset, in order.
    """
    number = 0
    for turn in range(plan.rounds):
        for ruleset, names in enumerate(roles):
            for pair in _pairs(plan):
                for seats in _seatings(names, pair):
                    yield Bout(number, ruleset, pair, turn, seats)
                    number += 1


def _pairs(plan: Plan) -> Iterator[tuple[int, int]]:
    for first, second in combinations(range(len(plan.players)), 2):
        if not plan.is_gauntlet or first == 0:
            yield first, second


def _seatings(roles: Sequence[str], pair: tuple[int, int]) -> list[tuple[int, ...]]:
    """Return every way to seat two players that treats both alike."""
    chosen = [index for index, role in enumerate(roles) if role != RANDOM]
    seatings: dict[tuple[int, ...], None] = {}
    for alone, others in (pair, pair[::-1]):
        for mine in chosen:
            seats = [NATURE] * len(roles)
            for index in chosen:
                seats[index] = alone if index == mine else others
            seatings.setdefault(tuple(seats))
    return list(seatings)
