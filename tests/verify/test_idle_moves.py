"""Games in which a move may get nothing on: passes, turns of two plies, walks to and fro.

Whether they end, and after how many moves at most, a search says that knows the reasoner alone.
Each way to bound plays is asked by itself, the others switched off, and all of them together.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gdl.certify.check import check_folder
from gdl.compile.pipeline import build
from gdl.language.parse import parse
from gdl.ruleset import Ruleset
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.properties import termination
from gdl.verify.properties.examination import Examination
from gdl.verify.properties.habits import met_by_habit
from gdl.verify.properties.loops import met_at_random
from gdl.verify.properties.verdict import Verdict
from gdl.verify.proving.evidence import Lowered, UsedUp, claims_of
from gdl.verify.proving.prove import ALL_STATES
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import game_system
from tests.shared import some
from tests.verify.brute import look_at_all

WAYS = (termination.USED_UP, termination.RANKED, termination.COUNTED)
ALONE = {ALL_STATES, termination.CLOCK, termination.LOOPS}
"""What is left out when a bound has to come from one of these ways."""
TURNS = """
(role a) (role b) (other a b) (other b a) (init (turn a))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= (legal ?p noop) (true (turn ?q)) (other ?p ?q))
(<= (goal ?p 50) (role ?p))
"""


def asked(text: str, *, without: set[str]) -> Verdict:
    """Return what is said of whether play ends."""
    rules = Ruleset("idle", (), text=text)
    wanted = "terminating".__eq__
    return Examination(rules, (), Budget(60), without=without, wanted=wanted).run()["terminating"]


def is_certified(verdict: Verdict, folder: Path) -> bool:
    """Write the certificate of a bound, and check it."""
    write_certificates(
        open_folder(folder), claims_of("terminating", verdict.evidence), (), Budget(60)
    )
    return all(found.holds for found in check_folder(folder))


def longest_play(text: str) -> int:
    """Return the moves of the longest play of a game, all of whose plays end."""
    seen = look_at_all(parse(text))
    assert (seen.is_all, seen.loops) == (True, False)
    return seen.longest


STONES = (
    TURNS
    + """
(cell 1) (cell 2) (cell 3)
(<= (free ?n) (cell ?n) (not (true (on ?n a))) (not (true (on ?n b))))
(<= any (free ?n))
(<= terminal (not any))
(<= (legal ?p (lay ?n)) (true (turn ?p)) (free ?n) MAY)
(<= (legal ?p pass) (true (turn ?p)) PASSES)
(<= (waits ?p) (other ?p ?q) (true (on 1 ?q)))
(<= laid (does ?p (lay ?n)))
(<= (next (on ?n ?p)) (does ?p (lay ?n)))
(<= (next (on ?n ?p)) (true (on ?n ?p)) (not laid))
(<= (next (on ?n ?q)) (true (on ?n ?p)) (other ?p ?q) laid)
"""
)
"""Who lays a stone turns all the others over, so no fact lasts; but a cell is never free again."""


def test_where_stones_are_turned_over_it_is_their_cells_that_are_used_up(tmp_path: Path) -> None:
    text = STONES.replace("PASSES", "(not (cell 1))").replace("MAY", "(cell 1)")
    found = asked(text, without={*ALONE, termination.RANKED, termination.COUNTED})
    assert (found.status, found.depth) == ("proved", 3)
    assert isinstance(found.evidence, UsedUp)
    assert found.evidence.steps == 1
    assert is_certified(found, tmp_path / "shown")


def test_where_nobody_passes_after_a_pass_two_moves_get_on(tmp_path: Path) -> None:
    text = STONES.replace("PASSES", "(waits ?p)").replace("MAY", "(not (waits ?p))")
    found = asked(text, without={*ALONE, termination.RANKED, termination.COUNTED})
    assert found.text == (
        "no play is longer than 7 moves: any 2 moves in a row make one of 3 groups of facts true "
        "or false for good"
    )
    assert isinstance(found.evidence, UsedUp)
    assert found.evidence.steps == 2
    assert is_certified(found, tmp_path / "shown")
    assert longest_play(text) <= 7


TEAM = """
(role r) (init (phase 1)) (after 1 2) (after 2 3) (after 3 1)
(coordinate 1) (coordinate 2)
(<= (legal r (row ?n)) (true (phase 1)) (coordinate ?n))
(<= (legal r (column ?n)) (true (phase 2)) (coordinate ?n))
(<= (legal r mark) (true (phase 3)))
(<= (next (phase ?m)) (true (phase ?n)) (after ?n ?m))
(<= (next (at row ?n)) (does r (row ?n)))
(<= (next (at row ?n)) (true (at row ?n)) (true (phase 2)))
(<= (next (at column ?n)) (does r (column ?n)))
(<= (next (marked ?n ?m)) (does r mark) (true (at row ?n)) (true (at column ?m)))
(<= (next (marked ?n ?m)) (true (marked ?n ?m)))
(<= terminal (true (phase 3)) (true (at row ?n)) (true (at column ?m)) (true (marked ?n ?m)))
(goal r 0)
"""
"""A cell is chosen and marked in three moves; who chooses one again ends play."""


def test_where_a_turn_has_three_moves_three_in_a_row_get_on(tmp_path: Path) -> None:
    found = asked(TEAM, without={*ALONE, termination.RANKED, termination.COUNTED})
    assert (found.status, found.depth) == ("proved", 14)
    assert isinstance(found.evidence, UsedUp)
    assert found.evidence.steps == 3
    assert is_certified(found, tmp_path / "shown")
    assert longest_play(TEAM) <= 14


def test_where_both_may_pass_nothing_is_said_to_get_on() -> None:
    text = STONES.replace("PASSES", "(cell 1)").replace("MAY", "(cell 1)")
    assert asked(text, without=ALONE).status == "refuted"
    assert look_at_all(parse(text)).loops


WALKERS = (
    TURNS
    + """
