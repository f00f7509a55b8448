"""KIF text to syntax tree.

In: a source. Out: its description. A scan finds the forms by their brackets
(`kif_scan`), lark reads them as S-expressions (``kif.lark``), and `forms`
makes rules of those. Each stage goes on after an error.

Source: GDL specification 2008, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, cast

from gdl.language.keywords import CONNECTIVES, fold_keyword
from gdl.language.limits import Limits
from gdl.language.parse.budget import Budget
from gdl.language.parse.forms import Form, FormReader, Node, all_of, extent
from gdl.language.parse.kif_scan import scan_kif
from gdl.language.parse.problems import Problems
from gdl.language.parse.scan import batches, token_pattern, unescape
from gdl.language.source import Source
from gdl.language.syntax import Constant, Description, Term, Variable

if TYPE_CHECKING:
    from lark import Lark

_NAMES: Final = ("SYMBOL", "VARIABLE", "QUOTED", "QUOTED_VARIABLE", "STRING")
_RULE_OPEN: Final = r"\((?=\s*<=[\s()])"


def parse_kif(source: Source, limits: Limits) -> Description:
    """Return the description that a KIF source holds.

    Raises:
        GdlSyntaxError: With all syntax errors.
        LimitError: When the text is larger than a limit.
    """
    problems = Problems(source)
    budget = Budget(source, limits)
    scan = scan_kif(source, _token_pattern(), budget, problems)
    parts = (
        (batch, _nodes(source.text[batch.start : batch.stop]))
        for batch in batches(scan.extents, apart=len(problems) > 0)
    )
    return FormReader(problems, LEAVES, EXAMPLES).description(scan, parts, budget)


def parse_kif_term(source: Source, limits: Limits) -> Term:
    """Return the one term that a KIF source is."""
    problems = Problems(source)
    scan = scan_kif(source, _token_pattern(), Budget(source, limits), problems)
    problems.raise_if_any()
    reader = FormReader(problems, LEAVES, EXAMPLES)
    nodes = _nodes(source.text)
    if len(scan.extents) != 1:
        start, stop = scan.extents[1] if scan.extents else (0, len(source.text))
        message = f"one term is expected here, not {len(scan.extents) or 'none'}"
        expected = "a constant, a variable, or (name argument ...)"
        problems.add("not-one-term", start, stop, message, expected=expected)
        raise problems.error()
    term, _ = reader.term(nodes[0])
    problems.raise_if_any()
    return term


LEAVES: Final[dict[str, Callable[[str], Constant | Variable]]] = {
    "SYMBOL": lambda text: Constant(fold_keyword(text)),
    "VARIABLE": lambda text: Variable(text[1:]),
    "QUOTED": lambda text: Constant(unescape(text[1:-1])),
    "QUOTED_VARIABLE": lambda text: Variable(unescape(text[2:-1])),
    "STRING": Constant,
}
"""The term that each kind of token is."""

EXAMPLES: Final = {
    "<=": "(<= (legal ?player noop) (role ?player))",
    "not": "(not (true (control white)))",
    "or": "(or (line x) (line o))",
    "and": "(and (line x) (line o))",
    "distinct": "(distinct ?x ?y)",
}
"""How each connective is used."""


@cache
def _parser() -> Lark:
    """Return the parser for S-expressions. Built once: 15 ms, and 50 ms for the import."""
    from pkgutil import get_data  # importlib.resources takes 10 ms to load

    from lark import Lark, Transformer

    class Forms(Transformer[Node, list[Node]]):
        start = staticmethod(all_of)
        list = staticmethod(_form)

    grammar = get_data("gdl.language.parse", "kif.lark")
    assert grammar is not None
    return Lark(grammar.decode(), parser="lalr", lexer="basic", transformer=Forms())


def _form(children: list[Node]) -> Form:
    """Make a form of what the grammar found: two brackets and all between them."""
    items = children[1:-1]
    word = None
    if items and not isinstance(items[0], Form) and items[0].type == "SYMBOL":
        folded = items[0].lower()
        word = folded if folded in CONNECTIVES else None
    return Form(items, extent(children[0])[0], extent(children[-1])[1], word)


@cache
def _token_pattern() -> re.Pattern[str]:
    """Return the grammar's tokens as one pattern, and the signs that begin none of them."""
    names = ("SPACE", "OPEN", "CLOSE", *_NAMES, "COMMENT")
    return token_pattern(_parser(), names=names, first={"RULE_OPEN": _RULE_OPEN}, odd=r'[|"?]')


def _nodes(text: str) -> Sequence[Node]:
    return cast("list[Node]", _parser().parse(text))  # what the transformer makes of ``start``
