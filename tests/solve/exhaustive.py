"""What each position is worth, by the definition of the rules and the table of docs/solving.md.

Every position is reached by `gdl.meaning`, one joint move after the other, and what a table says is
held to what follows from it. Nothing of the solver is used for that, and nothing is quick: for
tests alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any

import pytest

import gdl
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.ruleset import Ruleset
from gdl.solve.table import Table, Value

Joint = tuple[int, ...]
"""The number of each role's move among its legal ones."""
CLOSE = 1e-6


class UnfitError(Exception):
    """The game has no value as docs/solving.md defines it."""


class TooManyError(Exception):
    """There are more positions than a test wants to look at."""


@dataclass(frozen=True)
class Position:
    """One position.

    Attributes:
        facts: What is true.
        goals: Of each role, where play is over; None for nature where it has none.
        counts: Legal moves of each role, where play goes on.
        following: What each joint move leads to.
    """

    facts: frozenset[str]
    goals: tuple[int, ...] | None
    counts: Joint
    following: dict[Joint, Any]


class Exhaustive:
    """A game with all its positions.

    Attributes:
        roles: Their names.
        players: The roles but nature.
        nature: The number of nature, -1 for none.
        positions: All positions by the back end's states.
        total: What the players' goals add up to at every end, None where that differs.
    """

    def __init__(self, game: Game, most: int = 3_000) -> None:
        """Reach all positions.

        Raises:
            UnfitError: A role has no move, or no single goal.
            TooManyError: There are more positions than ``most``.
        """
        self.machine = game.initial().machine
        self.roles = tuple(map(str, self.machine.roles))
        self.nature = self.roles.index("random") if "random" in self.roles else -1
        self.players = [r for r in range(len(self.roles)) if r != self.nature]
        self.positions: dict[Any, Position] = {}
        stack = [self.machine.initial()]
        while stack:
            state = stack.pop()
            if state in self.positions:
                continue
            if len(self.positions) == most:
                raise TooManyError
            self.positions[state] = position = self._position(state)
            stack += position.following.values()
        ends = [p.goals for p in self.positions.values() if p.goals is not None]
        sums = {sum(goals[r] for r in self.players) for goals in ends}
        self.total = sums.pop() if len(sums) == 1 else None
        self.is_endless = not ends
        self.at_once = max(map(len, map(self.choosers, self.positions.values())))

    def _position(self, state: Any) -> Position:  # noqa: ANN401  # of the back end
        machine = self.machine
        facts = frozenset(map(str, machine.facts(state)))
        if machine.is_terminal(state):
            goals = []
            for r, role in enumerate(machine.roles):
                found = machine.goals(state, role)
                if len(found) != 1 and r in self.players:
                    raise UnfitError("goals")
                goals.append(found[0] if len(found) == 1 else 0)
            return Position(facts, tuple(goals), (), {})
        legal = [machine.legal(state, role) for role in machine.roles]
        if not all(legal):
            raise UnfitError("stuck")
        following = {
            joint: machine.successor(
                state, tuple(moves[i] for moves, i in zip(legal, joint, strict=True))
            )
            for joint in product(*(range(len(moves)) for moves in legal))
        }
        return Position(facts, None, tuple(map(len, legal)), following)

    def choosers(self, position: Position) -> list[int]:
        """Return the players that have a choice."""
        return [r for r in self.players if position.counts and position.counts[r] > 1]

    def is_cyclic(self) -> bool:
        """Return whether play can come round again."""
        left = {state: len(set(p.following.values())) for state, p in self.positions.items()}
        before: dict[Any, list[Any]] = {state: [] for state in self.positions}
        for state, position in self.positions.items():
            for child in set(position.following.values()):
                before[child].append(state)
        ready = [state for state, count in left.items() if not count]
        done = 0
        while ready:
            done += 1
            for state in before[ready.pop()]:
                left[state] -= 1
                if not left[state]:
                    ready.append(state)
        return done < len(self.positions)

    @cached_property
    def kind(self) -> str:
        """How the game has values: ``alone``, ``two`` or ``induction``.

        Raises:
            UnfitError: It has none.
        """
        is_shared = len(self.players) == 2 and (self.total is not None or self.is_endless)
        if self.at_once > 1 and not is_shared:
            raise UnfitError("at once")
        is_simple = self.nature < 0 and self.at_once < 2
        if is_simple and (len(self.roles) == 1 or is_shared):
            return "alone" if len(self.roles) == 1 else "two"
        if self.is_cyclic():
            raise UnfitError("cycles")
        return "induction"

    def check(self, table: Table) -> None:
        """Require that a table gives each position what it is worth, and has no others."""
        assert table.positions == len(self.positions)
        checks = {
            "alone": self._check_alone,
            "two": self._check_two,
            "induction": self._check_induction,
        }
        checks[self.kind](table)

    def value(self, table: Table, state: Any) -> Value:  # noqa: ANN401
        """Return what a table says of a state."""
        row = table.find(self.positions[state].facts)
        assert row >= 0, "a position is missing"
        return table.at(row)

    def _check_alone(self, table: Table) -> None:
        best: dict[Any, tuple[int, int]] = {}
        goals = {p.goals[0] for p in self.positions.values() if p.goals is not None}
        for goal in sorted(goals, reverse=True):
            # Breadth first from all ends of this goal, over what no better goal is reached from.
            front = [s for s, p in self.positions.items() if p.goals == (goal,)]
            steps = 0
            while front:
                best |= dict.fromkeys(front, (goal, steps))
                steps += 1
                front = [
                    s
                    for s, p in self.positions.items()
                    if s not in best
                    and any(best.get(c) == (goal, steps - 1) for c in p.following.values())
                ]
        for state in self.positions:
            said = self.value(table, state)
            assert (said.goals[self.roles[0]], said.distance) == best.get(state, (None, None))
            assert said.is_endless == (state not in best)

    def _check_two(self, table: Table) -> None:
        ranks: dict[Any, tuple[int, int]] = {}
        total = 0 if self.total is None else self.total
        ends = {s: p.goals[0] for s, p in self.positions.items() if p.goals is not None}
        for role, sign in ((0, 1), (1, -1)):
            for goal in sorted({g for g in ends.values() if sign * (2 * g - total) > 0})[::-sign]:
                wanted = {s for s, g in ends.items() if sign * g >= sign * goal}
                mine = self._forced(role, wanted) - set(ranks)
                ranks |= {s: (goal, d) for s, d in self._distances(role, mine, goal).items()}
        for state in self.positions:
            said = self.value(table, state)
            assert not said.is_tied
            if state in ranks:
                goal, distance = ranks[state]
                assert said.goals[self.roles[0]] == goal
                assert said.goals[self.roles[1]] == total - goal
                assert said.distance == distance
            elif not self.is_endless:
                assert said.goals[self.roles[0]] == total / 2 == said.goals[self.roles[1]]
        self._check_drawn(table, ranks)

    def rounds(self, wanted: set[Any], role: int, *, is_alone: bool) -> dict[Any, int]:
        """Return from where some ends are forced, with the moves that it takes at most.

        Args:
            wanted: The ends.
            role: A role.
            is_alone: Whether it is this role that forces them, or all others together.
        """
        rank = dict.fromkeys(wanted, 0)
        while True:
            fresh = set()
            for state, position in self.positions.items():
                if state in rank or position.goals is not None:
                    continue
                after = [child in rank for child in position.following.values()]
                # With one move the mover is all the same.
                if any(after) if (self.choosers(position) == [role]) == is_alone else all(after):
                    fresh.add(state)
            if not fresh:
                return rank
            rank |= dict.fromkeys(fresh, max(rank.values()) + 1)

    def _forced(self, role: int, wanted: set[Any]) -> set[Any]:
        """Return from where a role forces an end of some, whatever the other does."""
        found = set(wanted)
        while True:
            fresh = set()
            for state, position in self.positions.items():
                if state in found or position.goals is not None:
                    continue
                reached = [c in found for c in set(position.following.values())]
                chooses = self.choosers(position) == [role]
                if any(reached) if chooses else all(reached):
                    fresh.add(state)
            if not fresh:
                return found
            found |= fresh

    def _distances(self, role: int, mine: set[Any], goal: int) -> dict[Any, int]:
        """Return moves to the end in positions worth one goal, which the role hurries to."""
        steps = {s: 0 for s in mine if self.positions[s].goals is not None}
        assert all(self.positions[s].goals[0] == goal for s in steps)  # type: ignore[index]
        while len(steps) < len(mine):
            fresh = {}
            for state in mine - set(steps):
                position = self.positions[state]
                same = [c for c in set(position.following.values()) if c in mine]
                known = [steps[c] for c in same if c in steps]
                if self.choosers(position) == [role]:
                    if known:
                        fresh[state] = min(known) + 1
                elif same and len(known) == len(same):
                    fresh[state] = max(known) + 1
            assert fresh
            least = min(fresh.values())
            steps |= {s: d for s, d in fresh.items() if d == least}
        return steps

    def _check_drawn(self, table: Table, ranks: dict[Any, tuple[int, int]]) -> None:
        """The shortest way to an end that keeps half, over positions that nobody wins."""
        front = [s for s, p in self.positions.items() if s not in ranks and p.goals is not None]
        steps = dict.fromkeys(front, 0)
        depth = 0
        while front:
            depth += 1
            front = [
                s
                for s, p in self.positions.items()
                if s not in ranks
                and s not in steps
                and any(c in front for c in p.following.values())
            ]
            steps |= dict.fromkeys(front, depth)
        for state in self.positions:
            if state not in ranks:
                said = self.value(table, state)
                assert said.distance == steps.get(state)
                assert said.is_endless == (state not in steps)

    def _check_induction(self, table: Table) -> None:
        for state, position in self.positions.items():
            said = self.value(table, state)
            goals = [said.goals[self.roles[r]] for r in self.players]
            if position.goals is not None:
                assert goals == [position.goals[r] for r in self.players]
                assert said.distance == 0
                continue
            after = {j: self.value(table, c) for j, c in position.following.items()}
            self._check_one(position, said, after)

    def _check_one(self, position: Position, said: Value, after: dict[Joint, Value]) -> None:
        def worth(value: Value, r: int) -> float:
            goal = value.goals[self.roles[r]]
            assert goal is not None
            return goal

        # Nature draws whatever the others do: first the mean over its moves.
        keys = {tuple(joint[r] for r in self.players) for joint in after}
        means: dict[Joint, list[float]] = {}
        for key in keys:
            some = [v for j, v in after.items() if tuple(j[r] for r in self.players) == key]
            means[key] = [sum(worth(v, r) for v in some) / len(some) for r in self.players]
        mine = [worth(said, r) for r in self.players]
        choosers = [self.players.index(r) for r in self.choosers(position)]
        draws = self.nature >= 0 and position.counts[self.nature] > 1
        distances = [v.distance for v in after.values()]
        if len(choosers) < 2:
            chooser = choosers[0] if choosers else 0
            best = max(goals[chooser] for goals in means.values())
            kept = [g for g in means.values() if g[chooser] > best - CLOSE]
            assert any(_are_close(mine, goals) for goals in kept), (mine, means)
            if not draws:
                same = [v for v in after.values() if worth(v, self.players[chooser]) > best - CLOSE]
                assert said.distance == min(v.distance or 0 for v in same) + 1
            else:
                assert said.distance == max(d or 0 for d in distances) + 1
            ways = {tuple(round(g, 5) for g in goals) for goals in kept}
            assert said.is_tied == (len(ways) > 1), (kept, said)
            return
        one, other = choosers
        rows = sorted({key[one] for key in means})
        columns = sorted({key[other] for key in means})
        cells = {(key[one], key[other]): goals for key, goals in means.items()}
        matrix = [[Fraction(cells[a, b][one]) for b in columns] for a in rows]
        value = float(matrix_value(matrix))
        assert self.total is not None
        expected = [0.0, 0.0]
        expected[one], expected[other] = value, self.total - value
        assert _are_close(mine, expected), (mine, expected)
        assert said.distance == max(d or 0 for d in distances) + 1


