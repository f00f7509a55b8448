"""The games that every adapter is held to: the shipped rulesets, and files nobody chose."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import gdl
from gdl.adapters.markov_game import MarkovGame, markov_game
from gdl.game import Game
from tests.shared import GAMES

SHIPPED = (
    "connectfour",
    "gomoku/freestyle",
    "pentago/classic",
    "pentago/phased",
    "pentago/strict",
    "pentago/utwente",
    "tictactoe",
)
LARGEST = 4_000
"""Bytes of a file whose rules are made into machine code in a second or two."""
SMALL = [path for path in GAMES if path.stat().st_size <= LARGEST]


def pick(seed: int, count: int) -> list[Path]:
    """Return some of the published files, drawn by a seed from those that are quick to load."""
    return random.Random(seed).sample(SMALL, min(count, len(SMALL)))


UNKNOWN = pick(2026, 5)


@cache
def load(name: str | Path) -> Game:
    """Return a game; games are immutable, so all tests share them."""
    return gdl.load(name, backend="native")


@cache
def load_markov_game(name: str | Path) -> MarkovGame:
    """Return a game as learners go through it."""
    return markov_game(load(name))
