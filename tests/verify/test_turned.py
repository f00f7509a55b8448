"""Games in whole turns, held to all their states by the definition."""

from pathlib import Path

import pytest

import gdl
from gdl.certify import check_folder, read_index
from gdl.ruleset import Ruleset
from gdl.verify.correspondence.turns import TurnError
from gdl.verify.provenance import Provenance
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


LOCKED = "2122112121"
"""What has to be put, turn by turn, before there is another second ply; random play misses it."""
RARE = f"""
(role x) (role y) (init (at 0)) (init (half 1)) (init (turn x)) (init (ply 0))
(n 1) (n 2) (other x y) (other y x) {" ".join(f"(key {i} {k})" for i, k in enumerate(LOCKED))}
{" ".join(f"(succ {n} {n + 1})" for n in range(26))}
(<= (legal ?r (put ?n)) (true (turn ?r)) (true (half 1)) (n ?n))
(<= (legal ?r cw) (true (turn ?r)) (true (half 2)))
(<= (legal ?r ccw) (true (turn ?r)) (true (half 2)) (true (at {len(LOCKED)})))
(<= (legal ?r noop) (true (turn ?q)) (other ?q ?r))
(<= (next (half 2)) (true (half 1))) (<= (next (half 1)) (true (half 2)))
(<= (next (turn ?r)) (true (turn ?r)) (true (half 1)))
(<= (next (turn ?q)) (true (turn ?r)) (true (half 2)) (other ?r ?q))
(<= (next (at ?j)) (true (at ?i)) (succ ?i ?j) (key ?i ?k) (does ?r (put ?k)))
(<= (next (at ?i)) (true (at ?i)) (true (half 2)))
(<= (next (ply ?j)) (true (ply ?i)) (succ ?i ?j)) (<= terminal (true (ply 26)))
(<= (next turned) (does ?r ccw)) (<= (next turned) (true turned))
(goal y 50) (<= (goal x 50) (not lucky)) (<= (goal x 100) lucky)
"""


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["(true (turn x)) (true (half 1))", "(true (turn y))"])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_second_ply_that_random_play_never_met_is_read_off_the_play_that_shows_it(
    rule: str,
    is_swapped: bool,  # noqa: FBT001  # a parameter
    tmp_path: Path,
) -> None:
    """It had been refused; and where one game was read with it, the other one seemed to lack it."""
    rules = "(true turned) (true (turn x))", f"(true turned) {rule}"
    texts = [RARE + f"(<= lucky {body})" for body in rules]
    one, other = (
        Ruleset(name, (), text=text) for name, text in zip(("one", "other"), texts, strict=True)
    )
    games = (other, one) if is_swapped else (one, other)
    answer = gdl.diff(*games, turns=True, certificates=tmp_path / "shown")
    depth = 13 if "y" in rule else None
    assert (answer.equivalent, answer.proved) == (depth is None, True)
    assert depth is None or answer.depth == depth
    index = read_index(tmp_path / "shown")
    claims = list(check_folder(tmp_path / "shown", origin=Provenance(games, index)))
    assert claims
    assert all(claim.holds for claim in claims)
    index["matching"]["met"] = [[[["(put 3)", "noop"]]], []]
    for claim in check_folder(tmp_path / "shown", origin=Provenance(games, index)):
        assert claim.holds is False
        assert claim.text.endswith("plays that are none of these rules")
