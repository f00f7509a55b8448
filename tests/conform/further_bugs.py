"""Bugs in engines of kinds that differ: python-chess and three variants, open_spiel, by hand.

They are special moves and ends that chance comes to seldom: castling where the rook is attacked, a
capture in passing that bares the king, a grand slam, mills, kings that touch.

``python -m tests.conform.further_bugs SECONDS [NAME...]`` prints which are found.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import chess

from gdl.conform import Audit, conform
from tests.conform.bugs import last, moves, paid, too_soon, unplayable, unseen
from tests.conform.faulty import Bug, Faulty, moves_made
from tests.library.by_hand.checkers import Checkers
from tests.library.by_hand.go import SIZE, Go, flood
from tests.library.by_hand.lines_of_action import WAYS, LinesOfAction
from tests.library.by_hand.morris import Morris
from tests.library.by_hand.oware import Oware, row, sown

# Chess ---------------------------------------------------------------------------------------


def castles(position: Any, move: str, squares: str = "") -> bool:  # noqa: ANN401
    """Whether a move is black's castling, with one of some squares attacked by white."""
    parsed = chess.Move.from_uci(move)
    attacked = [
        s for s in squares.split() if position.is_attacked_by(chess.WHITE, chess.parse_square(s))
    ]
    is_one = position.turn == chess.BLACK and position.is_castling(parsed)
    return is_one and (bool(attacked) or not squares)


def playable(name: str, extra: Callable[[Any], list[str]]) -> Bug:
    """Moves that are legal as well."""
    return Bug(name, legal=lambda p, right: right + [m for m in extra(p) if m not in right])


def through_check(position: Any) -> list[str]:  # noqa: ANN401
    """Return castling of black over an attacked square."""
    board = position.copy(stack=False)
    if board.turn or board.is_check():
        return []
    found = []
    for move, wing, rook in (("e8g8", "f8 g8", "h8"), ("e8c8", "d8 c8 b8", "a8")):
        squares = [chess.parse_square(s) for s in wing.split()]
        has_right = board.castling_rights & chess.BB_SQUARES[chess.parse_square(rook)]
        is_free = has_right and not any(board.piece_at(s) for s in squares)
        if is_free and not board.is_attacked_by(chess.WHITE, squares[1]):
            found.append(move)
    return found


def after_the_rook_moved(position: Any) -> list[str]:  # noqa: ANN401
    """Return castling of black with a rook that has moved, or another one."""
    board = position.copy(stack=False)
    rooks = board.pieces_mask(chess.ROOK, chess.BLACK)
    if (
        board.turn
        or board.king(chess.BLACK) != chess.E8
        or not board.castling_rights & chess.BB_RANK_8
    ):
        return []
    board.castling_rights |= rooks & (chess.BB_A8 | chess.BB_H8)
    return [m.uci() for m in board.legal_moves if board.is_castling(m)]


def bares_the_king(position: Any) -> list[str]:  # noqa: ANN401
    """Return captures in passing that open a line to the own king."""
    pseudo = position.generate_pseudo_legal_ep()
    return [m.uci() for m in pseudo if not position.is_legal(m) and not position.is_check()]


def by_a_knight(position: Any, _move: str) -> bool:  # noqa: ANN401
    return bool(position.checkers() & position.knights)


CHESS: Final = (
    unplayable("castles long with b8 attacked", lambda p, m: castles(p, m, "b8")),
    unplayable("black castles long", lambda p, m: m == "e8c8" and castles(p, m)),
    unplayable("black castles with a8 or h8 attacked", lambda p, m: castles(p, m, "a8 h8")),
    playable("black castles through check", through_check),
    playable("black castles after the rook has moved", after_the_rook_moved),
    playable("a capture in passing bares the king", bares_the_king),
    unplayable("a promotion to a rook by capture", lambda _, m: m[4:] == "r" and m[0] != m[2]),
    unseen(
        "mate of white on the last rank",
        lambda p: p.turn and p.is_checkmate() and (p.king(chess.WHITE) or 0) > 55,
    ),
    paid("stalemate of black", lambda p, _: p.is_stalemate() and not p.turn, [1.0, -1.0]),
)


def kings_touch(position: Any) -> bool:  # noqa: ANN401
    kings = position.king(chess.WHITE), position.king(chess.BLACK)
    return None not in kings and chess.square_distance(*kings) == 1


