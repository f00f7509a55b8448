"""What a role can force, whatever all others do: the verdict, and a strategy to be replayed.

In: a state, a role, a goal. Out: a `Forced`. Two ways race, each with as much processor time as the
other, twice as much in each round: proof-number search (`gdl.play.dfpn`), which goes on where it
stopped, and all positions (`gdl.solve`), which begins anew. So the time is a few times that of the
faster one, and nobody has to know which that is.

Rules give no goal to play that never ends. So there are two questions. To *force* a goal is to see
to it that play ends, and ends with at least so much. To *hold* a goal is to see to it that play
never ends with less: it may go on for ever. Whoever forces a goal holds it, and where all play ends
the two are one. Play that comes to a position that is not over and in which a role has no move has
no meaning: to the proof it brings no goal, so it neither forces nor holds one, and all positions
are not made where they include such a one. `gdl verify` says whether there is one (``playable``).

Both need not be believed: a strategy names a move for each position that it may lead to, and
`examples/check_strategy.py` replays it by the rules as written against every reply.

Source: Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994 (weakly solved:
a strategy from the beginning that brings the value against all replies).
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from gdl._files import replaced
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.play.solve import UnsolvedError
from gdl.play.tablebase import table_thoughts
from gdl.state import RoleLike, State

if TYPE_CHECKING:
    from gdl.play.workspace import Workspace
    from gdl.solve.attractor import Arena
    from gdl.solve.table import Table

FORMAT: Final = "gdl-strategy-1"
"""What a file of a strategy calls itself; changes with the format."""
FIRST_ROUND: Final = 1.0
"""Processor seconds that each way has in the first round."""
EXPANSIONS: Final = 2_000
"""Of a proof between two looks at the time."""
MEGABYTES: Final = 2_048
"""Memory of the search; a quarter of it is the table of proofs."""
MOST_POSITIONS: Final = 1_000_000
"""Positions of a strategy, at most."""

Way = Literal["proof", "layers"]
Step = tuple[int, tuple[Term, ...] | None, Any]
"""Of a position how long play may last from there, by which joint move, and where that leads."""
Oracle = Callable[[State], Term]
"""Returns the move that a role makes in a state from which it can force its goal."""


@dataclass(frozen=True, slots=True)
class Forced:
    """Whether a role can force a goal, whatever all others do.

    Attributes:
        start: Where play begins.
        role: The role.
        goal: At least this goal.
        is_forced: Whether play ends with at least this goal, whatever all others do.
        is_held: Whether play never ends below this goal, whatever all others do, though it may go
            on for ever. Play that is stuck holds no goal, as above.
        way: What found it: ``proof`` numbers, or all positions (``layers``).
        plies: Joint moves until the end, the winner hurrying and the loser delaying; None where
            that is not known, or the goal is not forced.
        work: Positions that were looked at.
        seconds: Processor time, all that was tried included.
    """

    start: State
    role: Term
    goal: int
    is_forced: bool
    is_held: bool
    way: Way
    plies: int | None
    work: int
    seconds: float
    _oracle: Oracle | None = field(repr=False, compare=False)
    _spare: Callable[[], Forced | None] | None = field(default=None, repr=False, compare=False)

    def strategy(self, *, most: int = MOST_POSITIONS) -> Strategy:
        """Return a move for each position that may be reached while the role keeps to it.

        It forces the goal where that can be forced, and else holds it. A proof says of each
        position a move from which the goal can still be forced, and not that play comes nearer to
        it: where such moves go round in circles, all positions are asked, which know how near.

        Raises:
            UnsolvedError: The goal can be neither forced nor held, or there are more positions than
                ``most``.
        """
        if self._oracle is None:
            raise UnsolvedError(f"{self.role} cannot force {self.goal}: there is no strategy")
        try:
            return _strategy(self, self._oracle, most)
        except _RoundError:
            other = self._spare() if self._spare is not None else None
            if other is None:
                raise
            return other.strategy(most=most)


class _RoundError(UnsolvedError):
    """Moves that keep a goal within reach lead back to where they began."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A policy that brings a role its goal against all replies, or keeps it from less.

    Attributes:
        forced: What it is a strategy for.
        moves: For each position in which the role has a choice, as `words`, its move.
        positions: Positions that may be reached, those at the end included.
        plies: Joint moves of the longest play; None where play may go on for ever.
        line: The longest play, as joint moves; where play may go on for ever, none.
    """

    forced: Forced
    moves: dict[str, str]
    positions: int
    plies: int | None
    line: tuple[tuple[Term, ...], ...]

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write it as JSON.

        Raises:
            OSError: The file cannot be written.
        """
        forced = self.forced
        said = {
            "format": FORMAT,
            "game": forced.start.game.id,
            "rules": forced.start.game.ruleset.digest(),
            "role": str(forced.role),
            "goal": forced.goal,
            "plies": self.plies,
            "start": words(forced.start),
            "moves": self.moves,
        }
        with replaced(Path(file)) as out:
            out.write(json.dumps(said, indent=0).encode())


