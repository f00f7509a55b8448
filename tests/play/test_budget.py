"""Budgets: they are kept, whatever the game; a search can be stopped and watched."""

from __future__ import annotations

import math
import time
from threading import Event, Timer

import pytest

import gdl.play
from gdl.game import load
from gdl.language.syntax import Constant
from gdl.play import Budget, Candidate, Thoughts, choose, make, prepare, solve
from gdl.play.anytime import Thinker
from gdl.play.budget import SAFETY
from gdl.play.proof_search import MOST_PACE, next_pace
from tests.play.games import random_state

SECONDS = 0.4
TOO_MUCH = 1.5
"""Seconds of processor time beyond that, by which a search that does not look at its clock is
known: it takes minutes here. A busy machine may let a process wait for longer."""


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "solve", "greedy"])
@pytest.mark.parametrize("backend", ["native", "reason"])
def test_every_move_comes_within_its_time(spec: str, backend: str) -> None:
    """The reasoner takes most of the time for a single playout of Pentago."""
    game = load("pentago/classic", backend="native" if backend == "native" else "reason")
    state = random_state(game, 6, 2)
    role = state.movers[0]
    player = make(spec, role=game.role(role), seed=1)
    prepare(player, game, Budget(100))
    spent, used = [], []
    for number in range(20):
        began, budget = time.process_time(), Budget(SECONDS)
        choose(player, state, budget, role=role)
        spent.append(budget.spent)
        used.append(time.process_time() - began)
        if number >= 2 and min(spent) <= SECONDS:
            break
    assert min(spent) <= SECONDS
    assert max(used) <= SECONDS + TOO_MUCH


def test_slices_that_end_at_once_do_not_make_the_next_one_endless() -> None:
    pace = 64
    for _ in range(100):
        pace = next_pace(pace, 0.0)
    assert pace == MOST_PACE
    assert next_pace(pace, 1.0) == MOST_PACE // 2


class Stubborn:
    """A search whose one slice takes longer than all the time there is: until it is let go."""

    def __init__(self) -> None:
        self.let_go = Event()

    def go_on(self) -> bool:
        return not self.let_go.wait(60.0)

    def halt(self) -> None:
        """It does not listen."""

    def thoughts(self) -> Thoughts | None:
        return None


@pytest.mark.slow
def test_who_thinks_waits_for_the_clock_and_not_for_the_search() -> None:
    thinker, search = Thinker(), Stubborn()
    assert thinker.think(search, Budget(0.2)) is None
    assert not thinker.is_idle(Budget(0.1))  # it still goes on, and nobody has waited for it
    search.let_go.set()
    assert thinker.is_idle(Budget(60.0))


def test_an_error_of_a_search_comes_out_where_it_is_waited_for() -> None:
    class Broken(Stubborn):
        def go_on(self) -> bool:
            raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        Thinker().think(Broken(), Budget(5))


class Patient:
    """A search that always has an answer, and has never searched enough."""

    def __init__(self, delay: float) -> None:
        self.delay, self.halted, self.found = delay, Event(), 0

    def go_on(self) -> bool:
        self.halted.wait(0.01)
        return True

    def halt(self) -> None:
        self.halted.set()

    def thoughts(self) -> Thoughts | None:
        time.sleep(self.delay)
        self.found += 1
        return Thoughts(ROLE, (Candidate(ROLE, self.found, 50.0),))


ROLE = Constant("somebody")


def test_a_search_is_halted_when_its_time_is_over() -> None:
    search, budget = Patient(0.0), Budget(0.2)
    assert Thinker().think(search, budget) is not None
    assert search.halted.is_set()
    assert budget.is_over


def test_the_time_that_an_answer_takes_is_kept_in_hand() -> None:
    class Brief(Patient):
        def go_on(self) -> bool:
            return super().go_on() and not self.found

    budget = Budget(60.0)
    before = budget.margin
    Thinker().think(Brief(0.03), budget)
    assert budget.margin >= before + 0.03 * SAFETY
    assert budget.margin <= 30.0


@pytest.mark.slow
def test_who_wakes_too_late_to_ask_again_gives_the_last_answer() -> None:
    class Late(Patient):
        def thoughts(self) -> Thoughts | None:
            if self.halted.is_set():
                raise AssertionError
            found = super().thoughts()
            budget.started -= budget.seconds  # with the first answer the time is over
            return found

    class Unaware(Budget):
        def expect(self, delay: float) -> None:
            """It is woken after the end."""

    search, budget = Late(0.0), Unaware(60.0, margin=1e-6)
    found = Thinker().think(search, budget)
    assert found is not None
    assert found.best.visits == search.found


