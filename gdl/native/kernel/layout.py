"""Where everything of a kernel lies in memory, and on the desk of who plays one game by it."""

from __future__ import annotations

from typing import NamedTuple


class KernelLayout(NamedTuple):
    """Numbers of slots; where there are several, of the first.

    Attributes:
        facts: All facts.
        moves: The move chosen of each role.
        legal: Likewise, whether it is legal.
        single: For each role, whether it has exactly one legal move.
        terminal: Whether the game is over.
        hold: Lanes that stay as they are when all others go on.
        spare: Lanes that are not in use.
        illegal: Lanes in which a role was given no legal move.
        goals: Goal values of all roles, one after the other.
        sees: Percepts of all roles likewise.
        initial: The facts of the initial state in every lane.
        slots: Number of slots.
    """

    facts: int
    moves: tuple[int, ...]
    legal: tuple[int, ...]
    single: int
    terminal: int
    hold: int
    spare: int
    illegal: int
    goals: int
    sees: int
    initial: int
    slots: int

    @property
    def seen(self) -> tuple[int, int]:
        """What is seen of a state: the first of its slots, and how many there are.

        Legal moves, ``single``, ``terminal``, three that tell nothing, and goals.
        """
        first = self.legal[0] if self.legal else self.single
        return first, self.sees - first


class DeskLayout(NamedTuple):
    """Where things lie on the desk of who plays one game: first the number of each role's move.

    Attributes:
        state: First byte of a state.
        seen: First byte of what is seen of one.
        end: Number of bytes.
    """

    state: int
    seen: int
    end: int


def desk_layout(layout: KernelLayout, facts: int) -> DeskLayout:
    """Return the layout of the desk for a game of so many facts."""
    state = 8 * len(layout.moves)
    seen = state + -(-facts // 8)
    return DeskLayout(state, seen, seen + layout.seen[1])