def words(state: State) -> str:
    """Return a position as text: its facts as KIF, sorted, with blanks between."""
    return " ".join(sorted(map(str, state.facts)))


def force(
    state: State, role: RoleLike, *, goal: int | None = None, seconds: float = math.inf
) -> Forced:
    """Return whether a role can force a goal from a state, or hold it, whatever all others do.

    Args:
        state: Where play begins; its game runs as machine code.
        role: Whose goal.
        goal: At least this; by default the highest that the rules name for the role.
        seconds: Processor time, at most.

    Raises:
        UnsolvedError: Time is up, or neither way is for this game: facts are hidden, nature draws,
            or several roles choose at once.
        GdlError: The game does not run as machine code.

    Example:
        >>> import gdl
        >>> from gdl.play.force import force
        >>> force(gdl.load("tictactoe").initial(), "x", goal=50).is_forced
        True
    """
    native = state.game.back_end.native
    if native is None:
        raise GdlError(f"{state.game.id} does not run as machine code: {state.game.back_end.why}")
    term = state.game.role(role)
    wanted = highest_goal(state, term) if goal is None else goal
    if state.is_terminal:
        is_good = state.goal(term) >= wanted
        oracle = _no_choice if is_good else None
        plies = 0 if is_good else None
        return Forced(state, term, wanted, is_good, is_good, "layers", plies, 1, 0.0, oracle)
    return _Race(state, term, wanted, seconds).run()


def _no_choice(state: State) -> Term:
    raise AssertionError(state)  # play is over: nobody asks


def highest_goal(state: State, role: RoleLike) -> int:
    """Return the highest goal that the rules name for a role; its game runs as machine code."""
    native = state.game.back_end.native
    assert native is not None
    goals = native.circuit.goals[state.game.role_index(role)]
    return max((value for value, _ in goals), default=0)


