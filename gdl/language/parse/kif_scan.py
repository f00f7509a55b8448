"""The forms of a KIF text, found by its brackets alone.

In: a source. Out: where each well-bracketed form begins and ends, and all comments;
errors go to a `Problems`. A form with a broken bracket or symbol is left out, so that
the others can be read and their errors told in the same run.

A bracket that is never closed would swallow the rest of the text. Therefore a ``(<=``
that is first on its line, or any ``(`` in the first column, ends the form that is still
open there. A bracket in the first column may be nothing but careless layout: when a
closing bracket turns up later that belongs to the form, the form goes on.

What stands near a broken bracket may have been torn from its rule: ``(role ?r)`` alone is no
fact with a variable, but the condition of a rule that was closed too early. Such forms
are read for their own errors, and named as doubtful.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final, NamedTuple

from gdl.language.diagnostics import Note
from gdl.language.parse.budget import Budget
from gdl.language.parse.problems import Problems
from gdl.language.parse.scan import LINE_END, TOKENS_BETWEEN_CLOCKS, Extent, Scan, comment
from gdl.language.source import Source
from gdl.language.syntax import Comment

MAX_BRACKETS_SHOWN: Final = 8


class _Suspended(NamedTuple):
    """A form that was still open where another seemed to begin.

    Attributes:
        open: Its open brackets.
        cut: Where the other began.
        extents: How many forms were complete by then.
    """

    open: list[int]
    cut: int
    extents: int


def scan_kif(source: Source, pattern: re.Pattern[str], budget: Budget, problems: Problems) -> Scan:
    """Return the forms and comments of a KIF source.

    Args:
        source: The text.
        pattern: The tokens, each kind a named group: ``RULE_OPEN`` (before an
            arrow), ``OPEN``, ``CLOSE``, ``COMMENT``, ``SPACE``, ``ODD`` (a sign that begins no
            token), and names.
        budget: The limits.
        problems: Takes the errors.

    Returns:
        What was found. Cost O(length).

    Raises:
        LimitError: For too much depth, too long symbols, too many rules, or too much time.
    """
    scan = KifScan(source, pattern, budget, problems)
    scan.run(0, len(source.text))
    scan.end()
    return scan.result()


class KifScan:
    """The state of one scan. `gdl.language.parse.incremental` scans only some parts of a text."""

    def __init__(
        self, source: Source, pattern: re.Pattern[str], budget: Budget, problems: Problems
    ) -> None:
        """Begin with nothing scanned."""
        self.source = source
        self.pattern = pattern
        self.budget = budget
        self.problems = problems
        self.comments: list[Comment] = []
        self.extents: list[Extent] = []
        self.open: list[int] = []
        self.suspended: list[_Suspended] = []
        self.suspended_depth = 0
        self.has_infix = False
        self.broken: list[int] = []  # offsets of broken symbols
        self.name = Extent(-1, -1)  # the last name
        self.stray_stop = -1  # end of the last bracket that closed nothing
        self.strays: list[int] = []  # offsets of such brackets
        self.beginnings: set[int] = set()  # offsets of brackets that the layout says begin a form
        self.rule_beginnings: set[int] = set()  # those before an arrow
        self.is_careless = False  # whether conditions stand in the first column
        self.torn: set[int] = set()  # offsets of forms that may belong to an unclosed one

    def run(self, start: int, stop: int) -> None:
        """Take the tokens of a part of the text; no token goes over its ends."""
        text = self.source.text
        end, stop = stop, start
        for number, match in enumerate(self.pattern.finditer(text, start, end)):
            kind = match.lastgroup or ""
            if kind == "SPACE":
                continue
            last_stop = stop
            start, stop = match.span()
            if kind == "CLOSE":
                self.close(start, last_stop)
            elif kind == "OPEN":
                self.begin(start, is_rule=False)
            elif kind == "RULE_OPEN":
                self.begin(start, is_rule=not LINE_END.isdisjoint(text[last_stop:start]))
            elif kind == "COMMENT":
                self.comments.append(comment(self.source, match, last_stop))
            else:
                self.symbol(start, stop, kind)
            if number % TOKENS_BETWEEN_CLOCKS == 0:
                self.budget.check_clock(start)
            if self.problems.is_full:
                return

    def end(self) -> None:
        """Report what is still open where the text ends."""
        if self.problems.is_full:
            return
        if self.open:
            self.unclosed(self.open, None)
        self.give_up_suspended()

    def result(self) -> Scan:
        """Return what was found."""
        return Scan(self.sound_extents(), tuple(self.comments), self.doubtful())

    def begin(self, start: int, *, is_rule: bool) -> None:
        """Take an opening bracket."""
        text = self.source.text
        is_beginning = is_rule or start == 0 or text[start - 1] in LINE_END
        if is_beginning:
            self.beginnings.add(start)
        if is_rule:
            self.rule_beginnings.add(start)
        if self.open and is_beginning:
            self.suspended.append(_Suspended(self.open, start, len(self.extents)))
            self.suspended_depth += len(self.open)
            self.open = []
        depth = len(self.open) + self.suspended_depth + 1
        if is_rule or (self.suspended and depth > self.budget.limits.depth):
            self.give_up_suspended()
        self.budget.check_depth(len(self.open) + 1, start)
        if not self.open and start == self.name.stop:
            self.infix(start)
        self.open.append(start)

    def close(self, start: int, last_stop: int) -> None:
        """Take a closing bracket."""
        if not self.open and self.suspended:
            self.open, _, extents = self.suspended.pop()
            self.suspended_depth -= len(self.open)
            del self.extents[extents:]
            self.is_careless = True
        if not self.open:
            self.stray(start, last_stop)
            return
        first = self.open.pop()
        if not self.open:
            self.complete(first, start + 1)

    def symbol(self, start: int, stop: int, kind: str) -> None:
        """Take a name, or a sign that begins none."""
        self.budget.check_symbol(start, stop)
        if kind == "ODD":
            self.odd(start)
            return
        if start == self.name.stop:
            message = "two symbols stand side by side without a space between"
            help_ = "put a space between them, or quote the whole: |two words|"
            self.broken.append(start)
            self.problems.add("glued-symbols", self.name.start, stop, message, help=help_)
        self.name = Extent(start, stop)
        if not self.open:
            self.complete(start, stop)

    def complete(self, start: int, stop: int) -> None:
        """Keep a form that is complete."""
        self.budget.check_rule_length(start, stop)
        self.extents.append(Extent(start, stop))
        self.budget.check_rules(len(self.extents), start)

    def sound_extents(self) -> list[Extent]:
        """Return the forms without those that have a broken symbol."""
        if not self.broken:
            return self.extents
        sound = []
        for extent in self.extents:
            index = bisect_left(self.broken, extent.start)
            if index == len(self.broken) or self.broken[index] >= extent.stop:
                sound.append(extent)
        return sound

    def has_variable(self, form: Extent) -> bool:
        """Return whether a question mark stands in a form."""
        return self.source.text.find("?", form.start, form.stop) >= 0

    def doubtful(self) -> frozenset[int]:
        """Return where the forms begin that may be pieces of a form with a broken bracket.

        A bracket too many may have closed any form since the layout last began one too early;
        where conditions stand in the first column, only an arrow begins one for sure.
        """
        if self.has_infix:
            return frozenset(form.start for form in self.extents)
        if not self.strays:
            return frozenset(self.torn)
        starts = [form.start for form in self.extents]
        beginnings = self.rule_beginnings if self.is_careless else self.beginnings
        begun = [start for start in starts if start in beginnings]
        torn_parts = {bisect_right(begun, stray) for stray in self.strays}
        pieces = (start for start in starts if bisect_right(begun, start) in torn_parts)
        return frozenset(self.torn.union(pieces))

    def odd(self, start: int) -> None:
        """Report a sign that begins a symbol but is not followed by one."""
        self.broken.append(start)
        if self.source.text[start] != "?":
            quote = self.source.text[start]
            message = "this quoted symbol does not end on its line"
            expected = f"another {quote} on the same line"
            self.problems.add("unclosed-quote", start, start + 1, message, expected=expected)
            return
        message = "a variable has no name"
        expected = "a name right after the question mark, for instance ?player"
        self.problems.add("empty-variable", start, start + 1, message, expected=expected)

    def infix(self, start: int) -> None:
        """Report ``role(white)`` at top level, once: the rest would be the same."""
        self.broken += [self.name.start, start]
        if self.has_infix:
            return
        self.has_infix = True
        name = self.source.text[self.name.start : self.name.stop]
        message = "this looks like infix notation, but the text is read as KIF"
        help_ = "if all of it is infix, give its file the ending .hrf, or say syntax='hrf'"
        self.problems.add(
            "infix-notation",
            self.name.start,
            start + 1,
            message,
            expected=f"({name[:40]} ...), the bracket first",
            help=help_,
        )

    def stray(self, start: int, last_stop: int) -> None:
        """Report a bracket that closes nothing; several in a row are one error."""
        is_next = last_stop == self.stray_stop
        self.stray_stop = start + 1
        self.strays.append(start)
        if is_next:
            return
        notes: tuple[Note, ...] = ()
        if self.extents:
            notes = (self.problems.note(self.extents[-1].stop - 1, "the form before ends here"),)
        self.problems.add(
            "unexpected-bracket",
            start,
            start + 1,
            "this bracket closes nothing",
            help="delete it, or move it: the form before may have been closed too early",
            notes=notes,
        )

    def give_up_suspended(self) -> None:
        """Report the forms that did not go on after all."""
        for open_, cut, _ in self.suspended:
            self.unclosed(open_, cut)
        if self.suspended:  # a fact has no variable, but a condition may
            since = self.extents[self.suspended[0].extents :]
            self.torn.update(
                form.start for form in since if self.is_careless or self.has_variable(form)
            )
        self.suspended.clear()
        self.suspended_depth = 0

    def unclosed(self, open_: list[int], cut: int | None) -> None:
        """Report a form that is not closed before ``cut``, None for the end of the text."""
        text = self.source.text
        brackets = ")" * len(open_) if len(open_) <= MAX_BRACKETS_SHOWN else f"{len(open_)} )"
        notes: tuple[Note, ...] = ()
        suspect = self.suspect(open_[0], len(text) if cut is None else cut)
        if suspect is not None:
            start, before = suspect
            message = "this bracket is not closed where the indentation says it ends"
            shown = "the next form begins here" if before == cut else "this is no part of it"
            notes = (self.problems.note(before, shown),)
        else:
            start, before = open_[0], len(text) if cut is None else cut
            inside = len(open_) - 1
            are = "is the one" if inside == 1 else f"are the {inside}"
            more = f", nor {are} inside it" if inside else ""
            message = f"this bracket is never closed{more}"
            if cut is not None:
                notes = (self.problems.note(cut, "the next form begins here"),)
        end = len(text[start:before].rstrip()) + start
        line = self.source.position(end)[0]
        help_ = f"add {brackets} at the end of line {line}"
        self.problems.add("unclosed-bracket", start, start + 1, message, help=help_, notes=notes)

    def suspect(self, first: int, stop: int) -> tuple[int, int] | None:
        """Return the bracket that the indentation says is closed too late, and what shows it.

        That is the first line that begins with a bracket no further right than the innermost
        bracket that is open there. The brackets of one form are looked at only once.
        """
        open_: list[tuple[int, int]] = []  # offsets and columns
        line = 0
        for match in self.pattern.finditer(self.source.text, first, stop):
            kind = match.lastgroup
            if kind == "SPACE":
                continue
            if kind == "CLOSE":
                open_.pop()
            start = match.start()
            last_line = line
            line, column = self.source.position(start)
            if kind in {"OPEN", "RULE_OPEN"}:
                if line != last_line and open_ and column <= open_[-1][1]:
                    return open_[-1][0], start
                open_.append((start, column))
        return None
