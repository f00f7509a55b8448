"""Trees for many games at once, in lockstep with one tree written over `State`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.game import Game
from gdl.learn.found import Floats, Found
from gdl.learn.halving import halving_visits
from gdl.learn.search import Search, null_judge
from gdl.state import State
from tests.shared import needs

pytestmark = needs("native")


@pytest.fixture(scope="module")
def game() -> Game:
    return gdl.load("tictactoe", backend="native")


def judge(
    facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Judge by some function of what holds, as good as any."""
    code = (facts * np.arange(1, facts.shape[1] + 1)).sum(axis=1) % 97
    moves = np.arange(1, legal.shape[1] + 1)
    priors = ((code[:, None] * moves + movers[:, None]) % 11 + 1) / 11
    first = (code / 97).astype(np.float32)
    return priors.astype(np.float32), np.stack([first, 1 - first], axis=1)


@dataclass
class Node:
    """A position of the plain tree."""

    state: State
    own: tuple[float, float] = (0.0, 0.0)
    prior: dict[int, float] = field(default_factory=dict)
    child: dict[int, Node] = field(default_factory=dict)
    visits: dict[int, int] = field(default_factory=dict)
    total: dict[int, float] = field(default_factory=dict)

    @property
    def mover(self) -> int:
        return self.state.game.role_index(self.state.movers[0]) if self.state.movers else 0


def opened(state: State) -> Node:
    node = Node(state)
    if state.is_terminal:
        first, second = (state.goal(role) / 100 for role in state.game.roles)
        node.own = first, second
        return node
    batch = state.game.batch(1)
    facts = {str(fact) for fact in state.machine.facts(state.inner)}
    held = np.array([[str(fact) in facts for fact in batch.facts]])
    ids = list(state.legal_ids())
    legal = np.zeros((1, max(map(len, batch.moves))), np.bool_)
    legal[0, ids] = True
    priors, values = judge(held, legal, np.array([node.mover]))
    whole = float(priors[0, ids].sum())
    node.prior = {move: float(priors[0, move]) / whole for move in ids}
    node.own = float(values[0, 0]), float(values[0, 1])
    return node


def plain(state: State, simulations: int, c: float) -> dict[int, int]:
    root = opened(state)
    for _ in range(simulations):
        node, path = root, []
        while not node.state.is_terminal:
            count = sum(node.visits.values())
            mean = (sum(node.total.values()) + node.own[node.mover]) / (count + 1)

            def score(
                move: int, node: Node = node, mean: float = mean, count: int = count
            ) -> float:
                n = node.visits.get(move, 0)
                worth = node.total[move] / n if n else mean
                return worth + c * node.prior[move] * math.sqrt(count + 1) / (1 + n)

            move = max(node.prior, key=score)
            path.append((node, move))
            if move not in node.child:
                node.child[move] = opened(node.state.apply(move))
                node = node.child[move]
                break
            node = node.child[move]
        for above, move in path:
            above.visits[move] = above.visits.get(move, 0) + 1
            above.total[move] = above.total.get(move, 0.0) + node.own[above.mover]
    return root.visits


def positions(game: Game) -> tuple[list[State], NDArray[np.uint8]]:
    start = game.initial()
    states = [start]
    for text in ("b2", "a1 b1", "a1 b1 a2 b2", "b2 a1 c3 a3 a2"):
        state = start
        for move in text.split():
            state = state.play(move)
        states.append(state)
    saved = np.array([np.frombuffer(state.inner, np.uint8) for state in states])
    return states, saved


def searched(game: Game, saved: NDArray[np.uint8], simulations: int = 60) -> Found:
    return Search(game, judge, simulations=simulations, c=1.5).run(saved, np.random.default_rng(0))


def test_many_trees_are_those_of_a_plain_search(game: Game) -> None:
    states, saved = positions(game)
    found = searched(game, saved)
    for row, state in enumerate(states):
        wanted = plain(state, 60, 1.5)
        assert {int(m): int(found.visits[row, m]) for m in np.flatnonzero(found.visits[row])} == {
            move: n for move, n in wanted.items() if n
        }
        assert found.movers[row] == game.role_index(state.movers[0])


