"""KIF text to syntax tree: S-expressions by grammar, then rules with exact errors.

In: a source. Out: its description. First a scan of the brackets finds broken forms, so
that one of them does not hide errors in others (`parse_kif_forms`); then lark reads the
S-expressions (``kif.lark``); then each of them becomes a rule, here. No step recurses.

Source: GDL specification 2008, section 4.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, TypeAlias

from gdl.language.diagnostics import Diagnostic, GdlSyntaxError, Severity, sort_diagnostics
from gdl.language.keywords import CONNECTIVES, KEYWORD_ARITIES
from gdl.language.limits import Limits
from gdl.language.source import Source, Span
from gdl.language.syntax import (
    And,
    Atom,
    Comment,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Place,
    Rule,
    Sentence,
    Term,
    Variable,
)

if TYPE_CHECKING:
    from lark import Lark, Token

_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "r": "\r"}


class Form:
    """A list of an S-expression: its items, and where its brackets stood."""

    __slots__ = ("items", "start", "stop")

    def __init__(self, children: list[Node]) -> None:
        """Take what lark found: the brackets and all between them."""
        self.start: int = children[0].start_pos
        self.stop: int = children[-1].end_pos
        self.items: list[Node] = children[1:-1]


Node: TypeAlias = "Form | Token"


@cache
def kif_parser() -> Lark:
    """Return the parser for S-expressions; built once, about 20 ms, with the import 60 ms."""
    from lark import Lark, Transformer

    class Forms(Transformer):  # type: ignore[type-arg,misc]  # lark's are generic by name only
        list = staticmethod(Form)
        start = staticmethod(lambda children: children)

    grammar = files("gdl.language").joinpath("kif.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", transformer=Forms())


class ShapeError(Exception):
    """A form is not what is wanted at its place."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        """Carry the diagnostic up to the rule."""
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


def parse_kif(source: Source, limits: Limits) -> Description:
    """Return the description that a KIF source holds."""
    assert limits
    nodes = kif_parser().parse(source.text)
    reader = _Reader(source)
    rules = []
    errors = []
    for node in nodes:
        try:
            rules.append(reader.rule(node))
        except ShapeError as error:
            errors.append(error.diagnostic)
    if errors:
        raise GdlSyntaxError(diagnostics=sort_diagnostics(errors))
    return Description(tuple(rules), (source,), tuple(_comments(source)))


def _comments(source: Source) -> list[Comment]:
    found = []
    for match in re.finditer(r'\|(?:[^|\\\r\n]|\\[^\r\n])*\||"[^"\r\n]*"|;[^\r\n]*', source.text):
        if match[0][0] == ";":
            span = Span(source, match.start(), match.end())
            own_line = not source.line(span.line)[: span.column - 1].strip()
            found.append(Comment(match[0][1:], span, own_line))
    return found


class _Reader:
    """Turns the S-expressions of one source into rules."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def rule(self, node: Node) -> Rule:
        """Return the rule that a top-level node is."""
        if isinstance(node, Form) and self.connective(node) == "<=":
            if len(node.items) == 1:
                raise self.error("missing-head", node, "a rule has no head")
            head = self.atom(node.items[1])
            body = tuple(self.formula(item) for item in node.items[2:])
            parts = (head.place, *(formula.place for formula in body))
            place = Place(self.span(node), tuple(part for part in parts if part))
            return Rule(head, body, place, has_arrow=True)
        fact = self.atom(node)
        return Rule(fact, (), fact.place)

    def formula(self, node: Node) -> Formula:
        if isinstance(node, Form):
            rest = node.items[1:]
            match self.connective(node):
                case "not":
                    if len(rest) != 1:
                        raise self.error("not-arity", node, "not takes one argument")
                    operand = self.formula(rest[0])
                    return Not(operand, self.place(node, (operand,)))
                case "or":
                    operands = tuple(self.formula(item) for item in rest)
                    return Or(operands, self.place(node, operands))
                case "and":
                    operands = tuple(self.formula(item) for item in rest)
                    return And(operands, self.place(node, operands))
                case "distinct":
                    if len(rest) != 2:
                        raise self.error("distinct-arity", node, "distinct takes two arguments")
                    (left, at), (right, at2) = self.term(rest[0]), self.term(rest[1])
                    return Distinct(left, right, Place(self.span(node), (at, at2)))
        return self.atom(node)

    def atom(self, node: Node) -> Atom:
        term, place = self.term(node)
        if isinstance(term, Variable):
            raise self.error("variable-as-formula", node, "a variable is no sentence")
        return Atom(term, place)

    def term(self, node: Node) -> tuple[Term, Place]:
        if not isinstance(node, Form):
            return self.leaf(node)
        if not node.items:
            raise self.error("empty-list", node, "a list is empty")
        name, _ = (None, None) if isinstance(node.items[0], Form) else self.leaf(node.items[0])
        if not isinstance(name, Constant):
            raise self.error("not-a-name", node, "a list begins with no name")
        found = [self.term(item) for item in node.items[1:]]
        place = Place(self.span(node), tuple(at for _, at in found))
        return (Compound(name.name, tuple(t for t, _ in found)) if found else name), place

    def leaf(self, token: Token) -> tuple[Term, Place]:
        text = str(token)
        place = Place(Span(self.source, token.start_pos, token.end_pos))
        match token.type:
            case "SYMBOL":
                folded = text.lower()
                return Constant(folded if folded in KEYWORD_ARITIES else text), place
            case "VARIABLE":
                return Variable(text[1:]), place
            case "STRING":
                return Constant(text), place
            case "QUOTED_VARIABLE":
                return Variable(unescape(text[2:-1])), place
            case _:
                return Constant(unescape(text[1:-1])), place

    def connective(self, form: Form) -> str | None:
        """Return the connective that a form begins with, in lower case."""
        if form.items and not isinstance(form.items[0], Form) and form.items[0].type == "SYMBOL":
            folded = form.items[0].lower()
            return folded if folded in CONNECTIVES else None
        return None

    def place(self, node: Node, parts: tuple[Formula, ...]) -> Place:
        return Place(self.span(node), tuple(part.place for part in parts if part.place))

    def span(self, node: Node) -> Span:
        if isinstance(node, Form):
            return Span(self.source, node.start, node.stop)
        return Span(self.source, node.start_pos, node.end_pos)

    def error(self, slug: str, node: Node, message: str) -> ShapeError:
        return ShapeError(Diagnostic(slug, Severity.ERROR, message, self.span(node)))


def unescape(text: str) -> str:
    """Return what stands between quotes, with ``\\n`` and ``\\r`` as line ends."""
    return (
        _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text) if "\\" in text else text
    )
