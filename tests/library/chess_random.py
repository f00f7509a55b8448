"""Random games of chess and its variants, compared with pyffish move by move.

``python -m tests.library.chess_random SECONDS [FIRST] [RULESET...]`` plays games of each variant in
turn, from that number on, and prints how many positions were compared. Each answer of pyffish takes
over a millisecond, whatever is asked, and our side some ten microseconds: so moves are numbers
here, the text of each is written once, and pyffish is asked one question a move, what is legal
after the last position that is known whole and the quiet moves since. Quiet is a move of a man, no
pawn, to an empty square, but castling: it changes neither the men nor what else a position has but
whose turn it is, where the man stands and the count of quiet moves. After every other move, and at
the end, the whole position is asked for and compared fact by fact.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import pyffish

from gdl.game import Game
from gdl.language.terms import Term
from gdl.state import State
from tests.library.chess_oracles import MOST_DEAD, PLIES, ROLES, VARIANTS, Variant
from tests.library.chess_positions import facts, load, men

HELD: Final = ("cell", "control", "hand", "quiet")
"""Relations of which all is compared: rights, passed pawns and checks follow other customs."""


@dataclass(slots=True)
class Side:
    """The play as pyffish has it.

    Attributes:
        variant: What is played.
        fen: The last position that is known whole.
        since: The quiet moves made since.
        placed: The man of each square that has one.
    """

    variant: Variant
    fen: str
    since: list[str] = field(default_factory=list)
    placed: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the men."""
        self._settle(self.fen)

    def _settle(self, fen: str) -> None:
        self.fen, self.since = fen, []
        self.placed = {f"{file}{rank}": man for file, rank, man in men(fen.split(maxsplit=1)[0])}

    @property
    def whole(self) -> str:
        """The position here, which is known whole from now on."""
        if self.since:
            self._settle(pyffish.get_fen(self.variant.name, self.fen, self.since))
        return self.fen

    def legal(self) -> list[str]:
        """Return the legal moves; none where the variant ends the game at once."""
        moves: list[str] = pyffish.legal_moves(self.variant.name, self.fen, self.since)
        return moves

    def play(self, move: str) -> bool:
        """Make a legal move; return whether it was quiet."""
        begin, to = move[:2], move[2:]
        man = self.placed.get(begin, "")
        is_castling = man.endswith("k") and abs(ord(begin[0]) - ord(to[0])) > 1
        if man and man[1] != "p" and len(to) == 2 and to not in self.placed and not is_castling:
            self.placed[to] = self.placed.pop(begin)
            self.since.append(move)
            return True
        self._settle(pyffish.get_fen(self.variant.name, self.fen, [*self.since, move]))
        return False

    def result(self, moves: list[str], *, was_quiet: bool) -> int | None:
        """Return 1, 0 or -1 for who would move at the end, None where play goes on.

        Nobody's men change in a quiet move, and the count of quiet moves rises by one at most.
        """
        name, asked = self.variant.name, (self.fen, self.since)
        if not moves:
            is_over, value = pyffish.is_immediate_game_end(name, *asked)
            value = value if is_over else pyffish.game_result(name, *asked)
            return (value > 0) - (value < 0)
        if int(self.fen.split()[-2]) + len(self.since) >= PLIES:
            return 0 if int(self.whole.split()[-2]) >= PLIES else None
        if was_quiet or not self.variant.dead or len(self.placed) > MOST_DEAD:
            return None
        return 0 if all(pyffish.has_insufficient_material(name, *asked)) else None