(step 1 2) (step 2 3) (step 3 4) (init (at a 1)) (init (at b 1))
(<= (legal ?p (walk ?n ?m)) (true (turn ?p)) (not (held ?p)) (true (at ?p ?n)) (step ?n ?m))
(<= (legal ?p pass) (true (turn ?p)) (held ?p))
(<= (held ?p) (true (at ?p 4)))
(<= (held a) (true (at a 2)) (true (at b 1)))
(<= (next (at ?p ?m)) (does ?p (walk ?n ?m)))
(<= (next (at ?p ?n)) (true (at ?p ?n)) (not (walks ?p)))
(<= (walks ?p) (does ?p (walk ?n ?m)))
(<= terminal (true (at a 4)) (true (at b 4)))
"""
)
"""Who has arrived, or has to wait for the other, passes; then the other one walks."""


def test_a_sum_falls_in_two_moves_of_which_one_may_be_a_pass(tmp_path: Path) -> None:
    found = asked(WALKERS, without={*ALONE, termination.USED_UP, termination.COUNTED})
    assert found.text == (
        "no play is longer than 13 moves: any two moves in a row lower a weighted sum of 6 facts, "
        "from 6, by 1"
    )
    assert isinstance(found.evidence, Lowered)
    assert found.evidence.steps == 2
    assert is_certified(found, tmp_path / "shown")
    assert longest_play(WALKERS) <= 13


def test_no_sum_is_said_to_fall_where_both_wait_for_each_other() -> None:
    text = WALKERS + "(<= (held b) (true (at b 1)) (true (at a 2)))"
    found = asked(text, without={*ALONE, termination.USED_UP, termination.COUNTED})
    assert found.status == "refuted"


LONG_WAY = """
(role r) (init (tick 0)) (init (last m0))
TICKS
(<= (next (tick ?m)) (true (tick ?n)) (succ ?n ?m))
(<= (next (tick 40)) (true (tick 40)))
MOVES
(<= (legal r ?m) (move ?m))
(<= (next (last ?m)) (does r ?m))
(<= (next changed) (does r ?m) (not (true (last ?m))) (not (true (tick 0))))
(<= terminal (true changed))
(goal r 0)
""".replace("TICKS", " ".join(f"(succ {n} {n + 1})" for n in range(40))).replace(
    "MOVES", " ".join(f"(move m{n})" for n in range(30))
)
"""Who makes one move again and again comes back to a state after 41 moves; nobody else does."""


def test_who_keeps_to_a_habit_comes_back_where_chance_never_does() -> None:
    system = game_system(build(parse(LONG_WAY)))
    assert met_at_random(sample(system, Budget(60))) is None
    met = met_by_habit(system, Budget(60))
    assert met is not None
    assert (len(met.play), met.back) == (41, 40)
    found = asked(LONG_WAY, without={ALL_STATES})
    assert (found.status, found.depth) == ("refuted", 41)
    assert found.text == "after 41 moves the state is that of 40 moves again"


def test_no_habit_comes_back_where_every_play_ends() -> None:
    assert met_by_habit(game_system(build(parse(WALKERS))), Budget(60)) is None


def drawn(seed: int) -> str:
    """Return a game of two roles and a few lamps that moves switch, or nothing does."""
    chance = random.Random(seed)
    lamps = range(chance.choice((2, 3, 4)))

    def condition() -> str:
        lamp, role = chance.choice(lamps), chance.choice("ab")
        is_on = f"(true (lamp {lamp}))"
        return chance.choice(("(role a)", is_on, f"(not {is_on})", f"(true (turn {role}))"))

    rules = [TURNS]
    for lamp in lamps:
        rules.append(f"(<= (legal ?p (press {lamp})) (true (turn ?p)) {condition()} {condition()})")
        off = chance.choice(lamps) if chance.random() < 0.4 else None
        rules.append(f"(<= (next (lamp {lamp})) (does ?p (press {lamp})))")
        stays = "" if off is None else f"(not (off {lamp}))"
        rules.append(f"(<= (next (lamp {lamp})) (true (lamp {lamp})) {stays})")
        if off is not None:
            rules.append(f"(<= (off {lamp}) (does ?p (press {off})) {condition()})")
            rules.append(f"(<= (off {lamp}) (true (turn a)) (true (turn b)))")
        if chance.random() < 0.2:
            rules.append(f"(init (lamp {lamp}))")
    rules += (
        f"(<= (legal ?p pass) (true (turn ?p)) {condition()} {condition()})"
        for _ in range(chance.choice((1, 2)))
    )
    rules.append(f"(<= terminal {' '.join(f'(true (lamp {lamp}))' for lamp in lamps)})")
    return "\n".join(rules)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(60), 12))
def test_a_bound_on_plays_is_never_below_the_longest(seed: int, tmp_path: Path) -> None:
    text = drawn(seed)
    seen = look_at_all(parse(text))
    assert seen.is_all
    for ways in ((), *((way,) for way in WAYS)):
        left_out = set(WAYS).difference(ways) if ways else set[str]()
        verdict = asked(text, without={*ALONE, *left_out})
        if verdict.status == "proved":
            assert not seen.loops
            assert verdict.depth is not None
            assert verdict.depth >= seen.longest
            assert is_certified(verdict, tmp_path / "-".join(("shown", *ways)))
        elif verdict.status == "refuted":
            assert seen.loops
