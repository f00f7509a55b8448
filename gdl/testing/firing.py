"""Which rules fired in tests.

In: a game run by the rules as written, and the positions and moves of its tests. Out: the rules
that no test exercised, by `gdl.conform.coverage`, clause by clause: a body with ``or`` is as many
rules as it has ways to hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from gdl.conform.coverage import Coverage, CoveredRule
from gdl.game import Game
from gdl.machine import JointMove
from gdl.state import State


def place_of(rule: CoveredRule) -> str:
    """Return where a rule stands in short, ``board.kif:41``; ``a rule`` where that is not known."""
    if not rule.place:
        return "a rule"
    path, line, _ = rule.place.rsplit(":", 2)
    return f"{PurePath(path).name}:{line}"


class Firing:
    """The rules of one game, and which fired.

    Attributes:
        game: The game.
        coverage: How often each fired.
    """

    def __init__(self, game: Game) -> None:
        """Count from nothing."""
        self.game = game
        self.coverage = Coverage(game)
        self._seen: set[tuple[State, JointMove]] = set()

    def note(self, state: State, joint: JointMove = ()) -> None:
        """Count the rules that fire in a state, and after the moves that are made there."""
        if (state, joint) not in self._seen:
            self._seen.add((state, joint))
            self.coverage.note(state.inner, joint)

    @property
    def left(self) -> tuple[CoveredRule, ...]:
        """The rules that fired in no test of this game."""
        return self.coverage.left


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """The rules of one file, in whatever games they play.

    Attributes:
        path: The file; empty for rules that come from none.
        total: How many rules with a body it has.
        left: Those that fired in no test of any game.
    """

    path: str
    total: int
    left: tuple[CoveredRule, ...]


def by_file(firings: Iterable[Firing]) -> list[FileCoverage]:
    """Return for each file which of its rules fired in the tests of all games together.

    A variant shares files with its base: a rule that fired in one of them is exercised.
    """
    rules: dict[str, dict[tuple[str, str], CoveredRule]] = {}
    fired: set[tuple[str, str]] = set()
    for firing in firings:
        for rule in firing.coverage.rules:
            key = rule.place, rule.text
            rules.setdefault(rule.place.rsplit(":", 2)[0], {}).setdefault(key, rule)
            if firing.coverage.counts[rule.number]:
                fired.add(key)
    return [
        FileCoverage(path, len(those), tuple(r for key, r in those.items() if key not in fired))
        for path, those in rules.items()
    ]
