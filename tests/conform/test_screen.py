"""Plays to rules that fired seldom and to moves that were never legal, by the million."""

from __future__ import annotations

from typing import Any

import pytest

from gdl.conform import conform
from gdl.conform.coverage import Coverage
from gdl.conform.screen import AT_ONCE, PLAYS, Screen
from gdl.game import Game, load
from gdl.state import State
from tests.conform.faulty import Bug, Faulty
from tests.library.by_hand.go import Go
from tests.shared import missing, needs

pytestmark = needs("native")

POSITIONS = 50_000


def led(game: Game, ids: tuple[int, ...]) -> State:
    """Return where a play leads: a number counts for who has a choice."""
    state = game.initial()
    for n in ids:
        chosen = {role: state.legal(role)[0] for role in game.roles}
        chosen |= {r: game.moves(r)[n] for r in game.roles if len(state.legal(r)) > 1}
        state = state.play(chosen)
    return state


@pytest.fixture(scope="module")
def covered() -> Coverage:
    coverage = Coverage(load("breakthrough", backend="native"))
    assert coverage.watch(60)
    return coverage


def test_a_rule_that_fired_seldom_fires_after_each_of_its_plays(covered: Coverage) -> None:
    assert covered.watched is not None
    game = load("breakthrough", backend="native")
    (end, *_) = (n for n in covered.watched.rows if "terminal" in covered.rules[n].text)
    asked = [list(Screen(covered.watched, 0).plays(POSITIONS, {end: 0}, {})) for _ in range(2)]
    assert asked[0] == asked[1]
    assert len(asked[0]) == PLAYS
    for ids in asked[0]:
        state = led(game, ids)
        assert end in covered.fired(state.inner)


def test_a_move_that_was_never_legal_is_so_after_its_play(covered: Coverage) -> None:
    assert covered.watched is not None
    game = load("breakthrough", backend="native")
    white = game.moves("white")
    unmet = {n for n, move in enumerate(white) if str(move).startswith("(move h")}
    met = {0: set(range(len(white))) - unmet}
    screen = Screen(covered.watched, 1)
    plays = list(screen.plays(POSITIONS, {}, met))
    assert 0 < len(plays) <= AT_ONCE
    legal = {n for ids in plays for n in led(game, ids).legal_ids("white")}
    assert unmet & legal
    assert len(plays) <= len(unmet)
    assert not list(Screen(covered.watched, 1).plays(POSITIONS, {}, {0: set(range(len(white)))}))


@pytest.mark.later
def test_what_is_met_seldom_is_compared_and_counted() -> None:
    audit = conform("go", Go(), positions=4_000)
    assert audit.agree
    assert audit.styles["plays to what was met seldom"] > 0


@pytest.mark.slow
def test_a_capture_in_passing_that_bares_the_king_is_found() -> None:
    pytest.importorskip("chess", reason=missing("oracle"))

    def extra(position: Any, right: list[Any]) -> list[Any]:  # noqa: ANN401  # no types
        pseudo = position.generate_pseudo_legal_ep() if not position.is_check() else ()
        bared = [move.uci() for move in pseudo if not position.is_legal(move)]
        return right + bared

    engine = Faulty("python-chess:chess+draws", Bug("a capture in passing bares", legal=extra))
    audit = conform("chess", engine, positions=8_000)
    assert audit.parting is not None, str(audit)
    assert engine.is_wrong(audit.parting.twin.theirs)