class _Race:
    """Two ways to one verdict, in turns."""

    def __init__(self, state: State, role: Term, goal: int, seconds: float) -> None:
        self._state, self._role, self._goal = state, role, goal
        self._begun = time.process_time()
        self._until = self._begun + seconds
        self._work = 0
        self._workspace = None if state.game.hides_facts else _workspace(state)
        self._has_layers = True
        self._notes: list[str] = []
        if self._workspace is not None:
            self._workspace.start_proof(state.inner, self._index, goal)

    @property
    def _index(self) -> int:
        return self._state.game.role_index(self._role)

    def run(self) -> Forced:
        share = FIRST_ROUND
        while self._workspace is not None or self._has_layers:
            for way in (self._by_proof, self._by_layers):
                left = self._until - time.process_time()
                if left <= 0:
                    raise UnsolvedError(
                        f"whether {self._role} can force {self._goal} was not found in the time",
                        notes=[f"{self._work:,} positions were looked at"],
                        help="give more time, or begin later in the game",
                    )
                answer = way(min(share, left))
                if answer is not None:
                    return answer
            share *= 2
        raise UnsolvedError(
            f"what can be forced in {self._state.game.id} cannot be found",
            expected="a game without chance and hidden facts in which one role at a time chooses",
            notes=self._notes,
        )

    def _answer(
        self,
        *,
        is_forced: bool,
        is_held: bool,
        way: Way,
        plies: int | None,
        oracle: Oracle | None,
    ) -> Forced:
        return Forced(
            self._state,
            self._role,
            self._goal,
            is_forced,
            is_held,
            way,
            plies,
            self._work,
            time.process_time() - self._begun,
            oracle if is_held else None,
        )

    def _by_proof(self, seconds: float) -> Forced | None:
        from gdl.play import dfpn

        workspace = self._workspace
        if workspace is None:
            return None
        status = workspace.proof.status
        until = time.process_time() + seconds
        while time.process_time() < until:
            before = int(status[dfpn.EXPANSIONS])
            code = dfpn.prove(workspace.proof, workspace.lanes.stepping, EXPANSIONS)
            self._work += int(status[dfpn.EXPANSIONS]) - before
            if code == dfpn.REFUSED:
                self._workspace = None
                return None
            if code == dfpn.FINISHED:
                is_proven = bool(status[dfpn.IS_PROVEN])
                if not is_proven and status[dfpn.EVER_CUT]:
                    self._workspace = None  # some line was too long to be followed
                    return None
                oracle = _proof_oracle(workspace, self._role, self._index, self._goal)
                # What is disproven rests on ends that the others reach: it is not held either.
                answer = self._answer(
                    is_forced=is_proven, is_held=is_proven, way="proof", plies=None, oracle=oracle
                )
                return replace(
                    answer, _spare=lambda: self._by_layers(self._until - time.process_time())
                )
        return None

    def _by_layers(self, seconds: float) -> Forced | None:
        from gdl.solve.attractor import Arena
        from gdl.solve.limits import TooLargeError, WorkLimits
        from gdl.solve.strong import table_or_arena

        if not self._has_layers:
            return None
        try:
            solved = table_or_arena(self._state, WorkLimits(seconds=seconds, memory=4 << 30))
        except TooLargeError as error:
            self._has_layers = "seconds" in error.message
            self._notes = [error.message]
            return None
        except GdlError as error:
            self._has_layers = False
            self._notes = [error.message]
            return None
        self._work += len(solved)
        if isinstance(solved, Arena):
            return self._by_arena(solved)
        return self._by_table(solved)

    def _by_table(self, table: Table) -> Forced:
        """Return what values say: all play ends, and one role, or two of a constant sum, play."""
        value = table.value(self._state)
        goal = value.goals[str(self._role)]
        assert goal is not None  # all play ends
        is_reached = goal >= self._goal
        # A table plays for the value: what lies between the goal and a better one that the others
        # may allow its distances do not say; and whoever has less than half of the sum delays
        # there, and nobody does where both have half, though the goal be the role's highest.
        total = table.head.total
        is_exact = goal == self._goal and (
            total is None or (2 * goal > total and goal == max(table.head.goals[self._index]))
        )

        def oracle(state: State) -> Term:
            thoughts = table_thoughts(state, self._role, table)
            assert thoughts is not None
            return thoughts.best.move

        return self._answer(
            is_forced=is_reached,
            is_held=is_reached,
            way="layers",
            plies=value.distance if is_exact else None,
            oracle=oracle,
        )

    def _by_arena(self, arena: Arena) -> Forced:
        """Return what all positions and the moves between them say."""
        answer = arena.ask(self._index, self._goal)
        row = arena.row(self._state.facts)
        plies = int(answer.plies[row])

        def rank(state: State) -> tuple[bool, bool, int]:
            at = arena.row(state.facts)
            left = int(answer.plies[at])
            return not answer.is_held[at], left < 0, left

        def oracle(state: State) -> Term:
            # Each move that forces the goal comes nearer to the end; one that only holds it stays
            # inside the set that the others cannot leave.
            return min(_own_moves(state, self._role), key=lambda after: rank(after[1]))[0]

        return self._answer(
            is_forced=plies >= 0,
            is_held=bool(answer.is_held[row]),
            way="layers",
            plies=plies if plies >= 0 else None,
            oracle=oracle,
        )


def _workspace(state: State) -> Workspace | None:
    from gdl.compile.limits import CompileError
    from gdl.native.lanes.layout import GoalTableError
    from gdl.play.workspace import Settings, Workspace

    native = state.game.back_end.native
    assert native is not None
    try:
        workspace = Workspace(native, settings=Settings(megabytes=MEGABYTES), seed=1)
    except (GoalTableError, CompileError):
        return None
    return workspace if workspace.is_sequential else None


