"""What the searches of one compiled game share: its code, a tree, a proof, the memory of both.

In: a `NativeGame`. Out: a `Workspace`, in which `gdl.play.compiled_search` and
`gdl.play.proof_search` search; what they find stays there from move to move.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np

from gdl.native.game import NativeGame
from gdl.native.scalar.effects import NoTablesError
from gdl.play import dfpn, null_window
from gdl.play.dfpn import make_proof, prove
from gdl.play.goal_lines import do_lines_shift, lines_of
from gdl.play.information import is_nature
from gdl.play.lane_tables import LaneGame
from gdl.play.lanes import lane_count, mean_goals
from gdl.play.null_window import NullWindow, make_null_window
from gdl.play.recycle import recycle
from gdl.play.scalar_playout import ScalarGame, no_scalar_tables
from gdl.play.search_threads import SearchThreads
from gdl.play.tree import EDGES, NODES, NONE, Tree, find, make_tree
from gdl.play.tree_search import NOT_SEQUENTIAL, SearchParams, add_root, search
from gdl.play.value_network import NetworkTables, with_room
from gdl.state import State

SAMPLE: Final = 2_048
"""Playouts that tell what goals come together."""
SCALAR_RAVE_BIAS: Final = 0.02
"""How fast AMAF records lose weight (`SearchParams.rave_bias`) beside single playouts."""
LANES_RAVE_BIAS: Final = 4.0
"""The same beside playouts in lanes: one visit tells as much as hundreds of the others."""
HALF_FULL: Final = 0.5
"""Part of the tree in use from which on room is made."""
MOST_VISITS: Final = 1 << 20
"""Visits of a node that is kept in any case."""
LEAST_NODES: Final = 1 << 12
"""Nodes of the smallest tree."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a compiled game is searched.

    Attributes:
        c: Weight of exploration.
        prior_weight: Visits that the parent's playouts of a move count for.
        prior_smoothing: Playouts at the parent's mean that are added to them.
        proof_share: Part of the time for the proof, 0 to 1; less where the root has many moves.
        megabytes: Memory of tree and proof.
        grave_visits: Visits from which a node's own AMAF record counts; below 0 for none.
        is_scalar: Whether new nodes are judged by one playout that tells its moves, where the
            game can be played like that, and not by playouts in lanes.
        network: What judges new nodes, beside playouts, and states at the horizon.
        network_weight: Weight of what it says of a new node, 0 to 1; playouts have the rest.
        threads: How many search the tree.
        final_weight: Playouts that final positions count for with a move, at most; 0 for none.
    """

    c: float = 0.2
    prior_weight: float = 2.0
    prior_smoothing: float = 8.0
    proof_share: float = 0.6
    megabytes: int = 512
    grave_visits: int = -1
    is_scalar: bool = False
    network: NetworkTables | None = None
    network_weight: float = 1.0
    threads: int = 1
    final_weight: float = 0.0


class Workspace:
    """Code and memory for searching one game; not to be shared between threads.

    Attributes:
        native: The game.
        roles: Its roles.
        do_lines_shift: Whether it is won by lines that a move may shift; see `gdl.play.goal_lines`.
        moving: Held while nodes of the tree change their places; who reads it meanwhile reads none.
        has_proof_ended: Whether the last proof of a move found the value in its time.
        goal_sum: What the goals of two roles add up to at all ends, as far as playouts and the tree
            show; None where they do not, or there are not two roles.
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
        lines = lines_of(native)
        self.do_lines_shift = do_lines_shift(lines)
        # Threats decide where lines win that a move may shift; there a look at all replies
        # (`gdl.play.look_ahead`) saves more than the wide vector costs that has room for them.
        self.lanes = LaneGame(
            native,
            seed=seed,
            is_narrow=False if self.do_lines_shift else None,
            network=settings.network,
            network_weight=settings.network_weight,
            final_weight=settings.final_weight,
        )
        self.roles = native.machine.roles
        self.words = -(-len(self.lanes.tables.facts) // 64)
        self.params = self._make_params()
        self._checked_nodes = 0
        self._scalar_game = self._make_scalar_game()
        self.scalar = no_scalar_tables()
        self.most_moves = int(max(self.lanes.tables.counts))
        self.tree = self._empty_tree()
        self._threads = self._make_threads(seed)
        self.proof = make_proof(
            self.words,
            self.most_moves,
            lane_count(self.lanes.tables),
            roles=len(self.roles),
            bits=self._bits(),
            lines=lines,
        )
        self.deep_proof = dfpn.second_stack(self.proof)
        self.moving = Lock()
        self.has_proof_ended = False
        self._null_window: NullWindow | None = None
        has_nature = any(map(is_nature, self.roles))  # it chooses at random, the tree by value
        self.is_sequential = self._warm() and not has_nature

    @property
    def is_zero_sum(self) -> bool:
        """Whether what a role can force against all others is what it gets under best play.

        Of two roles that is taken from the ends that were seen. What the tree then has for proven
        is what can be forced, and that does not rest on ends that were not, see `_make_params`.
        """
        return len(self.roles) == 1 or self.params.is_constant_sum

    def _make_params(self) -> SearchParams:
        """Return the settings as the tree reads them, with what playouts show of the goals.

        That the sum of two roles' goals is constant is taken from a sample, not proven. Then the
        tree has for one role's bounds what the sum leaves of the other's (`gdl.play.bounds`). That
        says of each what it can force, or be held to, as long as all ends in the tree have the sum
        (`meets_another_sum`), and as the most that one can have leaves no more than the least of
        the other: what is not known yet then says nothing of either.
        """
        settings = self.settings
        goals = self.native.playouts(SAMPLE, seed=1).goals
        sums = {None if None in vector else sum(v or 0 for v in vector) for vector in goals}
        total = sums.pop() if len(sums) == 1 else None
        self.goal_sum = total if len(self.roles) == 2 else None  # noqa: PLR2004  # two players
        ends = self.lanes.tables.best + self.lanes.tables.worst[::-1]
        is_constant_sum = self.goal_sum is not None and bool((ends == total).all())
        return SearchParams(
            c=settings.c,
            prior_weight=settings.prior_weight,
            prior_smoothing=settings.prior_smoothing,
            is_constant_sum=is_constant_sum,
            goal_sum=float(total or 0),
            grave_visits=settings.grave_visits,
            rave_bias=SCALAR_RAVE_BIAS if settings.is_scalar else LANES_RAVE_BIAS,
        )

    def _empty_tree(self) -> Tree:
        roles = len(self.roles)
        room = self.settings.megabytes << 19  # half of it
        has_amaf = self.settings.grave_visits >= 0
        edges = min(room // (40 if has_amaf else 32), 1 << 26)  # bytes of an edge
        nodes = max(LEAST_NODES, min(room // (4 * (48 + 8 * self.words + 12 * roles)), edges // 4))
        return make_tree(self.words, roles, nodes=nodes, edges=edges, has_amaf=has_amaf)

    def _bits(self) -> int:
        """Return the size of the table of proofs, a quarter of the memory, as a power of two."""
        room = (self.settings.megabytes << 20) // 4
        return max(12, (room // dfpn.PLACE_BYTES).bit_length() - 1)

    def _warm(self) -> bool:
        """Run everything once, so that nothing is compiled while time runs."""
        state = self.native.machine.initial()
        if self.native.machine.is_terminal(state):
            return True
        self.means(state)
        root = self.root(state)
        if root < 0:
            return False
        code = self.grow(root, 1)
        recycle(self.tree, root, 1)
        self.start_proof(state, 0, 100)
        prove(self.proof, self.lanes.stepping, 1)
        self.clear()
        return code != NOT_SEQUENTIAL

    def grow(self, root: int, simulations: int) -> int:
        """Run so many simulations from a node; return how it ended, see `search`."""
        if self._threads is not None:
            return self._threads.grow(self.tree, self.params, root, simulations)
        return search(self.tree, self.lanes.tables, self.scalar, self.params, root, simulations)

    def meets_another_sum(self) -> bool:
        """Return whether the tree has come to an end of another sum of goals than all before.

        Then it is empty, and grows from now on with bounds for each role of its own. What proofs
        have found holds, for they look at one role's goals alone.
        """
        before, now = self._checked_nodes, int(self.tree.used[NODES])
        self._checked_nodes = now
        if not self.params.is_constant_sum:
            return False
        rows = slice(before if before <= now else 0, now)
        lower = self.tree.lower[rows]
        is_known = (lower >= self.tree.upper[rows]).all(axis=1)
        if (lower[is_known].sum(axis=1) == self.params.goal_sum).all():
            return False
        self.params = self.params._replace(is_constant_sum=False)
        self.goal_sum = None
        with self.moving:
            self._clear_tree()
        return True

    def growing_beside(self, root: int) -> AbstractContextManager[None]:
        """Let all threads but the caller's, if any, grow the tree meanwhile."""
        if self._threads is None or root < 0:
            return nullcontext()
        return self._threads.beside(self.tree, self.params, root)

    def _make_threads(self, seed: int) -> SearchThreads | None:
        """Return the threads of a search by several, whose memory is their own."""
        others = self.settings.threads - 1
        if not others:
            return None
        network = self.settings.network
        threads = SearchThreads(
            self.tree,
            self.lanes.tables,
            [
                LaneGame(
                    self.native,
                    is_narrow=False,
                    network=with_room(network) if network is not None else None,
                    network_weight=self.settings.network_weight,
                    final_weight=self.settings.final_weight,
                )
                for _ in range(others)
            ],
        )
        if self._scalar_game is not None:
            threads.take_scalar_games([ScalarGame(self.native) for _ in range(others)])
        threads.seed(seed)
        return threads

    def _make_scalar_game(self) -> ScalarGame | None:
        if not self.settings.is_scalar:
            return None
        try:
            return ScalarGame(self.native)
        except (NoTablesError, ValueError):
            return None  # no clock tells who moves, or too many goals: lanes do as well

    def set_start(self, state: State) -> None:
        """Let playouts one at a time begin at a state; lanes do it where that cannot be."""
        game = self._scalar_game
        has_start = game is not None and game.set_start(state)
        self.scalar = game.tables if game is not None and has_start else no_scalar_tables()
        if self._threads is not None:
            self._threads.set_start(state, self.scalar)

    def seed(self, seed: int) -> None:
        """Begin the random numbers of all playouts anew."""
        self.lanes.seed(seed)
        if self._scalar_game is not None:
            self._scalar_game.seed(seed)
        if self._threads is not None:
            self._threads.seed(seed)

    def means(self, state: bytes) -> tuple[float, ...] | None:
        """Return each role's mean goal over playouts in lanes from a state that is not over.

        None where it was told to halt, or where the state is none that play can lead to.
        """
        goals = np.zeros(len(self.roles))
        words = self.lanes.pack(state)
        if not mean_goals(self.lanes.tables, words, goals):
            return None
        return tuple(goals.tolist())

    def mean(self, state: bytes, role: int) -> float:
        """Return the mean goal of a role, see `means`."""
        goals = self.means(state)
        return goals[role] if goals is not None else 50.0

    def null_window(self, role: int) -> NullWindow:
        """Return the search by null windows for a role; it forgets what was proven."""
        held = self._null_window
        if held is not None:
            status = held.status
            # What was proven before holds, but says nothing of how far the end is: who has won
            # would never come nearer to it. So it is found anew, the nearest first. A new table is
            # memory that nobody has touched: there at once, while one of hundreds of megabytes
            # takes as long to be wiped as a short clock has.
            proven = (
                status[null_window.LOWER] > status[null_window.WORST]
                or status[null_window.UPPER] < status[null_window.BEST]
            )
            if status[null_window.ROLE] != role or proven:
                held = None
        if held is None:
            held = make_null_window(
                self.words,
                self.most_moves,
                len(self.roles),
                megabytes=self.settings.megabytes // 2,
            )
        self._null_window = held
        return held

    def halt(self) -> None:
        """End whatever searches here, as soon as may be; called from another thread."""
        self.lanes.tables.halt[0] = 1

    def resume(self) -> None:
        """Let searches go on again; to be called when the one before has ended."""
        self.lanes.tables.halt[0] = 0

    @property
    def is_halted(self) -> bool:
        """Whether searches were told to end."""
        return bool(self.lanes.tables.halt[0])

    def clear(self) -> None:
        """Forget all that was found."""
        self._clear_tree()
        # Memory that nobody has touched is there at once; hundreds of megabytes take ten
        # milliseconds to be wiped, of which most were never written.
        table = dfpn.empty_table(self._bits())
        self.proof, self.deep_proof = (
            proof._replace(table=table) for proof in (self.proof, self.deep_proof)
        )
        self.proof.history[:] = 0
        self.proof.status[:] = 0
        self.proof.replies.idle[:] = 0
        self.deep_proof.status[:] = 0
        self.has_proof_ended = False
        self._null_window = None

    def _clear_tree(self) -> None:
        self.tree.used[:] = 0
        self.tree.table[:] = NONE
        self._checked_nodes = 0

    @property
    def fullness(self) -> float:
        """Part of the tree that is in use, 0 to 1."""
        used = self.tree.used
        nodes, edges = len(self.tree.edge_count), len(self.tree.move)
        return max(float(used[NODES] / nodes), float(used[EDGES] / edges))

    def root(self, state: bytes) -> int:
        """Return the node of a state; below 0 where there is none.

        Where the tree is half full, all that the state does not lead to makes way.
        """
        words = self.lanes.pack(state)
        if self.fullness > HALF_FULL:
            with self.moving:
                node = int(find(self.tree, words))
                if node < 0:
                    self.clear()
                else:
                    self.make_room(node)
        return int(add_root(self.tree, self.lanes.tables, self.params, words))

    def make_room(self, root: int) -> int:
        """Keep what a node leads to, and of that what was visited most; return where it is now."""
        self._checked_nodes = 0
        root, least = int(recycle(self.tree, root, 1)), 2
        while self.fullness > HALF_FULL and least < MOST_VISITS:
            root, least = int(recycle(self.tree, root, least)), 2 * least
        return root

    def start_proof(self, state: bytes, role: int, goal: int, *, plies: int = dfpn.DEEPEST) -> None:
        """Begin to prove that a role can force a goal within so many plies."""
        for proof in (self.proof, self.deep_proof):
            status = proof.status
            status[: dfpn.EVER_CUT] = 0  # what was cut once stays in the table
            status[dfpn.ROLE], status[dfpn.GOAL] = role, goal
            status[dfpn.PLY_LIMIT] = plies
            status[dfpn.IS_DEEP] = proof is self.deep_proof
            proof.state[0] = self.lanes.pack(state)
