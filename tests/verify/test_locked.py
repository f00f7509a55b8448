"""Shipped games that differ in one far position only, or in one that cannot come."""

import pytest

from gdl.verify.answer import Difference
from gdl.verify.diff import Comparison
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.matching import CorrespondenceError
from tests.shared import some
from tests.verify.locked import Locked, locked

pytestmark = pytest.mark.slow


def is_right(answer: Difference, pair: Locked) -> bool:
    """Return whether an answer says nothing that is wrong of a pair; it may say little."""
    if pair.depth is None:
        return answer.equivalent is not False
    if answer.equivalent is None:
        return not pair.is_exact or answer.depth < pair.depth
    if answer.equivalent:
        return False
    if answer.proved and pair.is_exact:
        return answer.depth == pair.depth
    return answer.depth <= pair.depth or not answer.proved


@pytest.mark.parametrize("opens", [True, False])
@pytest.mark.parametrize("seed", some(range(1, 40), 6))
def test_a_lock_on_a_shipped_game_fools_nobody(seed: int, opens: bool) -> None:  # noqa: FBT001
    pair = locked(seed, opens=opens)
    try:
        answer = Comparison((pair.one, pair.other), Budget(15)).run()
    except CorrespondenceError:
        return  # other words, and nothing that tells which stands for which: it says so
    assert is_right(answer, pair), (pair.name, str(answer))


@pytest.mark.parametrize(
    ("seed", "opens", "name"),
    [
        (7, True, "breakthrough: legal, ply 63"),
        (6, False, "pentago/strict: legal, never, ply 14"),
    ],
)
def test_one_move_that_is_barred_once_does_not_hide_what_stands_for_what(
    seed: int,
    opens: bool,  # noqa: FBT001  # a parameter
    name: str,
) -> None:
    """In other words, too: what the move needs more is left out of what both have to look like."""
    pair = locked(seed, opens=opens)
    assert pair.name == name
    answer = Comparison((pair.one, pair.other), Budget(60)).run()
    assert answer.matching == "what moves and facts do"
    assert is_right(answer, pair)
