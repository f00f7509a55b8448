"""Moving and capture games beside those of open_spiel: which move is which action.

Most moves are found by what open_spiel calls its actions, once our text is rewritten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyspiel

from tests.library.spiel_twins import centred
from tests.library.spiel_walk import Pair, Twin

WIN_OR_LOSS = centred(50)


def called(rewritten: Callable[[str], str]) -> Callable[[Any, str, str], int]:
    """Return how to find the action that open_spiel calls as our text is rewritten."""

    def action(theirs: Any, _role: str, move: str) -> int:  # noqa: ANN401 (open_spiel has no types)
        player = theirs.current_player()
        names = {theirs.action_to_string(player, each): each for each in theirs.legal_actions()}
        return int(names.get(rewritten(move), -1))

    return action


def duel(ruleset: str, spiel: str, seats: str, action: Callable[[Any, str, str], int]) -> Twin:
    """Return a game of two players who win, draw or lose, and see everything."""
    first, second = seats.split()
    return Twin(ruleset, spiel, (first, second), action, WIN_OR_LOSS, secrets=False)


def joined(move: str) -> str:
    """Return ``a2-a3`` as ``a2a3``."""
    return move.replace("-", "")


def mirrored(move: str) -> str:
    """Return a move on eight rows as it is seen from the other side: ``a2-a3`` is ``a7a6``."""
    return "".join(str(9 - int(each)) if each.isdigit() else each for each in joined(move))


def starred(theirs: Any, role: str, move: str) -> int:  # noqa: ANN401
    """Return a move of breakthrough: black begins there, from above; captures have a star."""
    plain = called(mirrored)(theirs, role, move)
    return plain if plain >= 0 else called(lambda text: f"{mirrored(text)}*")(theirs, role, move)


@dataclass
class Dressed:
    """A state of open_spiel in other clothes; what no subclass defines is the state's own."""

    state: Any

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self.state, name)

    def __str__(self) -> str:
        return str(self.state)

    def clone(self) -> Dressed:
        return type(self)(self.state.clone())

    def child(self, action: int) -> Dressed:
        after = self.clone()
        after.apply_action(action)
        return after


class LargestTile(Dressed):
    """Their 2048, worth what ours is: they pay points, we ask for the largest tile.

    Which slides are legal is asked of the slides themselves: `legal_actions` (open_spiel 2.0.2)
    takes a tile that became one of two at the last slide for one that cannot do so again.
    """

    def legal_actions(self, _player: int = 0) -> list[int]:
        if self.state.is_chance_node() or self.state.is_terminal():
            return list(self.state.legal_actions())
        return [way for way in range(4) if str(self.child(way)) != str(self)]

    def returns(self) -> list[float]:
        largest = max(map(int, str(self.state).split()))
        return [{2048: 100, 1024: 80, 512: 60, 256: 40, 128: 20}.get(largest, 0)]


@dataclass(frozen=True)
class DressedTwin(Twin):
    """A twin whose states of open_spiel are dressed."""

    dress: type[Dressed] = Dressed

    def start(self) -> Pair:
        theirs = self.dress(pyspiel.load_game(self.spiel).new_initial_state())
        return Pair(self.game.initial(), theirs, {str(role): () for role in self.game.roles})


def slide(move: str) -> str:
    """Return a move of 2048 as open_spiel calls it: ``left`` or, of chance, ``a2 0``."""
    if move[-1].isdigit():
        tile = 4 if move[-1] == "0" else 2
        return f"{tile} added to row {move[1]}, column {' abcd'.index(move[0])}"
    return move.capitalize()


BREAKTHROUGH = duel("breakthrough", "breakthrough", "white black", starred)
CLOBBER = duel("clobber", "clobber", "white black", called(joined))
OTHELLO = duel("othello", "othello", "black white", called(str))
TILES = DressedTwin(
    "2048", "2048", ("player",), called(slide), float, secrets=False, dress=LargestTile
)

TABLES = [
    (BREAKTHROUGH, 3),
    (CLOBBER, 3),
    (OTHELLO, 6),
]
"""Depth of the perft tables that `tests.library.spiel_tables` writes."""
