"""The Monte-Carlo player: tree search for any game, as fast as the game allows.

A compiled game in which the roles take turns is searched by machine code
(`gdl.play.compiled_search`), all others by `gdl.play.uct`, the compiled ones still with playouts in
lanes. What has to be made first (code of the game, code of the search) is made in the start clock,
in a thread of its own; until it is ready the plain search answers, so that no clock is ever missed
for it.

Source: see the modules named.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable, Hashable
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.play.anytime import (
    NotSequentialError,
    Thinker,
    begin_making,
    without_collections,
)
from gdl.play.belief import Believer
from gdl.play.budget import Budget
from gdl.play.changeover import Changeover
from gdl.play.fallback_thoughts import TREE, fallback_thoughts
from gdl.play.information import InformationState, NoStateError
from gdl.play.player import Position
from gdl.play.registry import Kind, Option
from gdl.play.tablebase import table_thoughts
from gdl.play.thoughts import Candidate, Thoughts
from gdl.play.uct import PlainSearch, Plan
from gdl.state import LegalMoves, State

if TYPE_CHECKING:
    from gdl.play.pondering import Pondering
    from gdl.play.value_network import Network
    from gdl.play.workspace import Workspace

LANES_C: Final = 0.2
"""Exploration where a node is judged by the mean of hundreds of playouts."""
SCALAR_C: Final = 1.0
"""The same where it is judged by a single one, which tells far less."""
PLAIN_C: Final = 0.4
"""Least exploration of the plain search, where one playout tells less than a vector of them."""
OF_FILE: Final = -1.0
"""In place of the weight of what a network says of a new node: that which its file carries."""
NO_RAVE: Final = -1
"""In place of visits: no record of moves that were made later is kept."""
LANES, SCALAR = "lanes", "scalar"
"""How new nodes are judged: by a vector of playouts, or by one that tells its moves."""
WAIT: Final = 0.5
"""Part of a move's budget that is spent waiting for code, where there was no start clock."""
BEING_MADE: Final = "without the machine code of the search, which is being made"
"""What a player says that could not wait for it; it is made once, for all games and processes."""


