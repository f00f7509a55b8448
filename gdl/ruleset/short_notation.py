"""Moves as people write them who look at the board: ``Nbd2``, ``exd6``, ``O-O``, ``Qxf7#``.

What such a text means depends on where it is said: on the facts (what stands on a square), on
the other legal moves (is ``Nd2`` enough?) and on what follows (is it check?). So a
`ShortNotation` writes and reads the legal moves of a `Situation`, and no others; it stands
beside the `gdl.ruleset.notation.Notation` of a ruleset, which writes any move.

Reading is writing backwards: every spelling of every legal move is compared with the text.
Capitals count (``bxc3`` is a pawn's move, ``Bxc3`` a bishop's), blanks do not.

Source: Edwards, "Portable Game Notation Specification", 1994, section 8.2.3, of which this
is the general case: forms that facts choose, letters that are written where they are needed,
and signs for what holds afterwards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from typing import Final, Protocol, TypeAlias

from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.source import Source, Span
from gdl.language.template import match
from gdl.language.terms import Signature, Term, Variable, arguments, signature
from gdl.ruleset.errors import NotationError, one_of
from gdl.ruleset.notation import MAX_TEXT, Field, Notation

Binding: TypeAlias = Mapping[str, Term]
Key: TypeAlias = "tuple[Term, ...]"
Pattern: TypeAlias = "tuple[str | Field | IfNeeded, ...]"

SHOWN: Final = 3
"""Legal moves that a message names."""


class Situation(Protocol):
    """Where a move is written: one role in one state."""

    @property
    def facts(self) -> Collection[Term]:
        """What is true there."""

    @property
    def legal(self) -> Sequence[Term]:
        """The legal moves of the role."""

    def follows(self, move: Term, sentence: Term) -> bool:
        """Return whether a relation of the rules holds after a legal move."""


class _Facts:
    """What is true, to be looked up by what is known of a fact's arguments."""

    def __init__(self, facts: Collection[Term]) -> None:
        self._facts: dict[Signature, list[Term]] = {}
        for fact in facts:
            self._facts.setdefault(_signature(fact), []).append(fact)
        self._indices: dict[tuple[Signature, tuple[int, ...]], dict[Key, list[Term]]] = {}

    def like(self, pattern: Term, bound: Binding) -> Sequence[Term]:
        """Return the facts that agree with a pattern in every argument that is known."""
        args = [
            bound.get(arg.name, arg) if isinstance(arg, Variable) else arg for arg in _args(pattern)
        ]
        places = tuple(at for at, arg in enumerate(args) if arg.is_ground)
        index = self._index(_signature(pattern), places)
        return index.get(tuple(args[at] for at in places), ())

    def _index(self, name: Signature, places: tuple[int, ...]) -> dict[Key, list[Term]]:
        index = self._indices.get((name, places))
        if index is None:
            index = self._indices[name, places] = {}
            for fact in self._facts.get(name, ()):
                args = _args(fact)
                index.setdefault(tuple(args[at] for at in places), []).append(fact)
        return index


@dataclass(frozen=True, slots=True)
class IfNeeded:
    """A field that is written only where moves could not be told apart without it."""

    field: Field


@dataclass(frozen=True, slots=True)
class ShortForm:
    """One shape of a move, where certain facts hold.

    Attributes:
        move: The term, with variables.
        where: Facts that must hold, with variables of the move or of their own.
        pattern: The canonical text.
        accepted: Other texts that are understood.
        fields: By name: what a variable may stand for, also one that is not in the text.
    """

    move: Term
    where: tuple[Term, ...]
    pattern: Pattern
    accepted: tuple[Pattern, ...] = ()
    fields: Mapping[str, Field] = field(default_factory=dict)

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """All texts, the canonical one first."""
        return (self.pattern, *self.accepted)

    def binding(self, move: Term, facts: _Facts) -> Binding | None:
        """Return what the variables stand for in a move that the form covers, else None."""
        binding = match(self.move, move)
        if binding is None or not self._allows(binding):
            return None
        return next(self._holding(binding, self.where, facts), None)

    def _holding(self, bound: Binding, where: tuple[Term, ...], facts: _Facts) -> Iterator[Binding]:
        """Yield every binding with which the facts hold that are left to look for."""
        if not where:
            yield bound
            return
        for fact in facts.like(where[0], bound):
            binding = match(where[0], fact)
            if binding is not None and self._allows(binding):
                both = {**bound, **binding}
                if all(both[name] is term for name, term in bound.items()):
                    yield from self._holding(both, where[1:], facts)

    def _allows(self, binding: Binding) -> bool:
        fields = ((self.fields.get(name), term) for name, term in binding.items())
        return all(field is None or field.text(term) is not None for field, term in fields)


