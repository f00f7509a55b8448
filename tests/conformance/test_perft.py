"""The perft tables, counted by the rules as written."""

import pytest

from gdl.state import State
from tests.conformance.games import load
from tests.perft.tables import Case, Row, all_cases

QUICK_NODES = 1_500
SLOW_NODES = 30_000
CASES = all_cases()


def named(case: Case) -> str:
    return f"{case.ruleset}:{case.id}"


def reach(case: Case) -> State:
    state = load(case.ruleset).initial()
    for move in case.moves:
        state = state.play(move)
    return state


def count(case: Case, depth: int) -> list[Row]:
    state = reach(case)
    return [
        Row(each.depth, each.nodes, each.terminal, each.goal_sums() or (0,) * len(state.game.roles))
        for each in state.game.perft(depth, state=state)
    ]


def depth_within(case: Case, nodes: int) -> int:
    """Return how many rows from the first one on have no more nodes than this."""
    return max((row.depth for row in case.rows if row.nodes <= nodes), default=0)


def test_the_tables_cover_every_ruleset() -> None:
    covered = {case.ruleset for case in CASES if depth_within(case, QUICK_NODES)}
    assert covered == {case.ruleset for case in CASES}


@pytest.mark.later
@pytest.mark.sample(7)
@pytest.mark.parametrize(
    "case", [case for case in CASES if depth_within(case, QUICK_NODES)], ids=named
)
def test_the_rules_count_as_the_table(case: Case) -> None:
    depth = depth_within(case, QUICK_NODES)
    assert count(case, depth) == list(case.rows[:depth])


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [each for each in CASES if depth_within(each, SLOW_NODES) > depth_within(each, QUICK_NODES)],
    ids=named,
)
def test_the_rules_count_as_the_table_deeper(case: Case) -> None:
    depth = depth_within(case, SLOW_NODES)
    assert count(case, depth) == list(case.rows[:depth])