def _proof_oracle(workspace: Workspace, role: Term, index: int, goal: int) -> Oracle:
    from gdl.play import dfpn

    def oracle(state: State) -> Term:
        workspace.start_proof(state.inner, index, goal)
        code = dfpn.RUNNING
        while code == dfpn.RUNNING:  # most of it is still in the table
            code = dfpn.prove(workspace.proof, workspace.lanes.stepping, EXPANSIONS)
        if code != dfpn.FINISHED or not workspace.proof.status[dfpn.IS_PROVEN]:
            raise UnsolvedError(f"the proof that {role} can force {goal} does not hold")
        number = int(workspace.proof.status[dfpn.BEST_MOVE])
        return workspace.native.kernel.compiled.moves[index][number]

    return oracle


def _strategy(forced: Forced, oracle: Oracle, most: int) -> Strategy:
    """Walk from the start: one move of the role, all of the others; deepest positions first.

    Raises:
        UnsolvedError: There are too many positions, or play would come round again though the goal
            is to be forced.
    """
    role = forced.role
    done: dict[Any, Step] = {}
    moves: dict[str, str] = {}
    open_: set[Any] = set()
    is_endless = False
    stack: list[tuple[State, list[tuple[tuple[Term, ...], State]] | None]] = [(forced.start, None)]
    # Depth first with a stack of its own, as plays may be longer than Python recurses. A position
    # is met twice: first it opens and its children go above it, then, when all of these are done,
    # the longest of them says how long play from it can last.
    while stack:
        state, children = stack.pop()
        if children is not None:
            # A child that is not done is open: play came round to it, which is no end.
            finished = [child for child in children if child[1].inner in done]
            longest = max(finished, key=lambda child: done[child[1].inner][0], default=None)
            done[state.inner] = (
                (0, None, None)
                if longest is None
                else (done[longest[1].inner][0] + 1, longest[0], longest[1].inner)
            )
            open_.discard(state.inner)
            continue
        if state.inner in done:
            continue
        if state.inner in open_:
            if forced.is_forced:
                raise _RoundError("a strategy would come round again to the same position")
            is_endless = True
            continue
        if state.is_terminal:
            if state.goal(role) < forced.goal:
                raise UnsolvedError(f"the strategy of {role} ends below {forced.goal}")
            done[state.inner] = (0, None, None)
            continue
        if len(done) + len(open_) >= most:
            raise UnsolvedError(
                f"a strategy of {role} has more than {most:,} positions",
                help="begin later in the game",
            )
        children = _children(state, role, oracle, moves)
        open_.add(state.inner)
        stack.append((state, children))
        stack += [(child, None) for _, child in children]
    if is_endless:
        return Strategy(forced, moves, len(done), None, ())
    line = _longest(done, forced.start.inner)
    return Strategy(forced, moves, len(done), done[forced.start.inner][0], line)


def _longest(done: dict[Any, Step], at: Any) -> tuple[tuple[Term, ...], ...]:  # noqa: ANN401
    """Return the joint moves of the longest play from a position."""
    line = []
    while (joint := done[at][1]) is not None:
        line.append(joint)
        at = done[at][2]
    return tuple(line)


def _children(
    state: State, role: Term, oracle: Oracle, moves: dict[str, str]
) -> list[tuple[tuple[Term, ...], State]]:
    """Return what may follow while the role keeps to its strategy; note its move."""
    machine = state.machine
    legal = {other: tuple(machine.legal(state.inner, other)) for other in machine.roles}
    if len(legal[role]) > 1:
        chosen = oracle(state)
        moves[words(state)] = str(chosen)
        legal[role] = (chosen,)
    choosers = [other for other in machine.roles if len(legal[other]) > 1]
    assert len(choosers) <= 1  # both ways refuse games in which several roles choose at once
    return [(joint, state.play(joint)) for joint in product(*legal.values())]


def _own_moves(state: State, role: Term) -> list[tuple[Term, State]]:
    """Return the moves of a role that chooses alone, and what each leads to."""
    machine = state.machine
    legal = [tuple(machine.legal(state.inner, other)) for other in machine.roles]
    at = machine.roles.index(role)
    return [(joint[at], state.play(joint)) for joint in product(*legal)]
