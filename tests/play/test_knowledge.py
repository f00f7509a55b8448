"""What a role knows for certain, beside all states in which the match may be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from random import Random

import pytest

from tests.shared import missing

pytest.importorskip("pysat", reason=missing("verify"))
pytest.importorskip("llvmlite", reason=missing("native"))

from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.play.information import (
    InformationState,
    MoveAndPercepts,
    NoStateError,
    information_state,
)
from gdl.play.knowledge import Knower, Known
from gdl.state import State, read_term
from gdl.verify.solvers.budget import OutOfBudgetError
from tests.play.games import MONTY_HALL, SECRETS, game_of

UNHURRIED_SECONDS = 120.0
MOST = 3_000
"""States that are enumerated; a play is looked at as long as there are no more."""
FOLLOWED = 60
"""States of a play that are followed: four hundred of a game of chess take a minute and a half."""


def possible(seen: InformationState) -> list[State]:
    """Return every state in which the match may be, by playing all joint moves."""
    states = {seen.start.inner: seen.start}
    for step in seen.steps:
        after = {}
        for state in states.values():
            if state.is_terminal or step.move not in state.legal(seen.role):
                continue
            choices = [
                [step.move] if role == seen.role else list(state.legal(role))
                for role in state.machine.roles
            ]
            for joint in product(*choices):
                if state.machine.percepts(state.inner, joint, seen.role) == step.percepts:
                    reached = state.play(joint)
                    after[reached.inner] = reached
        states = after
        if len(states) > MOST:
            return []
    return list(states.values())


def random_play(game: Game, seed: int) -> Iterator[State]:
    """Yield the states of a random play, the last one too."""
    chance, state = Random(seed), game.initial()
    yield state
    while not state.is_terminal:
        state = state.play([chance.choice(state.legal(role)) for role in game.roles])
        yield state


def held_against(game: Game, known: Known, states: list[State]) -> None:
    """Hold what is known against all states in which the match may be."""
    held = [state.facts for state in states]
    anywhere = frozenset[object]().union(*held)
    assert known.true == frozenset.intersection(*held)
    assert known.open == anywhere - known.true
    native = game.back_end.native
    assert native is not None
    assert known.false == frozenset(native.circuit.facts) - anywhere


GAMES = ["monty_hall", "kuhnpoker", "leducpoker", "liarsdice", "phantomtictactoe", "darkhex?size=3"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("source", GAMES)
def test_known_is_what_all_states_share_in_which_the_match_may_be(
    source: str, seed: int, tmp_path: Path
) -> None:
    game = game_of(MONTY_HALL, tmp_path) if source == "monty_hall" else load(source)
    looked_at = 0
    for role in game.machine.roles:
        if str(role) == "random":
            continue
        knower = Knower(game)
        for state in random_play(game, seed):
            seen = information_state(state, role)
            states = possible(seen)
            if not states:
                break
            held_against(game, knower.follow(seen, UNHURRIED_SECONDS), states)
            looked_at += 1
        knower.close()
    assert looked_at > 4


@pytest.mark.slow
@pytest.mark.parametrize("source", ["battleship", "chess/kriegspiel", "darkhex"])
def test_nothing_that_is_known_is_wrong_in_games_of_many_states(source: str) -> None:
    game = load(source)
    for seed in range(3):
        for role in game.machine.roles:
            knower = Knower(game)
            for state in islice(random_play(game, seed), FOLLOWED):
                known = knower.follow(information_state(state, role), UNHURRIED_SECONDS)
                assert known.true <= state.facts <= known.true | known.open
                assert not known.false & state.facts


def test_who_looks_back_knows_what_was_known_then() -> None:
    game = load("leducpoker")
    role = game.role("first")
    states = list(random_play(game, 5))
    knower = Knower(game)
    for state in [*states, *reversed(states)]:
        seen = information_state(state, role)
        assert knower.follow(seen) == Knower(game).follow(seen)
    other = information_state(states[-1], game.role("second"))
    assert knower.follow(other) == Knower(game).follow(other)


def test_knowledge_begins_where_the_match_began() -> None:
    game = load("phantomtictactoe")
    start = game.state(["(cell b 2 x)", "(cell a 1 o)", "(control x)"])
    after = start.play({"x": start.move("c3", "x"), "o": "noop"})
    known = Knower(game).follow(information_state(after, game.role("o")))
    assert {"(cell a 1 o)", "(cell b 2 x)", "(control o)"} == set(map(str, known.true))


def test_what_is_left_when_time_runs_out_is_not_known() -> None:
    """A stopped proof says less, and never anything else."""
    game = load("battleship")
    *_, state = random_play(game, 1)
    seen = information_state(state, game.role("first"))
    whole = Knower(game).follow(seen, UNHURRIED_SECONDS)
    seconds, met = 1e-4, 0
    while seconds < UNHURRIED_SECONDS:
        try:
            part = Knower(game).follow(seen, seconds)
        except OutOfBudgetError:
            seconds *= 2
            continue
        met += 1
        assert part.true <= whole.true
        assert part.false <= whole.false
        if part == whole:
            break
        seconds *= 1.1
    assert met


def test_a_knower_that_ran_out_of_time_goes_on() -> None:
    game = load("battleship")
    *_, state = random_play(game, 1)
    seen = information_state(state, game.role("first"))
    knower, seconds = Knower(game), 1e-4
    while True:
        try:
            knower.follow(seen, seconds)
            break
        except OutOfBudgetError:
            seconds *= 2
    assert knower.follow(seen, UNHURRIED_SECONDS) == Knower(game).follow(seen, UNHURRIED_SECONDS)


def test_what_cannot_have_been_seen_is_refused() -> None:
    game = load("kuhnpoker")
    role = game.role("first")
    noop = game.initial().legal("first")[0]
    for percepts in ([], ["(dealt ace)"], ["(dealt jack)", "(dealt queen)"]):
        terms = frozenset(map(read_term, percepts))
        seen = InformationState(game, role, game.initial(), (MoveAndPercepts(noop, terms),))
        with pytest.raises(NoStateError):
            Knower(game).follow(seen)


def test_a_game_without_machine_code_has_no_circuit_to_prove_with(tmp_path: Path) -> None:
    (tmp_path / "secrets.kif").write_text(SECRETS)
    game = load(tmp_path / "secrets.kif", backend="reason")
    with pytest.raises(GdlError) as refused:
        Knower(game)
    assert str(refused.value) == (f"{game.id} does not run as machine code: {game.back_end.why}")


def test_where_the_circuit_says_nothing_nothing_is_known() -> None:
    """Two marks in a cell: no play leads there, and the circuit may say anything of it."""
    game = load("phantomtictactoe")
    start = game.state(["(cell b 2 x)", "(cell b 2 o)", "(control x)"])
    with pytest.raises(GdlError) as refused:
        Knower(game).follow(information_state(start, game.role("x")))
    assert str(refused.value) == (
        "what is known is proved from the circuit of the game, which takes for granted what all "
        "plays keep; where this match began is no such state\n"
        "  expected: a match that began where play can lead, or nearly"
    )
