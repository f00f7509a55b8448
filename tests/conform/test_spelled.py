"""Numbers that are spelled out, or have signs behind a letter, are read as numbers."""

from __future__ import annotations

import pytest

from gdl.conform import conform

pytest.importorskip("numpy", reason="moves are matched by themselves")

ENGINES = "tests.conform.spelled"


@pytest.mark.slow
def test_names_of_numbers_are_numbers() -> None:
    found = conform("goofspiel?cards=5", f"{ENGINES}:Goofspiel", positions=300)
    assert found.agree, str(found)
    assert not found.remarks


@pytest.mark.slow
def test_cards_are_not_read_in_the_order_that_hides_one_missing_move() -> None:
    """In any order of the cards all games have the same moves, but other winners."""
    found = conform("goofspiel?cards=5", f"{ENGINES}:OneCardIsHeldBack")
    assert found.parting is not None
    assert found.parting.kind in {"turn", "legal"}
    assert not found.remarks


@pytest.mark.later
def test_a_hyphen_that_only_some_moves_have_is_a_sign() -> None:
    found = conform("hex?size=5", f"{ENGINES}:Hex", positions=300)
    assert found.agree, str(found)
    assert "signs" in found.matching or "order" in found.matching
    assert not found.remarks
