"""Moves as people write them, and back: ``(turn e 5 q01 cw)`` is ``E5 Q01 CW``.

A `Notation` is a list of forms. Each form joins a template of a move term with a
pattern of text; both name the same fields, and each field has a table of values. A move
that no form covers is written as KIF text, and KIF text in brackets is always understood,
so a notation without forms is plain KIF.

Reading is tolerant of capitals and blanks; `format` gives the one canonical text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from math import prod
from typing import Final, TypeAlias

from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.source import Source, Span
from gdl.language.template import fill, match
from gdl.language.terms import Term, kif_text
from gdl.ruleset.errors import NotationError, one_of

MAX_TEXT: Final = 200
"""Characters of a move text; a longer one is no move."""
MAX_LISTED: Final = 5000
"""A form with more texts than this is not searched for the nearest one."""


_AS_IN_KIF: Final = "a term without variables, as in (mark 1 1)"


@dataclass(frozen=True, slots=True)
class Field:
    """A named part of a move, and how each of its values is written.

    Attributes:
        name: For instance ``column``.
        texts: Each value as a term and as text, in order.
    """

    name: str
    texts: tuple[tuple[Term, str], ...]

    def text(self, value: Term) -> str | None:
        """Return how a value is written, None for a value the field does not have."""
        return next((text for term, text in self.texts if term is value), None)


Piece: TypeAlias = "str | Field"
"""Literal text without blanks at its ends, a single blank, or a field."""


@dataclass(frozen=True, slots=True)
class Form:
    """One shape of a move.

    Attributes:
        move: The term, with a variable for each field.
        pattern: The canonical text, in pieces.
        accepted: Other texts that are understood.
    """

    move: Term
    pattern: tuple[Piece, ...]
    accepted: tuple[tuple[Piece, ...], ...] = ()

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the form in the order of the canonical text."""
        return tuple(piece for piece in self.pattern if isinstance(piece, Field))

    def format(self, move: Term) -> str | None:
        """Return the canonical text of a move, None when the form does not cover it."""
        binding = match(self.move, move)
        if binding is None:
            return None
        texts = []
        for piece in self.pattern:
            text = piece if isinstance(piece, str) else piece.text(binding[piece.name])
            if text is None:
                return None
            texts.append(text)
        return "".join(texts)

    def moves(self) -> Iterator[Term]:
        """Yield every move that the form can write, in the order of its value tables."""
        fields = self.fields
        for values in product(*([term for term, _ in slot.texts] for slot in fields)):
            names = (slot.name for slot in fields)
            yield fill(self.move, dict(zip(names, values, strict=True)))

    @property
    def size(self) -> int:
        """How many moves it can write."""
        return prod(len(field.texts) for field in self.fields)


@dataclass(frozen=True, slots=True)
class Notation:
    """How the moves of a game are written.

    Attributes:
        forms: Tried in order; none of them: KIF text.
        example: A move text, for messages.
    """

    forms: tuple[Form, ...] = ()
    example: str = ""

    def format(self, move: Term) -> str:
        """Return the canonical text of a move. Cost O(forms)."""
        for form in self.forms:
            text = form.format(move)
            if text is not None:
                return text
        return kif_text(move)

    def parse(self, text: str) -> Term:
        """Return the move that a text stands for; whether it is legal is not asked.

        Args:
            text: A move in this notation, capitals and blanks as one likes, or KIF text.

        Raises:
            NotationError: The text is no move, or could be several; shows where reading
                stopped, what was expected there, and the nearest text that is a move.
        """
        reading = _Reading(text.strip())
        moves = list(dict.fromkeys(reading.moves(self.forms)))
        if len(moves) > 1:
            moves = [move for move in moves if self.format(move) == reading.text] or moves
        if len(moves) == 1:
            return moves[0]
        if moves:
            raise self._ambiguous(text, moves)
        if not self.forms or reading.text[:1] in {"(", "|"}:
            return self._parse_kif(text, reading)
        raise self._not_a_move(reading)

    def _parse_kif(self, text: str, reading: _Reading) -> Term:
        from gdl.language.parse import parse_term

        try:
            move = parse_term(text, name="move")
        except GdlError as error:
            if error.diagnostics and error.diagnostics[0].slug == "unclosed-bracket":
                raise NotationError(text, (), error.diagnostics[0]) from error
            if self.forms:
                raise self._not_a_move(reading) from error
            meant = _bracketed(text)
            hint = None if meant is None else f"did you mean {meant}?"
            problem = _problem("not-a-move", "this is no KIF term", _whole(text), _AS_IN_KIF, hint)
            raise NotationError(text, () if meant is None else (meant,), problem) from error
        if not move.is_ground:
            problem = _problem("not-a-move", "a move has no variables", _whole(text), _AS_IN_KIF)
            raise NotationError(text, (), problem)
        return move

    def _ambiguous(self, text: str, moves: list[Term]) -> NotationError:
        listed = [f"{self.format(move)} is {move}" for move in moves]
        expected = one_of(listed)
        return NotationError(
            text,
            [self.format(move) for move in moves],
            _problem(
                "ambiguous-move", f"{len(moves)} moves are written so", _whole(text), expected
            ),
        )

    def _not_a_move(self, reading: _Reading) -> NotationError:
        meant = _bracketed(reading.text) if reading.text else None
        if meant is not None and self._writes(meant):
            nearest: tuple[str, ...] = (meant,)
        else:
            nearest = self.nearest(reading.text)
        expected = one_of(dict.fromkeys(reading.expected), most=4)
        if self.example:
            expected = f"{expected}, as in {self.example}"
        problem = _problem(
            "not-a-move",
            "this is no move" if reading.text else "there is no move here",
            Span(Source("move", reading.text), reading.furthest, reading.furthest + 1),
            expected,
            f"did you mean {nearest[0]}?" if nearest else None,
        )
        return NotationError(reading.text, nearest, problem)

    def _writes(self, text: str) -> bool:
        """Return whether a KIF text is a move that one of the forms writes."""
        from gdl.language.parse import parse_term

        move = parse_term(text)
        return any(form.format(move) is not None for form in self.forms)

    def nearest(self, text: str, n: int = 3) -> tuple[str, ...]:
        """Return up to ``n`` texts of moves that look like a text, best first."""
        if len(text) > MAX_TEXT:
            return ()
        by_folded: dict[str, str] = {}
        for form in self.forms:
            if form.size <= MAX_LISTED:
                for move in form.moves():
                    written = form.format(move)
                    if written is not None:
                        by_folded.setdefault(written.casefold(), written)
        close = get_close_matches(" ".join(text.casefold().split()), by_folded, n=n, cutoff=0.5)
        return tuple(by_folded[folded] for folded in close)


