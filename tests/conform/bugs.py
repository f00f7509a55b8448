"""Thirty bugs in ten games of open_spiel, and the rules that these are held against.

Each game has three, of the kinds that trackers know: a missing rule, a wrong end, a wrong return,
a rare special move. Games whose name begins with ``shared:`` are published rule files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from gdl.conform.conventions import PASS_LEFT_OUT
from tests.conform.faulty import Bug
from tests.shared import SHARED

PUBLISHED: Final = "shared:"
Test = Callable[[Any], bool]


@dataclass(frozen=True)
class Case:
    """One game of open_spiel with its bugs.

    Attributes:
        rules: A ruleset or a published rule file.
        engine: What open_spiel calls the game.
        bugs: Three.
        allow: Conventions that the two need when nothing is wrong.
    """

    rules: str
    engine: str
    bugs: tuple[Bug, Bug, Bug]
    allow: tuple[str, ...] = ()

    @property
    def is_published(self) -> bool:
        """Whether the rules are a file that is not part of the project."""
        return self.rules.startswith(PUBLISHED)

    @property
    def path(self) -> str:
        """What to load."""
        name = self.rules.removeprefix(PUBLISHED)
        return str(SHARED / "games" / name) if self.is_published else name


def moves(position: Any) -> int:  # noqa: ANN401  # open_spiel has no types
    return len(position.history())


def flat(position: Any) -> str:  # noqa: ANN401
    return "".join(str(position).split())


def last(position: Any) -> int:  # noqa: ANN401
    return int(position.history()[-1])


def unseen(name: str, test: Test) -> Bug:
    """An end that is not seen where a test holds."""
    return Bug(name, is_over=lambda p, over: over and not test(p))


def too_soon(name: str, test: Test) -> Bug:
    """Play ends where a test holds."""
    return Bug(name, is_over=lambda p, over: over or test(p))


def paid(name: str, test: Callable[[Any, list[float]], bool], pay: list[float] | None) -> Bug:
    """Where a test holds, this is paid; the opposite of what is right where nothing is given."""
    return Bug(
        name,
        returns=lambda p, right: (
            ([-x for x in right] if pay is None else pay) if test(p, right) else right
        ),
    )


def unplayable(name: str, test: Callable[[Any, Any], bool]) -> Bug:
    """Moves that are not legal where a test holds, unless they are the only ones."""
    return Bug(name, legal=lambda p, right: [m for m in right if not test(p, m)] or right)


def drawn(_: Any, right: list[float]) -> bool:  # noqa: ANN401
    return not any(right)


CASES: Final = (
    Case(
        "tictactoe",
        "tic_tac_toe",
        (
            unseen("the second diagonal of x", lambda p: all(flat(p)[c] == "x" for c in (2, 4, 6))),
            paid("a win by the last move is a draw", lambda p, _: moves(p) == 9, [0.0, 0.0]),
            unplayable("a corner late", lambda p, m: m == 8 and moves(p) == 7),
        ),
    ),
    Case(
        "tictactoe",
        "mnk(m=3,n=3,k=3)",
        (
            unseen("the middle column of o", lambda p: all(flat(p)[c] == "o" for c in (1, 4, 7))),
            paid("the loser is paid nothing", lambda _, r: r[0] < 0, [0.0, 1.0]),
            too_soon("one move is left", lambda p: moves(p) == 8),
        ),
    ),
    Case(
        "connectfour",
        "connect_four",
        (
            Bug("a full column is legal", legal=lambda _, r: list(range(7)) if len(r) < 6 else r),
            paid("a full board is the first's", drawn, [1.0, -1.0]),
            unseen("wins in the last column", lambda p: last(p) == 6 and moves(p) > 14),
        ),
    ),
    Case(
        f"{PUBLISHED}connectFour.kif",
        "connect_four(columns=8,rows=6)",
        (
            unseen("late wins in the first column", lambda p: last(p) == 0 and moves(p) > 20),
            paid("long games are paid wrongly", lambda p, _: moves(p) > 36, None),
            unplayable("the last cell of a column", lambda p, m: p.history().count(m) == 5),
        ),
    ),
    Case(
        "pentago/utwente",
        "pentago",
        (
            paid("two lines at once are the first's", drawn, [1.0, -1.0]),
            too_soon("two turns are left", lambda p: moves(p) == 34),
            unplayable("one turn, late", lambda p, m: m % 8 == 7 and moves(p) == 33),
        ),
    ),
    Case(
        "gomoku/freestyle",
        "gomoku",
        (
            unseen("lines by late stones", lambda p: moves(p) > 110),
            paid("a win on the border", lambda p, _: last(p) < 15, None),
            unplayable("a corner late", lambda p, m: m == 0 and moves(p) > 100),
        ),
    ),
    Case(
        f"{PUBLISHED}breakthrough.kif",
        "breakthrough",
        (
            paid("the winner has few men", lambda p, _: flat(p).count("w") < 9, None),
            unplayable("late captures", lambda p, m: m % 2 == 1 and moves(p) > 50),
            too_soon("after 90 moves", lambda p: moves(p) == 90),
        ),
    ),
    Case(
        f"{PUBLISHED}breakthroughSmall.kif",
        "breakthrough(rows=6,columns=6)",
        (
            unseen("arrival after a long game", lambda p: moves(p) > 36),
            paid("the second wins after captures", lambda p, r: r[1] > 0 and moves(p) > 30, [0, 0]),
            unplayable("a corner's man", lambda p, m: m < 12 and moves(p) > 20),
        ),
    ),
    Case(
        f"{PUBLISHED}hex.kif",
        "hex(board_size=9)",
        (
            paid("long games are paid wrongly", lambda p, _: moves(p) > 68, None),
            too_soon("after 70 moves", lambda p: moves(p) == 70),
            unplayable("the middle when it is late", lambda p, m: m == 40 and moves(p) > 30),
        ),
    ),
    Case(
        f"{PUBLISHED}reversi.kif",
        "othello",
        (
            paid("a draw is the first's", drawn, [1.0, -1.0]),
            too_soon("two squares are left", lambda p: moves(p) == 58),
            unplayable("a corner beside others", lambda p, m: m == 63 and moves(p) > 40),
        ),
        (PASS_LEFT_OUT,),
    ),
)
