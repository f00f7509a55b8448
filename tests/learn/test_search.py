"""Trees for many games at once, in lockstep with one tree written over `State`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.game import Game
from gdl.learn.search import Floats, Found, Search, halving_visits, null_judge
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
    move = int(found.draw(np.random.default_rng(0), 0)[0])
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
    drawn = found.draw(np.random.default_rng(5))
    assert (found.visits[np.arange(len(saved)), drawn] > 0).all()


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
    assert (found.draw(rng) == found.chosen).all()
    won = Search(game, null_judge, simulations=12, gumbel=16).run(saved[[3]], rng)
    move = int(won.draw(rng)[0])
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


def refusal(name: str) -> str:
    game = gdl.load(name, backend="native")
    with pytest.raises(gdl.GdlError) as caught:
        Search(game, null_judge, simulations=3).run(game.batch(2).save(), np.random.default_rng(0))
    return str(caught.value)


def test_what_is_no_game_for_it_is_refused(game: Game) -> None:
    assert refusal("pig") == (
        "pig cannot be searched by batches: nature draws moves\n"
        "  expected: a game in which one role at a time chooses, and all is seen"
    )
    assert refusal("rockpaperscissors") == (
        "a search by batches came to a position in which several roles have a choice, or one has "
        "no move\n  expected: a game in which one role at a time chooses\n"
        "  note: it is below row 0"
    )
    with pytest.raises(gdl.GdlError, match=r"^a search by Gumbel has its own noise\n"):
        Search(game, null_judge, noise=0.1, gumbel=4)
    batch = game.batch(1)
    while not batch.terminal[0]:
        batch.step(batch.sample(np.random.default_rng(0)))
    with pytest.raises(gdl.GdlError, match=r"^the game is over in row 0$"):
        searched(game, batch.save())
    with pytest.raises(gdl.GdlError, match=r"^temperature is -1\n  expected: 0 or more$"):
        searched(game, positions(game)[1]).policy(-1)
