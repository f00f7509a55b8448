"""Games in whole turns, held to all their states by the definition."""

from pathlib import Path

import pytest

import gdl
from gdl.certify import check_folder, read_index
from gdl.ruleset import Ruleset
from gdl.verify.correspondence.turns import TurnError
from gdl.verify.diff import Comparison
from gdl.verify.provenance import Provenance
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.matching import CorrespondenceError
from tests.shared import some
from tests.verify.turned import ROLES, THREE, pair


@pytest.mark.slow
@pytest.mark.parametrize("roles", [ROLES, THREE])
@pytest.mark.parametrize("seed", sorted({2147, 179, 91, 47, *some(range(60), 3)}))
def test_whole_turns_are_what_all_states_say(seed: int, roles: tuple[str, ...]) -> None:
    """Games of plies, and of plies beside turns; nothing is said where the plies make no turns.

    Of the first one it had been said that its games are equivalent: in the middle of a turn, which
    its mover need not go on with, the other one may make a ply. Of the second one, with three
    roles, that one game lacks a turn: its second ply is to wait, which random play had not met. Of
    179, that its plies differ from its turns in what is named behind a first one that ends play.
    """
    one, other, truth, is_whole = pair(seed, roles)
    games = Ruleset("one", (), text=one), Ruleset("other", (), text=other)
    try:
        answer = gdl.diff(*games, turns=None if is_whole else True, seconds=20)
    except (TurnError, CorrespondenceError):
        assert (seed, roles) != (47, THREE)  # after nine turns somebody is stuck in one game
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


ENDS = """
(role x) (role y) (init (turn x)) (init (half 1)) (init (count 0)) (n 1) (n 2)
(other x y) (other y x) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (put ?n)) (true (turn ?r)) (true (half 1)) (n ?n))
(<= (legal ?r (twist 1)) (true (turn ?r)) (true (half 2)))
(<= (legal ?r noop) (true (turn ?q)) (other ?q ?r))
(<= (next (half 2)) (true (half 1))) (<= (next (half 1)) (true (half 2)))
(<= (next (turn ?r)) (true (turn ?r)) (true (half 1)))
(<= (next (turn ?q)) (true (turn ?r)) (true (half 2)) (other ?r ?q))
(<= (next (count ?j)) (true (count ?i)) (true (half 2)) (succ ?i ?j))
(<= (next (count ?i)) (true (count ?i)) (true (half 1)))
(<= (next over) (does x (put 1))) (<= (next over) (does y (put ?n)))
(<= terminal (true over)) (<= terminal (true (count 3))) (goal x 50) (goal y 50)
"""


@pytest.mark.later
@pytest.mark.parametrize(
    ("rule", "depth"),
    [
        ("(<= (legal x (twist 2)) (true (turn x)) (true (half 2)) (true (has 2)))", 0),
        ("(<= (legal y (twist 2)) (true (turn y)) (true (half 2)))", None),
        ("(<= (legal ?r (twist 2)) (true (turn ?r)) (true (half 2)) (true (has 1)))", None),
    ],
)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_what_a_turn_names_behind_a_ply_that_ends_play_tells_no_games_apart(
    rule: str,
    depth: int | None,
    is_swapped: bool,  # noqa: FBT001  # a parameter
    tmp_path: Path,
) -> None:
    """One of the games has a second ply that the other lacks; each first ply of y ends play.

    The same games were said to differ after one turn, and those that do so by what may follow
    ``(put 2)``, by a turn that is over with ``(put 1)``.
    """
    has = "(<= (next (has ?n)) (does x (put ?n)))"
    one = Ruleset("more", (), text=ENDS + has + rule)
    other = Ruleset("less", (), text=ENDS)
    games = (other, one) if is_swapped else (one, other)
    answer = gdl.diff(*games, turns=True, certificates=tmp_path / "shown")
    assert (answer.equivalent, answer.proved) == (depth is None, True)
    if depth is not None:
        assert (answer.depth, answer.what) == (
            depth,
            ("legal for x in more only: (put 2), (twist 2)",),
        )
    index = read_index(tmp_path / "shown")
    claims = list(check_folder(tmp_path / "shown", origin=Provenance(games, index)))
    assert claims
    assert all(claim.holds for claim in claims)


PLIES = """
(role x) (role y) (init (turn x)) (init (half 1)) (init (count 0)) (n 1) (n 2)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (other x y) (other y x)
(<= (legal ?r (put ?n)) (true (turn ?r)) (true (half 1)) (n ?n))
(<= (legal ?r (twist ?n)) (true (turn ?r)) (true (half 2)) (n ?n))
(<= (next (half 2)) (true (half 1))) (<= (next (half 1)) (true (half 2)))
(<= (next (turn ?r)) (true (turn ?r)) (true (half 1)))
(<= (next (turn ?q)) (true (turn ?r)) (true (half 2)) (other ?r ?q))
(<= (next (count ?j)) (true (count ?i)) (succ ?i ?j) (true (half 2)) (does ?r (twist 1)))
(<= (next (count ?i)) (true (count ?i)) (not (does x (twist 1))) (not (does y (twist 1))))
(<= terminal (true (count 6))) (goal x 50) (goal y 50)
"""


