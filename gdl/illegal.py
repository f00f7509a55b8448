"""What to say about a move that is not legal: the nearest ones that are.

In: a role, a move, the legal moves. Out: an `IllegalMoveError`.

Source: ours; nearness is that of `difflib` (Ratcliff and Obershelp, 1988) on the KIF text.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term, Variable, kif_text, signature
from gdl.machine import IllegalMoveError, JointMove, Move, Role

SHOWN: Final = 5
"""Legal moves that a message names."""
COMPARED: Final = 2_000
"""Legal moves whose text is compared."""


def illegal_move(role: Role, move: Move, legal: tuple[Move, ...]) -> IllegalMoveError:
    """Return the error for a move that is not among the legal ones."""
    lines = [f"{kif_text(move)} is not legal for {kif_text(role)} here"]
    if not legal:
        lines.append(f"  expected: nothing, {kif_text(role)} has no legal move")
    elif len(legal) <= SHOWN:
        lines.append(f"  expected: {_listed(legal)}")
    else:
        lines.append(
            f"  expected: one of {len(legal)} moves, such as {_listed(nearest(move, legal))}"
        )
    return IllegalMoveError(role, move, legal, "\n".join(lines))


def wrong_number_of_moves(joint_move: JointMove, roles: tuple[Role, ...]) -> GdlError:
    """Return the error for a joint move that has not one move for each role."""
    count = len(joint_move)
    return GdlError(
        f"{count} {'move was' if count == 1 else 'moves were'} given\n"
        f"  expected: one for each role, in this order: {', '.join(map(kif_text, roles))}"
    )


def nearest(move: Move, legal: tuple[Move, ...]) -> list[Move]:
    """Return the legal moves most like another one: of the same name first, then by their text."""
    matcher = SequenceMatcher(a="", b=kif_text(move))

    def likeness(other: Move) -> tuple[bool, float]:
        matcher.set_seq1(kif_text(other))
        return _kind(other) == _kind(move), matcher.ratio()

    return sorted(legal[:COMPARED], key=likeness, reverse=True)[:SHOWN]


def _kind(move: Term) -> object:
    return None if isinstance(move, Variable) else signature(move)


def _listed(moves: tuple[Move, ...] | list[Move]) -> str:
    texts = [kif_text(move) for move in moves]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
