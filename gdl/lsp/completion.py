"""What may be typed at a place: relations, variables of the rule, what was seen at that place.

The rule in which somebody types is broken more often than not, so its text is read token by token
from its beginning to the cursor: which brackets are open, and which argument of what comes next.
All else is known from the rules that can be read, of all parts of a ruleset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from lsprotocol import types

from gdl.language.keywords import CONNECTIVES, KEYWORD_ARITIES, KEYWORD_MEANINGS
from gdl.language.syntax import Signature
from gdl.language.words import counted
from gdl.lsp.documents import Reading
from gdl.lsp.names import Kind, Name, Seat, seat_of
from gdl.lsp.parts import Parts
from gdl.lsp.problems import written_name

_KIF: Final = re.compile(r';[^\r\n]*|\|(?:[^|\\\r\n]|\\[^\r\n])*\||"[^"\r\n]*"|[()]|[^\s()|;"]+')
_HRF: Final = re.compile(r"%[^\r\n]*|'(?:[^'\\\r\n]|\\[^\r\n])*'|:-|[(),.&|~]|[^\s(),.&|~%']+")
_KIF_BEGINNING: Final = re.compile(r"^(?:\(|[ \t]*\(<=)", re.MULTILINE)
_HRF_BEGINNING: Final = re.compile(r"\.(?=\s|$)|^(?=[a-z])", re.MULTILINE)
_WORD: Final = re.compile(r'[^\s()|;",.&~%]*$')
_FACTS: Final = frozenset({"true", "init", "next", "base"})


Item = tuple[str, types.CompletionItemKind, str]
"""A text that may be typed, its kind, and what it is."""


class _Level(NamedTuple):
    """An open bracket: what it belongs to, and how many arguments are complete before here."""

    word: str
    number: int


class Place(NamedTuple):
    """Where a cursor stands.

    Attributes:
        start: Where the word begins that is being typed.
        rule: Where its rule begins.
        seat: Whose argument is typed; None where a sentence is.
        is_name: Whether a name follows that takes arguments: an opening bracket comes before.
    """

    start: int
    rule: int
    seat: Seat | None
    is_name: bool


def completions(parts: Parts, position: types.Position) -> list[types.CompletionItem]:
    """Return what may be typed at a position, the likeliest first."""
    reading = parts.reading
    offset = reading.offset(position)
    place = place_of(reading, offset)
    return offers(_items(parts, place, offset), reading.position(place.start), position)


def offers(
    items: Iterable[Item], start: types.Position, stop: types.Position
) -> list[types.CompletionItem]:
    """Return texts, in their order and each once, as what can stand between two positions."""
    where = types.Range(start, stop)
    return [
        types.CompletionItem(
            text,
            kind=kind,
            detail=detail,
            sort_text=f"{number:05}",
            filter_text=text,
            text_edit=types.TextEdit(where, text),
        )
        for number, (text, kind, detail) in enumerate(dict.fromkeys(items))
    ]


def place_of(reading: Reading, offset: int) -> Place:
    """Return where an offset stands. Cost linear in the text before it in its rule."""
    text = reading.source.text
    word = _WORD.search(text, max(0, text.rfind("\n", 0, offset) + 1), offset)
    start = word.start() if word else offset
    is_kif = reading.syntax == "kif"
    begins = [
        match.start()
        for match in (_KIF_BEGINNING if is_kif else _HRF_BEGINNING).finditer(text, 0, start)
    ]
    rule = begins[-1] if begins else 0
    levels = list((_kif_levels if is_kif else _hrf_levels)(text[rule:start]))
    before = text[rule:start].rstrip()
    is_name = not is_kif or before.endswith("(")
    own = next(
        (n for n in range(len(levels) - 1, -1, -1) if levels[n].word not in CONNECTIVES), None
    )
    if own is None or (is_kif and own == len(levels) - 1 and not levels[own].word and own == 0):
        return Place(start, rule, None, is_name)
    return _argument(levels, own, start, rule, is_name=is_name)


def _argument(levels: list[_Level], own: int, start: int, rule: int, *, is_name: bool) -> Place:
    """Return the place in the innermost bracket that has a name, or is about to get one."""
    if not levels[own].word:  # its name is being typed: what counts is whose argument it is
        own -= 1
        if own < 0 or levels[own].word in CONNECTIVES:
            is_compared = own >= 0 and levels[own].word == "distinct"
            seat = Seat(Signature("distinct", 2), 0, is_relation=True) if is_compared else None
            return Place(start, rule, seat, is_name)
    outer = levels[own - 1].word if own else "<="
    is_relation = outer in CONNECTIVES - {"distinct"}
    holder = Signature(levels[own].word, -1)
    return Place(start, rule, Seat(holder, levels[own].number, is_relation), is_name)


def _kif_levels(text: str) -> Iterator[_Level]:
    """Yield the open brackets, outermost first."""
    stack: list[_Level] = []
    for match in _KIF.finditer(text):
        sign = match[0]
        if sign == "(":
            stack.append(_Level("", -1))
        elif sign == ")":
            if stack:
                stack.pop()
            if stack:
                stack[-1] = stack[-1]._replace(number=stack[-1].number + 1)
        elif stack and sign[0] != ";":
            top = stack[-1]
            is_first = top.number < 0
            word = sign.lower() if sign.lower() in CONNECTIVES | KEYWORD_ARITIES.keys() else sign
            stack[-1] = _Level(word.strip("|") if is_first else top.word, top.number + 1)
    yield from stack


def _hrf_levels(text: str) -> Iterator[_Level]:
    stack: list[_Level] = []
    last = ""
    for match in _HRF.finditer(text):
        sign = match[0]
        if sign == "(":
            is_named = last and (last[0].isalnum() or last[0] in "_'")
            stack.append(_Level(last.strip("'") if is_named else "and", 0))
        elif sign == ")":
            if stack:
                stack.pop()
        elif sign == "," and stack:
            stack[-1] = stack[-1]._replace(number=stack[-1].number + 1)
        last = sign
    yield from stack


def _items(parts: Parts, place: Place, offset: int) -> Iterator[Item]:
    reading = parts.reading
    if place.seat is None:
        yield from _sentences(parts, place)
        return
    holder = place.seat.holder
    wanted = {
        seat_of(Seat(Signature(holder.name, arity), place.seat.number, place.seat.is_relation))
        for arity in _arities(parts, holder.name, is_relation=place.seat.is_relation)
    }
    seen = [name for name in parts.names if name.seat and seat_of(name.seat) in wanted]
    if reading.syntax == "hrf" or not place.is_name:
        yield from _variables(reading, place, offset)
    yield from _terms(reading, place, seen)
    if holder.name not in KEYWORD_ARITIES:
        others = [name for name in parts.names if name.kind is Kind.CONSTANT]
        yield from _terms(reading, place, others)


def _sentences(parts: Parts, place: Place) -> Iterator[Item]:
    reading = parts.reading
    for name in parts.names:
        is_own = name.kind is Kind.RELATION and name.signature.name not in KEYWORD_ARITIES
        if is_own and _fits(reading, place, name.signature.arity):
            text = written_name(Kind.RELATION, name.signature.name, reading)
            yield text, types.CompletionItemKind.Function, _arguments(name.signature)
    words = [*KEYWORD_ARITIES, *(sorted(CONNECTIVES) if reading.syntax == "kif" else ["distinct"])]
    for word in words:
        if _fits(reading, place, KEYWORD_ARITIES.get(word, 1)):
            yield word, types.CompletionItemKind.Keyword, KEYWORD_MEANINGS[word]


def _terms(reading: Reading, place: Place, names: list[Name]) -> Iterator[Item]:
    for name in names:
        if name.kind is Kind.VARIABLE or not _fits(reading, place, name.signature.arity):
            continue
        kind = types.CompletionItemKind.EnumMember
        if name.kind is Kind.FUNCTION:
            kind = types.CompletionItemKind.Struct
        text = written_name(name.kind, name.signature.name, reading)
        yield text, kind, _arguments(name.signature)


def _fits(reading: Reading, place: Place, arity: int) -> bool:
    """Return whether a name with so many arguments can stand there: in KIF after a bracket."""
    return reading.syntax == "hrf" or (arity > 0) is place.is_name


def _arguments(named: Signature) -> str:
    return counted(named.arity, "argument") if named.arity else "no arguments"


def _arities(parts: Parts, word: str, *, is_relation: bool) -> set[int]:
    """Return with how many arguments a word is known."""
    if word in KEYWORD_ARITIES:
        return {KEYWORD_ARITIES[word]}
    kinds = {Kind.RELATION} if is_relation else {Kind.FUNCTION}
    return {
        name.signature.arity
        for name in parts.names
        if name.kind in kinds and name.signature.name == word
    }


def _variables(reading: Reading, place: Place, offset: int) -> Iterator[Item]:
    """Yield the variables of the rule, those after the cursor included."""
    text = reading.source.text
    is_kif = reading.syntax == "kif"
    end = (_KIF_BEGINNING if is_kif else _HRF_BEGINNING).search(text, offset)
    stop = end.start() if end else len(text)
    pattern = _KIF if is_kif else _HRF
    for match in (
        *pattern.finditer(text, place.rule, place.start),
        *pattern.finditer(text, offset, stop),
    ):
        is_variable = match[0][0] == "?" if is_kif else match[0][0].isupper()
        if is_variable and len(match[0]) > is_kif:
            yield match[0], types.CompletionItemKind.Variable, "variable of this rule"
