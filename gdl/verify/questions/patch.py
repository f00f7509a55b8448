"""Changes as text: the files after them, and the difference that `patch` takes.

In: a description and changes of it. Out: unified diffs, one a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff

from gdl.language.source import Source
from gdl.language.syntax import Description
from gdl.verify.questions.changes import Change, Edit, edited, span_of_rule


def texts_after(description: Description, changes: Sequence[Change]) -> list[tuple[Source, str]]:
    """Return each source that changes, with its whole text after the changes."""
    by_source: dict[Source, list[Edit]] = {}
    for at, edit in (pair for change in changes for pair in change.edits):
        by_source.setdefault(span_of_rule(description.rules[at]).source, []).append(edit)
    after = []
    for source, edits in by_source.items():
        text = edited(source.text, edits)
        assert text is not None, "changes that were tried together fit together"
        after.append((source, text))
    return after


def difference(description: Description, changes: Sequence[Change]) -> str:
    """Return the changes as a unified diff, with the line numbers of the files."""
    lines: list[str] = []
    for source, text in texts_after(description, changes):
        old, new = (side.splitlines() for side in (source.text, text))
        names = source.name, source.name
        lines += unified_diff(old, new, *names, n=1, lineterm="")
    return "\n".join(lines)


def places(description: Description, changes: Sequence[Change]) -> tuple[str, ...]:
    """Return ``file:line: what was done`` for each change, at the line that it is made in."""
    return tuple(
        f"{source.name}:{source.position(min(start, len(source.text) - 1))[0]}: {change.words}"
        for change in changes
        for source, start in [_start(description, change)]
    )


def _start(description: Description, change: Change) -> tuple[Source, int]:
    """Return where a change begins, past the blank space that goes with it."""
    source = span_of_rule(description.rules[change.at]).source
    removed = source.text[change.edit.start : change.edit.stop]
    return source, change.edit.start + len(removed) - len(removed.lstrip())
