"""Small games that several tests of the protocol use."""

from __future__ import annotations

import gdl
from gdl.game import Game, load
from gdl.ruleset import Ruleset
from tests.cli.conftest import COIN, PENNIES, STUCK

RACE = """\
(role left) (role right)
(init (place 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(pace walk) (pace run)
(<= (legal ?r ?p) (role ?r) (pace ?p))
(<= (next (place ?m)) (true (place ?n)) (succ ?n ?m))
(<= (next (ran ?r)) (does ?r run))
(<= terminal (true (place 5)))
(<= (goal ?r 100) (role ?r) (true (ran ?r)))
(<= (goal ?r 0) (role ?r) (not (true (ran ?r))))
"""
"""Both choose at each of five steps, and the same choices are legal again and again."""

CARDS = """\
(role random) (role player)
(init hidden)
(card ace) (card king)
(<= (legal random (deal ?c)) (card ?c) (true hidden))
(<= (legal player noop) (true hidden))
(<= (next (holds ?c)) (does random (deal ?c)))
(<= (next (holds ?c)) (true (holds ?c)))
(<= (sees player (got ?c)) (does random (deal ?c)))
(<= (legal random noop) (true (holds ?c)))
(<= (legal player (say ?c)) (card ?c) (true (holds ?d)) (not (true said)))
(<= (next said) (does player (say ?c)))
(<= (next right) (does player (say ?c)) (true (holds ?c)))
(<= terminal (true said))
(<= (goal player 100) (true right))
(<= (goal player 0) (not (true right)))
(goal random 0)
"""
"""GDL-II: the player sees the card it is dealt, and wins by saying it."""

TIC_TAC_TOE = "tictactoe"


def game(rules: str, name: str = "game") -> Game:
    """Return a game of a rule text, run as it is written."""
    return load(Ruleset(id=f"{name}.kif", paths=(), text=rules), backend="reason")


def tic_tac_toe() -> Game:
    """Return tic-tac-toe, run as it is written."""
    return gdl.load(TIC_TAC_TOE, backend="reason")


__all__ = ["CARDS", "COIN", "PENNIES", "RACE", "STUCK", "TIC_TAC_TOE", "game", "tic_tac_toe"]