@dataclass(frozen=True, slots=True)
class After:
    """A sign behind a move after which a sentence of the rules holds: ``+`` for a check."""

    sentence: Term
    text: str


@dataclass(frozen=True)
class ShortNotation:
    """How legal moves are written by people who see the position.

    Attributes:
        forms: The first that covers a move writes it.
        after: The first whose sentence holds after the move is written behind it.
        example: A move text, for messages.
    """

    forms: tuple[ShortForm, ...]
    after: tuple[After, ...] = ()
    example: str = ""

    def at(self, situation: Situation) -> ShortMoves:
        """Return the legal moves of a situation, to be written and read."""
        return ShortMoves(self, situation)

    def plain(self, text: str) -> str:
        """Return a text without blanks and without a sign."""
        joined = "".join(text.split())
        signs = (sign.text for sign in self.after if joined.endswith(sign.text))
        return joined.removesuffix(max(signs, key=len, default=""))

    @cached_property
    def shape(self) -> re.Pattern[str]:
        """What every text of this notation matches, legal or not."""
        patterns = [pattern for form in self.forms for pattern in form.patterns]
        return re.compile("|".join("".join(map(_regex, pattern)) for pattern in patterns))


@dataclass(frozen=True)
class ShortMoves:
    """The legal moves of one role in one state, as a short notation writes them.

    Cost of the first question: a look at every legal move with every form; then next to nothing,
    but for a sign, which takes one move made, and is kept.
    """

    notation: ShortNotation
    situation: Situation

    @cached_property
    def _covered(self) -> Mapping[Term, tuple[ShortForm, Binding]]:
        """Each legal move that can be written, with its form and what the variables stand for."""
        facts = _Facts(self.situation.facts)
        covered = {}
        for move in self.situation.legal:
            bound = ((form, form.binding(move, facts)) for form in self.notation.forms)
            covering = next(
                ((form, binding) for form, binding in bound if binding is not None), None
            )
            if covering is not None:
                covered[move] = covering
        return covered

    @cached_property
    def _seen(self) -> Counter[str]:
        """How many moves could be written so, with more or fewer of the optional fields."""
        return Counter(
            text
            for form, binding in self._covered.values()
            for text in set(_texts(form.pattern, binding))
        )

    def format(self, move: Term) -> str | None:
        """Return the text of a move; None where it is not legal, or no form covers it.

        None, too, where another legal move would be written so.
        """
        if move not in self._covered:
            return None
        form, binding = self._covered[move]
        texts = (text for text in _texts(form.pattern, binding) if self._seen[text] == 1)
        text = next(texts, None)
        return None if text is None else text + self._sign(move)

    @cached_property
    def _signs(self) -> dict[Term, str]:
        """What stands behind moves that were written already."""
        return {}

    def _sign(self, move: Term) -> str:
        if (sign := self._signs.get(move)) is not None:
            return sign
        after = self.notation.after
        signs = (sign.text for sign in after if self.situation.follows(move, sign.sentence))
        return self._signs.setdefault(move, next(signs, ""))

    def parse(self, text: str) -> Term | None:
        """Return the legal move that a text stands for; None for a text of another shape.

        Signs (``+``, ``#``) may be left out, and are not held against what follows.

        Raises:
            NotationError: No legal move is written so, or several are.
        """
        if not self._has_shape(text):
            return None
        plain = self.notation.plain(text)
        moves = [
            move
            for move, (form, binding) in self._covered.items()
            if any(plain in _texts(pattern, binding) for pattern in form.patterns)
        ]
        if len(moves) == 1:
            return moves[0]
        raise self._ambiguous(text, moves) if moves else self._unknown(text)

    def read(self, text: str, usual: Notation) -> Term:
        """Return the move of a text in this notation or in the usual one.

        A text that is exactly a legal move in the usual notation is that move; else what this
        notation says counts, and then what is a move in the usual one, legal or not.

        Raises:
            NotationError: The text is no move, or no legal move is written so.
        """
        if self._has_shape(text):
            exact = (legal for legal in self.situation.legal if usual.format(legal) == text.strip())
            try:
                move = next(exact, None) or self.parse(text)
            except NotationError:
                move = _exactly(text, usual)
                if move is None:
                    raise
            assert move is not None, "it has the shape"
            return move
        return usual.parse(text)

    def _has_shape(self, text: str) -> bool:
        if len(text) > MAX_TEXT:
            return False
        return self.notation.shape.fullmatch(self.notation.plain(text)) is not None

    def _ambiguous(self, text: str, moves: list[Term]) -> NotationError:
        texts = [self.format(move) or str(move) for move in moves]
        said = f"{len(moves)} legal moves are written so"
        return _error(text, texts, "ambiguous-move", said, one_of(texts))

    def _unknown(self, text: str) -> NotationError:
        texts = {written for move in self._covered if (written := self.format(move))}
        near = get_close_matches(text.strip(), sorted(texts), n=SHOWN, cutoff=0.0)
        expected = f"one of {len(texts)} moves, such as {one_of(near)}"
        if len(texts) <= SHOWN:
            expected = one_of(near) if near else "nothing, no move is legal"
        return _error(text, near, "no-such-move", "no legal move is written so", expected)


