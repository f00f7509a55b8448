"""The highest goal that a role can force, found by one proof after the other.

In: a `Workspace`, a state, a role. Out: its value, once all proofs are done, and the move that
keeps it. The search goes on in slices.

Goals are asked for from the highest down, so the first one that is proven is the value: all above
it were disproven. The highest is first looked for within three plies, where it is found or ruled
out in no time, then as deep as it goes. A disproof counts only if no line was cut off for its
length; a proof always does.
"""

from __future__ import annotations

import time
from typing import Final

from gdl.language.syntax import Term
from gdl.play import dfpn
from gdl.play.anytime import NotSequentialError
from gdl.play.dfpn import FINISHED, REFUSED, Proof, prove
from gdl.play.lane_tables import worst_goal
from gdl.play.workspace import Workspace

SLICE: Final = 0.012
"""Seconds between two looks at the time."""
SHORT: Final = 3
"""Plies within which the highest goal is looked for first, without fail."""
DEEP_SHARE: Final = 4.0
"""Time of the search that goes depth first alone for each second by proof numbers."""
SHIFTING_SHARE: Final = 0.25
"""The same where what a line is made of may be moved on: how near it is says little."""
COUNTED: Final = 256
"""Expansions of a slice where they are counted and no time runs."""
MOST_PACE: Final = 1 << 16
"""The most of one slice, more than any game does in `SLICE`: slices that end at once, as the table
has their answer, would double the pace without end, and the next true one would not look up."""


def next_pace(pace: int, seconds: float) -> int:
    """Return how much to do in the next slice, after one that took some seconds."""
    if seconds > SLICE:
        return max(1, pace // 2)
    return min(pace * 2, MOST_PACE) if seconds < SLICE / 2 else pace


class ProofSearch:
    """Proves goals of a role, from the highest down.

    Attributes:
        is_mine: Whether the role is the one to move.
        is_finished: Whether the value is found.
        is_unsure: Whether a line was too long to be followed, so that only proofs count.
        value: The goal proven, or the lowest where none other can be forced.
        move: The move that forces it; None for the lowest goal.
        impossible: The lowest goal that was disproven, None if none was.
        states: States expanded so far.
    """

    def __init__(
        self, workspace: Workspace, state: bytes, role: int, *, simulations: int | None = None
    ) -> None:
        """Begin with the highest goal.

        Args:
            workspace: Where to search; its proof is started anew.
            state: Where to begin.
            role: Whose goal.
            simulations: Most expansions, None for any number.

        Raises:
            NotSequentialError: Several roles have a choice at the same time.
        """
        self._workspace, self._state, self._role = workspace, state, role
        self._left = simulations
        goals = set(workspace.native.kernel.compiled.goals[role])
        self.value = worst_goal(tuple(goals))
        self._goals = sorted(goals - {self.value}, reverse=True)
        self.move_number = -1
        self.impossible: int | None = None
        self.is_finished = not self._goals
        self.is_unsure = False
        self.states = 0
        self._pace = 1
        self._ahead = 0.0
        self._deep_share = SHIFTING_SHARE if workspace.do_lines_shift else DEEP_SHARE
        root = workspace.root(state)
        if root < 0:
            raise NotSequentialError
        tree = workspace.tree
        self.is_mine = bool(tree.edge_count[root]) and int(tree.mover[root]) == role
        self._is_short = True
        if self._goals:
            workspace.start_proof(state, role, self._goals[0], plies=SHORT)

    @property
    def ever_lacked(self) -> bool:
        """Whether play was met that is stuck, or that ends without a goal for the role.

        It counts for all that was asked in the workspace, since the table keeps what rests on it.
        """
        proofs = self._workspace.proof, self._workspace.deep_proof
        return any(proof.status[dfpn.EVER_LACKED] for proof in proofs)

    @property
    def move(self) -> Term | None:
        """The move that forces the value; None for the lowest goal."""
        if self.move_number < 0:
            return None
        return self._workspace.native.kernel.compiled.moves[self._role][self.move_number]

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find.

        Raises:
            NotSequentialError: Several roles have a choice at the same time.
        """
        if self.is_finished or (self._left is not None and self.states >= self._left):
            return False
        proof = self._next_proof()
        number = self._pace if self._left is None else min(COUNTED, self._left - self.states)
        started, before = time.monotonic(), int(proof.status[dfpn.EXPANSIONS])
        code = prove(proof, self._workspace.lanes.stepping, number)
        states = max(1, int(proof.status[dfpn.EXPANSIONS]) - before)
        seconds = time.monotonic() - started
        self.states += states
        self._pace = next_pace(self._pace, seconds)
        is_deep = proof is self._workspace.deep_proof
        self._ahead += (-1 if is_deep else self._deep_share) * (
            seconds if self._left is None else states
        )
        if code == REFUSED:
            raise NotSequentialError
        if code == FINISHED:
            self._finish(proof)
        return not self.is_finished

    def _next_proof(self) -> Proof:
        """Return the search whose turn it is: by proof numbers, or depth first alone."""
        deep = self._workspace.deep_proof
        has_order = len(deep.lines.line) > 0  # without one it is lost in all but the smallest games
        is_possible = has_order and not self._is_short and not deep.status[dfpn.EVER_CUT]
        return deep if is_possible and self._ahead >= 0 else self._workspace.proof

    def _finish(self, proof: Proof) -> None:
        status = proof.status
        if self._is_short and not status[dfpn.IS_PROVEN]:
            self._is_short = False
            self._workspace.start_proof(self._state, self._role, self._goals[0])
            return
        self._is_short = False
        goal = self._goals.pop(0)
        if status[dfpn.IS_PROVEN]:
            self.value = goal
            self.move_number = int(status[dfpn.BEST_MOVE]) if self.is_mine else -1
            self.is_finished = True
            return
        # What was cut off is in the table for both.
        self.is_unsure = self.is_unsure or bool(self._workspace.proof.status[dfpn.EVER_CUT])
        if not self.is_unsure:
            self.impossible = goal
        if self._goals:
            self._workspace.start_proof(self._state, self._role, self._goals[0])
        else:
            self.is_finished = True