def test_games_do_not_hear_of_each_other(game: Game) -> None:
    _, saved = positions(game)
    together = searched(game, saved)
    for row in range(len(saved)):
        assert (searched(game, saved[[row]]).visits[0] == together.visits[row]).all()


def test_what_wins_at_once_is_found_with_a_judge_that_knows_nothing(game: Game) -> None:
    states, saved = positions(game)
    found = Search(game, null_judge, simulations=80).run(saved[[3]], np.random.default_rng(0))
    move = int(found.sample(np.random.default_rng(0), 0)[0])
    assert states[3].notation(game.moves("x")[move]) == "a3"
    assert found.values[0, 0] > 0.8


def test_policies_add_up_and_cold_ones_take_the_most_visited(game: Game) -> None:
    _, saved = positions(game)
    found = searched(game, saved)
    for temperature in (0.0, 0.01, 0.5, 1.0, 10.0):
        policy = found.policy(temperature)
        assert policy.sum(axis=1) == pytest.approx(np.ones(len(saved)), abs=1e-5)
        assert (policy[found.visits == 0] == 0).all()
    assert (found.policy(0).argmax(axis=1) == found.visits.argmax(axis=1)).all()
    assert found.policy(1.0) == pytest.approx(found.visits / 60, abs=1e-6)
    sampled = found.sample(np.random.default_rng(5))
    assert (found.visits[np.arange(len(saved)), sampled] > 0).all()


def test_noise_is_that_of_its_seed(game: Game) -> None:
    _, saved = positions(game)
    search = Search(game, null_judge, simulations=20, noise=0.5)
    one, same, other = (search.run(saved, np.random.default_rng(s)).visits for s in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_sequential_halving_looks_at_the_better_half_as_often_again() -> None:
    assert halving_visits(4, 16) == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]
    for most in range(1, 20):
        for simulations in (1, 7, 50):
            assert len(halving_visits(most, simulations)) == simulations
    assert halving_visits(1, 5) == [0, 1, 2, 3, 4]


def test_a_search_by_gumbel_visits_by_halves_and_finds_what_wins(game: Game) -> None:
    states, saved = positions(game)
    rng = np.random.default_rng(0)
    many = np.repeat(saved[[0]], 50, axis=0)
    found = Search(game, null_judge, simulations=16, gumbel=4).run(many, rng)
    counts = np.sort(found.visits, axis=1)[:, ::-1]
    assert (counts[:, :5] == [6, 6, 2, 2, 0]).all()
    assert found.improved is not None
    assert found.policy().sum(axis=1) == pytest.approx(np.ones(50), abs=1e-5)
    assert (found.sample(rng) == found.chosen).all()
    won = Search(game, null_judge, simulations=12, gumbel=16).run(saved[[3]], rng)
    move = int(won.sample(rng)[0])
    assert states[3].notation(game.moves("x")[move]) == "a3"
    assert won.policy()[0].argmax() == move
    assert won.policy()[0, move] > 0.9


