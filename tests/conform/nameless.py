"""Our own rules as somebody's engine, its moves under names that say nothing, with a bug or none.

Whatever stands for what, an engine without a bug plays the same game: who calls it different raises
a false alarm, in whatever order its numbers are. A refusal in words is none.

``python -m tests.conform.nameless`` prints a table: game, names, bug, what was said, seconds of the
processor; games, names and bugs may follow, each with ``=``.
"""

from __future__ import annotations

import random
import sys
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from gdl.conform import UnmatchedError, conform
from gdl.conform.matching.sample import random_game
from gdl.conform.source import EngineMove, Plain
from gdl.conform.sources.rules import RulesPosition, RulesSource
from gdl.game import load

Name = Callable[[int, int], EngineMove]
"""The name of the move with a number, of so many."""

NAMES: Final[Mapping[str, Name]] = {
    "numbers": lambda n, _: n,
    "turned numbers": lambda n, count: count - n,
    "odd numbers": lambda n, count: _shuffled(count)[n],
    "two numbers": lambda n, count: f"{17 * n % (count + 1)} {29 * n % (count + 1)}",
    "odd words": lambda n, count: _word(_shuffled(count)[n]),
}
"""How moves are called; the numbers are in the order of our own words."""

GAMES: Final = (
    "rockpaperscissors",
    "blotto",
    "goofspiel?cards=4",
    "oshizumo?coins=6&size=2",
    "lightsout",
    "tictactoe",
    "mnk?columns=4&rows=3&line=3",
    "connectfour",
    "hex?size=4",
    "clobber",
    "dotsandboxes?columns=2&rows=2",
    "breakthrough",
    "kuhnpoker",
)


def _shuffled(count: int) -> list[int]:
    numbers = list(range(count + 1))
    random.Random(f"names/{count}").shuffle(numbers)  # names, no secrets
    return numbers


def _word(number: int) -> str:
    rng = random.Random(f"word/{number}")
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(4))


def _hash(position: RulesPosition, rules: RulesSource) -> int:
    """Return a number that hangs on what is true in a position."""
    facts = sorted(map(str, rules.game.machine.facts(position.inner)))
    return zlib.crc32(" ".join(facts).encode())


class Nameless(Plain):
    """Rules as an engine whose moves have other names.

    The bugs: ``pays``, one end in four is paid the wrong way round; ``lacks``, in one position in
    four the move that is first in our order is not legal where another one is.
    """

    def __init__(self, game: str, names: str, bug: str = "") -> None:
        """Name the moves that random play meets, and those met later behind them."""
        self.rules = RulesSource(load(game))
        self.bug = bug
        self.name = f"{game} in {names}"
        for fact in ("roles", "hides", "has_chance", "bounds"):
            setattr(self, fact, getattr(self.rules, fact))
        rng = random.Random("universe")
        met = {
            move
            for _ in range(60)
            for _, legal_of in random_game(self.rules, rng)
            for moves in legal_of.values()
            for move in moves
        }
        self._first = min(met, key=str)
        called = [NAMES[names](n, len(met) - 1) for n in range(len(met))]
        self._names = dict(zip(sorted(met, key=str), called, strict=True))
        self._moves = {name: move for move, name in self._names.items()}
        assert len(self._moves) == len(met)

    def _named(self, move: EngineMove) -> EngineMove:
        if move not in self._names:
            self._names[move] = f"later {len(self._names)}"
            self._moves[self._names[move]] = move
        return self._names[move]

    def initial(self) -> RulesPosition:
        return self.rules.initial()

    def _is_odd(self, position: RulesPosition) -> bool:
        return _hash(position, self.rules) % 4 == 0

    def is_terminal(self, position: RulesPosition) -> bool:
        return self.rules.is_terminal(position)

    def movers(self, position: RulesPosition) -> tuple[int, ...]:
        return self.rules.movers(position)

    def _moves_of(self, position: RulesPosition, role: int) -> list[EngineMove]:
        moves = list(self.rules.legal(position, role))
        if self.bug == "lacks" and role >= 0 and len(moves) > 1 and self._is_odd(position):
            moves = [move for move in moves if move != self._first]
        return moves

    def legal(self, position: RulesPosition, role: int) -> Sequence[EngineMove]:
        return sorted(map(self._named, self._moves_of(position, role)), key=str)

    def chances(self, position: RulesPosition) -> Mapping[EngineMove, float]:
        return {self._named(move): p for move, p in self.rules.chances(position).items()}

    def play(self, position: RulesPosition, moves: Mapping[int, EngineMove]) -> RulesPosition:
        return self.rules.play(position, {role: self._moves[m] for role, m in moves.items()})

    def returns(self, position: RulesPosition) -> tuple[float, ...]:
        right = self.rules.returns(position)
        is_wrong = self.bug == "pays" and self._is_odd(position)
        return tuple(100 - value for value in right) if is_wrong else right

    def text(self, position: Any, role: int, move: EngineMove) -> str:  # noqa: ANN401
        del position, role
        return move if isinstance(move, str) else ""

    def is_wrong(self, position: RulesPosition) -> bool:
        """Return whether an answer about a position is another one than without the bug."""
        if self.rules.is_terminal(position):
            return self.returns(position) != self.rules.returns(position)
        return any(
            len(self._moves_of(position, role)) < len(self.rules.legal(position, role))
            for role in self.movers(position)
        )


def said(engine: Nameless, game: str, positions: int, seconds: float = 60.0) -> tuple[str, str]:
    """Return what an audit says, in a word, and more of it."""
    try:
        audit = conform(game, engine, positions=positions, seconds=seconds)
    except UnmatchedError as error:
        return "refused", str(error.help)[:60]
    if audit.parting is None:
        return "agree", audit.matching
    is_right = engine.is_wrong(audit.parting.twin.theirs)
    moves = f"{audit.first_length} to {len(audit.play or ())} moves"
    more = f"{audit.parting.kind}, {moves}, {audit.matching} {audit.remarks}"
    return ("found" if is_right else "beside it" if engine.bug else "FALSE ALARM"), more


def main() -> None:
    """Print the table."""
    asked = [argument.split("=", 1) for argument in sys.argv[1:]]
    chosen = {
        what: [value for kind, value in asked if kind == what] for what in ("game", "names", "bug")
    }
    for game in chosen["game"] or GAMES:
        for names in chosen["names"] or NAMES:
            for bug in chosen["bug"] or ("", "pays", "lacks"):
                used = time.process_time()
                verdict, more = said(Nameless(game, names, bug), game, 5_000)
                used = time.process_time() - used
                row = game, names, bug or "no bug", verdict, f"{used:.1f} s", more
                sys.stdout.write(" | ".join(row) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
