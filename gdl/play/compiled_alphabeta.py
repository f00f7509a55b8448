"""Alpha-beta in a compiled game: one ply deeper each time, by null windows alone.

In: a `Workspace`, a state, a role. Out: the value of the state as deep as time allows, what is
proven of it, and `Thoughts`. The value of a depth is found by asking again and again whether it is
at least so much (`gdl.play.null_window`), from the value of the depth before on. It goes on in
slices; the table stays from move to move.

Source: see `gdl.play.null_window`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Final
from weakref import proxy

from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.play import null_window as nw
from gdl.play.anytime import UnsuitedError
from gdl.play.fallback_thoughts import BEGUN
from gdl.play.lane_tables import worst_goal
from gdl.play.null_window import SCALE, place_of, test
from gdl.play.proof_search import COUNTED, next_pace
from gdl.play.thoughts import Candidate, Thoughts
from gdl.play.workspace import Workspace

LINE: Final = 24
"""Plies of a principal line that are shown."""
MOST_BOUNDS: Final = 256
"""Moves of which the table is asked what they are worth at most; the others take the best's value:
whoever answers with thousands of moves would be late."""
MOST_GOAL: Final = 1 << 20
"""The highest goal that this counts with."""


def is_suited(workspace: Workspace, role: int) -> bool:
    """Return whether a compiled game is one for alpha-beta, as far as can be told before."""
    goals = [goal for values in workspace.native.kernel.compiled.goals for goal in values]
    return (
        workspace.is_sequential
        and workspace.is_zero_sum
        and bool(workspace.native.kernel.compiled.goals[role])
        and all(0 <= goal <= MOST_GOAL for goal in goals)
    )


def rehearse(workspace: Workspace) -> None:
    """Search once, so that nothing is loaded or made while time runs."""
    machine = workspace.native.machine
    state = machine.initial()
    if not is_suited(workspace, 0) or machine.is_terminal(state):
        return
    search = CompiledAlphaBeta(workspace, state, 0, simulations=1, playouts=True)
    with suppress(UnsuitedError):
        while search.go_on():
            search.thoughts()
    search.thoughts()
    workspace.clear()


class CompiledAlphaBeta:
    """The search of one state (`gdl.play.anytime.Search`).

    Attributes:
        depth: Plies of the last depth that was finished.
        value: The goal found there.
        lower: The goal that is proven: at least that.
        upper: At most that.
        move: The best move found; one that is proven where the value is.
    """

    def __init__(  # noqa: PLR0913  # what is searched, and how
        self,
        workspace: Workspace,
        state: bytes,
        role: int,
        *,
        simulations: int | None = None,
        playouts: bool = False,
        stride: int = 1,
    ) -> None:
        """Prepare; nothing is looked at yet.

        Args:
            workspace: Where to search; the game is one for it (`is_suited`).
            state: Where to begin; the game is not over there.
            role: Whose value is wanted.
            simulations: Most states that are made, None for any number.
            playouts: Whether playouts say what a state at the horizon is worth; else half.
            stride: How many plies deeper each time.
        """
        self._workspace, self._state, self._role = workspace, state, role
        self._search = workspace.null_window(role)
        self._most, self._stride = simulations, stride
        self._started = time.monotonic()
        self._pace = 64
        goals = workspace.native.kernel.compiled.goals[role]
        self._least, self._greatest = worst_goal(goals), max(goals)
        self.lower, self.upper = self._least, self._greatest
        status = self._search.status
        status[nw.ROLE], status[nw.HAS_PLAYOUTS] = role, playouts
        status[nw.BEST], status[nw.WORST] = SCALE * self.upper, SCALE * self.lower
        status[nw.GUESS] = SCALE * (self.upper + self.lower) // 2
        self._before = int(status[nw.NODES])
        self._search.frame[0, nw.REPLY] = -1  # of another state
        self.depth = 0
        self.value: float | None = None
        self._best, self._worth = -1, 0
        self._sure: int = -1
        self._is_mine = self._mover() == role
        # The steps know their search by a proxy. If they held it there would be a cycle, and the
        # memory of the workspace would wait for a collection that nothing makes urgent.
        self._steps = CompiledAlphaBeta._deepen(proxy(self))
        workspace.resume()

    @property
    def nodes(self) -> int:
        """States that were made so far."""
        return int(self._search.status[nw.NODES]) - self._before

    @property
    def is_exact(self) -> bool:
        """Whether the value is proven."""
        return self.lower == self.upper

    @property
    def move(self) -> Term | None:
        """The best move of whoever moves; None where none was found better than another."""
        number = self._sure if self.is_exact and self._sure >= 0 else self._best
        if number < 0:
            return None
        return self._workspace.native.kernel.compiled.moves[self._mover()][number]

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find.

        Raises:
            UnsuitedError: Both roles have a choice, or the sum of the goals is not constant.
        """
        return next(self._steps, False)

    def halt(self) -> None:
        """End the slice that is under way."""
        self._workspace.halt()

    def _mover(self) -> int:
        """Return the index of the role that chooses in the state; the first where nobody does."""
        machine = self._workspace.native.machine
        counts = [len(machine.legal(self._state, role)) for role in self._workspace.roles]
        return next((r for r, count in enumerate(counts) if count > 1), 0)

    def _deepen(self) -> Iterator[bool]:
        """Search deeper and deeper; yield True between slices."""
        deepest = len(self._search.frame) - 2
        depth, guess = 0, int(self._search.status[nw.GUESS])
        while depth < deepest and not self.is_exact:
            depth = min(depth + self._stride, deepest)
            low, high = SCALE * self.lower, SCALE * self.upper
            while low < high:
                # Bounds of what this depth says, from both sides; halves, so that it ends soon
                # where a guess has a hundred values.
                threshold = guess + 1 if guess == low else guess
                threshold = min(max(threshold, low + 1), high)
                yield from CompiledAlphaBeta._test(self, threshold, depth)
                guess = int(self._search.status[nw.VALUE])
                if guess >= threshold:
                    low = guess
                else:
                    high = guess
                low, high = max(low, SCALE * self.lower), min(high, SCALE * self.upper)
            guess = low
            self.depth, self.value = depth, low / SCALE
        yield False

    def _test(self, threshold: int, depth: int) -> Iterator[bool]:
        """Ask whether the state is worth so much, so many plies deep, and note the answer."""
        search, tables = self._search, self._workspace.lanes
        status = search.status
        search.state[0] = tables.pack(self._state)
        search.frame[0, nw.DEPTH], search.frame[0, nw.COUNT] = depth, nw.NEW
        search.frame[0, nw.REPLY] = -1
        status[nw.THRESHOLD], status[nw.AT] = threshold, 0
        code = nw.RUNNING
        while code == nw.RUNNING:
            number = self._pace
            if self._most is not None:
                number = COUNTED
                while self.nodes >= self._most:
                    yield False
            started = time.monotonic()
            code = test(search, tables.stepping, tables.tables, number)
            self._pace = next_pace(self._pace, time.monotonic() - started)
            if code == nw.REFUSED:
                raise UnsuitedError
            yield True
        lower, upper = (-(-int(status[nw.LOWER]) // SCALE), int(status[nw.UPPER]) // SCALE)
        # A proven move is one that moves the bound that its mover wants to move.
        if lower > self.lower if self._is_mine else upper < self.upper:
            self._sure = int(status[nw.SURE_MOVE])
        self.lower, self.upper = max(lower, self.lower), min(upper, self.upper)
        if int(status[nw.MOVE]) >= 0:
            self._best, self._worth = int(status[nw.MOVE]), int(status[nw.VALUE])

    def thoughts(self) -> Thoughts | None:
        """Return what the last finished depth found, before the first what is known of it."""
        value, move = self.value, self.move
        if value is None:
            return self._begun()
        machine = self._workspace.native.machine
        mover = self._workspace.roles[self._mover()]
        sign = 1 if mover == self._workspace.roles[self._role] else -1
        legal = machine.legal(self._state, mover)
        bound = partial(self._bound, mover=mover, value=value)
        candidates = [
            Candidate(other, 1, value if other == move or i >= MOST_BOUNDS else bound(other))
            for i, other in enumerate(legal)
        ]
        # Of moves that were not found better than the best there are bounds: it stands before them.
        candidates.sort(key=lambda c: (c.move != move, -sign * c.value))
        first = Candidate(candidates[0].move, 1, value, self.is_exact)
        return Thoughts(
            self._workspace.roles[self._role],
            (first, *candidates[1:]),
            line=self._line(first.move),
            simulations=self.nodes,
            seconds=time.monotonic() - self._started,
            note=self._note(value),
        )

    def _begun(self) -> Thoughts | None:
        """Return the best of what was looked at so far, in the midst of a first depth."""
        frame = self._search.frame[0]
        number, worth = self._best, self._worth
        if number < 0:
            number, worth = int(frame[nw.REPLY]), int(frame[nw.SIGN] * frame[nw.FOUND])
        if number < 0:
            return None
        moves = self._workspace.native.kernel.compiled.moves[self._mover()]
        return Thoughts(
            self._workspace.roles[self._role],
            (Candidate(moves[number], 1, worth / SCALE),),
            simulations=self.nodes,
            seconds=time.monotonic() - self._started,
            note=BEGUN,
        )

    def _note(self, value: float) -> str:
        if self.is_exact:
            return f"exact: {value:g}, {self.depth} plies deep, {self.nodes:,} states"
        said = f"{self.depth} plies deep, {self.nodes:,} states"
        if self.lower > self._least:
            said += f", proven at least {self.lower}"
        if self.upper < self._greatest:
            said += f", proven at most {self.upper}"
        return said

    def _joint(self, state: bytes, mover: Term, move: Term) -> JointMove:
        machine = self._workspace.native.machine
        return tuple(
            move if role == mover else machine.legal(state, role)[0]
            for role in self._workspace.roles
        )

    def _bound(self, move: Term, *, mover: Term, value: float) -> float:
        """Return the most that the table knows of a move that was not found best; for the role."""
        machine = self._workspace.native.machine
        after = machine.successor(self._state, self._joint(self._state, mover, move))
        role = self._workspace.roles[self._role]
        if machine.is_terminal(after):
            return float(machine.goals(after, role)[0])
        at = int(place_of(self._search, self._workspace.lanes.pack(after)))
        if at < 0:
            return value
        entry = self._search.entries[at]
        if mover == role:
            return min(value, int(min(entry[nw.T_UPPER], entry[nw.T_MOST])) / SCALE)
        return max(value, int(max(entry[nw.T_LOWER], entry[nw.T_LEAST])) / SCALE)

    def _line(self, move: Term) -> tuple[JointMove, ...]:
        """Return the joint moves that follow when all take what the table holds for best."""
        machine, compiled = self._workspace.native.machine, self._workspace.native.kernel.compiled
        line: list[JointMove] = []
        state, mover = self._state, self._mover()
        wanted: Term | None = move
        while wanted is not None:
            joint = self._joint(state, self._workspace.roles[mover], wanted)
            line.append(joint)
            state = machine.successor(state, joint)
            if len(line) >= min(LINE, max(self.depth, 1)) or machine.is_terminal(state):
                break
            at = int(place_of(self._search, self._workspace.lanes.pack(state)))
            number = int(self._search.entries[at, nw.T_MOVE]) if at >= 0 else -1
            counts = [len(machine.legal(state, role)) for role in self._workspace.roles]
            mover = next((r for r, count in enumerate(counts) if count > 1), 0)
            wanted = compiled.moves[mover][number] if number >= 0 else None
            # Another thread may have written something else there meanwhile.
            if wanted not in machine.legal(state, self._workspace.roles[mover]):
                break
        return tuple(line)
