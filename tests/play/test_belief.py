"""What a role believes, beside an enumeration of every history; and what it then does."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from gdl.game import Game, load
from gdl.play import Budget, choose, make
from gdl.play.belief import Believer
from gdl.play.information import InformationState, information_state
from gdl.state import State
from tests.play.games import MONTY_HALL, SECRETS, game_of


def by_enumeration(seen: InformationState) -> dict[object, Fraction]:
    """Return the probability of each state, from all histories with their probabilities."""
    histories = [(seen.start, Fraction(1))]
    for step in seen.steps:
        longer = []
        for state, weight in histories:
            choices = [
                [step.move] if role == seen.role else list(state.legal(role))
                for role in state.machine.roles
            ]
            if step.move not in state.legal(seen.role):
                continue
            joints = list(product(*choices))
            longer += [
                (state.play(joint), weight / len(joints))
                for joint in joints
                if state.machine.percepts(state.inner, joint, seen.role) == step.percepts
            ]
        histories = longer
    total = sum(weight for _, weight in histories)
    found: dict[object, Fraction] = defaultdict(Fraction)
    for state, weight in histories:
        found[state.inner] += weight / total
    return found


def random_play(game: Game, seed: int) -> list[State]:
    """Return the states of a random play, the last one left out."""
    chance, states = Random(seed), [game.initial()]
    while not states[-1].is_terminal:
        last = states[-1]
        states.append(last.play([chance.choice(last.legal(role)) for role in game.roles]))
    return states[:-1]


def monty_hall(game: Game) -> State:
    """Return the state in which door 1 was chosen and door 3 opened; the car is behind 2."""
    state = game.initial().play({"random": "(hide 2)", "guest": "noop"})
    return state.play({"random": "noop", "guest": "(choose 1)"}).play(
        {"random": "(open 3)", "guest": "noop"}
    )


@pytest.mark.parametrize("source", ["monty_hall", "kuhnpoker", "leducpoker"])
def test_probabilities_are_those_of_an_enumeration_of_all_histories(
    source: str, tmp_path: Path
) -> None:
    game = game_of(MONTY_HALL, tmp_path) if source == "monty_hall" else load(source)
    for role in game.machine.roles[1:]:
        believer = Believer()
        for state in random_play(game, 3):
            seen = information_state(state, role)
            belief = believer.follow(seen)
            assert belief.is_exact
            assert belief.probabilities == pytest.approx(by_enumeration(seen))


def test_few_particles_are_right_on_average() -> None:
    game = load("leducpoker")
    seen = information_state(random_play(game, 3)[-1], game.machine.roles[1])
    exact = Believer().follow(seen).probabilities
    mean: dict[object, float] = defaultdict(float)
    for seed in range(200):
        belief = Believer(seed=seed, particles=3).follow(seen)
        assert not belief.is_exact
        for state, probability in belief.probabilities.items():
            mean[state] += probability / 200
    assert mean == pytest.approx(exact, abs=0.05)


@pytest.mark.slow
def test_the_guest_of_monty_hall_goes_to_the_other_door(tmp_path: Path) -> None:
    game = game_of(MONTY_HALL, tmp_path)
    state = monty_hall(game)
    belief = Believer().follow(information_state(state, game.role("guest")))
    assert sorted(belief.probabilities.values()) == pytest.approx([1 / 3, 2 / 3])
    for spec, seed in product(("mcts", "mcts:native=off"), range(3)):
        player = make(spec, role=game.role("guest"), seed=seed)
        move = choose(player, state, Budget(simulations=400), role="guest")
        assert str(move) == "switch"


def test_where_no_particle_agrees_states_are_searched_for(tmp_path: Path) -> None:
    many, few = (" ".join(f"(number {n})" for n in range(count)) for count in (60, 6))
    game = game_of(SECRETS.replace(many, few), tmp_path)
    state = random_play(game, 5)[4]
    seen = information_state(state, game.role("seeker"))
    belief = Believer(particles=2).follow(seen)
    assert not belief.is_exact
    assert set(belief.probabilities) == {state.inner}
