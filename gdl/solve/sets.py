"""Symbolic solving: the value of every position, with sets of positions in place of a table.

In: a game. Out: a `SetSolution`. Where parts of a state change apart from each other, positions are
more than any table holds, and yet the diagram of all of them is small: buttons that switch lights,
towers beside towers. Values and distances are those of `gdl.solve.graph`, set by set: around the
ends with the best goal a role can get, and of what is left around those with the next.

What the diagrams are is in `gdl.solve.diagrams`. Nothing is believed of how states are written:
each step tells whether a state that follows breaks a group, and all begins again without it.

Source: Edelkamp, Kissmann, "Symbolic Classification of General Two-Player Games", KI 2008;
Edelkamp, Kissmann, "On the Complexity of BDDs for State Space Search: A Case Study in Connect
Four", AAAI 2011.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gdl.game import Game, GameLike, load
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.packages import need_packages
from gdl.solve.limits import DEFAULT_WORK_LIMITS, Progress, TooLargeError, WorkLimits
from gdl.solve.packing import guess_fields, sample_plays
from gdl.solve.positions import UnsolvableError, broken_after
from gdl.solve.strong import Solution, solve
from gdl.solve.table import TableError, Value

if TYPE_CHECKING:
    from gdl.solve.diagrams import Diagrams, Set
    from gdl.state import State

HIGHEST: Final = 100
TWO: Final = 2
MANY: Final = 2_000_000
"""Positions from which on it is asked whether sets hold them: a second or two for a table."""
FEW_NODES: Final = 100_000
"""Nodes of the set of all positions with which sets are quicker than a table."""
TRY: Final = WorkLimits(memory=256 << 20, seconds=10)
"""What the question may take."""
FIRST_BYTES: Final = 32 << 20
"""Room for nodes at first."""
GROWTH: Final = 8
"""How many times as much there is when that was not enough."""
PACKAGES: Final = ("numpy", "llvmlite", "clingo", "numba", "oxidd")


@dataclass(frozen=True, slots=True)
class Worth:
    """Positions of one value.

    Attributes:
        goal: What the first role has in the end.
        layers: The positions that are 0, 1, 2, ... moves from it.
    """

    goal: int
    layers: tuple[Set, ...]


class Sets:
    """Values of all positions of a game, as sets.

    Attributes:
        positions: How many positions play leads to.
        nodes: Nodes of the diagram of all of them.
    """

    def __init__(
        self, game: Game, diagrams: Diagrams, reached: Set, total: int | None, worths: list[Worth]
    ) -> None:
        """Keep the sets."""
        self._game, self._diagrams, self._reached = game, diagrams, reached
        self._total, self._worths = total, worths
        self.positions = diagrams.count(reached)
        self.nodes = int(reached.node_count())

    def value(self, state: State) -> Value:
        """Return what a state is worth. Cost O(bits) for each value and distance.

        Raises:
            TableError: It is of other rules, or play does not lead to it.
        """
        if state.game.ruleset.digest() != self._game.ruleset.digest():
            raise TableError(
                f"this state is of other rules than {self._game.id}",
                expected=f"a state of {self._game.id}",
            )
        native = self._game.back_end.native
        assert native is not None
        inner = native.state(state.facts)
        held = None if inner is None else frozenset(native.machine.held(inner))
        if held is None or not self._diagrams.fits(held) or not self._has(self._reached, held):
            raise TableError(
                "play does not lead to this state",
                expected="a state that play from the beginning leads to",
            )
        return self.at(held)

    def at(self, held: frozenset[int]) -> Value:
        """Return what a position is worth whose facts are given by index."""
        roles = self._game.roles
        for worth in self._worths:
            for distance, layer in enumerate(worth.layers):
                if self._has(layer, held):
                    return Value(self._goals(worth.goal), distance)
        half = None if self._total is None else self._total / TWO
        return Value(dict.fromkeys(roles, half), None, is_endless=True)

    def _goals(self, goal: int) -> dict[str, float | None]:
        first, *others = self._game.roles
        goals: dict[str, float | None] = {first: goal}
        return goals | dict.fromkeys(others, (self._total or 0) - goal)

    def _has(self, states: Set, held: frozenset[int]) -> bool:
        return self._diagrams.has(states, held)


@dataclass(frozen=True, slots=True)
class SetSolution:
    """The values of all positions of a game, as sets.

    Attributes:
        game: Its id.
        initial: What the first position is worth.
        sets: What every position is worth.
        bits: Bits of a state.
        depth: Moves to the positions that are farthest from the first.
        seconds: Processor time, of all but the compilation of the rules.
    """

    game: str
    initial: Value
    sets: Sets = field(repr=False)
    bits: int
    depth: int
    seconds: float

    @property
    def positions(self) -> int:
        """How many positions play leads to."""
        return self.sets.positions


def solve_as_sets(
    game: GameLike,
    *,
    limits: WorkLimits = DEFAULT_WORK_LIMITS,
    most_nodes: int | None = None,
    progress: Progress | None = None,
) -> SetSolution:
    """Return the value of every position that play leads to, with sets in place of a table.

    For one role, and for two of a constant sum that take turns. What it takes depends on the
    diagrams: seconds for 358 million positions of sixteen lights, or more than any memory for a
    game whose positions have no such pattern.

    Args:
        game: A ruleset id, a file, a ruleset or a game.
        limits: Memory and time that it may take.
        most_nodes: Nodes of the set of all positions, at most; None for what memory holds.
        progress: Told how far the work is.

    Raises:
        GdlError: The game cannot be loaded or compiled.
        MissingPackageError: Packages are missing.
        UnsolvableError: Nature draws, facts are hidden, several roles choose at once, a role has no
            move or no goal where it needs one, or the sum of the goals is not constant.
        TooLargeError: Memory or time is used up, or there are too many joint moves.

    Example:
        >>> from gdl.solve import solve_as_sets
        >>> solution = solve_as_sets("tictactoe")
        >>> solution.positions, str(solution.initial)
        (5478, 'x 50, o 50, in 9 moves')
    """
    need_packages("solving with sets of positions", PACKAGES, "solve")
    if isinstance(game, Game) and game.backend == "native":
        loaded = game
    else:
        loaded = load(game.ruleset if isinstance(game, Game) else game, backend="native")
    from oxidd.util import DDMemoryError

    begun = time.process_time()
    solver = _SetSolver(loaded, limits, most_nodes, progress or _quiet, begun)
    # Room for nodes is taken at once, and touched: a small game shall not pay for 8 GB.
    memory = min(FIRST_BYTES, limits.memory)
    while True:
        try:
            return solver.run(memory)
        except DDMemoryError:
            if memory == limits.memory:
                raise solver.too_large(
                    f"fit into {limits.memory:,} bytes", "give more memory"
                ) from None
        memory = min(GROWTH * memory, limits.memory)


def solve_either(
    game: GameLike,
    *,
    limits: WorkLimits = DEFAULT_WORK_LIMITS,
    progress: Progress | None = None,
    symmetries: bool = True,
) -> tuple[Solution | SetSolution, str]:
    """Return the value of every position, as sets where there are many that sets hold easily.

    It begins with a table. At `MANY` positions it asks whether `FEW_NODES` nodes hold them all; if
    not, or sets cannot answer, the table is made after all.

    Args:
        game: As `solve_as_sets`.
        limits: Memory and time that it may take; the try with sets takes `TRY` of them at most.
        progress: Told how far the work is.
        symmetries: Whether a table keeps one position of those that symmetries make of each other.

    Returns:
        The solution, and why it is the one or the other; empty where there was no question.

    Raises:
        GdlError: See `gdl.solve.strong.solve`.
    """
    tell = progress or _quiet

    def counting(phase: str, place: int, states: int) -> None:
        if states > MANY:
            raise _ManyError
        tell(phase, place, states)

    try:
        return solve(game, limits=limits, progress=counting, symmetries=symmetries), ""
    except _ManyError:
        pass
    tried = WorkLimits(min(TRY.memory, limits.memory), min(TRY.seconds, limits.seconds))
    try:
        solution = solve_as_sets(game, limits=tried, most_nodes=FEW_NODES, progress=progress)
    except GdlError as error:
        why = f"as a table, not as sets: {error.message}"
        return solve(game, limits=limits, progress=progress, symmetries=symmetries), why
    return solution, f"as sets: a table would have more than {MANY:,} rows"


class _ManyError(Exception):
    """There are more positions than a table takes a moment for."""


class _SetSolver:
    """Solves one game."""

    def __init__(
        self,
        game: Game,
        limits: WorkLimits,
        most_nodes: int | None,
        progress: Progress,
        begun: float,
    ) -> None:
        native = game.back_end.native
        assert native is not None
        self._game, self._native, self._limits = game, native, limits
        self._most_nodes, self._progress, self._begun = most_nodes, progress, begun
        if RANDOM in game.roles:
            raise self._refuse("nature draws", "a game without the role random")
        if game.hides_facts:
            raise self._refuse("facts are hidden", "a game without rules for sees")
        if len(game.roles) > TWO:
            raise self._refuse(f"{len(game.roles)} roles play", "a game of one role or of two")
        self._sample = sample_plays(native, -1)
        if self._sample.is_simultaneous:
            raise self._at_once()

    def run(self, memory: int) -> SetSolution:
        """Solve it; a guess of how states are written that was wrong is made again.

        Args:
            memory: Bytes that nodes may take; it may be less than the limit.
        """
        from gdl.solve.diagrams import Diagrams, UnfitError

        seen: set[frozenset[int]] = set()
        while True:
            packing = guess_fields(self._native, self._sample, seen)
            circuit = self._native.circuit
            diagrams = Diagrams(circuit, packing, circuit.initial, memory)
            try:
                reached, depth = self._reach(diagrams)
            except UnfitError as unfit:
                # Each round takes a group away that a state broke, so there are not more of them
                # than groups.
                seen.update(broken_after(self._native, packing, unfit.held))
                continue
            total = self._check(diagrams, reached)
            worths = self._values(diagrams, reached, total)
            sets = Sets(self._game, diagrams, reached, total, worths)
            seconds = time.process_time() - self._begun
            value = sets.at(circuit.initial)
            return SetSolution(self._game.id, value, sets, packing.bits, depth, seconds)

    def _reach(self, diagrams: Diagrams) -> tuple[Set, int]:
        """Return all positions, and how far the farthest is."""
        reached = last = diagrams.initial
        depth = 0
        while True:
            following = self._united("expand", depth, diagrams.following(last), reached, diagrams)
            last = following & ~reached
            if not last.satisfiable():
                return reached, depth
            reached |= last
            depth += 1
            self._within(reached, last)

    def _within(self, *sets: Set) -> None:
        """Refuse sets with more nodes than were allowed."""
        if self._most_nodes is not None and max(s.node_count() for s in sets) > self._most_nodes:
            raise self.too_large(f"a diagram of {self._most_nodes:,} nodes can hold", "allow more")

    def _united(
        self, phase: str, place: int, parts: Iterable[Set], whole: Set, diagrams: Diagrams
    ) -> Set:
        """Return the union of sets that take time to make, telling how far the work is."""
        result = diagrams.none
        for part in parts:
            result |= part
            if time.process_time() - self._begun > self._limits.seconds:
                raise self.too_large(
                    f"are found in {self._limits.seconds:g} seconds", "give more time"
                )
            self._progress(phase, place, diagrams.count(whole))
        return result

    def too_large(self, what: str, how: str) -> TooLargeError:
        """Return the error of a game that takes too much."""
        return TooLargeError(
            f"the positions of {self._game.id}, as sets, are more than {what}",
            help=f"{how}, or solve it as a table",
        )

    def _check(self, diagrams: Diagrams, reached: Set) -> int | None:
        """Refuse what has no value; return what two roles share, None for a role alone."""
        playing, over = reached & ~diagrams.over, reached & diagrams.over
        several = playing
        # Of each role: where some move is legal, and where two are. What is left in `several` after
        # all roles is where every one of them has a choice.
        for legal in diagrams.legal:
            any_of = twice = diagrams.none
            for where in legal:
                twice |= any_of & where
                any_of |= where
            several &= twice
            self._none_of(
                playing & ~any_of,
                diagrams,
                "play comes to a state that is not over and in which a role has no move",
                "gdl verify finds a play that leads there",
            )
        if len(diagrams.legal) == TWO and several.satisfiable():
            raise self._at_once()
        for role, goals in zip(self._game.roles, diagrams.goals, strict=True):
            any_of = twice = diagrams.none
            for _, where in goals:
                twice |= any_of & where
                any_of |= where
            self._none_of(
                over & (twice | ~any_of),
                diagrams,
                f"the rules give {role} no single goal where play can end",
                "gdl verify says more of such ends",
            )
        if len(diagrams.goals) < TWO:
            return None
        sums = {
            mine + theirs
            for mine, here in diagrams.goals[0]
            for theirs, there in diagrams.goals[1]
            if (over & here & there).satisfiable()
        }
        if len(sums) > 1:
            raise self._refuse(
                f"what two roles win together is {min(sums)} or {max(sums)}",
                "two roles whose goals always have the same sum",
            )
        return sums.pop() if sums else HIGHEST

    def _none_of(self, states: Set, diagrams: Diagrams, what: str, how: str) -> None:
        if states.satisfiable():
            names = self._native.circuit.facts
            facts = [str(names[fact]) for fact in sorted(diagrams.one_of(states))]
            raise UnsolvableError(
                what, notes=[f"it is {' '.join(facts) or 'the state without facts'}"], help=how
            )

    def _values(self, diagrams: Diagrams, reached: Set, total: int | None) -> list[Worth]:
        """Return the positions of each value, in the order of `gdl.solve.graph.retrograde`."""
        goals = [goal for goal, _ in diagrams.goals[0]]
        order: list[tuple[int, int | None]]
        if total is None:
            order = [(goal, None) for goal in reversed(goals)]
        else:
            order = [(goal, 0) for goal in reversed(goals) if 2 * goal > total]
            order += [(goal, 1) for goal in goals if 2 * goal < total]
            order += [(goal, None) for goal in goals if 2 * goal == total]
        ends = dict(diagrams.goals[0])
        choosing = [self._choosing(diagrams, role) for role in range(len(self._game.roles))]
        undecided = reached
        worths = []
        for goal, winner in order:
            layer = undecided & diagrams.over & ends[goal]
            undecided &= ~layer
            layers = []
            while layer.satisfiable():
                layers.append(layer)
                settled = reached & ~undecided
                before = self._united("sets", goal, diagrams.leading(layer), settled, diagrams)
                before &= undecided
                if winner is not None:
                    # Who loses holds out while a move leads elsewhere. When none does any more,
                    # the way just found is the longest, as it is found last.
                    held = before & choosing[1 - winner]
                    if held.satisfiable():
                        elsewhere = self._united(
                            "sets", goal, diagrams.leading(undecided), settled, diagrams
                        )
                        before &= ~(held & elsewhere)
                undecided &= ~before
                layer = before
            worths.append(Worth(goal, tuple(layers)))
        return worths

    @staticmethod
    def _choosing(diagrams: Diagrams, role: int) -> Set:
        """Return the states in which a role has more than one move."""
        any_of = twice = diagrams.none
        for where in diagrams.legal[role]:
            twice |= any_of & where
            any_of |= where
        return twice

    def _at_once(self) -> UnsolvableError:
        return self._refuse("several roles choose at once", "roles that take turns")

    def _refuse(self, why: str, expected: str) -> UnsolvableError:
        return UnsolvableError(
            f"{self._game.id} is not solved with sets of positions: {why}",
            expected=expected,
            help="gdl solve --way table",
        )


def _quiet(phase: str, place: int, states: int) -> None:
    del phase, place, states