ATOMIC: Final = (
    unplayable(
        "quiet moves of pawns where kings touch", lambda p, m: kings_touch(p) and m[0] == m[2]
    ),
    unplayable("en passant", lambda p, m: p.is_en_passant(p.parse_uci(m))),
)
CRAZYHOUSE: Final = (
    unplayable(
        "a drop of a queen that checks", lambda p, m: m[0] == "Q" and p.gives_check(p.parse_uci(m))
    ),
    playable(
        "pawns are dropped on the last rank",
        lambda p: (
            ["P@h8"]
            if p.turn
            and p.pockets[chess.WHITE].count(chess.PAWN)
            and not p.piece_at(63)
            and not p.is_check()
            else []
        ),
    ),
)
RACING: Final = (
    paid(
        "black arrives as well",
        lambda p, right: right == [0.0, 0.0] and moves_made(p) > 1,
        [1.0, -1.0],
    ),
)


# By hand -------------------------------------------------------------------------------------


def joined_but(ways: set[complex], pieces: frozenset[complex]) -> bool:
    group = set(list(pieces)[:1])
    while new := {p + way for p in group for way in set(WAYS) - ways} & pieces - group:
        group |= new
    return group == pieces


class NoFallingDiagonal(LinesOfAction):
    def to_move(self, position: Any) -> str | None:  # noqa: ANN401
        ways = {1 - 1j, -1 + 1j}
        if any(joined_but(ways, side) for side in position[:2]) or position.moves == 300:
            return None
        return self.mover(position) if self.legal_moves(position) else None


class WrongTogether(LinesOfAction):
    """Both together: who has not moved wins."""

    def returns(self, position: Any) -> tuple[int, int]:  # noqa: ANN401
        right = super().returns(position)
        both = all(joined_but(set(), side) for side in position[:2])
        return (-right[0], -right[1]) if both else right


class LeapsOnTheEdge(LinesOfAction):
    def legal_moves(self, position: Any) -> Any:  # noqa: ANN401
        right = super().legal_moves(position)
        edge = [s for s in position.yours if s.real == 7]
        return right + [
            m
            for m in super().legal_moves(position._replace(yours=position.yours - {*edge}))
            if m not in right and m[0].real == m[1].real == 7
        ]


class TakesFromMills(Morris):
    """Men in mills may be taken, when they are few."""

    def legal_moves(self, position: Any) -> Any:  # noqa: ANN401
        yours = position.men[1 - position.turn]
        few = position.is_taking and len(yours) == 4 and not position.hand[position.turn]
        return [("take", p) for p in yours] if few else super().legal_moves(position)


class NoneFlyAsBlack(Morris):
    def legal_moves(self, position: Any) -> Any:  # noqa: ANN401
        right: list[Any] = super().legal_moves(position)
        flying = position.turn == 1 and len(position.men[1]) == 3
        return (
            [m for m in right if m[0] != "move" or m[-1] in self.near[m[1]]] or right
            if flying
            else right
        )


class StuckIsADraw(Morris):
    def returns(self, position: Any) -> tuple[int, int]:  # noqa: ANN401
        few = [s for s in (0, 1) if len(position.men[s]) + position.hand[s] < 3]
        return super().returns(position) if few else (0, 0)


class KoOfTwo(Go):
    """A ko is closed, too, where the stone that took one has a friend."""

    def play(self, position: Any, move: Any) -> Any:  # noqa: ANN401
        after = super().play(position, move)
        taken = position.yours - after.mine
        if move is None or len(taken) != 1:
            return after
        chain, edge = flood(move, after.yours)
        return (
            after._replace(ko=next(iter(taken)))
            if len(chain) == 2 and len(edge - after.mine) == 1
            else after
        )


class SuicideOfThree(Go):
    def legal_moves(self, position: Any) -> Any:  # noqa: ANN401
        right = super().legal_moves(position)
        points = [(x, y) for x in range(SIZE) for y in range(SIZE)]
        more = [
            p
            for p in points
            if p not in right and p not in position.mine | position.yours and p != position.ko
        ]
        return right + [p for p in more if len(flood(p, position.mine | {p})[0]) == 4]


class DrawIsWhites(Go):
    def returns(self, position: Any) -> tuple[int, int]:  # noqa: ANN401
        right = super().returns(position)
        return (-1, 1) if right == (0, 0) and position.mine else right


class GrandSlam(Oware):
    """A grand slam of one house takes it."""

    def play(self, position: Any, move: int) -> Any:  # noqa: ANN401
        right = super().play(position, move)
        houses, end = sown(position.houses, move)
        other = [at for at in row(1 - position.turn) if houses[at]]
        if other == [end] and houses[end] in {2, 3}:
            south, north = right.stores
            won = houses[end]
            houses[end] = 0
            stores = (south, north + won) if position.turn else (south + won, north)
            return right._replace(houses=tuple(houses), stores=stores, quiet=0)
        return right


