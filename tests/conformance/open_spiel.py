"""open_spiel's Pentago and Gomoku, asked the questions of a reference engine.

Its ``pentago`` is the utwente rule and its ``gomoku`` the freestyle rule. The package is optional;
tests ask for it before they import this module.
"""

from dataclasses import dataclass
from typing import Any

import pyspiel

from tests.engine.test_open_spiel_oracle import ROTATIONS, pentago_board

ROLES = ("black", "white")


@dataclass(frozen=True)
class SpielReference:
    """A game of open_spiel (`gdl.conform.Reference`); moves are its action numbers."""

    name: str
    texts: tuple[str, ...]
    """The notation of each action."""

    @property
    def roles(self) -> tuple[str, str]:
        return ROLES

    def initial(self) -> Any:  # noqa: ANN401 (open_spiel has no types)
        return pyspiel.load_game(self.name).new_initial_state()

    def to_move(self, position: Any) -> str | None:  # noqa: ANN401
        return None if position.is_terminal() else ROLES[position.current_player()]

    def legal_moves(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401
        return tuple(position.legal_actions())

    def play(self, position: Any, move: int, role: str | None = None) -> Any:  # noqa: ANN401
        if role not in (None, self.to_move(position)) or move not in position.legal_actions():
            raise ValueError(f"{self.texts[move]} is not legal for {role}")
        after = position.clone()
        after.apply_action(move)
        return after

    def is_terminal(self, position: Any) -> bool:  # noqa: ANN401
        return bool(position.is_terminal())

    def goals(self, position: Any) -> dict[str, int]:  # noqa: ANN401
        if not position.is_terminal():
            return dict.fromkeys(ROLES, 0)
        returns = position.returns()
        return {role: round(50 + 50 * each) for role, each in zip(ROLES, returns, strict=True)}

    def key(self, position: Any) -> object:  # noqa: ANN401
        return str(position)

    def parse(self, text: str) -> int:
        return self.texts.index(text)

    def format(self, move: int) -> str:
        return self.texts[move]

    def draw(self, position: Any) -> str:  # noqa: ANN401
        if self.name == "pentago":
            return pentago_board(position)
        return "\n".join(str(position).splitlines()[1:16]).upper()


def pentago() -> SpielReference:
    """Return open_spiel's Pentago in the notation of ``pentago/utwente``."""
    start = pyspiel.load_game("pentago").new_initial_state()
    names = [start.action_to_string(action) for action in range(288)]
    texts = (f"{name[:2].upper()} {ROTATIONS[name[2]]}" for name in names)
    return SpielReference("pentago", tuple(texts))


def gomoku() -> SpielReference:
    """Return open_spiel's Gomoku in the notation of ``gomoku/freestyle``."""
    cells = (divmod(action, 15) for action in range(225))
    return SpielReference("gomoku", tuple(f"PLACE_STONE {{{x},{y}}}" for y, x in cells))
