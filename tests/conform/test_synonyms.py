"""Moves in other words than ours: several for one, names, lines between dots, none met at all."""

from __future__ import annotations

import pytest

from gdl.conform import conform, open_source
from gdl.conform.comparison import Comparison
from gdl.conform.matching.directions import of_middle
from gdl.conform.matching.matching import by_moves
from gdl.conform.twin import Parting
from tests.shared import some

STRANGERS = "tests.conform.strangers"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "engine", "how"),
    [
        ("kuhnpoker", "Kuhn", "several words of one side"),
        ("kuhnpoker", "KuhnOfNames", "several words of one side"),
        ("dotsandboxes", "LinesOfDots", "the middle of two places"),
        ("morris/nine", "Mill", "steps between"),
        ("morris/nine", "MillOfNumbers", "steps between"),
    ],
)
def test_engines_in_other_words_agree(game: str, engine: str, how: str) -> None:
    audit = conform(game, f"{STRANGERS}:{engine}", positions=3_000)
    assert audit.agree, str(audit)
    assert how in audit.matching
    assert "doubt" not in str(audit)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # matching counts the processor, and takes longer where others use it
@pytest.mark.parametrize(
    ("game", "engine", "kind"),
    some([("morris/nine", "NobodyFlies", "legal"), ("kuhnpoker", "FoldedTwice", "returns")], 1),
)
def test_their_bugs_are_found(game: str, engine: str, kind: str) -> None:
    audit = conform(game, f"{STRANGERS}:{engine}", positions=20_000, seconds=400)
    assert audit.parting is not None, str(audit)
    assert audit.parting.kind == kind


def test_a_line_between_two_dots_is_where_it_is() -> None:
    assert of_middle((0, 1, 1, 1)) == (1, 2)
    assert of_middle(("h", "a", 1, "b", 1)) == ("h", "a", 1, "b", 1)
    assert of_middle(("pass",)) == ("pass",)


def test_a_move_that_was_not_met_is_the_other_one_that_is_left_over() -> None:
    ours, theirs = open_source("tictactoe"), open_source("tictactoe")
    first = list(ours.legal(ours.initial(), 0))
    for forgotten, adopted in ((1, 1), (2, 0)):
        met = dict(zip(first[forgotten:], first[forgotten:], strict=True))
        comparison = Comparison(ours, theirs, by_moves([met, met], (0, 1), "a table"))
        start = comparison.start()
        assert not isinstance(start, Parting)
        assert isinstance(comparison.compare(start), Parting) is (not adopted)
        assert list(comparison.adopted) == [(0, move) for move in first[:adopted]]
