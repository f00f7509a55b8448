"""The search of one move in a compiled game: the tree grows, and a proof takes part of the time.

In: a `Workspace`, a state, a role. Out: `Thoughts`. The proof is for the highest goal that the
role can force; the tree goes on from move to move.

A proof says what can be forced against everybody, the tree what follows if all play for their own
goals. With one role, or two of a constant sum, that is the same, and either of them may decide the
move; else a proof comes first, as it holds whatever the others do.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gdl.language.syntax import Term
from gdl.play.anytime import NotSequentialError
from gdl.play.proof_search import ProofSearch, next_pace
from gdl.play.thoughts import Candidate, Thoughts
from gdl.play.tree import NONE, PLAYOUTS
from gdl.play.tree_search import DONE, FULL, HALTED, SOLVED
from gdl.play.workspace import Workspace

MOST_FULL_SHARE: Final = 130
"""Moves of the root up to which the proof gets its whole share."""
REDUCED_SHARE: Final = 0.3
"""Part of that share where there are more: a proof has to look at all of them."""
COUNTED: Final = 64
"""Simulations of a slice where they are counted and no time runs."""
REHEARSED: Final = 3 * COUNTED
"""Simulations of a rehearsal: proof and tree have a turn each."""
TREE, PROOF = 0, 1
"""What time is spent on."""
LINE: Final = 24
"""Plies of a principal line that are shown."""
PRIOR_SMOOTHING: Final = 8
"""Playouts by which the value of a move that was never tried is drawn to the mean."""


class CompiledSearch:
    """The search of one move (`gdl.play.anytime.Search`)."""

    def __init__(
        self, workspace: Workspace, state: bytes, role: int, *, simulations: int | None
    ) -> None:
        """Prepare; nothing is looked at yet."""
        self.workspace = workspace
        self.role = role
        self.root = NONE
        self.proof: ProofSearch | None = None
        self.simulations = 0
        self._state = state
        self._left = simulations
        self._started = time.monotonic()
        self._before = 0
        self._pace = 1
        self._spent = [0.0, 0.0]
        self._share = workspace.settings.proof_share
        self._is_tree_done = False
        # Then the tree solves what the proof does: what the role can force against all others.
        self._is_zero_sum = len(workspace.roles) == 1 or workspace.params.is_constant_sum
        workspace.resume()

    def _begin(self) -> ProofSearch | None:
        """Find or make the root; None where the search was halted meanwhile.

        Raises:
            NotSequentialError: Several roles have a choice here, or the role has none.
        """
        workspace, tree = self.workspace, self.workspace.tree
        root = workspace.root(self._state)
        if workspace.is_halted:
            return None
        if root < 0 or int(tree.mover[root]) != self.role:
            raise NotSequentialError
        self.proof = ProofSearch(workspace, self._state, self.role, simulations=self._left)
        self._before = int(tree.used[PLAYOUTS])
        count = int(tree.edge_count[root])
        if count > MOST_FULL_SHARE:
            self._share *= REDUCED_SHARE
        self._is_tree_done = count == 0
        self.root = root
        return self.proof

    def halt(self) -> None:
        """End the slice that is under way."""
        self.workspace.halt()

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find.

        Raises:
            NotSequentialError: Several roles have a choice here or somewhere below.
        """
        proof = self.proof or self._begin()
        if proof is None:
            return False
        if self._left is not None and self._left <= 0:
            return False
        is_due = self._spent[PROOF] <= self._share * sum(self._spent)
        if self._share and not proof.is_finished and (self._is_tree_done or is_due):
            self._prove(proof)
        elif not self._is_tree_done:
            self._grow()
        else:
            return False
        is_known = proof.is_finished or (self._is_zero_sum and self._is_solved())
        is_decided = self._is_tree_done and is_known
        return proof.move is None and not is_decided

    def _is_solved(self) -> bool:
        tree = self.workspace.tree
        return bool(tree.lower[self.root, self.role] >= tree.upper[self.root, self.role])

    def _prove(self, proof: ProofSearch) -> None:
        started, before = time.monotonic(), proof.states
        proof.go_on()
        self._note(PROOF, time.monotonic() - started, proof.states - before)

    def _grow(self) -> None:
        workspace = self.workspace
        number = self._pace if self._left is None else min(COUNTED, self._left)
        started = time.monotonic()
        visits = int(workspace.tree.visits[self.root])
        code = workspace.grow(self.root, number)
        simulations = int(workspace.tree.visits[self.root]) - visits
        self.simulations += simulations
        spent = time.monotonic() - started
        self._note(TREE, spent, simulations)
        self._pace = next_pace(self._pace, spent)
        if code in (SOLVED, FULL) or (simulations == 0 and code == DONE):
            self._is_tree_done = True
        elif code not in (DONE, HALTED):
            raise NotSequentialError

    def _note(self, which: int, seconds: float, number: int) -> None:
        self._spent[which] += float(number) if self._left is not None else seconds
        if self._left is not None:
            self._left -= max(1, number)

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far."""
        tree, root, proof = self.workspace.tree, self.root, self.proof
        if root == NONE or proof is None or not tree.edge_count[root]:
            return None
        first, count, mover = int(tree.first_edge[root]), int(tree.edge_count[root]), self.role
        edges = slice(first, first + count)
        visits = tree.edge_visits[edges]
        mean = float(tree.raw_value[root, mover])
        prior = (tree.prior_total[edges] + PRIOR_SMOOTHING * mean) / (
            tree.prior_visits[edges] + PRIOR_SMOOTHING
        )
        value = (tree.edge_total[edges] + prior) / (visits + 1)
        lower, upper = tree.edge_lower[edges], tree.edge_upper[edges]
        is_proven = lower >= upper
        value = np.clip(np.where(is_proven, lower, value), lower, upper)
        tables = self.workspace.lanes.tables
        rank = _rank(visits, value, is_proven, (tables.worst[mover], tables.best[mover]))
        # Between equals: a win that comes soon, a loss that comes late.
        plies = np.array([self._plies_to_end(edge) for edge in range(first, first + count)])
        lateness = np.where(is_proven & (lower <= tables.worst[mover]), -plies, plies * is_proven)
        order = np.lexsort((lateness, -rank))
        moves = self.workspace.native.kernel.compiled.moves[mover]
        is_won = is_proven & (lower >= tables.best[mover])
        candidates = [
            Candidate(
                moves[int(tree.move[first + i])],
                int(visits[i]),
                float(value[i]),
                bool(is_proven[i]),
            )
            for i in order.tolist()
        ]
        if proof.move is not None and not (self._is_zero_sum and is_won.any()):
            candidates = _to_front(candidates, proof.move, float(proof.value))
        return Thoughts(
            self.roles[mover],
            tuple(candidates),
            line=self._line(candidates[0].move),
            simulations=self.simulations + proof.states,
            seconds=time.monotonic() - self._started,
            playouts=int(tree.used[PLAYOUTS]) - self._before,
            note=self._note_text(proof),
        )

    @property
    def roles(self) -> tuple[Term, ...]:
        """The roles in order."""
        return self.workspace.roles

    def _note_text(self, proof: ProofSearch) -> str:
        tree, root = self.workspace.tree, self.root
        worth = float(tree.lower[root, self.role])
        if self._is_zero_sum and self._is_solved():
            return f"proven: worth {worth:g}, {int(tree.plies_to_end[root])} plies to the end"
        if proof.move is not None:
            return f"proven: {proof.value} can be forced"
        if self._is_solved():
            return f"proven: worth {worth:g} if all play for their own goal"
        if proof.impossible is not None:
            return f"proven: {proof.impossible} cannot be forced"
        return ""

    def _plies_to_end(self, edge: int) -> int:
        tree = self.workspace.tree
        child = int(tree.child[edge])
        return int(tree.plies_to_end[child]) if child != NONE else 0

    def _line(self, move: Term) -> tuple[tuple[Term, ...], ...]:
        """Return the joint moves that follow when all take what looks best."""
        tree, machine = self.workspace.tree, self.workspace.native.machine
        line: list[tuple[Term, ...]] = []
        node, state = self.root, self._state
        wanted: Term | None = move
        while len(line) < LINE and tree.edge_count[node] and not machine.is_terminal(state):
            first, count = int(tree.first_edge[node]), int(tree.edge_count[node])
            mover = int(tree.mover[node])
            moves = self.workspace.native.kernel.compiled.moves[mover]
            if wanted is None:
                edges = slice(first, first + count)
                lower = tree.edge_lower[edges]
                is_proven = lower >= tree.edge_upper[edges]
                visits = tree.edge_visits[edges]
                value = np.where(is_proven, lower, tree.edge_total[edges] / np.maximum(visits, 1))
                tables = self.workspace.lanes.tables
                rank = _rank(visits, value, is_proven, (tables.worst[mover], tables.best[mover]))
                edge = first + int(np.argmax(rank))
                if not visits[edge - first] and not is_proven[edge - first]:
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


def rehearse(workspace: Workspace) -> None:
    """Search and think once, so that nothing is loaded or made while time runs."""
    machine = workspace.native.machine
    state = machine.initial()
    if not workspace.is_sequential or machine.is_terminal(state):
        return
    mover = int(workspace.tree.mover[workspace.root(state)])
    search = CompiledSearch(workspace, state, mover, simulations=REHEARSED)
    with suppress(NotSequentialError):
        while search.go_on():
            search.thoughts()
    workspace.clear()


def _rank(visits: Any, value: Any, is_proven: Any, bounds: tuple[float, float]) -> Any:  # noqa: ANN401
    """Return how good moves are: open ones by visits; proven ones before or behind all of them.

    Open moves have 0 to 1. A proven win comes first (4) and a proven loss last (-2); a proven goal
    between comes before all open moves if it is no less than the most visited of them promises (2),
    else behind them (-1), for that one may be worth more than it is proven to be.
    """
    most = max(1, int(visits.max()))
    leader = int(np.argmax(np.where(is_proven, -1, visits)))
    promised = bounds[0] if is_proven[leader] else value[leader]
    rank = np.where(value >= bounds[1], 4.0, np.where(value <= bounds[0], -2.0, -1.0))
    rank = np.where((value >= promised) & (rank == -1.0), 2.0, rank) + value / 1000.0
    return np.where(is_proven, rank, visits / most)


def _to_front(candidates: list[Candidate], move: Term, goal: float) -> list[Candidate]:
    chosen = next((c for c in candidates if c.move == move), Candidate(move, 0, goal))
    others = [candidate for candidate in candidates if candidate is not chosen]
    return [replace(chosen, value=goal, proven=True), *others]
