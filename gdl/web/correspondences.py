"""Which roles and moves of two rulesets stand for each other, asked once for each pair.

In: two rulesets. Out: a `Correspondence` as JSON objects hold one. It is found as `gdl diff` finds
it, in a process apart (`correspond`), and kept by the server (`Correspondences`); what becomes of
moves under it, `gdl.web.carried` says.

Where nothing is found, or the packages are missing, moves keep their names and the answer says so:
moves that the other rules do not know are refused then, none is taken for another.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypedDict

from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.language.syntax import Term, kif_text
from gdl.ruleset import Ruleset
from gdl.web.problems import ProblemError
from gdl.web.shipped import keep, name_of

if TYPE_CHECKING:
    from gdl.verify.correspondence.compared_game import ComparedGame
    from gdl.verify.systems.matching import Matching

KEPT: Final = 64
"""Pairs of rulesets whose correspondence is kept."""
AGAIN_SECONDS: Final = 300.0
"""When a pair is tried again for which there was too little time."""
TEXTS: Final = 0.2
"""Of the time, what comparing the texts of both rules may take."""
UNPROCESSABLE: Final = 422
MEGABYTES: Final = 512
"""Memory that the search for a correspondence may take."""
MOST_PAIRS: Final = 50_000
"""Pairs of moves that are kept of a correspondence, those of equal names apart."""

Pair = tuple[Sequence[str], Sequence[str]]
"""The plies of a move under the one rules and the other, as KIF."""


class Correspondence(TypedDict):
    """What stands for what, from one ruleset to another.

    A move of which nothing is said keeps its name; one with no counterpart is paired with nothing.
    Where one of the rulesets is read in whole turns, all moves are named.
    """

    method: str
    """How it was found; ``names alone`` where it was not."""
    note: str
    """Why nothing was found, in words; else empty."""
    roles: dict[str, str]
    """By role of the one ruleset that of the other."""
    moves: dict[str, list[Pair]]
    """By role of the one ruleset, moves that do not stand for their own name alone."""
    plies: int
    """How many plies of the one ruleset a move has: 2 where it is read in whole turns."""


def correspond(left: Ruleset, right: Ruleset, seconds: float, limits: Limits) -> dict[str, Any]:
    """Return the correspondence of two rulesets, and under ``final`` whether more time is no help.

    Args:
        left: The ruleset whose moves are known.
        right: The one under whose rules they are to be played.
        seconds: Wall-clock time; there is a bound on memory as well.
        limits: What reading the rules may take.
    """
    try:
        return {"final": True, "found": _found(left, right, seconds, limits)}
    except GdlError as error:
        return {"final": True, "found": names_alone(error.headline)}
    except _TooLongError as error:
        return {
            "final": False,
            "found": names_alone(f"there was no time to find out more: {error}"),
        }


class _TooLongError(Exception):
    """The budget was too small to say which moves stand for which."""


def names_alone(note: str) -> Correspondence:
    """Return what is left where no correspondence was found: each word stands for itself."""
    return Correspondence(method="names alone", note=note, roles={}, moves={}, plies=1)


def _found(left: Ruleset, right: Ruleset, seconds: float, limits: Limits) -> Correspondence:
    from gdl.verify.correspondence.compared_game import prepare_game
    from gdl.verify.correspondence.correspondence import find_matching
    from gdl.verify.correspondence.isomorphism import isomorphism
    from gdl.verify.correspondence.unfolded import unfold
    from gdl.verify.diff import require_packages
    from gdl.verify.solvers.budget import Budget, OutOfBudgetError

    require_packages()
    budget = Budget(seconds, MEGABYTES)
    try:
        texts = [unfold(ruleset.checked(limits).clauses) for ruleset in (left, right)]
        try:
            renaming = isomorphism(texts[0], texts[1], budget.share(TEXTS * seconds))
        except OutOfBudgetError:
            renaming = None
        sides = [prepare_game(ruleset, limits=limits, budget=budget) for ruleset in (left, right)]
        read, matching = find_matching((sides[0], sides[1]), budget, renaming=renaming)
    except OutOfBudgetError as error:
        raise _TooLongError(str(error)) from error

    moves = _moves(read, matching)
    if sum(map(len, moves.values())) > MOST_PAIRS:
        return names_alone("they have too many moves to carry them over")
    roles = zip(read[0].circuit.roles, matching.roles, strict=True)
    return Correspondence(
        method=matching.method,
        note="",
        roles={str(role): str(read[1].circuit.roles[number]) for role, number in roles},
        moves=moves,
        plies=1 if read[0].turns is None else 2,
    )


def _moves(read: tuple[ComparedGame, ComparedGame], matching: Matching) -> dict[str, list[Pair]]:
    """Return by role the moves that do not stand for their own name alone, with their partners."""
    from gdl.verify.correspondence.turns import plies_of

    def plies(move: Term) -> list[str]:
        return [kif_text(ply) for ply in plies_of(move)]

    mine, theirs = (side.circuit for side in read)
    # A whole turn is no move of the rules as written, so that no name can stand for itself.
    in_turns = any(side.turns is not None for side in read)
    moves: dict[str, list[Pair]] = {}
    for role, own in enumerate(mine.moves):
        partners: dict[int, list[int]] = {number: [] for number in range(len(own))}
        for a, b in matching.pairs[role]:
            partners[a].append(b)
        named = theirs.moves[matching.roles[role]]
        pairs: list[Pair] = []
        for a, those in partners.items():
            if in_turns or [named[b] for b in those] != [own[a]]:
                pairs += [(plies(own[a]), plies(named[b])) for b in those] or [(plies(own[a]), [])]
        moves[str(mine.roles[role])] = pairs
    return moves


Find = Callable[[], Awaitable[dict[str, Any]]]
"""Asks a process apart for what `correspond` returns."""


class Correspondences:
    """Those that a server has found, by what both rulesets say."""

    def __init__(self) -> None:
        """Begin with none."""
        self._kept: OrderedDict[tuple[str, str], tuple[float, Correspondence]] = OrderedDict()
        self._finding: dict[tuple[str, str], asyncio.Lock] = {}

    async def between(
        self, left: Mapping[str, Any], right: Mapping[str, Any], find: Find
    ) -> Correspondence:
        """Return the correspondence of two pinned rulesets, found by ``find`` if need be.

        Whoever asks while it is being found waits for the same answer.

        Raises:
            ProblemError: The client asks for too much at once, or too many do.
        """
        pair = name_of(left), name_of(right)
        if (answer := self._known(pair)) is not None:
            return answer
        lock = self._finding.setdefault(pair, asyncio.Lock())
        try:
            async with lock:
                return self._known(pair) or self._learn(pair, await find())
        except ProblemError as problem:
            if problem.status != UNPROCESSABLE:  # busy: nothing was found out
                raise
            alone = names_alone(problem.message)
            return self._learn(pair, {"final": problem.code != "too-slow", "found": alone})
        finally:
            self._finding.pop(pair, None)

    def _known(self, pair: tuple[str, str]) -> Correspondence | None:
        until, correspondence = self._kept.get(pair, (0.0, None))
        return correspondence if asyncio.get_running_loop().time() < until else None

    def _learn(self, pair: tuple[str, str], answer: dict[str, Any]) -> Correspondence:
        until = asyncio.get_running_loop().time() + AGAIN_SECONDS
        correspondence: Correspondence = answer["found"]
        keep(self._kept, pair, (math.inf if answer["final"] else until, correspondence), KEPT)
        return correspondence