def test_delays_widen_the_margin_up_to_half_of_the_clock_and_never_narrow_it() -> None:
    budget = Budget(1.0)
    margins = [budget.margin]
    for delay in (0.01, 0.02, 0.005, 0.1, 10.0):
        budget.expect(delay)
        margins.append(budget.margin)
    assert margins == sorted(margins)
    assert margins[1] == pytest.approx(margins[0] + 0.01 * SAFETY)
    assert margins[3] == margins[2]
    assert margins[-1] == 0.5


@pytest.mark.parametrize(("seconds", "most"), [(0.1, 0.0081), (1.0, 0.0261), (10.0, 0.1061)])
def test_little_is_kept_in_hand_where_nothing_was_late(seconds: float, most: float) -> None:
    assert Budget(seconds).margin <= most


@pytest.mark.slow
def test_a_short_clock_is_used_up_to_the_margin_and_kept() -> None:
    """Rounds of moves of 0.1 s: in one round each is used up to the margin, and none is late.

    On a machine that is busy with other things a move may be late for no fault of the search: it is
    woken late, or the search before has not been woken yet to end. A search that did not look at
    its budget would be late in every round. That the margin is small where nobody is woken late,
    see the test before.
    """
    game = load("pentago/utwente")
    player = make("mcts:memory=64", role=game.role("black"), seed=1)
    prepare(player, game, Budget(100))
    state = random_state(game, 4, 1)
    odd = []
    for _ in range(20):
        spent = []
        for _ in range(4):
            budget = Budget(0.1)
            choose(player, state, budget, role="black")
            spent.append((budget.spent, budget.seconds - budget.margin))
        odd.append([round(each, 3) for each, least in spent if not least <= each <= 0.1])
        if not odd[-1]:
            return
    pytest.fail(f"seconds of the moves of each round of 4 that were late or too quick: {odd}")


@pytest.mark.slow
def test_a_search_can_be_stopped_from_another_thread() -> None:
    game = load("pentago/utwente")
    player = make("mcts", role=game.role("black"), seed=1)
    prepare(player, game, Budget(100))
    budget = Budget(60)
    Timer(0.3, budget.stop).start()
    choose(player, game.initial(), budget, role="black")
    assert budget.spent < 20
    assert budget.is_over


@pytest.mark.slow
def test_a_search_can_be_watched() -> None:
    game = load("pentago/utwente")
    told: list[Thoughts] = []

    def watch(thoughts: Thoughts) -> None:
        told.append(thoughts)
        if len(told) == 3:
            budget.stop()

    player = make("mcts", role=game.role("black"), seed=1)
    prepare(player, game, Budget(100))
    budget = Budget(60.0, watch=watch)
    move = choose(player, game.initial(), budget, role="black")
    assert len(told) == 4  # three while it went on, and the last
    assert told[-1].best.move == move
    counts = [each.simulations for each in told]
    assert counts == sorted(counts)


def test_a_clock_runs_from_the_moment_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    budget = Budget(0.1)
    assert 0 < budget.left < 0.1
    now += 0.11
    assert budget.is_over
    assert budget.is_missed
    assert not Budget().is_over
    assert Budget().left == math.inf


@pytest.mark.parametrize(
    ("seconds", "simulations", "text"),
    [
        (0, None, "seconds must be more than 0, not 0"),
        (math.nan, None, "seconds must be more than 0, not nan"),
        (1, 0, "simulations must be at least 1, not 0"),
    ],
)
def test_a_clock_of_nothing_is_refused(seconds: float, simulations: int | None, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Budget(seconds, simulations=simulations)


@pytest.mark.parametrize(
    ("old", "new"),
    [("Clock", "Budget"), ("Sight", "InformationState"), ("Seen", "MoveAndPercepts")],
)
def test_names_of_before_are_known_and_warn(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"^gdl.play.{old} is called gdl.play.{new} now$"):
        assert getattr(gdl.play, old) is getattr(gdl.play, new)


def test_solve_takes_its_budget_by_the_name_of_before() -> None:
    state = load("tictactoe", backend="reason").initial()
    for move in ("b2", "a1", "a2", "c2"):
        state = state.play(move)
    with pytest.warns(DeprecationWarning, match=r"^solve\(clock=...\) is solve\(budget=...\) now$"):
        old = solve(state, clock=Budget(30))
    assert old == solve(state, budget=Budget(30))
