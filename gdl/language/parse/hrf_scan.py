"""The rules of an HRF text, found without its grammar.

In: a source. Out: where each rule with sound brackets and symbols begins and ends, and all
comments; errors go to a `Problems`.

A rule ends with its period. It may do without one where the next rule begins on a new line
and no further right than itself; a name that follows without either is an error, since
otherwise a forgotten ``&`` would quietly make two rules of one. By the same signs a rule
ends whose bracket is never closed.
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.parse.budget import Budget
from gdl.language.parse.problems import Problems
from gdl.language.parse.scan import LINE_END, TOKENS_BETWEEN_CLOCKS, Extent, Scan, comment
from gdl.language.source import Source
from gdl.language.syntax import Comment

MAX_CLOSING: Final = 5
"""Missing brackets that an error writes out; of more it says how many."""

HEAD_TYPES: Final = frozenset({"NAME", "QUOTED"})
"""Tokens with which a rule begins."""

NAME_TYPES: Final = HEAD_TYPES | {
    "NUMBER",
    "VARIABLE",
    "ANONYMOUS",
    "KIF_VARIABLE",
    "QUOTED_VARIABLE",
}
"""Tokens that are terms."""

SIGNS: Final = (
    *("NOT", "AND_WORD", "OR_WORD", "ARROW"),
    *("OPEN", "CLOSE", "COMMA", "PERIOD", "AND", "OR"),
)
"""All other tokens, longer ones before shorter ones."""

_COMPLETE: Final = NAME_TYPES | {"CLOSE"}  # what a rule without a period may end with


def scan_hrf(source: Source, pattern: re.Pattern[str], budget: Budget, problems: Problems) -> Scan:
    """Return the rules and comments of an HRF source. Cost O(length).

    Args:
        source: The text.
        pattern: The tokens, each kind a named group.
        budget: The limits.
        problems: Takes the errors.

    Raises:
        LimitError: For too much depth, too long symbols, too many rules, or too much time.
    """
    scan = _Scan(source, budget, problems)
    for number, match in enumerate(pattern.finditer(source.text)):
        if number % TOKENS_BETWEEN_CLOCKS == 0:
            budget.check_clock(match.start())
        if problems.is_full:
            break
        if match.lastgroup == "SPACE":
            continue
        if match.lastgroup == "COMMENT":
            scan.comments.append(comment(source, match, scan.comment_or_token_stop))
        else:
            scan.take(match.lastgroup or "", match.start(), match.end())
        scan.comment_or_token_stop = match.end()
    scan.end_rule()
    return Scan(scan.extents, tuple(scan.comments))


class _Scan:
    """The state of one scan."""

    def __init__(self, source: Source, budget: Budget, problems: Problems) -> None:
        self.source = source
        self.budget = budget
        self.problems = problems
        self.comments: list[Comment] = []
        self.extents: list[Extent] = []
        self.comment_or_token_stop = 0
        self.last_kind = ""
        self.last = Extent(0, 0)  # the last token
        self.rules = 0
        self.begin_rule()

    def begin_rule(self) -> None:
        """Forget the last rule."""
        self.first: int | None = None  # where the rule begins
        self.column = 0  # of its first character
        self.open: list[int] = []
        self.nots = 0  # signs of negation in a row
        self.is_broken = False

    def end_rule(self) -> None:
        """Keep the rule that ends with the last token, if there is one and it is sound."""
        if self.open:
            self.unclosed()
        if self.first is not None:
            self.budget.check_rule_length(self.first, self.last.stop)
            self.rules += 1
            self.budget.check_rules(self.rules, self.first)
            if not self.is_broken:
                self.extents.append(Extent(self.first, self.last.stop))
        self.begin_rule()

    def take(self, kind: str, start: int, stop: int) -> None:
        """Take one token."""
        if kind in HEAD_TYPES and self.last_kind in _COMPLETE and self.first is not None:
            self.follow(start, stop)
        if self.first is None:
            self.first = start
            self.column = self.source.position(start)[1]
        if kind in NAME_TYPES or kind == "ODD":
            self.symbol(kind, start, stop)
        elif kind == "OPEN":
            self.open.append(start)
        elif kind == "CLOSE":
            self.close(start)
        elif kind == "ARROW" and self.open:
            self.unclosed()
        self.nots = self.nots + 1 if kind == "NOT" else self.nots if kind == "OPEN" else 0
        self.budget.check_depth(len(self.open) + self.nots, start)
        self.last_kind = kind
        self.last = Extent(start, stop)
        if kind == "PERIOD":
            self.end_rule()

    def follow(self, start: int, stop: int) -> None:
        """Take a name right after something that may end a rule."""
        is_first = not LINE_END.isdisjoint(self.source.text[self.last.stop : start])
        if is_first and self.source.position(start)[1] <= self.column:
            self.end_rule()
        elif start == self.last.stop and self.last_kind in NAME_TYPES:
            self.is_broken = True
            message = "two symbols stand side by side without a space between"
            help_ = "put a space between them, or quote the whole: 'two words'"
            self.problems.add("glued-symbols", self.last.start, stop, message, help=help_)
        elif not self.open:
            self.is_broken = True
            self.problems.add(
                "unexpected-token",
                start,
                stop,
                "a name follows without a sign between",
                expected="& before another literal, or a period before another rule",
                help="a rule without a period ends where the next begins on a new line, "
                "no further right than it",
            )

    def symbol(self, kind: str, start: int, stop: int) -> None:
        """Take a name, or a sign that begins none."""
        self.budget.check_symbol(start, stop)
        if kind != "ODD":
            return
        self.is_broken = True
        if self.source.text[start] == "'":
            message = "this quoted symbol does not end on its line"
            expected = "another ' on the same line"
            self.problems.add("unclosed-quote", start, start + 1, message, expected=expected)
            return
        if self.source.text[start:stop] == "?":
            message = "a variable has no name"
            expected = "a name right after the question mark, for instance ?player"
            self.problems.add("empty-variable", start, stop, message, expected=expected)
            return
        if start == self.last.stop and self.last_kind in NAME_TYPES:
            start = self.last.start
        text = self.source.text[start:stop][:40]
        mark = "?" if text.startswith("?") else ""
        self.problems.add(
            "unexpected-token",
            start,
            stop,
            f"{text} is no symbol",
            expected="a name (lower case), a variable (upper case), a number or a sign",
            help=f"quote a name with odd characters: {mark}'{text.removeprefix('?')}'",
        )

    def close(self, start: int) -> None:
        """Take a closing bracket."""
        if self.open:
            self.open.pop()
        elif not self.is_broken:
            self.is_broken = True
            message = "this bracket closes nothing"
            help_ = "delete it, or open a bracket before"
            self.problems.add("unexpected-bracket", start, start + 1, message, help=help_)

    def unclosed(self) -> None:
        """Report the open brackets of the rule."""
        start = self.open[-1]
        more = len(self.open) - 1
        others = f", and {more} more before it" if more else ""
        if not self.is_broken:
            line = self.source.position(self.last.stop)[0]
            closing = ")" * (more + 1) if more < MAX_CLOSING else f"{more + 1} )"
            self.problems.add(
                "unclosed-bracket",
                start,
                start + 1,
                f"this bracket is never closed{others}",
                help=f"add {closing} where it ends, before the end of line {line}",
            )
        self.is_broken = True
        self.open.clear()