@pytest.mark.later
@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize(("waiting", "depth"), [("(not (true (count 3)))", 3), ("(n 1)", None)])
def test_who_is_stuck_in_one_game_alone_tells_them_apart_in_whole_turns(
    waiting: str,
    depth: int | None,
    is_swapped: bool,  # noqa: FBT001  # a parameter
) -> None:
    """It was refused: who cannot move at all was taken for one who moves in another's turn."""
    texts = [
        PLIES + f"(<= (legal ?r noop) (true (turn ?q)) (other ?q ?r) {also})"
        for also in ("", waiting)
    ]
    one, other = (
        Ruleset(name, (), text=text) for name, text in zip(("free", "stuck"), texts, strict=True)
    )
    answer = gdl.diff(*((other, one) if is_swapped else (one, other)), turns=True, seconds=20)
    assert (answer.equivalent, answer.proved) == (depth is None, True)
    if depth is not None:
        assert (answer.depth, answer.what) == (depth, ("legal for x in free only: noop",))


def test_play_that_ends_in_the_middle_of_a_turn_in_one_game_alone_is_a_difference() -> None:
    """Both are over after four turns: one by the first ply, the other by the second.

    They had been called equivalent: what a turn names behind a ply that ends play does not count.
    """
    games = [
        Ruleset(
            half,
            (),
            text=PLIES
            + "(<= (legal ?r noop) (true (turn ?q)) (other ?q ?r)) (init (turns 0))"
            + "(<= (next (turns ?j)) (true (turns ?i)) (succ ?i ?j) (true (half 2)))"
            + "(<= (next (turns ?i)) (true (turns ?i)) (true (half 1))) (<= terminal (true over))"
            + f"(<= (next over) (true (turns 3)) (true (half {half[-1]})))",
        )
        for half in ("half1", "half2")
    ]
    for one, other in (games, games[::-1]):
        answer = gdl.diff(one, other, turns=True, seconds=20)
        assert (answer.equivalent, answer.proved, answer.depth) == (False, True, 4)
        assert answer.what == ("the game is over in half1, not in half2",)
        assert answer.plays is not None
        assert [len(play) for play in answer.plays] == [7, 7]
    same = Comparison((games[0], games[0]), Budget(20)).run(turns=True)
    assert (same.equivalent, same.proved) == (True, True)


WHOLE = """
(role x) (role y) (init (turn x)) (init (count 0)) (n 1) (n 2)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (other x y) (other y x)
(<= (legal ?r (turn ?n ?m)) (true (turn ?r)) (n ?n) (n ?m))
(<= (legal ?r noop) (true (turn ?q)) (other ?q ?r))
(<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
(<= (next (count ?j)) (true (count ?i)) (succ ?i ?j) (does ?r (turn ?n 1)))
(<= (next (count ?i)) (true (count ?i)) (does ?r (turn ?n 2)))
(<= terminal (true (count 6))) (goal x 50) (goal y 50)
"""


@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_second_ply_that_begins_a_turn_of_the_other_game_does_not_stand_for_it(
    is_swapped: bool,  # noqa: FBT001  # a parameter
) -> None:
    """With ``(twist 1)`` for ``(turn 1 2)``, too, they were said to differ after one move."""
    plies = PLIES + "(<= (legal ?r noop) (true (turn ?q)) (other ?q ?r))"
    one, other = Ruleset("plies", (), text=plies), Ruleset("whole", (), text=WHOLE)
    answer = gdl.diff(*((other, one) if is_swapped else (one, other)), seconds=20)
    assert (answer.equivalent, answer.proved) == (True, True)
    assert answer.matching.endswith("plies read in whole turns")


SINGLE = """
(role x) (init (step 0)) (v 1) (v 2) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (next lucky) (true lucky)) (<= terminal (true (step 4)))
(<= (goal x 100) (true lucky)) (<= (goal x 0) (not (true lucky)))
"""
BY_PLIES = """
(init (half 1)) (<= (legal x (m ?a)) (v ?a))
(<= (next (half 2)) (true (half 1))) (<= (next (half 1)) (true (half 2)))
(<= (next (step ?n)) (true (step ?n)) (true (half 1)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n) (true (half 2)))
(<= (next (first ?a)) (does x (m ?a)) (true (half 1)))
(<= (next lucky) (true (first 1)) (true (half 2)) (does x (m 2)))
"""
BY_TURNS = """
(<= (legal x (m ?a ?b)) (v ?a) (v ?b)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next lucky) (does x (m 1 2)) {})
"""


@pytest.mark.parametrize(("also", "depth"), [("", None), ("(true (step 3))", 4)])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_plies_that_stand_for_the_turns_that_begin_with_them_part_when_turns_are_over(
    also: str,
    depth: int | None,
    is_swapped: bool,  # noqa: FBT001  # a parameter
) -> None:
    """Whoever makes both plies makes one like the other: they were said to differ after four."""
    one = Ruleset("plies", (), text=SINGLE + BY_PLIES)
    other = Ruleset("whole", (), text=SINGLE + BY_TURNS.format(also))
    answer = gdl.diff(*((other, one) if is_swapped else (one, other)), seconds=20)
    assert (answer.equivalent, answer.proved) == (depth is None, True)
    assert answer.matching.endswith("plies read in whole turns")
    if depth is not None:
        assert answer.depth == depth
        assert answer.what[0].startswith("goal of x: ")


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
