"""Games in whole turns, held to all their states by the definition."""

import pytest

import gdl
from gdl.ruleset import Ruleset
from gdl.verify.correspondence.turns import TurnError
from gdl.verify.systems.matching import CorrespondenceError
from tests.shared import some
from tests.verify.turned import ROLES, THREE, pair


@pytest.mark.slow
@pytest.mark.parametrize("roles", [ROLES, THREE])
@pytest.mark.parametrize("seed", [2147, 91, *some(range(60), 7)])
def test_whole_turns_are_what_all_states_say(seed: int, roles: tuple[str, ...]) -> None:
    """Games of plies, and of plies beside turns; nothing is said where the plies make no turns.

    Of the first one it had been said that its games are equivalent: in the middle of a turn, which
    its mover need not go on with, the other one may make a ply. Of the second one, with three
    roles, that one game lacks a turn: its second ply is to wait, which random play had not met.
    """
    one, other, truth, is_whole = pair(seed, roles)
    games = Ruleset("one", (), text=one), Ruleset("other", (), text=other)
    try:
        answer = gdl.diff(*games, turns=None if is_whole else True, seconds=20)
    except (TurnError, CorrespondenceError):
        return  # a second ply that random play never met is refused, too
    assert truth.allows(answer), (truth, answer.headline)


ONE_PLY = """
(role x) (role y) (init (turn x)) (init (half 1)) (n 1) (n 2)
(<= (legal x (put ?n)) (true (turn x)) (true (half 1)) (n ?n))
(<= (legal x twist) (true (turn x)) (true (half 2)))
(<= (legal x noop) (true (turn y))) (<= (legal y noop) (true (turn x)))
(<= (legal y finish) (true (turn y)))
(<= (next (half 2)) (true (half 1)) (true (turn x)))
(<= (next (turn x)) (true (half 1)) (true (turn x)))
(<= (next (turn y)) (true (half 2)))
(<= (next (has ?n)) (does x (put ?n))) (<= (next (has ?n)) (true (has ?n)))
(<= (next over) (true (turn y))) (<= terminal (true over))
(goal y 50) (<= (goal x 50) (not lucky)) (<= (goal x 100) lucky)
"""


def test_a_ply_that_is_all_of_a_turn_and_has_no_other_beside_it_is_a_turn() -> None:
    """There was no turn of it, and so nothing behind it was looked at."""
    one = Ruleset("one", (), text=ONE_PLY)
    other = Ruleset("other", (), text=ONE_PLY + "(<= lucky (true over) (true (has 2)))")
    answer = gdl.diff(one, other, turns=True)
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 2)