class Twins:
    """A ruleset and a variant, compared on random games; counts what was compared.

    Attributes:
        positions: Positions compared.
        wholes: Those of them that were compared fact by fact.
        games: Games played to their end.
    """

    def __init__(self, game: Game, variant: Variant) -> None:
        """Compare two; the game runs as machine code, which numbers its moves."""
        self._game, self._variant = game, variant
        write = game.ruleset.notation.format
        self._texts = [[write(move) for move in game.moves(role)] for role in ROLES]
        self._numbers = [{text: i for i, text in enumerate(texts)} for texts in self._texts]
        assert all(map(len, self._numbers))
        self._facts: dict[str, Term] = {}
        self.positions = self.wholes = self.games = 0

    def play(self, rng: random.Random) -> str | None:
        """Compare along one random game; return what differs first, None where nothing does."""
        state, side = (
            self._game.initial(),
            Side(self._variant, pyffish.start_fen(self._variant.name)),
        )
        played: list[str] = []
        was_quiet = False
        while True:
            self.positions += 1
            r = len(played) % 2
            moves = side.legal()
            result = side.result(moves, was_quiet=was_quiet)
            for what, ours, theirs in self._answers(state, side, r, moves, result):
                if ours != theirs:
                    return f"{what}: rules {ours}, pyffish {theirs}, after {' '.join(played)}"
            if result is not None:
                self.games += 1
                return None
            move = rng.choice(moves)
            played.append(move)
            state = state.apply(self._numbers[r][move])
            was_quiet = side.play(move)

    def _answers(
        self, state: State, side: Side, r: int, moves: list[str], result: int | None
    ) -> Iterator[tuple[str, object, object]]:
        """Yield what is compared, and what either side says of it."""
        yield "terminal", state.is_terminal, result is not None
        if result is None:
            texts = self._texts[r]
            ours, theirs = {texts[i] for i in state.legal_ids(ROLES[r])}, set(moves)
            yield "legal moves", sorted(ours - theirs), sorted(theirs - ours)
            other = [self._texts[1 - r][i] for i in state.legal_ids(ROLES[1 - r])]
            yield "legal moves of who waits", other, ["noop"]
        else:
            goals = {ROLES[r]: 50 + 50 * result, ROLES[1 - r]: 50 - 50 * result}
            machine = self._game.machine
            ends = {role: machine.goals(state.inner, self._game.role(role)) for role in ROLES}
            yield "goals", ends, {role: (goal,) for role, goal in goals.items()}
        if result is not None or not side.since:
            self.wholes += 1
            held = {fact for fact in state.facts if str(fact).strip("(").split()[0] in HELD}
            said = set(map(self._fact, self._said(side.whole)))
            yield "facts", sorted(map(str, held - said)), sorted(map(str, said - held))

    def _said(self, fen: str) -> Iterator[str]:
        """Yield the facts of a position that are compared."""
        return (fact for fact in facts(fen.replace("~", "")) if fact[1:].split()[0] in HELD)

    def _fact(self, text: str) -> Term:
        term = self._facts.get(text)
        if term is None:
            term = self._facts[text] = self._game.move(text)
        return term


def twins(ruleset: str) -> Twins:
    """Return a ruleset and its variant, ready to be compared."""
    return Twins(load(ruleset), VARIANTS[ruleset])


def game_rng(seed: int, number: int) -> random.Random:
    """Return the chances of a game, those of `gdl.conform.random_games`."""
    return random.Random(f"{seed}/{number}")


def main() -> None:
    """Play games of each variant in turn until the time is over, or a thousand are played."""
    seconds, *names = sys.argv[1:]
    first = int(names.pop(0)) if names and names[0].isdigit() else 0
    names = names or list(VARIANTS)
    every = {name: twins(name) for name in names}
    used = dict.fromkeys(names, 0.0)
    until = time.monotonic() + float(seconds)
    for number in range(first, 1_000):
        for name in names:
            if time.monotonic() > until:
                break
            begin = time.process_time()
            found = every[name].play(game_rng(number // 50, number % 50))
            used[name] += time.process_time() - begin
            if found is not None:
                sys.stdout.write(f"{name}, game {number}: {found}\n")
    for name, both in every.items():
        counts = f"{both.games:,} | {both.positions:,} | {both.wholes:,}"
        sys.stdout.write(f"| {name} | {counts} | {used[name]:.0f} s |\n")


if __name__ == "__main__":
    main()
