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
from typing import Final

from gdl.play.anytime import NotSequentialError
from gdl.play.proof_search import ProofSearch, next_pace
from gdl.play.thoughts import Thoughts
from gdl.play.tree import NONE, PLAYOUTS, find
from gdl.play.tree_search import DONE, FULL, HALTED, SOLVED
from gdl.play.tree_thoughts import tree_thoughts
from gdl.play.workspace import Workspace

MOST_FULL_SHARE: Final = 130
"""Moves of the root up to which the proof gets its whole share."""
REDUCED_SHARE: Final = 0.3
"""Part of that share where there are more: a proof has to look at all of them. The same where the
proof of the move before came to no end: the end of the game is far, and once one is found those of
the moves after it are, too."""
COUNTED: Final = 64
"""Simulations of a slice where they are counted and no time runs."""
REHEARSED: Final = 3 * COUNTED
"""Simulations of a rehearsal: proof and tree have a turn each."""
ROOM_ENOUGH: Final = 0.9
"""Part of the tree in use up to which it is worth going on after room was made."""
TREE, PROOF = 0, 1
"""What time is spent on."""


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
        self._kept: Thoughts | None = None
        workspace.resume()

    def _begin(self) -> ProofSearch | None:
        """Find or make the root; None where the search was halted meanwhile.

        Raises:
            NotSequentialError: Several roles have a choice here, or the role has none.
        """
        workspace, tree = self.workspace, self.workspace.tree
        before = int(tree.used[PLAYOUTS])
        root = workspace.root(self._state)
        if workspace.is_halted:
            return None
        if root < 0 or int(tree.mover[root]) != self.role:
            raise NotSequentialError
        self.proof = ProofSearch(workspace, self._state, self.role, simulations=self._left)
        self._before = min(before, int(tree.used[PLAYOUTS]))
        count = int(tree.edge_count[root])
        if count > MOST_FULL_SHARE or not workspace.has_proof_ended:
            self._share *= REDUCED_SHARE
        workspace.has_proof_ended = False
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
        if self.workspace.meets_another_sum():
            self.root = self.workspace.root(self._state)
            self._is_tree_done = False
        is_known = proof.is_finished or (self.workspace.is_zero_sum and self._is_solved())
        is_decided = self._is_tree_done and is_known
        return proof.move is None and not is_decided

    def _is_solved(self) -> bool:
        tree = self.workspace.tree
        return bool(tree.lower[self.root, self.role] >= tree.upper[self.root, self.role])

    def _prove(self, proof: ProofSearch) -> None:
        """Go on with the proof; other threads, if any, grow the tree meanwhile, if time is free."""
        started, before = time.monotonic(), proof.states
        visits = self.workspace.tree.visits
        grown = -int(visits[self.root])
        is_counted = self._left is not None
        root = NONE if is_counted or self._is_tree_done else self.root
        with self.workspace.growing_beside(root):
            proof.go_on()
        self.workspace.has_proof_ended = proof.is_finished
        self.simulations += grown + int(visits[self.root])
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
        if code == FULL:
            self._kept = self.thoughts()
            with workspace.moving:
                self.root = workspace.make_room(self.root)
            self._is_tree_done = workspace.fullness > ROOM_ENOUGH
        elif code == SOLVED or (simulations == 0 and code == DONE):
            self._is_tree_done = True
        elif code not in (DONE, HALTED):
            raise NotSequentialError

    def _note(self, which: int, seconds: float, number: int) -> None:
        self._spent[which] += float(number) if self._left is not None else seconds
        if self._left is not None:
            self._left -= max(1, number)

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far; while nodes change their places, what was before that."""
        if not self.workspace.moving.acquire(blocking=False):
            return self._kept
        try:
            return self._thoughts()
        finally:
            self.workspace.moving.release()

    def _thoughts(self) -> Thoughts | None:
        tree, root, proof = self.workspace.tree, self.root, self.proof
        if root == NONE or proof is None or not tree.edge_count[root]:
            return None
        return replace(
            tree_thoughts(self.workspace, self._state, root, proof),
            simulations=self.simulations + proof.states,
            seconds=time.monotonic() - self._started,
            playouts=int(tree.used[PLAYOUTS]) - self._before,
        )


def recall_tree(workspace: Workspace, state: bytes, role: int) -> Thoughts | None:
    """Return what the tree holds of a state from before; None where it has nothing of it.

    Nothing is searched or written, so another thread may be at work in the tree.
    """
    if not workspace.moving.acquire(blocking=False):
        return None
    try:
        tree = workspace.tree
        root = int(find(tree, workspace.lanes.pack(state)))
        if root < 0 or not tree.edge_count[root] or int(tree.mover[root]) != role:
            return None
        return tree_thoughts(workspace, state, root, None)
    finally:
        workspace.moving.release()


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
