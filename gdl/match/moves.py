"""What a move text means here, and what exactly is wrong with one that is refused.

In: a state, a role, a text. Out: the legal move, or a `RefusedError` whose code tells a text that
is no move from one beside the board, and an occupied cell from any other rule. Nothing is
known of particular games: coordinates are known by their tables in the notation, cells by
the picture of the board.

Source: the codes are asked for by "Gomoku Implementation Spec", section 8.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Compound, Constant, Term, kif_text
from gdl.language.template import fill
from gdl.language.template import match as match_template
from gdl.machine import illegal_move
from gdl.match.refusal import Code, RefusedError
from gdl.ruleset.notation import MAX_TEXT, Field, Piece
from gdl.state import State
from gdl.view.picture import CellFact

_NUMBER: Final = r"[+-]?\d+"
_LETTER: Final = r"[A-Za-z]"


def read_move(
    state: State, role: str, text: str, *, is_hidden: bool = False, who: str = ""
) -> Term:
    """Return the legal move that a text stands for.

    Args:
        state: Where it is to be made.
        role: Who makes it.
        text: In the ruleset's notation, or KIF.
        is_hidden: Whether the state is not to be told; ``occupied`` would tell a fact.
        who: What people call the role; empty for its name.

    Raises:
        RefusedError: ``malformed``, ``out-of-range``, ``occupied`` or ``illegal-move``.
    """
    try:
        move = state.move(text, role)
    except GdlError as error:
        code = Code.OUT_OF_RANGE if is_beyond(state.game, text) else Code.MALFORMED
        raise RefusedError(code, str(error)) from error
    return require_legal(state, role, move, is_hidden=is_hidden, who=who)


def require_legal(
    state: State, role: str, move: Term, *, is_hidden: bool = False, who: str = ""
) -> Term:
    """Return a move that is legal for a role.

    Raises:
        RefusedError: ``out-of-range``, ``occupied`` or ``illegal-move``; names legal ones.
    """
    term = state.game.role(role)
    legal = state.legal(term)
    if move in legal:
        return move
    show = partial(state.notation, short=True)
    error = illegal_move(term, move, tuple(legal), show=show, who=who)
    if is_beyond(state.game, kif_text(move)) or is_term_beyond(state.game, move):
        raise RefusedError(Code.OUT_OF_RANGE, error.message, expected=error.expected)
    if not is_hidden and (taken := occupant(state, role, move)) is not None:
        raise RefusedError(
            Code.OCCUPIED,
            error.message,
            expected=error.expected,
            notes=[f"{kif_text(taken)} holds"],
        )
    raise RefusedError(Code.ILLEGAL_MOVE, error.message, expected=error.expected)


def is_beyond(game: Game, text: str) -> bool:
    """Return whether a text would be a move if the tables of its coordinates went on.

    A coordinate is a field whose values and texts both count up in numbers or letters.
    """
    if len(text) > MAX_TEXT:
        return False
    notation = game.ruleset.notation
    for form in notation.forms:
        for pattern in (form.pattern, *form.accepted):
            if any(isinstance(p, Field) and _counts(p) for p in pattern):
                read = _regex(pattern).fullmatch(text.strip())
                if read is not None and _is_off_the_table(pattern, read):
                    return True
    return False


def is_term_beyond(game: Game, move: Term) -> bool:
    """Return the same of a move that was written as a term."""
    for form in game.ruleset.notation.forms:
        binding = match_template(form.move, move)
        if binding is None:
            continue
        off = [field for field in form.fields if field.text(binding[field.name]) is None]
        if off and all(_goes_on(field, kif_text(binding[field.name])) for field in off):
            return True
    return False


def _goes_on(field: Field, value: str) -> bool:
    """Return whether a value could be one of a coordinate, if its table went on."""
    if _counts(field) is None:
        return False
    is_number = kif_text(field.texts[0][0]).isdecimal()
    return re.fullmatch(_NUMBER if is_number else _LETTER, value) is not None


def _is_off_the_table(pattern: tuple[Piece, ...], read: re.Match[str]) -> bool:
    fields = [piece for piece in pattern if isinstance(piece, Field)]
    texts_of = [{text.casefold() for _, text in field.texts} for field in fields]
    groups = zip(read.groups(), texts_of, strict=True)
    return any(group.casefold() not in texts for group, texts in groups)


def _regex(pattern: tuple[Piece, ...]) -> re.Pattern[str]:
    """Return what a pattern matches when coordinates may be any number, or any letter."""
    regexes = []
    for piece in pattern:
        if isinstance(piece, str):
            regexes.append(r"\s*".join(map(re.escape, piece.split())) or "")
        elif (kind := _counts(piece)) is not None:
            regexes.append(f"({kind})")
        else:
            regexes.append(f"({'|'.join(re.escape(text) for _, text in piece.texts)})")
    return re.compile(r"\s*".join(part for part in regexes if part), re.IGNORECASE)


def _counts(field: Field) -> str | None:
    """Return what a coordinate is written in, numbers or letters; None for any other field."""
    values = [kif_text(term) for term, _ in field.texts]
    texts = [text for _, text in field.texts]
    if _are_consecutive(values) and _are_consecutive(texts):
        return _NUMBER if texts[0].isdecimal() else _LETTER
    return None


def _are_consecutive(texts: list[str]) -> bool:
    if all(text.isascii() and text.isdecimal() for text in texts):
        numbers = [int(text) for text in texts]
    elif all(len(text) == 1 and text.isascii() and text.isalpha() for text in texts):
        numbers = [ord(text) for text in texts]
    else:
        return False
    ordered = sorted(numbers)
    return len(texts) > 1 and ordered == list(range(ordered[0], ordered[0] + len(ordered)))


def occupant(state: State, role: str, move: Term) -> Term | None:
    """Return the mark that alone is in the way of a move, None if there is no such.

    The move names the mark's cell, and would be legal if the cell were empty.
    """
    picture = state.game.ruleset.picture
    if picture is None:
        return None
    facts = state.facts
    named = Counter(_symbols(move))
    for kind in picture.cells:
        for fact in facts:
            binding = match_template(kind.fact, fact)
            if binding is None or _mark(kind, binding) in picture.blank:
                continue
            place = Counter(_symbols(fact)) - Counter(_symbols(binding.get("mark")))
            if place <= named and _is_legal_without(state, role, move, fact, kind):
                return fact
    return None


def _mark(kind: CellFact, binding: dict[str, Term]) -> str:
    return kif_text(binding["mark"]) if kind.mark is None else kind.mark


def _is_legal_without(state: State, role: str, move: Term, fact: Term, kind: CellFact) -> bool:
    picture = state.game.ruleset.picture
    assert picture is not None
    others = set(state.facts) - {fact}
    binding = match_template(kind.fact, fact)
    assert binding is not None
    blanks = [Constant(name) for name in sorted(picture.blank)] if "mark" in binding else []
    emptied = [others | {fill(kind.fact, {**binding, "mark": blank})} for blank in blanks] or [
        others
    ]
    return any(move in state.game.state(facts).legal(role) for facts in emptied)


def _symbols(term: object) -> Iterator[str]:
    match term:
        case tuple():
            for part in term:
                yield from _symbols(part)
        case Compound(_, args):
            yield from _symbols(args)
        case Constant(name):
            yield name
        case _:
            return
