"""Random games that are written down node by node: cycles, chance, moves at once, odd goals.

A node is an end with goals, or has one role that chooses, or several that choose at once. What
rules say and what the naive search below sees are made from the same list of nodes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import count, product


@dataclass(frozen=True)
class Node:
    goals: tuple[int, ...] = ()
    movers: tuple[int, ...] = ()
    targets: dict[tuple[int, ...], int] | None = None  # by the movers' choices


@dataclass(frozen=True)
class GraphGame:
    roles: tuple[str, ...]
    nodes: tuple[Node, ...]

    def rules(self) -> str:
        lines = [f"(role {role})" for role in self.roles]
        lines += [
            "(init (at 0))",
            "(<= (legal ?r (go ?m)) (true (at ?i)) (choice ?i ?r ?m))",
            "(<= (legal ?r noop) (true (at ?i)) (waits ?i ?r))",
            "(<= terminal (true (at ?i)) (end ?i))",
            "(<= (goal ?r ?v) (true (at ?i)) (worth ?i ?r ?v))",
        ]
        for i, node in enumerate(self.nodes):
            if node.targets is None:
                lines.append(f"(end {i})")
                lines += [
                    f"(worth {i} {role} {goal})"
                    for role, goal in zip(self.roles, node.goals, strict=True)
                ]
                lines += [f"(waits {i} {role})" for role in self.roles]
                continue
            for r, role in enumerate(self.roles):
                if r in node.movers:
                    at = node.movers.index(r)
                    moves = sorted({joint[at] for joint in node.targets})
                    lines += [f"(choice {i} {role} {m})" for m in moves]
                else:
                    lines.append(f"(waits {i} {role})")
            for joint, target in node.targets.items():
                does = " ".join(
                    f"(does {self.roles[r]} (go {m}))"
                    for r, m in zip(node.movers, joint, strict=True)
                )
                lines.append(f"(<= (next (at {target})) (true (at {i})) {does})")
        return "\n".join(lines)


def random_game(  # noqa: PLR0913
    seed: int,
    *,
    roles: tuple[str, ...] = ("a", "b"),
    nodes: int = 24,
    goals: tuple[int, ...] = (0, 50, 100),
    has_cycles: bool = True,
    is_constant: bool = True,
    at_once: float = 0.0,
) -> GraphGame:
    """Return a game; without cycles every move leads to a later node."""
    rng = random.Random(seed)
    players = [r for r, role in enumerate(roles) if role != "random"]
    made = []
    for i in range(nodes):
        if i == nodes - 1 or (i and rng.random() < 0.2):
            mine = [rng.choice(goals) for _ in roles]
            if is_constant and len(players) == 2:
                mine[players[1]] = 100 - mine[players[0]]
            made.append(Node(goals=tuple(mine)))
            continue
        movers: tuple[int, ...] = (rng.randrange(len(roles)),)
        if rng.random() < at_once:
            movers = tuple(players[:2])
        choices = [range(rng.randint(1, 3 if len(movers) == 1 else 2)) for _ in movers]
        low = 0 if has_cycles else i + 1
        targets = {joint: rng.randrange(low, nodes) for joint in product(*choices)}
        made.append(Node(movers=movers, targets=targets))
    return GraphGame(roles, tuple(made))


def reachable(game: GraphGame) -> set[int]:
    """Return the nodes that play leads to."""
    seen, stack = {0}, [0]
    while stack:
        for target in (game.nodes[stack.pop()].targets or {}).values():
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def forced(game: GraphGame, role: int, wanted: set[int]) -> dict[int, int]:
    """Return the nodes from which a role forces an end of some, with the rounds that it takes."""
    rank = dict.fromkeys(wanted, 0)
    for done in count(1):
        fresh: dict[int, int] = {}
        for i, node in enumerate(game.nodes):
            if i in rank or node.targets is None:
                continue
            is_mine = node.movers[0] == role or len(node.targets) == 1
            follow = [target in rank for target in node.targets.values()]
            if any(follow) if is_mine else all(follow):
                fresh[i] = done
        if not fresh:
            break
        rank |= fresh
    return rank


def minimax(game: GraphGame) -> dict[int, tuple[float | None, int | None]]:
    """Return value and distance of each node for the first role, by what can be forced.

    For one role, or two of a constant sum of 100. Distances of draws are left out.
    """
    ends = {i: node.goals[0] for i, node in enumerate(game.nodes) if node.targets is None}
    result: dict[int, tuple[float | None, int | None]] = {}
    is_alone = len(game.roles) == 1
    for goal in sorted(set(ends.values()), reverse=True):
        if is_alone or goal > 50:
            for i, k in forced(game, 0, {i for i, g in ends.items() if g >= goal}).items():
                result.setdefault(i, (goal, k))
    for goal in sorted(set(ends.values())):
        if not is_alone and goal < 50:
            for i, k in forced(game, 1, {i for i, g in ends.items() if g <= goal}).items():
                result.setdefault(i, (goal, k))
    for i in range(len(game.nodes)):
        result.setdefault(i, (None if is_alone else 50, None))
    return result


def mean_goals(game: GraphGame, i: int) -> tuple[float, ...]:
    """Return what a node of a game without cycles is worth to each role."""
    node = game.nodes[i]
    if node.targets is None:
        return tuple(map(float, node.goals))
    worth = {joint: mean_goals(game, target) for joint, target in node.targets.items()}
    if len(node.movers) == 1:
        mover = node.movers[0]
        if game.roles[mover] == "random":
            by_role = zip(*worth.values(), strict=True)
            return tuple(sum(goals) / len(worth) for goals in by_role)
        return max(worth.values(), key=lambda goals: goals[mover])
    rows = sorted({joint[0] for joint in worth})
    columns = sorted({joint[1] for joint in worth})
    first = [[worth[row, column][node.movers[0]] for column in columns] for row in rows]
    value = _matrix(first)
    result = list(next(iter(worth.values())))
    one, other = node.movers
    result[one], result[other] = value, result[one] + result[other] - value
    return tuple(result)


def _matrix(matrix: list[list[float]]) -> float:
    """Return the value of a matrix of at most two rows and columns."""
    low = max(min(row) for row in matrix)
    high = min(max(column) for column in zip(*matrix, strict=True))
    if low == high:
        return low
    (a, b), (c, d) = matrix
    return (a * d - b * c) / (a + d - b - c)