def hold_to_the_definition(text: str, seed: int) -> None:
    """Solve a game where the definition gives it a value, and see it refused where not.

    Symmetries are made use of for every other seed.
    """
    from gdl.solve import solve  # needs numba, which who imports this module asks for later

    written = Ruleset(id="game", paths=(), text=text)
    game = gdl.load(written, backend="native")
    try:
        known = Exhaustive(gdl.load(written, backend="meaning"), most=800)
        assert known.kind
    except TooManyError:
        return
    except UnfitError:
        with pytest.raises(GdlError):
            solve(game)
        return
    known.check(solve(game, symmetries=seed % 2 == 0).table)


def _are_close(one: list[float], other: list[float]) -> bool:
    return all(abs(a - b) < CLOSE for a, b in zip(one, other, strict=True))


def matrix_value(matrix: list[list[Fraction]]) -> Fraction:
    """Return the value of a matrix game, exactly: some square part of it is its solution.

    Source: Shapley and Snow, "Basic Solutions of Discrete Games", 1950.
    """
    m, n = len(matrix), len(matrix[0])
    for size in range(1, min(m, n) + 1):
        for rows in combinations(range(m), size):
            for columns in combinations(range(n), size):
                part = [[matrix[r][c] for c in columns] for r in rows]
                x = _equalising([list(column) for column in zip(*part, strict=True)])
                y = _equalising(part)
                if x is None or y is None or min(x[:-1]) < 0 or min(y[:-1]) < 0:
                    continue
                value = x[-1]
                low = min(sum(x[i] * matrix[r][c] for i, r in enumerate(rows)) for c in range(n))
                high = max(
                    sum(y[j] * matrix[r][c] for j, c in enumerate(columns)) for r in range(m)
                )
                if low == value == high:
                    return value
    raise AssertionError("every matrix game has a value")


def _equalising(part: list[list[Fraction]]) -> list[Fraction] | None:
    """Return weights that sum to 1 and make all rows worth the same, and that; None for none."""
    n = len(part)
    rows = [[*row, Fraction(-1), Fraction(0)] for row in part]
    rows.append([Fraction(1)] * n + [Fraction(0), Fraction(1)])
    for column in range(n + 1):
        pivot = next((r for r in range(column, n + 1) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [x / rows[column][column] for x in rows[column]]
        for r in range(n + 1):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [rows[i][n + 1] for i in range(n + 1)]