class MctsPlayer:
    """Monte-Carlo tree search.

    Attributes:
        role: Whom it plays; None for the only one that can move.
        thoughts: What it thought of its last move.
        backend: The back end on which it thought, ``reason`` or ``native``; empty before.
    """

    def __init__(  # noqa: PLR0913  # its options
        self,
        *,
        role: Term | None = None,
        seed: int = 0,
        c: float = 0.0,
        prior: float = 2.0,
        proof: float = 0.6,
        memory: int = 512,
        native: bool = True,
        rave: bool = False,
        grave: int = 0,
        playouts: str = LANES,
        value: str = "",
        weight: float = OF_FILE,
        ponder: bool = False,
        threads: int = 1,
        final: float = 60.0,
        rehearsal: Callable[[Workspace], None] | None = None,
    ) -> None:
        """Prepare; see `MCTS_PLAYER` for the options.

        ``rehearsal`` is run with the code once it is made, where more than tree search is wanted.

        Raises:
            NetworkError: ``value`` is no file of a network.
        """
        self.role = role
        self.thoughts: Thoughts | None = None
        self.backend = ""
        self._seed = seed
        self._options = (
            c or (SCALAR_C if playouts == SCALAR else LANES_C),
            prior,
            proof,
            memory,
        )
        self._native, self._rehearsal = native, rehearsal
        self._network, self._network_weight = _network_of(value, weight)
        # RAVE is GRAVE of 0 visits: each node has enough for its own record to count.
        self._grave = grave if rave or grave else NO_RAVE
        self._is_scalar = playouts == SCALAR
        self._ponders = ponder
        self._threads = threads
        self._final = final
        # What a search leaves for the next: a thread that may still be in it, the tree with its
        # code (`_workspace`, made by `_maker` for `_prepared_for`), and what was known at the last
        # move, for the case that there is no time to know more.
        self._pondering: Pondering | None = None
        self._asked: Position | None = None
        self._rng = random.Random(seed)  # noqa: S311  # play, not secrets
        self._believer = Believer(seed=seed)
        self._thinker = Thinker()
        self._changeover = Changeover()
        self._workspace: Workspace | None = None
        self._maker: Thread | None = None
        self._prepared_for: Game | None = None
        self._moves = 0
        self._plan: tuple[Hashable, Plan] | None = None
        self._last: Thoughts | None = None

    @property
    def _judge(self) -> Network | None:
        """The network, where it is asked: one of no weight would only take time."""
        return self._network if self._network_weight > 0 else None

    def check(self, game: Game) -> None:
        """See that the network, if there is one, is of the rules of a game.

        Raises:
            NetworkError: It is not.
        """
        if self._network is not None:
            self._network.head.check(game)

    @property
    def is_compiling(self) -> bool:
        """Whether machine code of the game is being made."""
        compilation = self._changeover.compilation
        return compilation is not None and not compilation.is_over

    def prepare(self, game: Game, budget: Budget) -> None:
        """Make the code that the search needs, as far as the start clock allows."""
        self._end_pondering()
        if self._native:
            game = self._changeover.finish(game, budget.left)
        self._begin(game)
        if self._maker is not None:
            self._maker.join(None if budget.seconds == float("inf") else max(0.0, budget.left))

    def follow(self, game: Game, state: Position) -> tuple[Game, Position]:
        """Return game and state on the back end to think on: machine code once it is there."""
        if self._native:
            game, state = self._changeover.follow(game, state)
        self.backend = game.backend
        self._begin(game)
        return game, state

    def _begin(self, game: Game) -> None:
        if self._prepared_for == game:
            return
        self.check(game)
        self._prepared_for, self._workspace, self._maker = game, None, None
        if not self._native or game.back_end.native is None:
            return
        if importlib.util.find_spec("numba") is None:
            return
        self._maker = Thread(target=_make_for, args=(ref(self), game), daemon=True)
        begin_making(self._maker)

    def make(self, game: Game) -> None:
        """Make code and memory for a game; they are there at the end, if they can be had."""
        from gdl.compile.limits import CompileError
        from gdl.native.lanes.layout import GoalTableError
        from gdl.play.compiled_search import rehearse
        from gdl.play.workspace import Settings, Workspace

        c, prior, proof, memory = self._options
        native = game.back_end.native
        assert native is not None
        settings = Settings(
            c=c,
            prior_weight=prior,
            proof_share=proof,
            megabytes=memory,
            grave_visits=self._grave,
            is_scalar=self._is_scalar,
            network=self._judge.tables_for(game) if self._judge is not None else None,
            network_weight=self._network_weight,
            threads=self._threads,
            final_weight=self._final,
        )
        try:
            workspace = Workspace(native, settings=settings, seed=self._seed)
            rehearse(workspace)
            if self._rehearsal is not None:
                self._rehearsal(workspace)
        except (GoalTableError, CompileError, MemoryError):
            return
        if self._prepared_for == game:
            self._workspace = workspace

    def __call__(self, game: Game, state: Position, budget: Budget) -> Term:
        """Return the move that was looked at most, or one that is proven best."""
        grown = self._end_pondering()
        move = self._choose(game, state, budget)
        if grown and self.thoughts is not None:
            self.thoughts = self.thoughts.noted(f"{grown:,} simulations while others thought")
        if self._ponders:
            self._ponder(move)
        return move

    def _end_pondering(self) -> int:
        """End what goes on since the last move; return how many simulations were made."""
        return 0 if self._pondering is None else self._pondering.end()

    def _ponder(self, move: Term) -> None:
        """Go on from where a move leads, if the role that moves then is the only one with a choice.

        The others make their only moves; where one of them has a choice now there is no such state.
        """
        state = self._asked
        workspace = None if state is None else self.workspace_for(state)
        if workspace is None or not workspace.is_sequential or self.thoughts is None:
            return
        assert isinstance(state, State)
        machine: Any = state.machine
        legal = [machine.legal(state.inner, role) for role in machine.roles]
        legal[machine.roles.index(self.thoughts.role)] = (move,)
        if any(len(moves) != 1 for moves in legal):
            return
        after = machine.successor(state.inner, tuple(moves[0] for moves in legal))
        if machine.is_terminal(after):
            return
        from gdl.play.pondering import Pondering

        self._pondering = self._pondering or Pondering()
        workspace.set_start(state)
        self._pondering.begin(workspace, after, self._thinker)

    def _choose(self, game: Game, state: Position, budget: Budget) -> Term:
        if budget.seconds == float("inf") and self._native:
            self._changeover.finish(game)  # counted simulations find the same move each time
        game, state = self.follow(game, state)
        self._asked = state
        legal = state.legal(self.role)
        role = legal.role
        if len(legal) == 1:
            self.thoughts = Thoughts(role, (Candidate(legal[0], 0, 0.0),), note="the only move")
            return legal[0]
        if (thoughts := table_thoughts(state, role)) is not None:
            self.thoughts = self._last = thoughts
            return thoughts.best.move
        if self._maker is not None and self._workspace is None:
            whole = budget.seconds == float("inf")
            self._maker.join(None if whole else max(0.0, budget.left) * WAIT)
        self._moves += 1
        thoughts = self._think(state, role, budget)
        self.thoughts = thoughts or self._fallback(state, role, legal, budget)
        self._last = thoughts or self._last
        return self.thoughts.best.move

    def _fallback(self, state: Position, role: Term, legal: LegalMoves, budget: Budget) -> Thoughts:
        """Return the best of what is known, where there was no time for a search."""
        workspace = self.workspace_for(state)
        if workspace is not None and workspace.is_sequential and isinstance(state, State):
            from gdl.play.compiled_search import recall_tree

            thoughts = recall_tree(workspace, state.inner, workspace.roles.index(role))
            if thoughts is not None:
                return replace(thoughts, note=f"{TREE}; {thoughts.note}" if thoughts.note else TREE)
        return fallback_thoughts(state, role, legal, budget, self._last)

    def _think(self, state: Position, role: Term, budget: Budget) -> Thoughts | None:
        if not self._thinker.is_idle(budget):
            return None
        try:
            with without_collections():
                thoughts = self._think_compiled(state, role, budget)
                if thoughts is None and self._thinker.is_idle(budget):
                    search = self._plain(state, role, budget)
                    thoughts = self._thinker.think(search, budget)
                    self._plan = search.after(thoughts.best.move) if thoughts is not None else None
                    if thoughts is not None and self._maker is not None and self._maker.is_alive():
                        thoughts = thoughts.noted(BEING_MADE)
                return thoughts
        except (GdlError, NoStateError):
            return None  # the rules are too much for their limits here: what is known has to do

    def _think_compiled(self, state: Position, role: Term, budget: Budget) -> Thoughts | None:
        """Return what the search by machine code finds; None where it is none for this state."""
        workspace = self.workspace_for(state)
        if workspace is None or not workspace.is_sequential or isinstance(state, InformationState):
            return None
        from gdl.play.compiled_search import CompiledSearch

        index = workspace.roles.index(role)
        workspace.seed(self._seed + self._moves)
        workspace.set_start(state)
        try:
            search = CompiledSearch(workspace, state.inner, index, simulations=budget.simulations)
            return self._thinker.think(search, budget)
        except NotSequentialError:
            return None

    def workspace_for(self, state: Position) -> Workspace | None:
        """Return the code and memory for a state, None where there is none (yet)."""
        workspace = self._workspace
        if workspace is None or isinstance(state, InformationState):
            return None
        is_its_own = state.machine is state.game.machine  # and not the reasoner, for odd facts
        return workspace if is_its_own and state.game == self._prepared_for else None

    def _plain(self, state: Position, role: Term, budget: Budget) -> PlainSearch:
        workspace = self.workspace_for(
            state.start if isinstance(state, InformationState) else state
        )
        evaluate = None
        if workspace is not None and not self._is_scalar:
            workspace.seed(self._seed + self._moves)
            workspace.resume()
            evaluate = workspace.means
        expected, plan = self._plan or (None, None)
        is_expected = isinstance(state, State) and state.inner == expected
        return PlainSearch(
            state,
            role,
            budget=budget,
            seed=self._rng.randrange(1 << 30),
            c=max(self._options[0], PLAIN_C),
            grave=self._grave,
            evaluate=evaluate,
            plan=plan if is_expected else None,
            believer=self._believer,
        )