def test_one_move_by_gumbel_is_drawn_by_the_priors(game: Game) -> None:
    wanted = np.arange(1, 11) * (np.arange(10) != 9) / 45.0

    def biased(
        facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        _, values = null_judge(facts, legal, movers)
        return (legal * wanted[: legal.shape[1]]).astype(np.float32), values

    saved = np.repeat(positions(game)[1][[0]], 20_000, axis=0)
    found = Search(game, biased, simulations=1, gumbel=1).run(saved, np.random.default_rng(2))
    assert found.chosen is not None
    seen = np.bincount(found.chosen, minlength=10) / len(saved)
    legal = found.visits.any(axis=0)
    assert seen[legal] == pytest.approx(wanted[legal] / wanted[legal].sum(), abs=0.015)


@pytest.mark.slow
def test_a_tree_gone_on_from_is_that_of_a_search_begun_there(game: Game) -> None:
    _, saved = positions(game)
    rng = np.random.default_rng(3)
    search = Search(game, judge, simulations=60)
    batch = game.batch(len(saved))
    batch.restore(saved)
    for _ in range(3):
        found = search.run(batch.save(), rng)
        sampled = found.sample(rng)
        batch.step(sampled)
        before = found.visits[np.arange(batch.size), sampled]
        # Games that go on change places, and a search is told which they are.
        on = np.flatnonzero(~batch.terminal)[::-1]
        search.follow(sampled, on)
        batch = batch.fork(on)
        known = before[on] - 1  # one of them made the position
        again = search.run(batch.save(), rng)
        for row, count in enumerate(known):
            anew = searched(game, batch.save()[[row]], int(count) + 60)
            assert (again.visits[row] == anew.visits[0]).all()
            assert again.values[row] == pytest.approx(anew.values[0], abs=1e-6)


def test_what_was_not_looked_at_begins_anew(game: Game) -> None:
    batch = game.batch(2)
    search, rng = Search(game, judge, simulations=3), np.random.default_rng(0)
    found = search.run(batch.save(), rng)
    unseen = int(np.flatnonzero(batch.legal[0][0] & (found.visits[0] == 0))[0])
    moves = np.array([unseen, int(found.visits[1].argmax())])
    batch.step(moves)
    search.follow(moves)
    counts = search.run(batch.save(), rng).visits.sum(axis=1)
    assert counts[0] == 3
    assert counts[1] == 3 + found.visits[1].max() - 1


def test_moves_of_both_can_be_followed_before_the_next_search(game: Game) -> None:
    batch = game.batch(1)
    search, rng = Search(game, judge, simulations=80), np.random.default_rng(0)
    move = search.run(batch.save(), rng).sample(rng, 0)
    for _ in range(2):
        batch.step(move)
        search.follow(move)
        assert search._kept is not None
        move = search._kept.slots[0].visits[:, 0].argmax(axis=1)
        known = search._kept.slots[0].visits[:, 0].sum()
    assert known > 0
    found = search.run(batch.save(), rng)
    assert (found.visits[0] == searched(game, batch.save(), int(known) + 80).visits[0]).all()


def test_a_search_by_gumbel_halves_anew_in_a_tree_that_goes_on(game: Game) -> None:
    batch = game.batch(20)
    search, rng = Search(game, null_judge, simulations=16, gumbel=4), np.random.default_rng(0)
    moves = search.run(batch.save(), rng).sample(rng)
    batch.step(moves)
    search.follow(moves)
    assert search._kept is not None
    old = search._kept.slots[0].visits[:, 0].copy()
    seen = np.sort(search.run(batch.save(), rng).visits - old, axis=1)[:, ::-1]
    assert (seen[:, :5] == [6, 6, 2, 2, 0]).all()


DICE = """
(role random) (role player) (role other)
(init (step throw))
(face 1) (face 2) (face 3) (face 4)
(<= (base (step throw))) (<= (base (step choose)))  (<= (base (step done)))
(<= (base (die ?n)) (face ?n))
(base took) (<= (base passed))
(<= (input random (throw ?n)) (face ?n)) (input random noop)
(input player take) (input player pass) (input player noop)
(input other noop)
(<= (legal random (throw ?n)) (true (step throw)) (face ?n))
(<= (legal random noop) (not (true (step throw))))
(<= (legal player take) (true (step choose)))
(<= (legal player pass) (true (step choose)))
(<= (legal player noop) (not (true (step choose))))
(legal other noop)
(<= (next (die ?n)) (does random (throw ?n)))
(<= (next (die ?n)) (true (die ?n)))
(<= (next (step choose)) (true (step throw)))
(<= (next (step done)) (true (step choose)))
(<= (next took) (does player take))
(<= (next passed) (does player pass))
(<= terminal (true (step done)))
(pays 1 0) (pays 2 20) (pays 3 90) (pays 4 100)
(<= (goal player ?p) (true took) (true (die ?n)) (pays ?n ?p))
(<= (goal player 50) (true passed))
(<= (goal other 0) (true took))
(<= (goal other 50) (true passed))
(<= (goal player 0) (not (true (step done))))
(<= (goal other 0) (not (true (step done))))
(goal random 0)
"""


def blind(roles: int) -> Callable[..., tuple[Floats, Floats]]:
    return partial(null_judge, roles=roles)


@pytest.mark.slow
def test_a_throw_is_worth_the_mean_of_its_outcomes(tmp_path: Path) -> None:
    path = tmp_path / "dice.kif"
    path.write_text(DICE)
    game = gdl.load(path, backend="native")
    search = Search(game, blind(3), simulations=800, c=0.05)
    found = search.run(game.batch(2).save(), np.random.default_rng(0))
    # The better of 50 and 0, 20, 90 and 100.
    assert found.values[:, 1] == pytest.approx(np.full(2, (50 + 50 + 90 + 100) / 400), abs=0.01)
    assert set(found.visits[0, found.visits[0] > 0]) == {200}
    # Nature keeps to its shares, at whatever temperature.
    for temperature in (0.0, 0.5, 1.0):
        shares = found.policy(temperature)[0]
        assert shares[shares > 0] == pytest.approx(np.full(4, 0.25))


@pytest.mark.slow
def test_nature_is_drawn_and_followed_as_any_other() -> None:
    game = gdl.load("pig?target=10", backend="native")
    search, rng = Search(game, blind(3), simulations=20), np.random.default_rng(1)
    batch, seen = game.batch(8), set()
    for _ in range(8):
        found = search.run(batch.save(), rng)
        assert (found.visits.sum(axis=1) >= 20).all()
        seen |= set(found.movers)
        sampled = found.sample(rng)
        batch.step(sampled)
        on = ~batch.terminal
        search.follow(sampled, on)
        batch = batch.fork(on)
    assert seen == {0, 1, 2}


def nearness(simulations: int) -> tuple[float, float]:
    """Return how far strategies are from even, and what the best answer to both would win."""
    game = gdl.load("rockpaperscissors", backend="native")
    batch = game.batch(40)
    search = Search(game, null_judge, simulations=simulations)
    found = search.run(batch.save(), np.random.default_rng(1))
    one, (other,) = found.policy(), (each.policy() for each in found.also)
    pairs = game.batch(9)
    pairs.step(np.indices((3, 3)).reshape(2, 9).T)
    pays = pairs.goals[:, 0].reshape(3, 3) / 100
    best = (other @ pays.T).max(axis=1) + (one @ (1 - pays)).max(axis=1) - 1
    return float(np.abs(one - 1 / 3).mean()), float(best.mean())


@pytest.mark.slow
def test_moves_at_once_come_near_an_equilibrium() -> None:
    (_, early), (far, late) = nearness(50), nearness(1000)
    assert far < 0.05
    assert late < 0.12
    assert late < early / 2


def test_a_search_by_gumbel_leaves_moves_at_once_their_strategies() -> None:
    game = gdl.load("rockpaperscissors", backend="native")
    search = Search(game, null_judge, simulations=30, gumbel=2)
    found = search.run(game.batch(3).save(), np.random.default_rng(2))
    for part in (found, *found.also):
        mean = part.policy()
        squared = mean**2 / (mean**2).sum(axis=1, keepdims=True)
        assert part.policy(0.5) == pytest.approx(squared, rel=1e-4)


@pytest.mark.slow
def test_moves_at_once_are_drawn_for_all_roles_and_can_be_followed() -> None:
    game = gdl.load("tron", backend="native")
    search, rng = Search(game, null_judge, simulations=20), np.random.default_rng(1)
    batch = game.batch(4)
    for _ in range(3):
        found = search.run(batch.save(), rng)
        sampled = found.sample(rng)
        assert sampled.shape == (batch.size, 2)
        for policy in (found.policy(), found.also[0].policy()):
            assert policy.sum(axis=1) == pytest.approx(np.ones(batch.size), abs=1e-5)
        batch.step(sampled)
        on = np.flatnonzero(~batch.terminal)
        search.follow(sampled, on)
        batch = batch.fork(on)


@pytest.mark.later
def test_what_is_no_game_or_no_answer_is_refused(game: Game) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(gdl.GdlError) as caught:
        Search(gdl.load("darkhex", backend="native"), null_judge)
    assert str(caught.value) == (
        "darkhex cannot be searched by batches: it hides facts\n"
        "  expected: a game in which all is seen"
    )
    pig = gdl.load("pig", backend="native")
    with pytest.raises(gdl.GdlError) as caught:
        Search(pig, null_judge, simulations=3).run(pig.batch(2).save(), rng)
    assert str(caught.value) == (
        "the judge returned the shapes (2, 7) and (2, 2)\n"
        "  expected: priors (2, 7) and values (2, 3)"
    )
    with pytest.raises(gdl.GdlError, match=r"^a search by Gumbel has its own noise\n"):
        Search(game, null_judge, noise=0.1, gumbel=4)
    batch = game.batch(1)
    while not batch.terminal[0]:
        batch.step(batch.sample(np.random.default_rng(0)))
    with pytest.raises(gdl.GdlError, match=r"^the game is over in row 0$"):
        searched(game, batch.save())
    found = searched(game, positions(game)[1])
    for temperature, said in (
        (-1.0, "temperature must be a number of at least 0, not -1.0"),
        (math.nan, "temperature must be a number of at least 0, not nan"),
        (math.inf, "temperature must be a finite number, not inf"),
    ):
        with pytest.raises(gdl.GdlError) as caught:
            found.sample(rng, temperature)
        assert str(caught.value) == said


def test_draw_is_the_old_name_of_sample_and_says_so(game: Game) -> None:
    found = searched(game, positions(game)[1])
    with pytest.warns(DeprecationWarning, match="^draw is called sample now$") as caught:
        moves = found.draw(np.random.default_rng(4))
    assert (moves == found.sample(np.random.default_rng(4))).all()
    [said] = caught
    assert said.filename == __file__


BETWEEN = "  expected: numbers from 0 on, such as the softmax of logits"
HOPE = "  expected: what each role may hope for, from 0 to 1: a goal of 100 is 1"


@pytest.mark.parametrize(
    ("prior", "value", "said"),
    [
        (math.nan, 0.5, f"the judge returned the prior nan in row 0\n{BETWEEN}"),
        (math.inf, 0.5, f"the judge returned the prior inf in row 0\n{BETWEEN}"),
        (-1.5, 0.5, f"the judge returned the prior -1.5 in row 0\n{BETWEEN}"),
        (1, math.nan, f"the judge returned the value nan in row 0\n{HOPE}"),
        (1, -math.inf, f"the judge returned the value -inf in row 0\n{HOPE}"),
        (1, -0.25, f"the judge returned the value -0.25 in row 0\n{HOPE}"),
        (1, 1.5, f"the judge returned the value 1.5 in row 0\n{HOPE}"),
    ],
)
def test_priors_and_values_that_are_none_are_refused(
    game: Game, prior: float, value: float, said: str
) -> None:
    def diverged(
        facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        del facts, movers
        return np.full(legal.shape, prior, np.float32), np.full((len(legal), 2), value, np.float32)

    search = Search(game, diverged, simulations=2)
    with pytest.raises(gdl.GdlError) as caught:
        search.run(game.batch(2).save(), np.random.default_rng(0))
    assert str(caught.value) == said


@pytest.mark.parametrize("scale", [1e-40, 1e-15, 1e37])
def test_priors_may_be_of_any_scale(game: Game, scale: float) -> None:
    """The least above 0 are no less likely for it, and the largest are still finite together."""

    def scaled(
        facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        priors, values = judge(facts, legal, movers)
        return (priors * np.float64(scale) * 11).astype(np.float32), values

    _, saved = positions(game)
    found = Search(game, scaled, simulations=60).run(saved, np.random.default_rng(0))
    assert (found.visits == searched(game, saved).visits).all()


def test_priors_of_moves_that_are_not_legal_may_be_anything(game: Game) -> None:
    def masked(
        facts: NDArray[np.bool_], legal: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        priors, values = null_judge(facts, legal, movers)
        lists = np.where(legal, priors, -np.inf).tolist(), values.tolist()
        return cast("tuple[Floats, Floats]", lists)

    one, other = (
        Search(game, each, simulations=9).run(game.batch(2).save(), np.random.default_rng(0))
        for each in (masked, null_judge)
    )
    assert (one.visits == other.visits).all()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "the judge returned a NoneType\n  expected: a tuple: priors and values"),
        (
            (np.full((1, 10), "a"), np.zeros((1, 2))),
            "the judge returned the types <U1 and float64\n  expected: numbers",
        ),
    ],
)
def test_answers_of_another_kind_are_refused(game: Game, answer: object, said: str) -> None:
    search = Search(game, cast("Any", lambda *_: answer), simulations=2)
    with pytest.raises(gdl.GdlError) as caught:
        search.run(game.batch(1).save(), np.random.default_rng(0))
    assert str(caught.value) == said


def test_numbers_that_a_search_cannot_have_are_refused(game: Game) -> None:
    for options, said in (
        ({"c": -1}, "c must be a number of at least 0, not -1"),
        ({"c": math.inf}, "c must be a finite number, not inf"),
        ({"noise": 2}, "noise must be at most 1, not 2"),
        ({"alpha": math.nan}, "alpha must be a number of at least 0, not nan"),
        ({"simulations": 0}, "simulations must be at least 1, not 0"),
    ):
        with pytest.raises(gdl.GdlError) as caught:
            Search(game, null_judge, **cast("Any", options))
        assert str(caught.value) == said


def test_one_position_that_is_no_row_is_refused(game: Game) -> None:
    saved = game.batch(1).save()[0]
    with pytest.raises(gdl.GdlError) as caught:
        Search(game, judge, simulations=5).run(saved, np.random.default_rng(0))
    assert str(caught.value) == (
        f"saved has the shape ({len(saved)},)\n  expected: uint8[B, bytes], as batch.save gives it"
    )


def test_what_cannot_be_followed_is_refused(game: Game) -> None:
    search, rng = Search(game, judge, simulations=5), np.random.default_rng(0)
    batch = game.batch(3)
    with pytest.raises(gdl.GdlError, match=r"^there is no search to follow moves from\n"):
        search.follow(np.zeros(3, int))
    start = batch.save()
    moves = search.run(start, rng).sample(rng)
    with pytest.raises(gdl.GdlError, match=r"^moves has the type float64\n"):
        search.follow(moves.astype(float))
    with pytest.raises(gdl.GdlError, match=r"^moves has the shape \(2,\)\n"):
        search.follow(moves[:2])
    with pytest.raises(gdl.GdlError, match=r"^rows are none of the 3 games that were searched\n"):
        search.follow(moves, [3])
    for wrong in (int(batch.legal[0][1].argmin()), -1, 99):
        moves[1], right = wrong, moves[1]
        with pytest.raises(gdl.GdlError) as refused:
            search.follow(moves)
        moves[1] = right
        assert str(refused.value) == (
            f"move {wrong} of row 1 is not legal in the position that was searched\n"
            "  expected: the moves that were given to step"
        )
    search.follow(moves)
    with pytest.raises(gdl.GdlError) as caught:
        search.run(start, rng)
    assert str(caught.value) == (
        "row 0 is not the position that the followed moves lead to\n"
        "  expected: the positions behind the moves given to follow, in the same order"
    )
    search.run(start, rng)
    search.follow(moves, [0, 2])
    with pytest.raises(gdl.GdlError, match=r"^3 positions are to be searched, and 2 games were"):
        search.run(start, rng)
    search.run(start, rng)
    search.follow(moves, [])  # all are over: nothing goes on, and nothing is wrong