def _exactly(text: str, usual: Notation) -> Term | None:
    """Return the move that the usual notation writes so, None where there is none."""
    try:
        move = usual.parse(text)
    except NotationError:
        return None
    return move if usual.format(move) == text.strip() else None


def _error(text: str, near: Iterable[str], slug: str, said: str, expected: str) -> NotationError:
    span = Span(Source("move", text), 0, max(len(text), 1))
    problem = Diagnostic(slug, Severity.ERROR, said, span, expected=expected)
    return NotationError(text, tuple(near), problem)


def _texts(pattern: Pattern, binding: Binding) -> Iterator[str]:
    """Yield the texts of a pattern, those with fewer of its optional fields first."""
    optional = [at for at, piece in enumerate(pattern) if isinstance(piece, IfNeeded)]
    for number in range(len(optional) + 1):
        for chosen in combinations(optional, number):
            yield "".join(
                _text(piece, binding)
                for at, piece in enumerate(pattern)
                if at in chosen or not isinstance(piece, IfNeeded)
            )


def _text(piece: str | Field | IfNeeded, binding: Binding) -> str:
    if isinstance(piece, str):
        return piece
    field = piece.field if isinstance(piece, IfNeeded) else piece
    text = field.text(binding[field.name])
    assert text is not None, "a form covers a move only with values of its fields"
    return text


def _regex(piece: str | Field | IfNeeded) -> str:
    if isinstance(piece, str):
        return re.escape(piece)
    field = piece.field if isinstance(piece, IfNeeded) else piece
    texts = "|".join(re.escape(text) for _, text in field.texts)
    return f"(?:{texts}){'?' if isinstance(piece, IfNeeded) else ''}"


def _args(term: Term) -> tuple[Term, ...]:
    assert not isinstance(term, Variable)
    return arguments(term)


def _signature(term: Term) -> Signature:
    assert not isinstance(term, Variable)
    return signature(term)
