"""KIF text to syntax tree.

In: a source. Out: its description. A scan finds the forms by their brackets
(`kif_scan`), a walk over the same tokens makes S-expressions of them, and `forms`
makes rules of those. Each stage goes on after an error. What a list means (a rule, a negation, a
term) is decided at the end, where better errors can be given; a grammar would say no more of
S-expressions than their brackets do, and takes 50 ms to load.

Source: GDL specification 2008, section 4; quoted symbols as in Common Lisp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

from gdl.language.keywords import CONNECTIVES, fold_keyword
from gdl.language.limits import Limits
from gdl.language.parse.budget import Budget
from gdl.language.parse.forms import Form, FormReader, Node
from gdl.language.parse.kif_scan import scan_kif
from gdl.language.parse.problems import Problems
from gdl.language.parse.scan import batches, token_pattern, unescape
from gdl.language.source import Source
from gdl.language.syntax import Constant, Description, Term, Variable

_TOKENS: Final = {
    "RULE_OPEN": r"\((?=\s*<=[\s()])",
    "SPACE": r"\s+",
    "OPEN": r"\(",
    "CLOSE": r"\)",
    "SYMBOL": r"""[^\s()|;"?][^\s()|;"]*""",
    "VARIABLE": r"""\?[^\s()|;"]+""",
    "QUOTED": r"\|(?:[^|\\\r\n]|\\[^\r\n])*\|",
    "QUOTED_VARIABLE": r"\?\|(?:[^|\\\r\n]|\\[^\r\n])*\|",
    "STRING": r'"[^"\r\n]*"',
    "COMMENT": r";[^\r\n]*",
}
"""The kinds of tokens, in the order in which they are tried."""
_ODD: Final = r'[|"?]'


class Name(NamedTuple):
    """A token that is part of a form; see `gdl.language.parse.forms.Token`."""

    type: str
    value: str
    start_pos: int
    end_pos: int


def parse_kif(source: Source, limits: Limits) -> Description:
    """Return the description that a KIF source holds.

    Raises:
        GdlSyntaxError: With all syntax errors.
        LimitError: When the text is larger than a limit.
    """
    problems = Problems(source)
    budget = Budget(source, limits)
    scan = scan_kif(source, kif_pattern(), budget, problems)
    parts = (
        (batch, nodes_of(source.text[batch.start : batch.stop]))
        for batch in batches(scan.extents, apart=len(problems) > 0)
    )
    return FormReader(problems, LEAVES, EXAMPLES).description(scan, parts, budget)


def parse_kif_term(source: Source, limits: Limits) -> Term:
    """Return the one term that a KIF source is."""
    problems = Problems(source)
    scan = scan_kif(source, kif_pattern(), Budget(source, limits), problems)
    problems.raise_if_any()
    reader = FormReader(problems, LEAVES, EXAMPLES)
    nodes = nodes_of(source.text)
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
def kif_pattern() -> re.Pattern[str]:
    """Return the tokens as one pattern, and the signs that begin none of them."""
    return token_pattern(_TOKENS, odd=_ODD)


def nodes_of(text: str) -> Sequence[Node]:
    """Return the forms of a text in which the scan has found no fault."""
    open_: list[tuple[int, list[Node]]] = [(0, [])]  # where each begins, and what is in it so far
    for match in kif_pattern().finditer(text):
        kind = match.lastgroup
        assert kind is not None
        start, stop = match.span()
        if kind in {"OPEN", "RULE_OPEN"}:
            open_.append((start, []))
        elif kind == "CLOSE":
            start, items = open_.pop()
            open_[-1][1].append(_form(items, start, stop))
        elif kind not in {"SPACE", "COMMENT"}:
            open_[-1][1].append(Name(kind, match[0], start, stop))
    ((_, nodes),) = open_
    return nodes


def _form(items: list[Node], start: int, stop: int) -> Form:
    """Make a form of what stands between two brackets."""
    word = None
    if items and not isinstance(items[0], Form) and items[0].type == "SYMBOL":
        folded = items[0].value.lower()
        word = folded if folded in CONNECTIVES else None
    return Form(items, start, stop, word)
