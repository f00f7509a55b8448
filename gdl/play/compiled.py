"""Search of a compiled game: a tree that grows by playouts in lanes, and a proof beside it.

In: a `NativeGame` and a state. Out: `Thoughts`. Part of the time goes to a proof search for the
highest goal that the role can force; the rest to the tree. Both go on from move to move.

Source: ours; see `gdl.play.tree` and `gdl.play.prove`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from gdl.language.syntax import Term
from gdl.native.game import NativeGame
from gdl.play import prove as proving
from gdl.play import tree as trees
from gdl.play.player import Candidate, Thoughts
from gdl.play.prove import FINISHED, make_proof, prove
from gdl.play.tree import DONE, FULL, NONE, SOLVED, Knobs, add_root, make_tree, search
from gdl.play.wide import WideGame

SLICE: Final = 0.012
"""Seconds between two looks at the clock."""
SAMPLE: Final = 2_048
"""Playouts that tell what goals come together."""
NARROW: Final = 130
"""Moves of the root up to which half of the time goes to the proof."""
LINE: Final = 24
"""Plies of a principal line that are shown."""
FEW: Final = 1 << 12


class NotSequentialError(Exception):
    """Several roles have a choice at the same time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a compiled game is searched.

    Attributes:
        c: Weight of exploration.
        prior: Weight of the parent's playouts of a move, in visits.
        proof: Part of the time for the proof, 0 to 1; less where the root has many moves.
        megabytes: Memory of tree and proof.
    """

    c: float = 0.2
    prior: float = 2.0
    smooth: float = 8.0
    proof: float = 0.5
    megabytes: int = 512


class CompiledGame:
    """Code and memory for searching one game; not to be shared between threads.

    Attributes:
        native: The game.
        roles: Its roles.
    """

    def __init__(self, native: NativeGame, *, settings: Settings, seed: int) -> None:
        """Compile what is missing, and take memory.

        Raises:
            GoalTableError: The goals of all roles have too many combinations.
            NotSequentialError: Several roles have a choice at the start.
        """
        self.native = native
        self.settings = settings
        self.game = WideGame(native, seed=seed)
        self.roles = native.machine.roles
        self.words = -(-self.game.wide.fact_count // 64)
        self.knobs = self._knobs()
        self.moves = int(max(self.game.wide.counts))
        self.tree = self._empty_tree()
        self.proof = make_proof(
            self.words, self.moves, self.game.wide.slots.shape[1] * 64, bits=self._bits()
        )
        self.is_sequential = self._warm()

    def _knobs(self) -> Knobs:
        settings = self.settings
        goals = self.native.playouts(SAMPLE, seed=1).goals
        sums = {None if None in vector else sum(v or 0 for v in vector) for vector in goals}
        total = sums.pop() if len(sums) == 1 else None
        is_constant = len(self.roles) == 2 and total is not None  # noqa: PLR2004  # two players
        return Knobs(settings.c, settings.prior, settings.smooth, is_constant, float(total or 0))

    def _empty_tree(self) -> trees.Tree:
        roles = len(self.roles)
        room = self.settings.megabytes << 19  # half of it
        edges = min(room // 32, 1 << 26)
        nodes = max(FEW, min(room // (4 * (48 + 8 * self.words + 12 * roles)), edges // 4))
        return make_tree(self.words, roles, nodes=nodes, edges=edges)

    def _bits(self) -> int:
        room = (self.settings.megabytes << 20) // 8
        return max(12, min(21, (room // 20).bit_length() - 1))

    def _warm(self) -> bool:
        """Run everything once, so that nothing is compiled while a clock runs."""
        state = self.native.machine.initial()
        if self.native.machine.is_terminal(state):
            return True
        root = self.root(state)
        if root < 0:
            return False
        code = search(self.tree, self.game.wide, self.knobs, root, 1)
        self.start_proof(state, 0, 100)
        prove(self.proof, self.game.wide, 1)
        self.clear()
        return code != trees.NOT_SEQUENTIAL

    def clear(self) -> None:
        """Forget all that was found."""
        self.tree.used[:] = 0
        self.tree.table[:] = NONE
        self.proof.keys[:] = 0

    def root(self, state: bytes) -> int:
        """Return the node of a state; below 0 where there is none."""
        used = self.tree.used
        if used[0] * 2 > len(self.tree.branches) or used[1] * 2 > len(self.tree.move):
            self.clear()
        return int(add_root(self.tree, self.game.wide, self.knobs, self.game.pack(state)))

    def start_proof(self, state: bytes, role: int, goal: int) -> None:
        """Begin to prove that a role can force a goal."""
        status = self.proof.status
        status[:] = 0
        status[proving.ROLE], status[proving.GOAL] = role, goal
        self.proof.state[0] = self.game.pack(state)


class CompiledSearch:
    """The search of one move."""

    def __init__(
        self, game: CompiledGame, state: bytes, role: int, *, simulations: int | None
    ) -> None:
        """Find or make the root.

        Raises:
            NotSequentialError: Several roles have a choice here.
        """
        self.game = game
        self.role = role
        self._state = state
        self._left = simulations
        self._begun = time.monotonic()
        tree = game.tree
        self.root = game.root(state)
        if self.root < 0:
            raise NotSequentialError
        self._before = int(tree.used[2])
        self.simulations = 0
        self._pace = 1
        self._proof_pace = 16
        self._spent = [0.0, 0.0]
        self._proven: tuple[int, int] | None = None
        self._impossible: list[int] = []
        role_goals = sorted(set(game.native.kernel.compiled.goals[role]), reverse=True)
        self._goals = role_goals[:-1]
        count = int(tree.branches[self.root])
        share = game.settings.proof
        self._share = share if count <= NARROW else share * 0.3
        self._is_mine = int(tree.mover[self.root]) == role
        self._is_tree_done = count == 0
        if self._goals and self._is_mine:
            game.start_proof(state, role, self._goals[0])

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find."""
        if self._left is not None and self._left <= 0:
            return False
        is_proving = bool(self._goals) and self._is_mine and self._proven is None and self._share
        if is_proving and (self._is_tree_done or self._spent[1] <= self._share * sum(self._spent)):
            self._prove()
        elif not self._is_tree_done:
            self._grow()
        else:
            return False
        return not self._is_decided()

    def _is_decided(self) -> bool:
        return self._proven is not None or (self._is_tree_done and not self._goals)

    def _grow(self) -> None:
        game = self.game
        number = self._pace if self._left is None else min(self._pace, self._left)
        begun = time.monotonic()
        visits = int(game.tree.visits[self.root])
        code = search(game.tree, game.game.wide, game.knobs, self.root, number)
        made = int(game.tree.visits[self.root]) - visits
        self.simulations += made
        spent = time.monotonic() - begun
        self._note(0, spent, made)
        if code in (SOLVED, FULL) or made == 0:
            self._is_tree_done = True
            if code == SOLVED:
                self._goals = []
        elif code != DONE:
            raise NotSequentialError
        if self._left is None:
            self._pace = _next_pace(self._pace, spent)
        else:
            self._pace = 64

    def _prove(self) -> None:
        game = self.game
        number = self._proof_pace if self._left is None else min(256, self._left)
        begun = time.monotonic()
        work = int(game.proof.status[proving.WORK])
        code = prove(game.proof, game.game.wide, number)
        spent = time.monotonic() - begun
        self._note(1, spent, int(game.proof.status[proving.WORK]) - work)
        if self._left is None:
            self._proof_pace = _next_pace(self._proof_pace, spent)
        if code == FINISHED:
            status = game.proof.status
            if status[proving.RESULT]:
                self._proven = int(status[proving.BEST]), self._goals[0]
            else:
                self._impossible.append(self._goals.pop(0))
                if self._goals:
                    game.start_proof(self._state, self.role, self._goals[0])
        elif code == proving.REFUSED:
            raise NotSequentialError

    def _note(self, which: int, seconds: float, number: int) -> None:
        self._spent[which] += float(number) if self._left is not None else seconds
        if self._left is not None:
            self._left -= max(1, number)

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far."""
        tree, root = self.game.tree, self.root
        first, count = int(tree.first[root]), int(tree.branches[root])
        mover = int(tree.mover[root])
        if mover != self.role or not count:
            return None
        edges = slice(first, first + count)
        tries = tree.tries[edges]
        mean = float(tree.mean[root, mover])
        prior = (tree.luck[edges] + 8 * mean) / (tree.seen[edges] + 8)
        value = (tree.won[edges] + prior) / (tries + 1)
        least, most = tree.least[edges], tree.most[edges]
        exact = least >= most
        value = np.clip(np.where(exact, least, value), least, most)
        proven_move, proven_goal = self._proven or (-1, 0)
        wide = self.game.game.wide
        rank = _rank(tries, value, exact, (wide.worst[mover], wide.best[mover]))
        quick = np.array([self._distance(edge) for edge in range(first, first + count)])
        late = np.where(exact & (least <= wide.worst[mover]), -quick, quick * exact)
        order = np.lexsort((late, -rank))
        moves = self.game.native.kernel.compiled.moves[mover]
        sure = exact & (least >= wide.best[mover])
        found = [
            Candidate(
                moves[int(tree.move[first + i])],
                int(tries[i]),
                float(value[i]),
                bool(exact[i]),
            )
            for i in order.tolist()
        ]
        if proven_move >= 0 and not sure.any():
            found = _to_front(found, moves[proven_move], float(proven_goal))
        return Thoughts(
            self.roles[mover],
            tuple(found),
            line=self._line(found[0].move),
            simulations=self.simulations + int(self.game.proof.status[proving.WORK]),
            seconds=time.monotonic() - self._begun,
            playouts=int(tree.used[2]) - self._before,
            note=self._note_text(),
        )

    @property
    def roles(self) -> tuple[Term, ...]:
        """The roles in order."""
        return self.game.roles

    def _note_text(self) -> str:
        if self._proven is not None:
            return f"proven: {self._proven[1]} can be forced"
        tree, root = self.game.tree, self.root
        low, high = float(tree.low[root, self.role]), float(tree.high[root, self.role])
        if low == high:
            return f"proven: the game is worth {low:g}, {int(tree.distance[root])} plies to the end"
        if self._impossible:
            return f"proven: {self._impossible[-1]} cannot be forced"
        return ""

    def _distance(self, edge: int) -> int:
        child = int(self.game.tree.child[edge])
        return int(self.game.tree.distance[child]) if child != NONE else 0

    def _line(self, move: Term) -> tuple[tuple[Term, ...], ...]:
        """Return the joint moves that follow when all take what looks best."""
        tree, machine = self.game.tree, self.game.native.machine
        line: list[tuple[Term, ...]] = []
        node, state = self.root, self._state
        wanted: Term | None = move
        while len(line) < LINE and tree.branches[node] and not machine.is_terminal(state):
            first, count = int(tree.first[node]), int(tree.branches[node])
            mover = int(tree.mover[node])
            moves = self.game.native.kernel.compiled.moves[mover]
            if wanted is None:
                edges = slice(first, first + count)
                least = tree.least[edges]
                exact = least >= tree.most[edges]
                tries = tree.tries[edges]
                value = np.where(exact, least, tree.won[edges] / np.maximum(tries, 1))
                wide = self.game.game.wide
                rank = _rank(tries, value, exact, (wide.worst[mover], wide.best[mover]))
                edge = first + int(np.argmax(rank))
                if not tries[edge - first] and not exact[edge - first]:
                    break
            else:
                names = [moves[int(tree.move[e])] for e in range(first, first + count)]
                edge = first + names.index(wanted)
                wanted = None
            chosen = moves[int(tree.move[edge])]
            joint = tuple(
                chosen if r == mover else machine.legal(state, role)[0]
                for r, role in enumerate(self.roles)
            )
            line.append(joint)
            state = machine.successor(state, joint)
            node = int(tree.child[edge])
            if node == NONE:
                break
        return tuple(line)


def _next_pace(pace: int, seconds: float) -> int:
    if seconds > SLICE:
        return max(1, pace // 2)
    return pace * 2 if seconds < SLICE / 2 else pace


def _rank(tries: Any, value: Any, exact: Any, bounds: tuple[float, float]) -> Any:  # noqa: ANN401
    """Return how good moves are: open ones by visits; proven ones before or behind all of them."""
    most = max(1, int(tries.max()))
    leader = int(np.argmax(np.where(exact, -1, tries)))
    hope = bounds[0] if exact[leader] else value[leader]
    proven = np.where(value >= bounds[1], 4.0, np.where(value <= bounds[0], -2.0, -1.0))
    proven = np.where((value >= hope) & (proven == -1.0), 2.0, proven) + value / 1000.0
    return np.where(exact, proven, tries / most)


def _to_front(found: list[Candidate], move: Term, goal: float) -> list[Candidate]:
    chosen = next(candidate for candidate in found if candidate.move == move)
    rest = [candidate for candidate in found if candidate is not chosen]
    return [replace(chosen, value=goal, proven=True), *rest]
