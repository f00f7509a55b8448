"""Equilibria of small games by counterfactual regrets, and how far a policy is from one.

In: a game of two roles whose goals have a constant sum, with nature as a third where chance plays;
facts may be hidden, and both may move at once. Out: a `GameTree`, on which `Regrets` improves a
policy (CFR+), and `exploitability` measures any policy exactly, by best responses.

The tree is made by the rules alone. What a role knows is what it did and what it saw (``sees``); in
games that hide nothing it sees all moves. Where both move at once they stand one after the other,
and the second knows nothing of the first. Nature draws each of its legal moves alike.

Source: Zinkevich, Johanson, Bowling and Piccione, "Regret Minimization in Games with Incomplete
Information", NIPS 2007; Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014;
exploitability as in OpenSpiel (Lanctot et al., 2019): the mean of what both could gain.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.play.budget import Budget
from gdl.play.information import is_nature
from gdl.solve.limits import TooLargeError

__all__ = [
    "GameTree",
    "InformationSet",
    "NoEquilibriumError",
    "Regrets",
    "TooLargeError",
    "best_response",
    "expected",
    "exploitability",
    "named",
]

MOST_NODES: Final = 200_000
"""Nodes of a tree, at most."""
MOST_PLIES: Final = 60
"""Plies of a play, at most: histories are walked by functions that call themselves."""
CHANCE: Final = -1
END: Final = -2

Knowledge: TypeAlias = tuple[Hashable, ...]
"""What a role did and saw, ply by ply."""
Policy: TypeAlias = list[list[float]]
"""The probability of each move of each information set."""


class NoEquilibriumError(GdlError):
    """The game is not one of two whose goals have a constant sum, or play cannot go on in it."""


@dataclass(frozen=True, slots=True)
class InformationSet:
    """What a role cannot tell apart, where it has a choice.

    Attributes:
        player: The role, by its place among those that are not nature.
        knowledge: What it did and saw.
        moves: Its moves.
        nodes: Where it may be.
    """

    player: int
    knowledge: Knowledge
    moves: tuple[Term, ...]
    nodes: list[int] = field(default_factory=list)


class GameTree:
    """All histories of a game, with what the roles can tell apart.

    Attributes:
        game: The game.
        players: The two roles that are not nature.
        sets: All information sets.
        children: Of each node those that follow; nodes stand before what follows from them.
        actor: Of each node the information set that moves there, `CHANCE` or `END`.
        value: At an end, the goal of the first player; elsewhere 0.
        total: The sum of the goals.
    """

    def __init__(self, game: Game, *, budget: Budget | None = None) -> None:
        """Walk through all histories.

        Raises:
            TooLargeError: They are too many, or too many for the time of a budget.
            NoEquilibriumError: The game is none of two with a constant sum.
        """
        self._budget = budget
        self.game = game
        self._machine: Any = game.machine
        self._roles = tuple(game.machine.roles)
        self.players = tuple(role for role in self._roles if not is_nature(role))
        if len(self.players) != 2:  # noqa: PLR2004  # two players
            raise _unfit(game)
        self._place = {role: i for i, role in enumerate(self.players)}
        self._hides = game.hides_facts
        self.sets: list[InformationSet] = []
        self._set_of: dict[tuple[int, Knowledge], int] = {}
        self.children: list[tuple[int, ...]] = []
        self.actor: list[int] = []
        self.value: list[float] = []
        self._totals: set[int] = set()
        self._grow(game.machine.initial(), ((), ()))
        self.total = float(sum(self._totals))

    def number_of(self, player: Term, knowledge: Knowledge) -> int | None:
        """Return its place in a policy."""
        return self._set_of.get((self._place[player], knowledge))

    def saw(self, state: Hashable, joint: JointMove, role: Term) -> Hashable:
        """Return what a role adds to its knowledge in a step."""
        if not self._hides:
            return joint
        own = joint[self._roles.index(role)]
        return own, self._machine.percepts(state, joint, role)

    def uniform(self) -> Policy:
        """Return the policy that takes all moves alike."""
        return [[1.0 / len(s.moves)] * len(s.moves) for s in self.sets]

    def _new(self, actor: int) -> int:
        if len(self.actor) >= MOST_NODES:
            raise _too_large(self.game, f"more than {MOST_NODES:,} histories")
        if self._budget is not None and self._budget.is_over:
            raise _too_large(self.game, "more histories than there is time for")
        self.actor.append(actor)
        self.children.append(())
        self.value.append(0.0)
        return len(self.actor) - 1

    def _grow(self, state: Hashable, knowledge_of: tuple[Knowledge, Knowledge]) -> int:
        """Return the node of a history."""
        machine = self._machine
        if machine.is_terminal(state):
            return self._end(state)
        if len(knowledge_of[0]) >= MOST_PLIES:
            raise _too_large(self.game, f"plays of more than {MOST_PLIES} plies")
        legal = [machine.legal(state, role) for role in self._roles]
        if not all(legal):
            raise NoEquilibriumError(
                f"play of {self.game.id} cannot go on, and has no end", help="let mcts play it"
            )
        return self._choose(state, knowledge_of, legal, ())

    def _end(self, state: Hashable) -> int:
        goals = [self._machine.goals(state, role) for role in self.players]
        if any(len(values) != 1 for values in goals):
            raise _unfit(self.game)
        first, second = (values[0] for values in goals)
        self._totals.add(first + second)
        if len(self._totals) > 1:
            raise _unfit(self.game)
        node = self._new(END)
        self.value[node] = float(first)
        return node

    def _choose(
        self,
        state: Hashable,
        knowledge_of: tuple[Knowledge, Knowledge],
        legal: list[tuple[Term, ...]],
        chosen: JointMove,
    ) -> int:
        """Return the node at which the next role chooses; those before it have chosen unseen."""
        r = len(chosen)
        if r == len(self._roles):
            first, second = (
                (*knowledge, self.saw(state, chosen, role))
                for knowledge, role in zip(knowledge_of, self.players, strict=True)
            )
            return self._grow(self._machine.successor(state, chosen), (first, second))
        moves = legal[r]
        if len(moves) == 1:
            return self._choose(state, knowledge_of, legal, (*chosen, moves[0]))
        node = self._new(CHANCE)
        if not is_nature(self._roles[r]):
            player = self._place[self._roles[r]]
            key = player, knowledge_of[player]
            at = self._set_of.setdefault(key, len(self.sets))
            if at == len(self.sets):
                self.sets.append(InformationSet(player, knowledge_of[player], moves))
            if self.sets[at].moves != moves:
                raise GdlError(
                    f"{self._roles[r]} cannot tell its legal moves in {self.game.id}",
                    expected="the same moves wherever a role knows the same",
                )
            self.sets[at].nodes.append(node)
            self.actor[node] = at
        self.children[node] = tuple(
            self._choose(state, knowledge_of, legal, (*chosen, move)) for move in moves
        )
        return node


def _too_large(game: Game, what: str) -> TooLargeError:
    return TooLargeError(f"{game.id} has {what}", help="take a smaller game, or let mcts play it")


def _unfit(game: Game) -> NoEquilibriumError:
    return NoEquilibriumError(
        f"{game.id} has no equilibrium of this kind",
        expected="a game of two roles, nature aside, whose goals have a constant sum",
    )


class Regrets:
    """Improves a policy by what each move would have been worth instead (CFR+).

    Attributes:
        iterations: How often both have improved.
    """

    def __init__(self, tree: GameTree) -> None:
        """Begin with all moves alike."""
        self.tree = tree
        self.iterations = 0
        self._regret = [[0.0] * len(s.moves) for s in tree.sets]
        self._sum = [[0.0] * len(s.moves) for s in tree.sets]
        self._now = tree.uniform()

    def improve(self, iterations: int = 1) -> None:
        """Let one player after the other improve. Cost O(nodes) each."""
        for _ in range(iterations):
            self.iterations += 1
            for player in (0, 1):
                self._improve(player)

    def _improve(self, player: int) -> None:
        """Add a player's regrets, cut them at 0, and weigh its policy into the mean.

        Values go up from the ends: nodes stand before what follows, so backwards.
        """
        tree, now = self.tree, self._now
        mine, others = _reaches(tree, now, player)
        worth = _signed(tree, player)
        for node in range(len(worth) - 1, -1, -1):
            at = tree.actor[node]
            if at == END:
                continue
            values = [worth[child] for child in tree.children[node]]
            if at == CHANCE:
                worth[node] = sum(values) / len(values)
                continue
            worth[node] = mean = sum(p * v for p, v in zip(now[at], values, strict=True))
            if tree.sets[at].player == player:
                regret, reached = self._regret[at], others[node]
                for i, value in enumerate(values):
                    regret[i] += reached * (value - mean)
        for at, information in enumerate(tree.sets):
            if information.player == player:
                # As nobody forgets, all nodes of a set have the same ``mine``.
                self._follow_regrets(at, self.iterations * mine[information.nodes[0]])

    def _follow_regrets(self, at: int, weight: float) -> None:
        """Weigh the policy of a set into the mean, and take moves by their regrets from now on."""
        now = self._now[at]
        self._sum[at] = [s + weight * p for s, p in zip(self._sum[at], now, strict=True)]
        self._regret[at] = cut = [max(0.0, value) for value in self._regret[at]]
        total = sum(cut)
        alike = [1.0 / len(cut)] * len(cut)
        self._now[at] = [value / total for value in cut] if total > 0.0 else alike

    def policy(self) -> Policy:
        """Return the mean policy, which comes to an equilibrium."""
        means = []
        for row in self._sum:
            total = sum(row)
            means.append([s / total for s in row] if total > 0 else [1.0 / len(row)] * len(row))
        return means


def _reaches(tree: GameTree, policy: Policy, player: int) -> tuple[list[float], list[float]]:
    """Return the probabilities that a player, and that all else, comes to each node."""
    mine, others = [1.0] * len(tree.actor), [1.0] * len(tree.actor)
    for node, following in enumerate(tree.children):
        at = tree.actor[node]
        is_mine = at >= 0 and tree.sets[at].player == player
        shares = [1.0 / max(1, len(following))] * len(following) if at < 0 else policy[at]
        for child, share in zip(following, shares, strict=True):
            mine[child] = mine[node] * (share if is_mine else 1.0)
            others[child] = others[node] * (1.0 if is_mine else share)
    return mine, others


def _signed(tree: GameTree, player: int) -> list[float]:
    """Return what ends are worth to a player, up to a constant."""
    return list(tree.value) if player == 0 else [-value for value in tree.value]


def expected(tree: GameTree, policy: Policy) -> float:
    """Return the goal that the first player gets on average if both follow a policy."""
    worth = list(tree.value)
    for node in range(len(worth) - 1, -1, -1):
        at, following = tree.actor[node], tree.children[node]
        if at == CHANCE:
            worth[node] = sum(worth[child] for child in following) / len(following)
        elif at >= 0:
            worth[node] = sum(
                p * worth[child] for p, child in zip(policy[at], following, strict=True)
            )
    return worth[0]


def best_response(tree: GameTree, policy: Policy, player: int) -> float:
    """Return the goal of a player that knows the policy of the other, and answers it best.

    Exact. A set's best move is the best on average over its nodes, as likely as the others and
    nature make them; what follows in later sets is decided before, as nobody forgets.
    """
    _, others = _reaches(tree, policy, player)
    ends = _signed(tree, player)
    best: dict[int, int] = {}
    worths: dict[int, float] = {}

    def worth(node: int) -> float:
        if node not in worths:
            at, following = tree.actor[node], tree.children[node]
            if at == END:
                worths[node] = ends[node]
            elif at >= 0 and tree.sets[at].player == player:
                worths[node] = worth(following[answer(at)])
            else:
                alike = 1.0 / len(following)
                shares = policy[at] if at >= 0 else [alike] * len(following)
                worths[node] = sum(p * worth(c) for p, c in zip(shares, following, strict=True))
        return worths[node]

    def answer(at: int) -> int:
        if at not in best:
            nodes, moves = tree.sets[at].nodes, range(len(tree.sets[at].moves))
            best[at] = max(
                moves, key=lambda i: sum(others[n] * worth(tree.children[n][i]) for n in nodes)
            )
        return best[at]

    return worth(0) if player == 0 else tree.total + worth(0)


def exploitability(tree: GameTree, policy: Policy) -> float:
    """Return what a player gains on average by answering a policy best, in points of goals."""
    return (best_response(tree, policy, 0) + best_response(tree, policy, 1) - tree.total) / 2


def named(tree: GameTree, policy: Policy) -> Mapping[tuple[int, Knowledge], dict[Term, float]]:
    """Return a policy by player and knowledge."""
    return {
        (information.player, information.knowledge): dict(
            zip(information.moves, policy[at], strict=True)
        )
        for at, information in enumerate(tree.sets)
    }
