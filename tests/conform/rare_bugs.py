"""Bugs that are met seldom, in ten more games of open_spiel and in chess.

Special moves (an extra turn, a forced pass, a jump, en passant) that are missing in one corner,
ends that few games come to, chances that are wrong by little, and what a player must not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gdl.conform.conventions import MOVE_LIMIT, PASS_LEFT_OUT, RETURNS_SCALED
from tests.conform.bugs import (
    Case,
    Test,
    drawn,
    flat,
    last,
    moves,
    paid,
    too_soon,
    unplayable,
    unseen,
)
from tests.conform.faulty import Bug

OTHELLO_PASS: Final = 64


def written(position: Any, move: int) -> str:  # noqa: ANN401  # open_spiel has no types
    return str(position.action_to_string(position.current_player(), move))


def seeds(position: Any, house: int) -> int:  # noqa: ANN401
    """Return the seeds in a house: 1 to 6 are the first player's, 8 to 13 the other's."""
    upper, _, lower = (row.strip("-").split("-") for row in str(position).splitlines()[:3])
    return int(lower[house - 1] if house < 7 else upper[13 - house])


def other_card(position: Any, role: int) -> int:  # noqa: ANN401
    """Return what the other player was dealt, or has rolled."""
    return int(position.history()[1 - role])


def is_raised(position: Any) -> bool:  # noqa: ANN401
    """Whether in Leduc poker the second round comes after two raises."""
    return "Round: 2" in str(position) and "Round 1 sequence: Raise, Raise" in str(position)


def tilted(name: str, test: Test) -> Bug:
    """The first and the last outcome are a little more and less likely where a test holds."""

    def chances(position: Any, right: dict[Any, float]) -> dict[Any, float]:  # noqa: ANN401
        if len(right) < 2 or not test(position):
            return right
        first, *_, end = right
        return right | {first: right[first] + 0.001, end: right[end] - 0.001}

    return Bug(name, chances=chances)


def told(name: str, test: Test, secret: Callable[[Any, int], object]) -> Bug:
    """A role is told a secret where a test holds."""
    return Bug(
        name, observation=lambda p, role, right: (right, secret(p, role)) if test(p) else right
    )


def jumps(position: Any, move: int) -> bool:  # noqa: ANN401
    """Whether a move of quoridor is a pawn's, two rows on."""
    text = written(position, move)
    pawn = "0@"[position.current_player()]
    rows = (line for line in str(position).splitlines()[2:] if line[:3].strip().isdigit())
    row = next(line for line in rows if pawn in line[3:-2])
    return len(text) == 2 and abs(int(text[1]) - int(row[:3])) == 2


def no_extra_move(position: Any, right: tuple[int, ...]) -> tuple[int, ...]:  # noqa: ANN401
    """The first player of mancala gets no second move from the last house."""
    return (1,) if right == (0,) and position.history()[-1:] == [6] else right


RARE: Final = (
    Case(
        "kalah",
        "mancala",
        (
            unplayable("a house of ten seeds", lambda p, m: seeds(p, m) > 9),
            Bug("no extra move from one house", movers=no_extra_move),
            paid("a draw is the first's", drawn, [1.0, -1.0]),
        ),
    ),
    Case(
        "clobber",
        "clobber",
        (
            unplayable("a corner late", lambda p, m: written(p, m)[2:] == "f1" and moves(p) > 9),
            too_soon("one move is taken for none", lambda p: len(p.legal_actions()) == 1),
            paid("the shortest games", lambda p, _: moves(p) < 12, None),
        ),
    ),
    Case(
        "kuhnpoker",
        "kuhn_poker",
        (
            paid("a call with the king", lambda p, _: p.history() == [1, 2, 0, 1, 1], None),
            told("a bet shows a card", lambda p: p.history()[2:] == [1], other_card),
            tilted("the second card", lambda p: p.history() == [2]),
        ),
        (RETURNS_SCALED,),
    ),
    Case(
        "leducpoker",
        "leduc_poker",
        (
            tilted("the public card after raises", is_raised),
            told("a card after raises", is_raised, other_card),
            paid("equal hands are the first's", drawn, [1.0, -1.0]),
        ),
        (RETURNS_SCALED,),
    ),
    Case(
        "liarsdice",
        "liars_dice",
        (
            unplayable("one bid upon another", lambda p, m: m == 5 and p.history()[2:] == [3]),
            paid("the highest bid", lambda p, _: p.history()[-2] == 11, None),
            told("a die late", lambda p: moves(p) > 8, other_card),
        ),
    ),
    Case(
        "othello",
        "othello",
        (
            too_soon("a forced pass is the end", lambda p: p.legal_actions() == [OTHELLO_PASS]),
            paid("a win by capturing all", lambda p, _: moves(p) < 50, [0.0, 0.0]),
            unplayable("a corner of the second", lambda p, m: m == 0 and p.current_player() == 1),
        ),
        (PASS_LEFT_OUT,),
    ),
    Case(
        "quoridor",
        "quoridor(board_size=5)",
        (
            unplayable("a straight jump", jumps),
            unplayable("a wall late", lambda p, m: written(p, m) == "a1h" and moves(p) > 12),
            unseen("arrival in a corner", lambda p: last(p) == 0 and p.returns()[0] > 0),
        ),
        (MOVE_LIMIT,),
    ),
    Case(
        "havannah?size=4",
        "havannah(board_size=4)",
        (
            paid("a full board is the first's", drawn, [1.0, -1.0]),
            unseen("the last stone in the middle", lambda p: last(p) == 24 and moves(p) > 20),
            unplayable("a corner late", lambda p, m: written(p, m) == "a1" and moves(p) > 30),
        ),
    ),
    Case(
        "phantomtictactoe",
        "phantom_ttt(obstype=reveal-numturns)",
        (
            told("a mark late", lambda p: moves(p) > 5, lambda p, _: flat(p)[0]),
            unplayable("the middle late", lambda p, m: m == 4 and moves(p) > 7),
            paid("a full board is a draw", lambda p, _: "." not in flat(p), [0.0, 0.0]),
        ),
    ),
    Case(
        "blotto",
        "blotto",
        (
            paid("one pair of bids", lambda p, _: p.history() == [17, 8], None),
            Bug("the last bid", legal=lambda _, right: right[:-1]),
            paid("a draw is the first's", drawn, [1.0, -1.0]),
        ),
    ),
)


def en_passant(position: Any, move: Any) -> bool:  # noqa: ANN401  # UCI
    """Whether a move of chess takes a pawn that has just passed, on the last file."""
    return bool(position.is_en_passant(position.parse_uci(move))) and move[2] == "h"


CHESS: Final = Case(
    "chess",
    "python-chess:chess+draws",
    (
        unplayable("en passant on one file", en_passant),
        unplayable("a knight in a corner", lambda _, m: str(m).endswith("h8n")),
        unplayable("castling to the left of black", lambda _, m: str(m) == "e8c8"),
    ),
)
