"""Backgammon, turn by turn beside open_spiel's: what a roll allows, however it is played."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import pytest

from tests.shared import missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

import pyspiel

from gdl.language.terms import Compound, Constant, Term
from gdl.state import State
from tests.library.spiel_walk import expected_shares, load, shares

PLAYERS = ("white", "black")
Board = tuple[tuple[int, ...], ...]
"""Checkers of each player on points 1 to 24, on the bar, and borne off."""


def our_board(state: State) -> Board:
    count = {
        (str(fact.args[0]), str(fact.args[1])): int(str(fact.args[2]))
        for fact in state.facts
        if isinstance(fact, Compound) and fact.name == "on"
    }
    places = (*map(str, range(1, 25)), "bar", "off")
    return tuple(tuple(count.get((player, place), 0) for place in places) for player in PLAYERS)


def their_board(state: Any) -> Board:  # noqa: ANN401 (open_spiel has no types)
    text = str(state)
    bar = re.search(r"Bar:(.*)", text)
    off = re.search(r"Scores, X: (\d+), O: (\d+)", text)
    assert bar
    assert off
    return tuple(
        (
            *(state.board(seat, point) for point in reversed(range(24))),
            bar[1].count(mark),
            int(off[seat + 1]),
        )
        for seat, mark in enumerate("xo")
    )


def our_turns(start: State) -> dict[Board, State]:
    """Return where the turn can lead, by board."""
    player = start.movers[0]
    found: dict[Board, State] = {}
    waiting, seen = [start], {start}
    while waiting:
        state = waiting.pop()
        if state.is_terminal or Constant("noop") in state.legal(player):
            found[our_board(state)] = state
            continue
        after = {
            state.play({player: move, **others(state, player)}) for move in state.legal(player)
        }
        waiting += after - seen
        seen |= after
    return found


def others(state: State, player: str) -> dict[str, Term]:
    return {str(role): state.legal(role)[0] for role in state.game.roles if str(role) != player}


def their_turns(start: Any) -> dict[Board, Any]:  # noqa: ANN401
    found: dict[Board, Any] = {}
    waiting, seen = [start], set[str]()
    while waiting:
        state = waiting.pop()
        if state.is_terminal() or state.is_chance_node():
            found[their_board(state)] = state
            continue
        after = {str(each): each for each in (state.child(a) for a in state.legal_actions())}
        waiting += [each for text, each in after.items() if text not in seen]
        seen |= after.keys()
    return found


def rolls(ours: State, theirs: Any) -> dict[int, list[Term]]:  # noqa: ANN401
    """Return our rolls by open_spiel's outcome; the probabilities are compared.

    Of the opening open_spiel says who begins, and the smaller number first where it is X.
    """
    named = {}
    for outcome in theirs.legal_actions():
        text = theirs.action_to_string(outcome)
        numbers = text.partition("roll: ")[2].rstrip(")")
        named[numbers[::-1] if "starts" in text else numbers] = outcome
    found: dict[int, list[Term]] = {}
    outcomes = []
    for move in ours.legal("random"):
        assert isinstance(move, Compound)
        outcomes.append(named["".join(map(str, move.args))])
        found.setdefault(outcomes[-1], []).append(move)
    assert shares(outcomes) == expected_shares(theirs)
    return found


def play_beside(chance: Random) -> Iterator[tuple[State, Any]]:
    """Play a game on both sides, drawing rolls and turns; yield each position before a roll."""
    ours = load("backgammon").initial()
    theirs = pyspiel.load_game("backgammon(max_player_turns=1000000)").new_initial_state()
    while True:
        yield ours, theirs
        if theirs.is_terminal():
            return
        outcome, moves = chance.choice(sorted(rolls(ours, theirs).items()))
        ours = ours.play({"random": chance.choice(moves), **others(ours, "random")})
        theirs = theirs.child(outcome)
        here, there = our_turns(ours), their_turns(theirs)
        assert here.keys() == there.keys(), f"after {theirs.history()}:\n{theirs}"
        board = chance.choice(sorted(here))
        ours, theirs = here[board], there[board]


def compare(games: int, seed: int, most: int | None = None) -> int:
    """Compare random games, or their first turns; return how many turns that were."""
    turns = 0
    for number in range(games):
        for ours, theirs in islice(play_beside(Random(seed + number)), most):
            turns += 1
            assert our_board(ours) == their_board(theirs)
            assert ours.is_terminal == theirs.is_terminal()
            if ours.is_terminal:
                goals = [(ours.goal(player) - 50) / 50 for player in PLAYERS]
                assert goals == theirs.returns()
    return turns


def test_the_opening_rolls_are_without_doubles() -> None:
    start = load("backgammon").initial()
    assert len(start.legal("random")) == 30
    theirs = pyspiel.load_game("backgammon").new_initial_state()
    assert sum(expected_shares(theirs).values()) == Fraction(1)
    assert len(rolls(start, theirs)) == 30


def test_the_first_turns_are_the_same() -> None:
    assert compare(2, seed=5, most=3) == 6


@pytest.mark.slow
def test_random_games_turn_by_turn() -> None:
    assert compare(20, seed=1) > 20 * 30
