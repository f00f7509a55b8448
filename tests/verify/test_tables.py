"""Games that are tables, against a search of all pairs of states."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gdl
from tests.shared import examples

STATES = range(5)
MOVES = ("a", "b")


@dataclass(frozen=True)
class Table:
    """A game of one role: where each move leads, which are legal, where it ends."""

    leads: tuple[tuple[int, int], ...]
    legal: tuple[tuple[bool, bool], ...]
    over: tuple[bool, ...]
    goals: tuple[int, ...]

    def kif(self) -> str:
        """Return the game as rules."""
        lines = ["(role walker)", "(init (at 0))"]
        for state in STATES:
            lines.append(f"(base (at {state}))")
            for move, to in zip(MOVES, self.leads[state], strict=True):
                lines.append(f"(<= (next (at {to})) (true (at {state})) (does walker {move}))")
            for move, is_legal in zip(MOVES, self.legal[state], strict=True):
                if is_legal:
                    lines.append(f"(<= (legal walker {move}) (true (at {state})))")
            if self.over[state]:
                lines.append(f"(<= terminal (true (at {state})))")
            lines.append(f"(<= (goal walker {self.goals[state]}) (true (at {state})))")
        # Each move has to be known to both games, and no state 5 is ever reached.
        lines += [f"(<= (legal walker {move}) (true (at 5)))" for move in MOVES]
        lines += ["(base (at 5))", *(f"(input walker {move})" for move in MOVES)]
        return "\n".join(lines)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Return a game in which a move is always legal."""
    states = st.integers(0, len(STATES) - 1)
    legal = st.sampled_from([(True, True), (True, False), (False, True)])
    return Table(
        tuple(draw(st.tuples(states, states)) for _ in STATES),
        tuple(draw(legal) for _ in STATES),
        tuple(draw(st.booleans()) and state > 0 for state in STATES),
        tuple(draw(st.sampled_from([0, 50, 100])) for _ in STATES),
    )


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Table, Table]:
    """Return two games that differ in a place or two."""
    one = draw(tables())
    state, to = draw(st.sampled_from(STATES)), draw(st.integers(0, len(STATES) - 1))
    leads = list(one.leads)
    leads[state] = (to, leads[state][1])
    goals = list(one.goals)
    goals[draw(st.sampled_from(STATES))] = draw(st.sampled_from([0, 100]))
    return one, Table(tuple(leads), one.legal, one.over, tuple(goals))


def shortest_difference(one: Table, other: Table) -> int | None:
    """Return the length of the shortest play to a difference, by looking at all pairs."""
    queue, seen = deque([(0, 0, 0)]), {(0, 0)}
    while queue:
        a, b, depth = queue.popleft()
        if differs(one, other, a, b):
            return depth
        if one.over[a]:
            continue
        for after in successors(one, other, a, b):
            if after not in seen:
                seen.add(after)
                queue.append((*after, depth + 1))
    return None


def differs(one: Table, other: Table, a: int, b: int) -> bool:
    """Return whether a pair of states is a difference."""
    if one.over[a] != other.over[b]:
        return True
    return one.goals[a] != other.goals[b] if one.over[a] else one.legal[a] != other.legal[b]


def successors(one: Table, other: Table, a: int, b: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of states that one move leads to."""
    for index in range(len(MOVES)):
        if one.legal[a][index]:
            yield one.leads[a][index], other.leads[b][index]


@pytest.mark.slow
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(pairs())
def test_the_answer_is_that_of_a_search_of_all_pairs(games: tuple[Table, Table]) -> None:
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.kif" for name in "ab"]
        for path, game in zip(paths, games, strict=True):
            path.write_text(game.kif(), encoding="utf-8")
        answer = gdl.diff(*paths, goals="terminal", seconds=20, max_depth=40)
    expected = shortest_difference(*games)
    if expected is None:
        assert answer.equivalent
        assert answer.proved
        assert answer.play is None
    else:
        assert answer.equivalent is False
        assert answer.proved
        assert answer.depth == expected
        assert answer.play is not None
        assert len(answer.play) == expected
