"""A mixed strategy: how often each move is to be taken, and which one it is this time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gdl.language.syntax import Term

SHOWN: Final = 0.005
"""Least share of a move that is told."""


def sampled(shares: Mapping[Term, float], chance: float) -> Term:
    """Return the move that a number from 0 to 1 stands for."""
    left = chance * sum(shares.values())
    taken = [move for move, share in shares.items() if share > 0] or list(shares)
    for move in taken[:-1]:
        left -= shares[move]
        if left < 0:
            return move
    return taken[-1]


def odds(shares: Mapping[Term, float]) -> str:
    """Return as text what part of the time each move is taken, the most frequent first."""
    pairs = sorted(shares.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{move} {100 * share:.0f}%" for move, share in pairs if share >= SHOWN)
