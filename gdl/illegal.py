"""What to say about a move that is not legal: the nearest ones that are.

In: a role, a move, the legal moves. Out: an `IllegalMoveError`.

Source: ours; nearness is that of `difflib` (Ratcliff and Obershelp, 1988) on the text shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term, Variable, kif_text, signature
from gdl.machine import IllegalMoveError, JointMove, Move, Role

SHOWN: Final = 5
"""Legal moves that a message names."""
COMPARED: Final = 2_000
"""Legal moves whose text is compared."""
LONGEST: Final = 200
"""Characters of a move that are shown."""


def illegal_move(
    role: Role,
    move: Move,
    legal: tuple[Move, ...],
    *,
    show: Callable[[Move], str] = kif_text,
) -> IllegalMoveError:
    """Return the error for a move that is not among the legal ones.

    Args:
        role: Who wanted to move.
        move: The move.
        legal: What is legal for the role.
        show: Writes a move, by default as KIF text.
    """

    def short(each: Move) -> str:
        text = show(each)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."

    lines = [f"{short(move)} is not legal for {kif_text(role)} here"]
    if not legal:
        lines.append(f"  expected: nothing, {kif_text(role)} has no legal move")
    elif len(legal) <= SHOWN:
        lines.append(f"  expected: {_listed([short(each) for each in legal])}")
    else:
        near = [short(each) for each in nearest(move, legal, show=short)]
        lines.append(f"  expected: one of {len(legal)} moves, such as {_listed(near)}")
    return IllegalMoveError(role, move, legal, "\n".join(lines))


def wrong_number_of_moves(joint_move: JointMove, roles: tuple[Role, ...]) -> GdlError:
    """Return the error for a joint move that has not one move for each role."""
    count = len(joint_move)
    return GdlError(
        f"{count} {'move was' if count == 1 else 'moves were'} given\n"
        f"  expected: one for each role, in this order: {', '.join(map(kif_text, roles))}"
    )


def nearest(
    move: Move, legal: tuple[Move, ...], *, show: Callable[[Move], str] = kif_text
) -> list[Move]:
    """Return the legal moves most like another one: of the same name first, then by their text."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(a="", b=show(move))

    def likeness(other: Move) -> tuple[bool, float]:
        matcher.set_seq1(show(other))
        return _kind(other) == _kind(move), matcher.ratio()

    return sorted(legal[:COMPARED], key=likeness, reverse=True)[:SHOWN]


def _kind(move: Term) -> object:
    return None if isinstance(move, Variable) else signature(move)


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
