"""Comments back into rules that have been laid out anew.

In: a rule with its document, and the comments that stood in it or behind it. Out: the
lines of both. Every comment comes out once, and formatting twice changes nothing more,
because a comment goes by the pieces next to it, which no layout changes:

- behind a piece on its line: to the end of that piece's new line;
- otherwise: to a line of its own, before the line on which the next piece begins;
- before the head: before the rule; behind the last piece: before the closing bracket.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from gdl.language.parse.scan import LINE_END
from gdl.language.render.layout import UNKNOWN, Group, Piece, lay_out, pieces
from gdl.language.render.notation import Notation, rule_document
from gdl.language.syntax import Comment, Rule, span_of


@dataclass(slots=True)
class _Sorted:
    """The comments of a rule by what becomes of them.

    Attributes:
        before: Go before the rule.
        own: Get lines of their own, before the piece that begins at an offset.
        trailing: Follow the piece that begins at an offset; sorted by it.
        closing: Go before the closing bracket.
    """

    before: list[Comment] = field(default_factory=list)
    own: dict[int, list[Comment]] = field(default_factory=dict)
    trailing: list[tuple[int, Comment]] = field(default_factory=list)
    closing: list[Comment] = field(default_factory=list)

    def behind(self, start: int, stop: int | None) -> list[Comment]:
        """Return the comments behind pieces that begin from ``start`` on and before ``stop``."""
        offset = itemgetter(0)
        first = bisect_left(self.trailing, start, key=offset)
        last = None if stop is None else bisect_left(self.trailing, stop, key=offset)
        return [comment for _, comment in self.trailing[first:last]]


def comment_text(comment: Comment, notation: Notation) -> str:
    """Return a comment with the sign of a notation, as often as its own sign began it."""
    text = comment.text.rstrip()
    own_sign = comment.span.text[:1]
    if own_sign == notation.comment:
        return own_sign + text
    rest = text.lstrip(own_sign)
    return notation.comment * (1 + len(text) - len(rest)) + rest


def rule_lines(
    rule: Rule,
    notation: Notation,
    width: int,
    comments: Sequence[Comment],
    *,
    keeps_lines: bool = False,
) -> list[str]:
    """Return a rule and its comments as lines.

    Args:
        rule: The rule.
        notation: How to write it.
        width: Characters that a line should not exceed.
        comments: Those that stood in the rule or behind it on its last line, in order.
        keeps_lines: Whether a rule whose literals begin below its head stays so.
    """
    offsets = [comment.span.start for comment in comments]
    span = span_of(rule.place) if keeps_lines else None
    text = None if span is None else span.source.text
    document, closing = rule_document(rule, notation, offsets, text)
    placed = _sort(comments, list(pieces(document)))
    if placed.closing and isinstance(document, Group):
        document = replace(document, must_break=True)
    elif placed.closing:  # a fact has no line to put them on
        placed.before += placed.closing
        placed.closing = []
    lines = lay_out(document, width - len(closing))
    written = [comment_text(comment, notation) for comment in placed.before]
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        indent = " " * line.indent
        text = f"{line}{closing if following is None and not placed.closing else ''}"
        stop = None if following is None else following.start
        behind = placed.behind(line.start, stop)
        above = placed.own.get(line.start, []) + behind[:-1]
        written += [indent + comment_text(comment, notation) for comment in above]
        written.append(" ".join([text, *(comment_text(c, notation) for c in behind[-1:])]))
    if placed.closing:
        indent = " " * notation.rule_hang
        written += [indent + comment_text(comment, notation) for comment in placed.closing]
        written.append(closing)
    return written


def _sort(comments: Sequence[Comment], places: Sequence[Piece]) -> _Sorted:
    """Return what becomes of each comment, given the pieces of the rule."""
    placed = _Sorted()
    starts = [piece.start for piece in places]
    are_placed = UNKNOWN not in starts
    for comment in comments:
        span = comment.span
        index = bisect_right(starts, span.start)
        if index == 0 or not are_placed:
            placed.before.append(comment)
            continue
        piece = places[index - 1]
        gap = span.source.text[piece.stop : span.start]  # empty within the piece
        if not comment.own_line and LINE_END.isdisjoint(gap):
            placed.trailing.append((piece.start, comment))
        elif index < len(places):
            placed.own.setdefault(starts[index], []).append(comment)
        else:
            placed.closing.append(comment)
    return placed
