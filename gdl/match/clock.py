"""Clocks: how much time each role has left.

In: when a turn began and when a move was made, in milliseconds since 1970. Out: what is left
of each role's time. A role's clock runs while the role is to move; the first turn of a match
is not timed, so nobody loses time before the others have come.

Source: the increment is that of R. J. Fischer, US patent 4,884,255 (1989).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from gdl.language.diagnostics import GdlError

LONGEST: Final = 400 * 24 * 3600 * 1000
"""Most that a clock may hold: 400 days, in milliseconds."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time each role gets.

    Attributes:
        initial: At the start, in milliseconds.
        increment: Added after each move, in milliseconds.
    """

    initial: int
    increment: int = 0

    def to_json(self) -> dict[str, int]:
        """Return it as a JSON object."""
        return {"initialMs": self.initial, "incrementMs": self.increment}

    @classmethod
    def read(cls, value: object) -> TimeControl:
        """Return the time control that a JSON object is.

        Raises:
            GdlError: It is none.
        """
        fields: Mapping[Any, Any] = value if isinstance(value, Mapping) else {}
        initial, increment = fields.get("initialMs"), fields.get("incrementMs", 0)
        is_whole = isinstance(value, Mapping) and set(fields) <= {"initialMs", "incrementMs"}
        if is_whole and type(initial) is type(increment) is int:
            assert isinstance(initial, int)
            if 0 < initial <= LONGEST and 0 <= increment <= LONGEST:
                return cls(initial, increment)
        raise GdlError(
            "this is no time control",
            expected=f'{{"initialMs": 1 to {LONGEST}, "incrementMs": 0 to {LONGEST}}}',
        )


@dataclass(frozen=True, slots=True)
class Clock:
    """What is left of each role's time.

    Attributes:
        control: What each got.
        left: Milliseconds that each role had left when its clock was last stopped.
        since: When the clocks of those to move began to run, in milliseconds; None before the
            second turn and after the end.

    ``at`` is when somebody asks or moves, in milliseconds of the same clock as ``since``.
    """

    control: TimeControl
    left: Mapping[str, int]
    since: int | None = None

    @classmethod
    def start(cls, control: TimeControl, roles: Collection[str]) -> Clock:
        """Return the clock of a match that begins."""
        return cls(control, MappingProxyType(dict.fromkeys(roles, control.initial)))

    def remaining(self, role: str, at: int) -> int:
        """Return what a role whose clock runs has left, in milliseconds; 0 when it is over."""
        used = 0 if self.since is None else at - self.since
        return max(0, self.left[role] - used)

    def is_over(self, role: str, at: int) -> bool:
        """Return whether the time of a role whose clock runs is over."""
        return self.since is not None and role in self.left and not self.remaining(role, at)

    def pressed(self, role: str, at: int) -> Clock:
        """Return the clock after a move: the role's stands, and has gained the increment."""
        if role not in self.left or self.since is None:
            return self
        left = min(LONGEST, self.remaining(role, at) + self.control.increment)
        return replace(self, left=MappingProxyType({**self.left, role: left}))

    def turned(self, at: int) -> Clock:
        """Return the clock at the beginning of the next turn."""
        return replace(self, since=at)

    def stopped(self, running: Collection[str], at: int) -> Clock:
        """Return the clock at the end of the match; ``running`` are those that were to move."""
        left = {
            role: self.remaining(role, at) if role in running else kept
            for role, kept in self.left.items()
        }
        return replace(self, left=MappingProxyType(left), since=None)
