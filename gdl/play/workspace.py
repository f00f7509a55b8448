"""A compiled game made ready for search: its code, a tree, a proof, and the memory of both.

In: a `NativeGame`. Out: a `CompiledGame`, in which `gdl.play.compiled_search` and
`gdl.play.proof_search` search.

Source: ours; see `gdl.play.tree` and `gdl.play.dfpn`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gdl.native.events import NoTablesError
from gdl.native.game import NativeGame
from gdl.play import dfpn
from gdl.play import tree as trees
from gdl.play.dfpn import make_proof, prove
from gdl.play.information import is_nature
from gdl.play.scalar_playout import SingleGame, no_single
from gdl.play.tree import NONE, Knobs, add_root, judge, make_tree, search
from gdl.play.wide import WideGame
from gdl.state import State

SAMPLE: Final = 2_048
"""Playouts that tell what goals come together."""
BIAS_OF_ONE: Final = 0.02
"""How fast records of later moves fade (`gdl.play.tree.Knobs`) beside single playouts."""
BIAS_OF_MANY: Final = 4.0
"""The same beside vectors of them: a single visit tells as much as hundreds of others."""
FEW: Final = 1 << 12
"""Nodes of the smallest tree."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a compiled game is searched.

    Attributes:
        c: Weight of exploration.
        prior: Weight of the parent's playouts of a move, in visits.
        proof: Part of the time for the proof, 0 to 1; less where the root has many moves.
        megabytes: Memory of tree and proof.
        grave: Visits from which a node's own record of later moves counts; below 0 for none.
        is_single: Whether new nodes are judged by one playout that tells its moves, where the
            game can be played like that, and not by a vector of playouts.
    """

    c: float = 0.2
    prior: float = 2.0
    smooth: float = 8.0
    proof: float = 0.6
    megabytes: int = 512
    grave: int = -1
    is_single: bool = False


class CompiledGame:
    """Code and memory for searching one game; not to be shared between threads.

    Attributes:
        native: The game.
        roles: Its roles.
        is_sequential: Whether one role at a time chooses, as far as is known, and none draws; for
            other games there are only `means`.
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
        self.words = -(-len(self.game.wide.facts) // 64)
        self.knobs = self._knobs()
        self._single_game = self._make_single()
        self.single = no_single()
        self.moves = int(max(self.game.wide.counts))
        self.tree = self._empty_tree()
        self.proof = make_proof(
            self.words, self.moves, len(self.game.wide.live) * 64, bits=self._bits()
        )
        self._lane_goals = np.zeros(len(self.game.wide.live) * 64)
        has_nature = any(map(is_nature, self.roles))  # it draws, and the tree knows who chooses
        self.is_sequential = self._warm() and not has_nature

    def _knobs(self) -> Knobs:
        settings = self.settings
        goals = self.native.playouts(SAMPLE, seed=1).goals
        sums = {None if None in vector else sum(v or 0 for v in vector) for vector in goals}
        total = sums.pop() if len(sums) == 1 else None
        is_constant = len(self.roles) == 2 and total is not None  # noqa: PLR2004  # two players
        return Knobs(
            c=settings.c,
            prior=settings.prior,
            smooth=settings.smooth,
            is_constant=is_constant,
            total=float(total or 0),
            grave=settings.grave,
            bias=BIAS_OF_ONE if settings.is_single else BIAS_OF_MANY,
        )

    def _empty_tree(self) -> trees.Tree:
        roles = len(self.roles)
        room = self.settings.megabytes << 19  # half of it
        is_recorded = self.settings.grave >= 0
        edges = min(room // (40 if is_recorded else 32), 1 << 26)
        nodes = max(FEW, min(room // (4 * (48 + 8 * self.words + 12 * roles)), edges // 4))
        return make_tree(self.words, roles, nodes=nodes, edges=edges, is_recorded=is_recorded)

    def _bits(self) -> int:
        room = (self.settings.megabytes << 20) // 8
        return max(12, min(21, (room // 20).bit_length() - 1))

    def _warm(self) -> bool:
        """Run everything once, so that nothing is compiled while a clock runs."""
        state = self.native.machine.initial()
        if self.native.machine.is_terminal(state):
            return True
        self.means(state)
        root = self.root(state)
        if root < 0:
            return False
        code = self.grow(root, 1)
        self.start_proof(state, 0, 100)
        prove(self.proof, self.game.wide, 1)
        self.clear()
        return code != trees.NOT_SEQUENTIAL

    def grow(self, root: int, simulations: int) -> int:
        """Run so many simulations from a node; return how it ended (`gdl.play.tree.search`)."""
        return search(self.tree, self.game.wide, self.single, self.knobs, root, simulations)

    def _make_single(self) -> SingleGame | None:
        if not self.settings.is_single:
            return None
        try:
            return SingleGame(self.native)
        except (NoTablesError, ValueError):
            return None  # no clock tells who moves, or too many goals: vectors do as well

    def look(self, state: State) -> None:
        """Let playouts one at a time begin at a state; vectors do it where that cannot be."""
        game = self._single_game
        self.single = game.single if game is not None and game.look(state) else no_single()

    def seed(self, seed: int) -> None:
        """Begin the random numbers of all playouts anew."""
        self.game.seed(seed)
        if self._single_game is not None:
            self._single_game.seed(seed)

    def means(self, state: bytes) -> tuple[float, ...] | None:
        """Return each role's mean goal over a vector of playouts from a state that is not over.

        None where it was told to halt, or where the state is none that play can lead to.
        """
        found = np.zeros(len(self.roles))
        words = self.game.pack(state)
        if not judge(self.game.wide, words, self._lane_goals, found):
            return None
        return tuple(found.tolist())

    def mean(self, state: bytes, role: int) -> float:
        """Return the mean goal of a role, see `means`."""
        found = self.means(state)
        return found[role] if found is not None else 50.0

    def halt(self) -> None:
        """End whatever searches here, as soon as may be; called from another thread."""
        self.game.wide.halt[0] = 1

    def resume(self) -> None:
        """Let searches go on again; to be called when the one before has ended."""
        self.game.wide.halt[0] = 0

    @property
    def is_halted(self) -> bool:
        """Whether searches were told to end."""
        return bool(self.game.wide.halt[0])

    def clear(self) -> None:
        """Forget all that was found."""
        self.tree.used[:] = 0
        self.tree.table[:] = NONE
        self.proof.keys[:] = 0
        self.proof.status[:] = 0

    def root(self, state: bytes) -> int:
        """Return the node of a state; below 0 where there is none."""
        used = self.tree.used
        if used[0] * 2 > len(self.tree.branches) or used[1] * 2 > len(self.tree.move):
            self.clear()
        return int(add_root(self.tree, self.game.wide, self.knobs, self.game.pack(state)))

    def start_proof(self, state: bytes, role: int, goal: int, *, plies: int = dfpn.DEEPEST) -> None:
        """Begin to prove that a role can force a goal within so many plies."""
        status = self.proof.status
        status[: dfpn.EVER_CUT] = 0  # what was cut once stays in the table
        status[dfpn.ROLE], status[dfpn.GOAL] = role, goal
        status[dfpn.LIMIT] = plies
        self.proof.state[0] = self.game.pack(state)