class NeedNotFeed(Oware):
    def legal_moves(self, position: Any) -> Any:  # noqa: ANN401
        right = super().legal_moves(position)
        return [h for h in row(position.turn) if position.houses[h]] if right else right


class ManyPaidWrong(Oware):
    def returns(self, position: Any) -> tuple[int, int]:  # noqa: ANN401
        right = super().returns(position)
        return right if max(position.stores) > 24 else (right[1], right[0])


class JumpsOn(Checkers):
    """A man that is crowned by its second jump goes on jumping."""

    def play(self, position: Any, move: Any) -> Any:  # noqa: ANN401
        right = super().play(position, move)
        on = right._replace(turn=position.turn, jumper=move[1])
        is_on = position.jumper is not None and right.turn != position.turn
        return on if is_on and self.legal_moves(on) else right


class KingsNeedNotJump(Checkers):
    """Two kings alone against one need not jump."""

    def legal_moves(self, position: Any) -> Any:  # noqa: ANN401
        right = super().legal_moves(position)
        is_end = sum(map(len, position.pieces)) == 3 and position.jumper is None
        return (
            [*right, *(m for m in self.moves(position, 1) if m not in right)] if is_end else right
        )


class BlockedIsADraw(Checkers):
    def returns(self, position: Any) -> tuple[int, int]:  # noqa: ANN401
        return super().returns(position) if not position.pieces[position.turn] else (0, 0)


Make = Callable[[], Any]
ENGINES: Final[tuple[tuple[str, str, Make], ...]] = (
    *(("chess", bug.name, partial(Faulty, "python-chess:chess+draws", bug)) for bug in CHESS),
    *(
        ("chess/atomic", bug.name, partial(Faulty, "python-chess:atomic+draws", bug))
        for bug in ATOMIC
    ),
    *(
        ("chess/crazyhouse", bug.name, partial(Faulty, "python-chess:crazyhouse+draws", bug))
        for bug in CRAZYHOUSE
    ),
    *(
        ("chess/racingkings", bug.name, partial(Faulty, "python-chess:racingkings+draws", bug))
        for bug in RACING
    ),
    *(
        ("linesofaction", each.__name__, each)
        for each in (NoFallingDiagonal, WrongTogether, LeapsOnTheEdge)
    ),
    *(("morris/six", each.__name__, partial(each, 6)) for each in (TakesFromMills, StuckIsADraw)),
    *(
        ("morris/nine", each.__name__, partial(each, 9))
        for each in (NoneFlyAsBlack, TakesFromMills)
    ),
    *(("go", each.__name__, each) for each in (KoOfTwo, SuicideOfThree, DrawIsWhites)),
    *(("oware", each.__name__, each) for each in (GrandSlam, NeedNotFeed, ManyPaidWrong)),
    *(
        ("checkers/american", each.__name__, each)
        for each in (JumpsOn, KingsNeedNotJump, BlockedIsADraw)
    ),
    *(
        ("dotsandboxes", bug.name, partial(Faulty, "dots_and_boxes(num_rows=3,num_cols=3)", bug))
        for bug in (
            unplayable("a line in the middle late", lambda p, m: m == 12 and moves(p) > 19),
            paid("eight boxes to one", lambda p, _: moves(p) == 24 and last(p) == 5, None),
        )
    ),
    *(
        ("y?size=5", bug.name, partial(Faulty, "y(board_size=5)", bug))
        for bug in (
            unseen("a win by the last corner", lambda p: last(p) == 20),
            too_soon("two are left", lambda p: moves(p) == 13),
        )
    ),
)


def main() -> None:
    """Print for each bug whether it is found, with seconds of the processor and positions."""
    seconds, names = float(sys.argv[1]), sys.argv[2:]
    for path, name, make in ENGINES:
        if names and not any(part in f"{path} {name}" for part in names):
            continue
        used, said = time.process_time(), ""
        try:
            audit: Audit = conform(path, make(), positions=10**9, seconds=seconds)
            said = (
                str(audit).splitlines()[0]
                + f" | {audit.positions} positions | {audit.first_length}"
            )
            said += "".join(f" | {r}" for r in audit.remarks)
        except Exception as error:  # noqa: BLE001  # it is part of the table
            said = f"{type(error).__name__}: {error}"
        used = time.process_time() - used
        sys.stdout.write(f"{used:5.1f} s | {path} | {name} | {said[:400]}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
