"""Upper confidence trees over any state machine: for games that do not run as machine code.

Where one role has a choice it goes by the upper bounds of its moves; where several choose at once
each draws its move from a strategy that the others cannot read (`gdl.play.regret_matching`), unless
their joint moves are too many: then each chooses by its own bounds (decoupled UCT). Nature's moves
are drawn. Where
facts are hidden the tree begins in a state drawn anew each time, as often as it is likely by what
was seen (`gdl.play.belief`), and what is learned of the first move is shared. In games of one role
the best line is remembered. With RAVE a move counts for all states before it in the same playout;
with GRAVE a state that was seen too seldom takes this record of the nearest state above it that was
seen often enough.

Source: Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning", 2006; Finnsson and Bjornsson,
"Simulation-Based Approach to General Game Playing", AAAI 2008 (decoupled); Cowling, Powley and
Whitehouse, "Information Set Monte Carlo Tree Search", 2012; Gelly and Silver, "Monte-Carlo Tree
Search and Rapid Action Value Estimation in Computer Go", 2011; Cazenave, "Generalized Rapid Action
Value Estimation", IJCAI 2015; Clune, "Heuristic Evaluation Functions for General Game Playing",
AAAI 2007 (choice as what is worth having).
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Hashable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.play.belief import Belief, Believer
from gdl.play.budget import Budget
from gdl.play.information import InformationState, NoStateError, is_nature
from gdl.play.mixed_strategy import odds, sampled
from gdl.play.player import Position
from gdl.play.thoughts import Candidate, Thoughts
from gdl.state import State

if TYPE_CHECKING:
    from gdl.play.regret_matching import Matrix

SLICE: Final = 0.012
"""Seconds between two looks at the time."""
MAX_PLIES: Final = 2_000
"""Plies of a playout before it is given up as worth nothing known."""
MAX_NODES: Final = 300_000
"""Nodes of a tree; from then on it grows no more."""
HAS_MATRICES: Final = find_spec("numpy") is not None
MOST_ENTRIES: Final = 1 << 14
"""Joint moves of a matrix, at most."""
MOST_MATRIX_ENTRIES: Final = 1 << 22
"""Entries of all matrices, at most, of some twenty bytes each."""
FIRST: Final = 0.25
"""Part of the time for a move after which the first playout is cut short, and all others are."""
CUT: Final = 2
"""Plies of those: enough to see how many moves either side is left."""
CHOICE: Final = 10.0
"""What it is worth, of 100, to have all the choice there is, where nothing else is known."""
CUT_SHORT: Final = "rules too slow for whole playouts: they are cut short, and choice counts"
NEUTRAL: Final = 50.0
HIGHEST: Final = 100.0
RAVE_BIAS: Final = 0.02
"""How fast a move's own record outweighs that of later moves: four times the square of their bias,
goals counted from 0 to 1 (Gelly and Silver)."""
NEVER: Final = (0.0, 0.0)
"""The record of a move that was never made."""
LINE: Final = 24
Goals: TypeAlias = tuple[float, ...]
Evaluate: TypeAlias = Callable[[Any], Goals | None]
Plan: TypeAlias = tuple[tuple[JointMove, ...], float]


class TimeUpError(Exception):
    """The budget ran out in the middle of a playout."""


class Node:
    """A state, and what is known of each role's moves there, each role for itself.

    Attributes:
        state: The machine's state.
        goals: The goals if the game is over, else None.
        moves: Legal moves of each role.
        move_visits: Simulations that took each.
        move_total: Sum of the role's goals over these.
        move_best: Highest of them.
        amaf: For each role and move: simulations in which it was made here or later, and the sum of
            its goals over these; None without RAVE.
        visits: Simulations that came through.
        children: Node after each joint move taken.
        is_at_once: Whether several roles choose at once, by a matrix.
        matrix: Their strategies, from as many visits on as one of them has moves.
    """

    __slots__ = (
        "amaf",
        "children",
        "goals",
        "is_at_once",
        "matrix",
        "move_best",
        "move_total",
        "move_visits",
        "moves",
        "state",
        "visits",
    )

    def __init__(
        self, state: Hashable, goals: Goals | None, moves: tuple[tuple[Term, ...], ...]
    ) -> None:
        """Begin with nothing known."""
        self.state = state
        self.goals = goals
        self.moves = moves
        self.move_visits = [[0] * len(choices) for choices in moves]
        self.move_total = [[0.0] * len(choices) for choices in moves]
        self.move_best = [[0.0] * len(choices) for choices in moves]
        self.amaf: list[dict[Term, list[float]]] | None = None
        self.visits = 0
        self.children: dict[JointMove, Node] = {}
        self.is_at_once = False
        self.matrix: Matrix | None = None


class PlainSearch:
    """The search of one move."""

    def __init__(  # noqa: PLR0913  # what is searched, by whom, how
        self,
        position: Position,
        role: Term,
        *,
        budget: Budget,
        seed: int,
        c: float,
        grave: int = -1,
        evaluate: Evaluate | None = None,
        plan: Plan | None = None,
        believer: Believer | None = None,
    ) -> None:
        """Prepare; nothing is looked at yet.

        Args:
            position: Where to begin.
            role: Whose move is wanted.
            budget: Ends playouts in the middle; its simulations are kept too.
            seed: Of the playouts.
            c: Weight of exploration.
            grave: Visits from which a state's own record of later moves counts, 0 for RAVE; below
                0 no such records are kept.
            evaluate: The mean goals of playouts from a state, where they can be had faster.
            plan: In games of one role, the best line known so far, and its goal.
            believer: Where facts are hidden, what the role believes, kept from move to move.
        """
        self.position = position
        self.role = role
        self._budget = budget
        self._rng = random.Random(seed)  # noqa: S311  # play, not secrets
        self._c = c * 100.0
        self._grave = grave
        self._evaluate = evaluate or self._playout
        start = position.start if isinstance(position, InformationState) else position
        self._machine: Any = start.machine
        self._roles: tuple[Term, ...] = tuple(self._machine.roles)
        self._index = self._roles.index(role)
        self._nature = [is_nature(other) and other != role for other in self._roles]
        self._nodes: dict[Hashable, Node] = {}
        self._believer = believer or Believer(seed=seed)
        self._belief: Belief | None = None
        self._shared: Node | None = None
        self._may_be_at_once = self._nature.count(False) > 1 and HAS_MATRICES
        self._entries = 0
        self._chance = random.Random(~seed).random()  # noqa: S311  # which move is drawn at last
        self._most_plies = MAX_PLIES
        self._may_be_slow = len(self._roles) > 1  # alone, a role remembers the best line to an end
        self._started = time.monotonic()
        self.simulations = 0
        self.line: tuple[JointMove, ...] = ()
        self.line_value = -1.0
        if plan is not None:
            self.line, self.line_value = plan

    def go_on(self) -> bool:
        """Search for some milliseconds more; False when there is nothing left to find."""
        until = time.monotonic() + SLICE
        most = self._budget.simulations
        while True:
            if most is not None and self.simulations >= most:
                return False
            try:
                self._simulate()
            except TimeUpError:
                return False
            self.simulations += 1
            if self._is_decided():
                return False
            if time.monotonic() > until:
                return True

    def halt(self) -> None:
        """Nothing needs to be said: it looks at the time in every ply."""

    def _is_decided(self) -> bool:
        root = self._shared
        assert root is not None
        if len(self._roles) == 1 and self.line_value >= 100:  # noqa: PLR2004  # the highest goal
            return True
        return root.goals is not None

    def _root(self) -> Node:
        """Return a root: the state, or one drawn as often as it is likely by what was seen."""
        if isinstance(self.position, State):
            root = self._node(self.position.inner)
        else:
            if self._belief is None:
                try:
                    self._belief = self._believer.follow(self.position, self._budget)
                except NoStateError:
                    raise TimeUpError from None
            root = self._node(self._belief.sample(self._rng))
        if self._shared is None:
            self._shared = root
        elif (
            root is not self._shared and root.moves[self._index] == self._shared.moves[self._index]
        ):
            # The role cannot tell the roots apart, so it has to choose one move for all of them:
            # what it learns of its first move is one record, the mean over the roots.
            i = self._index
            root.move_visits[i] = self._shared.move_visits[i]
            root.move_total[i] = self._shared.move_total[i]
            root.move_best[i] = self._shared.move_best[i]
            if root.matrix is not None and self._shared.matrix is not None:
                root.matrix.share(self._shared.matrix, i)
        return root

    def _simulate(self) -> None:
        """Select down to a node that is new, evaluate it by a playout, back its goals up."""
        path, node = self._walk()
        goals = node.goals
        played: tuple[JointMove, ...] = ()
        if goals is None:
            self._tail: tuple[JointMove, ...] = ()
            goals = self._evaluate(node.state) or self._playout(node.state)
            played = self._tail
        if goals is not None:
            self._back_up(path, goals)
            node.visits += 1
            if self._grave >= 0:
                self._back_up_amaf(path, played, goals)
            self._remember(path, played, goals)

    def _walk(self) -> tuple[list[tuple[Node, list[int]]], Node]:
        """Return the nodes left with the number of each role's move there, and the node reached.

        States met on different ways are one node; the walk ends at one that nobody has visited.
        """
        node = self._root()
        path: list[tuple[Node, list[int]]] = []
        references: list[Node | None] = [None] * len(self._roles)
        while node.goals is None and len(path) < MAX_PLIES:
            if self._budget.is_over and self._shared is not node:
                raise TimeUpError
            if node.is_at_once and self._has_matrix(node):
                chosen = [0] * len(self._roles)
                node.matrix.sample(self._rng, chosen)  # type: ignore[union-attr]
            else:
                chosen = [self._select(node, r, references) for r in range(len(self._roles))]
            if min(chosen) < 0:
                break
            path.append((node, chosen))
            joint = tuple(moves[i] for moves, i in zip(node.moves, chosen, strict=True))
            child = node.children.get(joint)
            if child is None:
                after = self._machine.successor(node.state, joint)
                count = len(self._nodes)
                child = self._node(after)
                node.children[joint] = child
                if len(self._nodes) > count or child.visits == 0:
                    node = child
                    break
            node = child
        return path, node

    def _back_up(self, path: list[tuple[Node, list[int]]], goals: Goals) -> None:
        for node, chosen in path:
            node.visits += 1
            for r, i in enumerate(chosen):
                node.move_visits[r][i] += 1
                node.move_total[r][i] += goals[r]
                node.move_best[r][i] = max(node.move_best[r][i], goals[r])
            if node.matrix is not None:
                node.matrix.learn(chosen, goals)

    def _has_matrix(self, node: Node) -> bool:
        """Return whether a node has its matrix; it is made once each move could be seen."""
        if node.matrix is None:
            counts = [len(moves) for moves in node.moves]
            if node.visits < max(counts) and node is not self._shared:
                return False
            self._entries += math.prod(counts)
            if self._entries > MOST_MATRIX_ENTRIES:
                return False
            from gdl.play.regret_matching import Matrix

            node.matrix = Matrix(counts, self._nature)
        return True

    def _back_up_amaf(
        self, path: list[tuple[Node, list[int]]], played: tuple[JointMove, ...], goals: Goals
    ) -> None:
        """Count every move for each state of the path at or before it (RAVE)."""
        heard = [set(moves) for moves in zip(*played, strict=True)] or [set() for _ in goals]
        for node, chosen in reversed(path):
            if node.amaf is None:
                node.amaf = [{move: [0.0, 0.0] for move in moves} for moves in node.moves]
            for r, i in enumerate(chosen):
                heard[r].add(node.moves[r][i])
                records = node.amaf[r]
                for move in heard[r]:
                    entry = records.get(move)
                    if entry is not None:
                        entry[0] += 1
                        entry[1] += goals[r]

    def _remember(
        self, path: list[tuple[Node, list[int]]], played: tuple[JointMove, ...], goals: Goals
    ) -> None:
        if len(self._roles) != 1 or goals[0] <= self.line_value:
            return
        before = tuple((node.moves[0][chosen[0]],) for node, chosen in path)
        line = before + played
        self.line, self.line_value = self._without_circles(line), goals[0]

    def _without_circles(self, line: tuple[JointMove, ...]) -> tuple[JointMove, ...]:
        """Return a line from the root without the parts that lead back to a state on it."""
        if not isinstance(self.position, State):
            return line
        state: Hashable = self.position.inner
        reached: dict[Hashable, int] = {state: 0}
        kept: list[JointMove] = []
        for joint in line:
            kept.append(joint)
            state = self._machine.successor(state, joint)
            first = reached.setdefault(state, len(kept))
            if first < len(kept):
                del kept[first:]
                reached = {state: at for state, at in reached.items() if at <= first}
        return tuple(kept)

    def after(self, move: Term) -> tuple[Hashable, Plan] | None:
        """Return the state after a move that begins the best line, and what is left of the line.

        None in games of more than one role, and where the line begins otherwise.
        """
        line = self.line
        if not line or line[0] != (move,) or not isinstance(self.position, State):
            return None
        state: Hashable = self._machine.successor(self.position.inner, line[0])
        return state, (line[1:], self.line_value)

    def _select(self, node: Node, r: int, references: list[Node | None]) -> int:
        """Return the number of the move of a role with the highest upper confidence bound.

        ``references`` is the node whose AMAF record counts for each role, so far on the way down.
        Nature wants nothing: its moves come as often as they are likely, all alike, so that the
        mean below is the expectation.
        """
        visits = node.move_visits[r]
        if len(visits) <= 1:
            return len(visits) - 1
        if self._nature[r]:
            return self._rng.randrange(len(visits))
        if self._grave >= 0:
            if node.visits >= self._grave or references[r] is None:
                references[r] = node
            amaf = (references[r] or node).amaf
            if amaf is not None:
                return self._select_by_amaf(node, r, amaf[r])
        unvisited = [i for i, n in enumerate(visits) if n == 0]
        if unvisited:
            return self._rng.choice(unvisited)
        spread = self._c * math.sqrt(math.log(sum(visits)))
        total, best = node.move_total[r], node.move_best[r]
        # Alone, a role can make the best line found again: its goal counts beside the mean.
        share = 0.5 if len(self._roles) == 1 else 0.0
        return max(
            range(len(visits)),
            key=lambda i: (
                (1 - share) * total[i] / visits[i] + share * best[i] + spread / math.sqrt(visits[i])
            ),
        )

    def _select_by_amaf(self, node: Node, r: int, amaf: dict[Term, list[float]]) -> int:
        """Return the move with the highest upper bound, its own value mixed with its AMAF value.

        A move of which neither is known has the highest value there is, so each gets its turn.
        """
        moves, visits, total = node.moves[r], node.move_visits[r], node.move_total[r]
        spread = self._c * math.sqrt(math.log(sum(visits) + 2))

        def bound(i: int) -> float:
            amaf_visits, amaf_total = amaf.get(moves[i], NEVER)
            n = visits[i]
            share = (
                amaf_visits / (amaf_visits + n + RAVE_BIAS * amaf_visits * n)
                if amaf_visits
                else 0.0
            )
            own = total[i] / n if n else HIGHEST
            amaf_value = amaf_total / amaf_visits if amaf_visits else HIGHEST
            return (1 - share) * own + share * amaf_value + spread / math.sqrt(n + 1)

        return max(range(len(moves)), key=bound)

    def _node(self, state: Hashable) -> Node:
        node = self._nodes.get(state)
        if node is not None:
            return node
        machine = self._machine
        if machine.is_terminal(state):
            node = Node(state, self._goals(state), ())
        else:
            moves = tuple(machine.legal(state, role) for role in self._roles)
            node = Node(state, None, moves)
            if self._may_be_at_once:
                node.is_at_once = self._is_at_once(moves)
        if len(self._nodes) < MAX_NODES:
            self._nodes[state] = node
        return node

    def _is_at_once(self, moves: Sequence[Sequence[Term]]) -> bool:
        """Return whether several roles, nature aside, choose, few enough moves for a matrix."""
        choosing = sum(
            len(m) > 1 and not draws for m, draws in zip(moves, self._nature, strict=True)
        )
        return choosing > 1 and math.prod(map(len, moves)) <= MOST_ENTRIES

    def _goals(self, state: Hashable) -> Goals:
        goals = [self._machine.goals(state, role) for role in self._roles]
        return tuple(float(values[0]) if len(values) == 1 else 0.0 for values in goals)

    def _playout(self, state: Any) -> Goals | None:  # noqa: ANN401  # the machine's own
        """Play to the end at random; None where there is no end in sight.

        Where the first playout takes too long, this and all others are cut short, and say only who
        has how much choice: some moves ahead are seen then, where nothing would be.
        """
        machine, rng = self._machine, self._rng
        tail: list[JointMove] = []
        counts: list[list[int]] = []
        patience = self._budget.spent + FIRST * self._budget.seconds
        for _ in range(self._most_plies):
            if self._budget.is_over:
                raise TimeUpError
            if self._may_be_slow and self._budget.spent > patience:
                self._most_plies, self._may_be_slow = CUT, False
                break
            if machine.is_terminal(state):
                self._tail = tuple(tail)
                self._may_be_slow = False
                return self._goals(state)
            legal = [machine.legal(state, role) for role in self._roles]
            if not all(legal):
                return None
            joint = tuple(rng.choice(moves) for moves in legal)
            tail.append(joint)
            if len(counts) < CUT:
                counts.append([len(moves) for moves in legal])
            state = machine.successor(state, joint)
        return self._by_choice(counts) if self._most_plies == CUT else (NEUTRAL,) * len(self._roles)

    def _by_choice(self, counts: Sequence[Sequence[int]]) -> Goals:
        """Return the goals by how many moves each role had, on the mean of when it could choose."""
        means = []
        for of_role in zip(*counts, strict=True):
            several = [count for count in of_role if count > 1]
            means.append(sum(several) / len(several) if several else 1.0)
        roles = len(self._roles)
        shares = [roles * mean / sum(means) - 1 for mean in means] or [0.0] * roles
        return tuple(NEUTRAL + CHOICE * share / max(1, roles - 1) for share in shares)

    def shares(self) -> dict[Term, float]:
        """Return how often each move is to be taken where several roles choose at once, else {}."""
        root, i = self._shared, self._index
        if root is None or root.matrix is None or i not in root.matrix.roles:
            return {}
        return dict(zip(root.moves[i], root.matrix.strategy(i).tolist(), strict=True))

    def thoughts(self) -> Thoughts | None:
        """Return what is found so far."""
        root = self._shared
        if root is None or root.goals is not None or not (self.simulations or self.line):
            return None
        i = self._index
        candidates = [
            Candidate(move, n, total / n if n else 0.0)
            for move, n, total in zip(
                root.moves[i], root.move_visits[i], root.move_total[i], strict=True
            )
        ]
        if not candidates:
            return None
        shares, note = self.shares(), ""
        planned = self.line[0][0] if self.line else None
        if shares:
            planned = sampled(shares, self._chance)
            note = f"drawn from a mixed strategy: {odds(shares)}"
        elif self._most_plies == CUT:
            note = CUT_SHORT
        candidates.sort(
            key=lambda c: (c.move == planned, shares.get(c.move, 0.0), c.visits, c.value),
            reverse=True,
        )
        return Thoughts(
            self.role,
            tuple(candidates),
            line=self.line[:LINE] if self.line else self._principal(root, candidates[0].move),
            simulations=self.simulations,
            seconds=time.monotonic() - self._started,
            note=note,
        )

    def _principal(self, root: Node, move: Term) -> tuple[JointMove, ...]:
        line: list[JointMove] = []
        node: Node | None = root
        while node is not None and node.goals is None and len(line) < LINE and node.visits:
            if not all(node.moves):
                break
            joint = tuple(
                moves[max(range(len(moves)), key=visits.__getitem__)]
                for moves, visits in zip(node.moves, node.move_visits, strict=True)
            )
            if not line:
                joint = tuple(move if r == self._index else other for r, other in enumerate(joint))
            line.append(joint)
            node = node.children.get(joint)
        return tuple(line)