def _problem(
    slug: str, message: str, span: Span, expected: str, hint: str | None = None
) -> Diagnostic:
    return Diagnostic(slug, Severity.ERROR, message, span, expected=expected, help=hint)


def _bracketed(text: str) -> str | None:
    """Return a text with the brackets that make it a move, None where they do not."""
    from gdl.language.parse import parse_term

    try:
        move = parse_term(f"({text.strip()})")
    except GdlError:
        return None
    return kif_text(move) if move.is_ground else None


def _whole(text: str) -> Span:
    return Span(Source("move", text), 0, len(text))


@dataclass(slots=True)
class _Reading:
    """One attempt to read a text: all ways to read it, and how far the best one came."""

    text: str
    furthest: int = 0
    expected: list[str] = field(default_factory=list)

    def moves(self, forms: tuple[Form, ...]) -> Iterator[Term]:
        """Yield the move of every way to read the whole text, possibly repeatedly."""
        if len(self.text) > MAX_TEXT:
            self.expected = [f"at most {MAX_TEXT} characters"]
            return
        for form in forms:
            for pattern in (form.pattern, *form.accepted):
                for binding in self._bindings(pattern, 0):
                    yield fill(form.move, binding)

    def _bindings(self, pieces: tuple[Piece, ...], at: int) -> Iterator[dict[str, Term]]:
        """Yield what the fields stand for in every way to read the text from ``at`` on."""
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        if not pieces:
            if at == len(self.text):
                yield {}
            else:
                self._fail(at, "the end of the move")
            return
        piece, rest = pieces[0], pieces[1:]
        if isinstance(piece, str):
            word = piece.strip()
            if self._starts(word, at):
                yield from self._bindings(rest, at + len(word))
            else:
                self._fail(at, word if word.isalnum() else f'"{word}"')
            return
        is_joined = bool(rest) and isinstance(rest[0], Field)
        texts = [
            (term, text)
            for term, text in piece.texts
            if self._starts(text, at) and (is_joined or not self._splits_number(at + len(text)))
        ]
        if not texts:
            self._fail(at, f"a {piece.name} ({one_of(text for _, text in piece.texts)})")
        for term, text in texts:
            for binding in self._bindings(rest, at + len(text)):
                yield {**binding, piece.name: term}

    def _starts(self, word: str, at: int) -> bool:
        return self.text[at : at + len(word)].casefold() == word.casefold()

    def _splits_number(self, at: int) -> bool:
        """Return whether digits stand on both sides; ``15`` is no 1 with a 5 after it."""
        return self.text[at - 1 : at].isdecimal() and self.text[at : at + 1].isdecimal()

    def _fail(self, at: int, expected: str) -> None:
        if at > self.furthest:
            self.furthest, self.expected = at, []
        if at == self.furthest:
            self.expected.append(expected)
