"""Plain directed graphs: strongly connected components and shortest paths.

In: for each node, the nodes it points to. Out: components, reachable nodes, paths.
Nothing here knows what a node is. No recursion: a chain of a million nodes is fine.

Source: Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972, section 4.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(successors: Mapping[Node, Iterable[Node]]) -> list[list[Node]]:
    """Return the strongly connected components; each comes after those it points to.

    Args:
        successors: What each node points to; every node is a key.

    Returns:
        Components, each a list of nodes. Cost O(nodes + edges).

    Example:
        >>> components({"a": ["b"], "b": ["a", "c"], "c": []})
        [['c'], ['b', 'a']]
    """
    search = _Search(successors)
    for root in successors:
        search.run(root)
    return search.components


class _Search(Generic[Node]):
    """Tarjan's depth-first search; the names of its tables are those of the paper."""

    def __init__(self, successors: Mapping[Node, Iterable[Node]]) -> None:
        self.components: list[list[Node]] = []
        self._successors = successors
        self._number: dict[Node, int] = {}
        self._lowlink: dict[Node, int] = {}
        self._points: list[Node] = []
        self._is_point: set[Node] = set()
        self._path: list[tuple[Node, Iterator[Node]]] = []

    def run(self, root: Node) -> None:
        """Find the components of all nodes that can be reached from a root."""
        if root in self._number:
            return
        self._enter(root)
        while self._path:
            node, following = self._path[-1]
            for successor in following:
                if successor not in self._number:
                    self._enter(successor)
                    break
                if successor in self._is_point:
                    self._lowlink[node] = min(self._lowlink[node], self._number[successor])
            else:
                self._leave(node)

    def _enter(self, node: Node) -> None:
        self._number[node] = self._lowlink[node] = len(self._number)
        self._points.append(node)
        self._is_point.add(node)
        self._path.append((node, iter(self._successors[node])))

    def _leave(self, node: Node) -> None:
        self._path.pop()
        if self._path:
            parent = self._path[-1][0]
            self._lowlink[parent] = min(self._lowlink[parent], self._lowlink[node])
        if self._lowlink[node] == self._number[node]:
            component: list[Node] = []
            while not component or component[-1] != node:
                component.append(self._points.pop())
            self._is_point.difference_update(component)
            self.components.append(component)


def reachable(successors: Mapping[Node, Iterable[Node]], roots: Iterable[Node]) -> set[Node]:
    """Return the roots and all nodes that can be reached from them. Cost O(edges)."""
    seen = set(roots)
    stack = list(seen)
    while stack:
        for successor in successors.get(stack.pop(), ()):
            if successor not in seen:
                seen.add(successor)
                stack.append(successor)
    return seen


def shortest_path(
    successors: Mapping[Node, Iterable[Node]], start: Node, is_goal: Callable[[Node], bool]
) -> list[Node] | None:
    """Return a shortest path of one or more edges from a node to a goal, both included.

    The start counts as a goal only when a cycle leads back to it. None when there is no
    path. Cost O(edges).
    """
    came_from: dict[Node, Node] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for successor in successors.get(node, ()):
            if is_goal(successor):
                path = [successor, node]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if successor not in came_from and successor != start:
                came_from[successor] = node
                queue.append(successor)
    return None
