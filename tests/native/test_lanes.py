"""Lanes play the game they were given, uniformly, and the same game at every width."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from math import prod
from threading import Event

import pytest

from gdl.circuit.game import GameCircuit
from gdl.native.code.target import native_target
from gdl.native.lanes.layout import GoalTableError
from gdl.native.lanes.playouts import Lanes, compile_lanes, deal
from gdl.playouts import Playouts
from tests.native.chi_square import p_value, p_value_of_sum
from tests.native.circuits import marbles, over, speechless, stuck, tictactoe, urn, walk

WIDTHS = (64, 128, 256, 512)
X_WINS, O_WINS, DRAWS = (100, 0), (0, 100), (50, 50)
EXACT = {X_WINS: 0.584921, O_WINS: 0.288095, DRAWS: 0.126984}
"""Of uniform random games of tic-tac-toe; by exhaustive expansion."""
EXACT_LENGTHS = {5: 0.095238, 6: 0.088095, 7: 0.264286, 8: 0.2, 9: 0.352381}


@cache
def lanes(width: int) -> Lanes:
    return Lanes(compile_lanes(tictactoe(), target=native_target(width)))


def play(circuit: GameCircuit, n: int, seed: int = 0) -> Playouts:
    return Lanes(compile_lanes(circuit)).playouts(n, seed=seed)


@cache
def exact_tictactoe() -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """Expand all boards ply by ply, each with the chance that uniform play comes to it."""
    from tests.native.circuits import LINES

    ends: dict[tuple[int, int], float] = defaultdict(float)
    lengths: dict[int, float] = defaultdict(float)
    boards: dict[str, float] = {"." * 9: 1.0}
    for plies in range(10):
        later: dict[str, float] = defaultdict(float)
        last, mover = "xo"[(plies - 1) % 2], "xo"[plies % 2]
        for board, chance in boards.items():
            won = any(all(board[i] == last for i in line) for line in LINES)
            if won or plies == 9:
                end = DRAWS if not won else X_WINS if last == "x" else O_WINS
                ends[end] += chance
                lengths[plies] += chance
                continue
            empty = [i for i, mark in enumerate(board) if mark == "."]
            for i in empty:
                later[board[:i] + mover + board[i + 1 :]] += chance / len(empty)
        boards = later
    return dict(ends), dict(lengths)


def test_the_exact_values_are_what_expansion_says() -> None:
    ends, lengths = exact_tictactoe()
    assert {end: round(chance, 6) for end, chance in ends.items()} == EXACT
    assert {length: round(chance, 6) for length, chance in lengths.items()} == EXACT_LENGTHS


def test_tictactoe_ends_as_often_as_it_should() -> None:
    n = 4_000_000
    counts = lanes(512).playouts(n, seed=1)
    ends, lengths = exact_tictactoe()
    assert counts.n == n
    assert p_value([counts.goals[e] for e in ends], [n * p for p in ends.values()]) > 1e-4
    found = [counts.lengths[length] for length in lengths]
    assert p_value(found, [n * p for p in lengths.values()]) > 1e-4


@pytest.mark.sample(3)
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 1000, 54_321])
def test_counts_depend_on_the_seed_and_not_on_width_or_threads(n: int) -> None:
    first = lanes(64).playouts(n, seed=3)
    assert first.n == n
    for width in WIDTHS:
        assert lanes(width).playouts(n, seed=3) == first
        assert lanes(width).playouts(n, seed=3, threads=2) == first


def test_another_seed_gives_other_games() -> None:
    assert lanes(512).playouts(10_000, seed=1) != lanes(512).playouts(10_000, seed=2)


@pytest.mark.parametrize("n", [0, 1, 1023, 1024, 10**9 + 7])
def test_every_playout_is_dealt_once(n: int) -> None:
    quotas = deal(n)
    assert sum(quotas) == n
    assert max(quotas) - min(quotas) <= 1


SIZES = [(1, 1), (2, 2), (3, 3), (4, 3), (7, 5), (9, 9), (16, 16), (17, 17), (64, 40), (225, 131)]


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize(("balls", "inside"), [*SIZES, (300, 300)])
def test_one_of_several_moves_is_chosen_uniformly(balls: int, inside: int) -> None:
    held = sorted(random.Random(balls).sample(range(balls), inside))
    n = 4000 * inside
    counts = play(urn(balls, [held]), n)
    drawn = [counts.goals[ball,] for ball in held]
    assert sum(drawn) == n
    assert inside == 1 or p_value(drawn) > 1e-4


@pytest.mark.parametrize("sizes", [(2, 3), (5, 7), (3, 3, 3)])
def test_moves_at_the_same_time_are_independent(sizes: tuple[int, ...]) -> None:
    inside = [list(range(size)) for size in sizes]
    n = 5000 * prod(sizes)
    counts = play(urn(max(sizes), inside), n)
    assert len(counts.goals) == prod(sizes)
    assert p_value(list(counts.goals.values())) > 1e-4


def test_a_choice_of_square_and_turn_is_uniform_over_both() -> None:
    counts = play(marbles(), 64_000)
    assert len(counts.goals) == 16
    assert p_value(list(counts.goals.values())) > 1e-4


@pytest.mark.parametrize("waits", [1, 2, 5])
def test_forced_moves_change_nothing_but_the_length(waits: int) -> None:
    inside = [[0, 2, 3], [1, 4]]
    counts = play(urn(5, inside, waits=waits), 60_000)
    assert counts.lengths == {waits + 1: 60_000}
    assert p_value(list(counts.goals.values())) > 1e-4


def test_lanes_are_independent_of_each_other() -> None:
    """Wins of many small runs spread as a binomial does, no more and no less."""
    runs, n = 400, 2048
    wins = [lanes(512).playouts(n, seed=seed).goals[X_WINS] for seed in range(runs)]
    p = EXACT[X_WINS]
    statistic = sum((w - n * p) ** 2 for w in wins) / (n * p * (1 - p))
    assert 1e-4 < p_value_of_sum(statistic, runs) < 1 - 1e-4


def test_a_lane_that_sits_out_keeps_its_place() -> None:
    """Chances on a ring of three, from its six-line Markov chain: returns in k steps."""
    n = 1_000_000
    counts = play(walk(3), n)
    distribution = _return_times(3, plies=12)
    expected = [n * p for p in distribution] + [n * (1 - sum(distribution))]
    found = [counts.lengths[k + 1] for k in range(12)]
    found.append(n - sum(found))
    assert p_value(found, expected) > 1e-4


def test_lengths_are_counted_from_short_to_very_long() -> None:
    """On a ring of twenty a token comes back after two plies as well as after a thousand."""
    n = 200_000
    counts = play(walk(20), n)
    chances = _return_times(20, plies=1023)
    bounds = [0, 2, 8, 31, 32, 63, 64, 127, 255, 511, 1023]
    expected = [n * sum(chances[low:high]) for low, high in pairwise(bounds)]
    found = [sum(counts.lengths[k + 1] for k in range(*pair)) for pair in pairwise(bounds)]
    kept = [i for i, most in enumerate(expected) if most]
    assert sum(counts.lengths.values()) == n
    assert (
        p_value(
            [*(found[i] for i in kept), n - sum(found)],
            [*(expected[i] for i in kept), n - sum(expected)],
        )
        > 1e-4
    )


def _return_times(steps: int, plies: int) -> list[float]:
    at = [0.0] * steps
    at[0] = 1.0
    back = []
    for _ in range(plies):
        following = [0.0] * steps
        for i, chance in enumerate(at):
            targets = [i - 1, i + 1, i] if i % 2 == 0 else [i - 1, i + 1]
            for target in targets:
                following[target % steps] += chance / len(targets)
        back.append(following[0])
        at = [0.0, *following[1:]]
    return back


def test_a_state_without_moves_is_counted_as_stuck() -> None:
    counts = play(stuck(), 10_000)
    assert counts.stuck + counts.finished == 10_000
    assert p_value([counts.stuck, counts.finished]) > 1e-4
    assert counts.goals == {(100,): counts.finished}


def test_a_game_that_is_over_before_it_begins_has_length_zero() -> None:
    counts = play(over(), 1000)
    assert (counts.lengths, counts.goals) == ({0: 1000}, {(30, 70): 1000})
    assert play(over(), 0).n == 0


def test_a_game_in_which_a_role_never_has_a_move_is_stuck_at_once() -> None:
    counts = play(speechless(), 1000)
    assert (counts.stuck, counts.finished) == (1000, 0)


@pytest.mark.sample(2)
@pytest.mark.parametrize("max_plies", [1, 4, 5, 6, 7, 8, 9])
def test_long_playouts_are_cut(max_plies: int) -> None:
    n = 100_000
    compiled = compile_lanes(tictactoe(), max_plies=max_plies)
    counts = Lanes(compiled).playouts(n)
    whole = lanes(512).playouts(n)
    assert counts.n == n
    assert max(counts.lengths, default=0) <= max_plies
    expected = sum(p for length, p in EXACT_LENGTHS.items() if length > max_plies)
    assert counts.cut / n == pytest.approx(expected, abs=0.01)
    if max_plies == 9:
        assert counts == whole


def test_progress_is_told_and_may_stop_the_run() -> None:
    told: list[int] = []
    lanes(64).playouts(2_000_000, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 2_000_000

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lanes(64).playouts(2_000_000, progress=stop)


@pytest.mark.sample(1)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_that_is_stopped_counts_what_it_began(threads: int) -> None:
    stop = Event()

    def tell(begun: int) -> None:
        if begun > 1_000_000:
            stop.set()

    counts = lanes(64).playouts(10**9, progress=tell, stop=stop, threads=threads)
    assert 1_000_000 < counts.n < 10**8
    ends, _ = exact_tictactoe()
    found = [counts.goals[end] for end in ends]
    assert p_value(found, [counts.n * p for p in ends.values()]) > 1e-4


def test_a_run_in_threads_gives_up_at_once() -> None:
    def give_up(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lanes(64).playouts(10**12, progress=give_up, threads=2)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^n must be at least 0, not -1$"):
        lanes(64).playouts(-1)
    with pytest.raises(ValueError, match=r"^threads must be at least 1, not 0$"):
        lanes(64).playouts(1, threads=0)


@pytest.mark.slow
def test_very_many_goal_vectors_are_counted() -> None:
    """Four players draw one ball of twenty each: 160,000 ends, 2^20 places in the table."""
    n = 40_000
    counts = Lanes(compile_lanes(urn(20, [range(20)] * 4))).playouts(n, seed=2)
    assert counts.goals.total() == n
    assert len(counts.goals) > n / 2
    for role in range(4):
        drawn = Counter[int]()
        for goals, count in counts.goals.items():
            goal = goals[role]
            assert goal is not None
            drawn[goal] += count
        assert p_value([drawn[ball] for ball in range(20)]) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "n"),
    [(64, 50_000), *(pytest.param(width, 300_000, marks=pytest.mark.slow) for width in WIDTHS)],
)
def test_more_goal_vectors_than_a_table_holds_are_listed(width: int, n: int) -> None:
    """Three players draw one ball of seventy each: 343,000 ends, of 2^21 that could be."""
    compiled = compile_lanes(urn(70, [range(70)] * 3), target=native_target(width))
    assert compiled.layout.is_listed
    counts = Lanes(compiled).playouts(n, seed=3)
    assert counts.goals.total() == n
    assert counts.lengths == {1: n}
    assert counts == Lanes(compiled).playouts(n, seed=3, threads=2)
    for role in range(3):
        drawn = Counter[int | None]()
        for goals, count in counts.goals.items():
            drawn[goals[role]] += count
        assert p_value([drawn[ball] for ball in range(70)]) > 1e-4
    pairs = Counter((first, second) for first, second, _ in counts.goals.elements())
    assert len(pairs) == 70 * 70
    assert p_value(list(pairs.values())) > 1e-4


def test_more_goal_vectors_than_a_word_numbers_are_refused() -> None:
    with pytest.raises(GoalTableError, match=r"^70 bits of goal values, at most 63$"):
        compile_lanes(urn(70, [range(70)] * 10))
