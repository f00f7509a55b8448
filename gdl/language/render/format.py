r"""The formatter: a text in its best layout, its meaning and all comments kept.

In: a text. Out: the same rules in the same order and notation, laid out by `render`, with
single blank lines between paragraphs and lines that end as most of the text's do. Formatting
twice changes nothing more. Keywords come out in lower case, superfluous brackets are dropped.
"""

from __future__ import annotations

import math
import sys
from collections import Counter

from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import Syntax, detect_syntax, parse
from gdl.language.render import DEFAULT_WIDTH, notation_of, render_rule, write
from gdl.language.render.hrf import hrf_notation
from gdl.language.render.notation import Notation
from gdl.language.source import Source
from gdl.language.syntax import Description, Rule
from gdl.language.walk import leaf_variables, leaves

_UNLIMITED = Limits(
    bytes=sys.maxsize,
    symbol_length=sys.maxsize,
    depth=sys.maxsize,
    rule_length=sys.maxsize,
    rules=sys.maxsize,
    seconds=math.inf,
)


def format_text(
    text: str | Source,
    syntax: Syntax | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    width: int = DEFAULT_WIDTH,
) -> str:
    r"""Return a text in its best layout.

    Args:
        text: The text, or a source.
        syntax: Its notation; None to tell as `parse` does.
        limits: How large the text may be.
        width: Characters that a line should not exceed; a long term may.

    Returns:
        The formatted text. Cost about three times that of `parse`.

    Raises:
        GdlSyntaxError: With all syntax errors of the text.
        LimitError: When the text is larger than a limit.

    Example:
        >>> format_text("(ROLE   white);first\n(role black)")
        '(role white) ;first\n(role black)\n'
    """
    source = text if isinstance(text, Source) else Source("<text>", text.removeprefix("\ufeff"))
    syntax = syntax or detect_syntax(source)
    description = parse(source, syntax=syntax, limits=limits)
    plain = notation_of(syntax)

    def notation(rule: Rule | None) -> Notation:
        anonymous = _anonymous(rule) if rule is not None and syntax == "hrf" else None
        return hrf_notation(anonymous) if anonymous else plain

    formatted = write(description, notation, width, keeps_lines=True)
    again = parse(formatted, syntax=syntax, limits=_UNLIMITED)
    assert _rules(again) == _rules(description), "formatting changed a rule"
    assert _comments(again) == _comments(description), "formatting changed a comment"
    return formatted.replace("\n", source.line_end)


def _anonymous(rule: Rule) -> frozenset[str]:
    """Return the names of the variables of an HRF rule that are written ``_``."""
    if rule.place is None or "_" not in rule.place.span.text:
        return frozenset()
    return frozenset(
        variable.name
        for leaf in leaves(rule)
        for variable, place in leaf_variables(leaf)
        if place is not None and place.span.text == "_"
    )


def _rules(description: Description) -> list[str]:
    """Return the rules in a form that can be compared however deep they are."""
    return [render_rule(rule, width=sys.maxsize) for rule in description.rules]


def _comments(description: Description) -> Counter[str]:
    return Counter(comment.text.rstrip() for comment in description.comments)
