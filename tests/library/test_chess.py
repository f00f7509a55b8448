"""Chess and its variants: exact counts from known positions."""

from __future__ import annotations

import pytest

from tests.library.chess_positions import CASES, Case, load, named, state_of
from tests.shared import IS_WHOLE_CORPUS, missing, needs, some

pytestmark = needs("native")

QUICK = 10_000
"""Leaves that a quick test counts at most."""
MANY = 100_000
"""Leaves that other programs count at most, unless all is asked: pyffish is slow."""
SMALL = ("chess/gardner",)
"""Rulesets of quick tests; the others take half a minute to compile each."""


def count(case: Case, depth: int) -> tuple[int, ...]:
    game = load(case.ruleset)
    return tuple(level.nodes for level in game.perft(depth, state=state_of(game, case.fen)))


@pytest.mark.slow
@pytest.mark.parametrize("case", [each for each in CASES if each.ruleset in SMALL], ids=named)
def test_the_rules_count_as_the_table(case: Case) -> None:
    depth = sum(leaves <= QUICK for leaves in case.leaves)
    assert depth > 0
    assert count(case, depth) == case.leaves[:depth]


@pytest.mark.slow
@pytest.mark.parametrize("case", some(CASES, 4), ids=named)
def test_the_rules_count_as_the_table_to_its_end(case: Case) -> None:
    assert count(case, len(case.leaves)) == case.leaves


@pytest.mark.slow
@pytest.mark.parametrize("case", some(CASES, 5), ids=named)
def test_other_programs_count_as_the_table(case: Case) -> None:
    pytest.importorskip("pyffish", reason=missing("oracle"))
    from tests.library.chess_oracles import BOARDS, VARIANTS, python_chess_leaves

    most = len(case.leaves) if IS_WHOLE_CORPUS else sum(n <= MANY for n in case.leaves)
    depths = range(1, most + 1)
    variant = VARIANTS[case.ruleset]
    assert tuple(variant.leaves(case.fen, depth) for depth in depths) == case.leaves[:most]
    if case.ruleset in BOARDS:
        board = BOARDS[case.ruleset](case.fen)
        assert tuple(python_chess_leaves(board, depth) for depth in depths) == case.leaves[:most]
