"""What a text looks like from afar: its outline, what can be folded, and the colours of names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from lsprotocol import types

from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.render import render_rule
from gdl.language.syntax import Atom, Place, Rule, Signature, signature
from gdl.language.walk import formulas
from gdl.language.words import cut
from gdl.lsp.documents import Reading
from gdl.lsp.names import Kind, name_span

TOKEN_TYPES: Final = (
    "keyword",
    "function",
    "struct",
    "enumMember",
    "variable",
    "number",
    "comment",
)
"""What colours tell apart: words of the language, relations, functions, constants, ..."""
TOKEN_MODIFIERS: Final = ("definition",)
_OF_KIND: Final = {
    Kind.RELATION: "function",
    Kind.FUNCTION: "struct",
    Kind.CONSTANT: "enumMember",
    Kind.VARIABLE: "variable",
}


def symbols(reading: Reading) -> list[types.DocumentSymbol]:
    """Return the outline: neighbouring rules of one relation are one entry, its rules below it."""
    placed = [(rule, rule.place) for rule in reading.rules.rules if rule.place is not None]
    return [
        _group(relation, list(together), reading)
        for relation, together in groupby(placed, lambda entry: signature(entry[0].head.sentence))
    ]


def _group(
    relation: Signature, together: Sequence[tuple[Rule, Place]], reading: Reading
) -> types.DocumentSymbol:
    inner = [_symbol(rule, place, reading) for rule, place in together]
    if len(inner) == 1:
        return inner[0]
    whole = types.Range(inner[0].range.start, inner[-1].range.end)
    return types.DocumentSymbol(
        str(relation),
        types.SymbolKind.Class,
        whole,
        inner[0].selection_range,
        detail=f"{len(inner):,} rules",
        children=inner,
    )


def _symbol(rule: Rule, place: Place, reading: Reading) -> types.DocumentSymbol:
    head = rule.head.place or place
    return types.DocumentSymbol(
        cut(render_rule(Rule(rule.head), syntax=reading.syntax)),
        types.SymbolKind.Function if rule.body else types.SymbolKind.Constant,
        reading.range(place.span),
        reading.range(head.span),
    )


def folds(reading: Reading) -> list[types.FoldingRange]:
    """Return what can be folded: rules of several lines, and comments one below the other."""
    ranges = []
    for rule in reading.rules.rules:
        if rule.place is not None:
            where = reading.range(rule.place.span)
            if where.end.line > where.start.line:
                ranges.append(types.FoldingRange(where.start.line, where.end.line))
    lines = [
        reading.range(comment.span).start.line
        for comment in reading.rules.comments
        if comment.own_line
    ]
    for _, run in groupby(enumerate(lines), lambda item: item[1] - item[0]):
        block = [line for _, line in run]
        if len(block) > 1:
            kind = types.FoldingRangeKind.Comment
            ranges.append(types.FoldingRange(block[0], block[-1], kind=kind))
    return sorted(ranges, key=lambda fold: fold.start_line)


def tokens(reading: Reading) -> types.SemanticTokens:
    """Return the colours of names, words and comments, each relative to the one before."""
    data: list[int] = []
    line = column = 0
    for start, stop, kind, is_definition in sorted(set(_tokens(reading))):
        begin, end = reading.position(start), reading.position(stop)
        if begin.line != end.line:
            continue
        same_line = begin.line == line
        data += [
            begin.line - line,
            begin.character - (column if same_line else 0),
            end.character - begin.character,
            TOKEN_TYPES.index(kind),
            int(is_definition),
        ]
        line, column = begin.line, begin.character
    return types.SemanticTokens(data)


def _tokens(reading: Reading) -> Iterator[tuple[int, int, str, bool]]:
    for comment in reading.rules.comments:
        yield comment.span.start, comment.span.stop, "comment", False
    for name in reading.names:
        kind = _OF_KIND[name.kind]
        if name.kind is Kind.RELATION and name.signature.name in KEYWORD_ARITIES:
            kind = "keyword"
        elif name.kind is Kind.CONSTANT and name.signature.name.lstrip("+-").isdecimal():
            kind = "number"
        is_definition = name.is_head and name.kind is Kind.RELATION
        yield name.span.start, name.span.stop, kind, is_definition
    if reading.syntax == "kif":  # the signs of the other notation need no colour
        for rule in reading.rules.rules:
            places = [formula.place for formula in formulas(rule) if not isinstance(formula, Atom)]
            for place in [*places, rule.place if rule.has_arrow else None]:
                if place is not None:
                    span = name_span(place)
                    yield span.start, span.stop, "keyword", False