def _network_of(value: str, weight: float) -> tuple[Network | None, float]:
    """Return the network of a file, if one is named, and its weight: below 0 that of the file."""
    if not value:
        return None, weight
    from gdl.play.value_network import read_network

    network = read_network(value)
    return network, network.head.weight if weight < 0 else weight


def _make_for(player: ref[MctsPlayer], game: Game) -> None:
    """Wait for the code of the search, then make the rest, if anybody still has the player.

    Of a hundred quick games in a row each would take its memory at the end of that wait.
    """
    from gdl.play.code_maker import await_code

    await_code()
    wanted = player()
    if wanted is not None:
        wanted.make(game)


MCTS_PLAYER: Final = Kind(
    "mcts",
    "Monte-Carlo tree search with proofs",
    MctsPlayer,
    (
        Option(
            "c", 0.0, "weight of exploration; 0 for 0.2 with playouts in lanes, 1 with single ones"
        ),
        Option("prior", 2.0, "weight of the first playouts of a move, in visits", least=0.1),
        Option("proof", 0.6, "part of the time for proving a win", most=0.95),
        Option("memory", 512, "megabytes of the tree", least=16, most=65_536, of_machine=True),
        Option("native", True, "search by machine code where the game has it"),  # noqa: FBT003
        Option("rave", False, "learn of moves from where they were made later"),  # noqa: FBT003
        Option("grave", 0, "RAVE, by the nearest node above of so many visits", most=1_000_000),
        Option("playouts", LANES, "hundreds at once, or one that tells its moves", (LANES, SCALAR)),
        Option("value", "", "a file of gdl train that judges beside playouts", of_machine=True),
        Option(
            "weight",
            OF_FILE,
            "weight of what it says, 0 to 1 for no playouts; below 0 that in the file",
            least=OF_FILE,
            most=1.0,
        ),
        Option("ponder", False, "think on while the others think", of_machine=True),  # noqa: FBT003
        Option("final", 60.0, "playouts that final positions count for with a move", most=100_000),
        Option(
            "threads", 1, "threads that grow one tree together", least=1, most=64, of_machine=True
        ),
    ),
)
