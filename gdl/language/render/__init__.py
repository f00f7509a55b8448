"""Syntax tree to text, in either notation.

In: a description. Out: a text that parses to an equal description. Comments come along
where the rules know their places; the blank lines between rules are then those of the
source, otherwise one between rules of different relations.

Layout: a rule with at most two literals stands on one line when it fits; otherwise its
head stands on the first line and each literal on one of its own. Terms are never broken.
Who formats a text keeps two choices of its author (``keeps_lines``): a rule whose literals begin
below its head stays so, and facts that share a line go on sharing it.

`notation` is what a rule looks like, in `kif` or `hrf`; `layout` breaks it into lines, `comments`
come back into it; `format` is the formatter, which keeps its author's choices.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

from gdl.language.parse import Syntax, checked_syntax
from gdl.language.preconditions import require
from gdl.language.render.comments import comment_text, rule_lines
from gdl.language.render.hrf import hrf_notation
from gdl.language.render.kif import KIF
from gdl.language.render.notation import Notation
from gdl.language.source import Source, Span
from gdl.language.syntax import Comment, Description, Rule, span_of

DEFAULT_WIDTH: Final = 100
"""Characters of a line."""

_LINE_END: Final = r"(?>\r\n|\r|\n)"
_BLANK_LINE: Final = re.compile(rf"{_LINE_END}[^\S\r\n]*{_LINE_END}")


def render(description: Description, *, syntax: Syntax = "kif", width: int = DEFAULT_WIDTH) -> str:
    """Return a description as text.

    Args:
        description: Any description, whether it came from a text or not.
        syntax: The notation to write.
        width: Characters that a line should not exceed; a long term may.

    Returns:
        The text, with a final line end unless it is empty. Cost linear in the result.

    Example:
        >>> from gdl.language.parse import parse
        >>> print(render(parse("(role white) (<= (legal ?p noop) (role ?p))"), syntax="hrf"))
        role(white).
        legal(P,noop) :- role(P).
        <BLANKLINE>
    """
    notation = notation_of(syntax)
    return write(description, lambda _: notation, width)


def render_rule(rule: Rule, *, syntax: Syntax = "kif", width: int = DEFAULT_WIDTH) -> str:
    """Return one rule as text, without comments and without a final line end."""
    return "\n".join(rule_lines(rule, notation_of(syntax), width, ()))


def notation_of(syntax: Syntax) -> Notation:
    """Return the notation of that name."""
    return KIF if checked_syntax(syntax) == "kif" else hrf_notation()


def write(
    description: Description,
    notation: Callable[[Rule | None], Notation],
    width: int,
    *,
    keeps_lines: bool = False,
) -> str:
    """Return a description as text, each rule (and each comment: None) in its own notation."""
    require("description", description, Description, "rules, as gdl.parse and gdl.read give them")
    writer = _Writer(description, notation, width, keeps_lines=keeps_lines)
    left = Counter(id(source) for source in map(_source, description.rules))
    for rule in description.rules:
        writer.rule(rule)
        left[id(_source(rule))] -= 1
        if not left[id(_source(rule))]:
            writer.rest(_source(rule))
    for source in description.sources:
        writer.rest(source)
    return "".join(f"{line}\n" for line in writer.lines)


class _Writer:
    """Writes rules and comments in their order, with blank lines between.

    Attributes:
        lines: What is written so far.
    """

    def __init__(
        self,
        description: Description,
        notation: Callable[[Rule | None], Notation],
        width: int,
        *,
        keeps_lines: bool,
    ) -> None:
        self.lines: list[str] = []
        self._notation = notation
        self._width = width
        self._keeps_lines = keeps_lines
        self._row: Span | None = None
        self._last: Span | None = None
        self._last_name: str | None = None
        self._waiting: dict[int, deque[Comment]] = {}
        for comment in sorted(description.comments, key=lambda comment: comment.span.start):
            self._waiting.setdefault(id(comment.span.source), deque()).append(comment)

    def rule(self, rule: Rule) -> None:
        """Write a rule, and the comments before and in it and behind it on its last line."""
        notation = self._notation(rule)
        span = span_of(rule.place)
        comments = [] if span is None else self._comments(span)
        blanks = self._blanks_of_row(span)
        self._gap(span, rule.head.sentence.name)
        lines = rule_lines(rule, notation, self._width, comments, keeps_lines=self._keeps_lines)
        is_fact = len(lines) == 1 and not rule.body and not rule.has_arrow
        row = f"{self.lines[-1]}{blanks}{lines[0]}" if blanks and is_fact else ""
        if row and len(row) <= self._width:
            self.lines[-1] = row
        else:
            self.lines += lines
        self._row = span if self._keeps_lines and is_fact and not comments else None
        if comments and span is not None:
            self._last = span.to(comments[-1].span)

    def rest(self, source: Source | None) -> None:
        """Write the comments of a source that are still waiting."""
        waiting = self._waiting.get(id(source), deque())
        while waiting:
            self._comment(waiting.popleft())

    def _comments(self, span: Span) -> list[Comment]:
        """Write the comments before a rule; return those in it and behind it."""
        waiting = self._waiting.get(id(span.source), deque())
        while waiting and waiting[0].span.start < span.start:
            self._comment(waiting.popleft())
        inside = []
        while waiting and _belongs(waiting[0], span):
            inside.append(waiting.popleft())
        return inside

    def _comment(self, comment: Comment) -> None:
        self._gap(comment.span, None)
        self.lines.append(comment_text(comment, self._notation(None)))

    def _blanks_of_row(self, span: Span | None) -> str:
        """Return the blanks between the fact before and what follows it on its line; or ""."""
        row = self._row
        if row is None or row is not self._last or span is None or span.source is not row.source:
            return ""
        between = span.source.text[row.stop : span.start].expandtabs()
        return "" if between.strip(" ") else between or " "

    def _gap(self, span: Span | None, name: str | None) -> None:
        """Write a blank line when one belongs before what comes next."""
        last = self._last
        if span is not None and last is not None and last.source is span.source:
            is_gap = _BLANK_LINE.search(span.source.text, last.stop, span.start) is not None
        else:
            is_gap = span is not last or name != self._last_name
        if self.lines and is_gap:
            self.lines.append("")
        self._last, self._last_name = span, name


def _belongs(comment: Comment, span: Span) -> bool:
    """Return whether a comment stands in a rule, or behind it on its last line."""
    start = comment.span.start
    behind = span.source.text[span.stop : start]
    return start < span.stop or not (comment.own_line or behind.strip(" \t"))


def _source(rule: Rule) -> Source | None:
    return None if rule.place is None else rule.place.span.source
