"""What an audit found, for people and for other programs.

In: a `Found`. Out: its report; and of a difference a folder with a saved play and what is for the
engine's own people (`gdl.conform.tracker`): a test in pytest, and a text for their tracker.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from gdl.conform.conventions import told
from gdl.conform.found import Found
from gdl.conform.likeness import rules_of
from gdl.conform.matching.map_file import map_text
from gdl.conform.sources.rules import RulesPosition
from gdl.conform.tracker import issue_text, test_text
from gdl.conform.twin import Parting
from gdl.conform.words import difference_lines, headline
from gdl.language.words import counted
from gdl.plays import played, saved_text

SHOWN_RULES: Final = 12
"""Rules that a report lists as not exercised."""
PLAY_FILE, TEST_FILE, ISSUE_FILE, MAP_FILE = (
    "play.toml",
    "test_difference.py",
    "issue.md",
    "map.toml",
)


def report_text(audit: Found) -> str:
    """Return the report of an audit for people."""
    return "\n".join(_lines(audit))


def _lines(audit: Found) -> Iterator[str]:
    compared = f"{audit.positions:,} positions, {counted(audit.games, 'game')} to the end"
    if audit.agree:
        yield f"{audit.game} and {audit.against} agree: {compared}"
    elif audit.parting is None:
        yield f"no position of {audit.game} and {audit.against} was compared: the time was over"
    else:
        yield f"{audit.game} and {audit.against} differ: {headline(audit)} ({compared})"
    yield f"matched by {audit.matching}"
    yield f"roles: {', '.join(f'{ours} = {theirs}' for ours, theirs in audit.roles)}"
    yield f"returns: {'; '.join(audit.units)}"
    yield from (f"allowed and needed: {name} ({told(name)})" for name in audit.conventions)
    yield from audit.remarks
    if audit.uncovered is not None:
        yield from _coverage(audit)
    for place, difference in enumerate(audit.differences):
        yield ""
        if place:
            yield f"another difference, number {place + 1}: {headline(difference)}"
        yield from difference_lines(difference)


def _coverage(audit: Found) -> Iterator[str]:
    assert audit.uncovered is not None
    exercised = audit.rules - len(audit.uncovered)
    yield f"rules exercised: {exercised} of {audit.rules}"
    for rule in audit.uncovered[:SHOWN_RULES]:
        yield f"  never: {rule.place} {rule.text}".rstrip()
    if len(audit.uncovered) > SHOWN_RULES:
        yield f"  and {len(audit.uncovered) - SHOWN_RULES} more"


# Files ----------------------------------------------------------------------------------------


def write_report(audit: Found, folder: str | os.PathLike[str]) -> list[Path]:
    """Write what an audit found: the map, and of a difference a play, a test and a text.

    Of differences behind the first one these are in folders ``difference-2`` and so on.

    Returns:
        The files, in the order in which they were written.

    Raises:
        OSError: The folder cannot be written.
    """
    texts = {"report.txt": report_text(audit) + "\n", MAP_FILE: map_text(audit.comparison)}
    for place, difference in enumerate(audit.differences):
        assert difference.parting is not None
        inside = f"difference-{place + 1}/" if place else ""
        files = _difference_files(difference, difference.parting)
        texts |= {inside + name: text for name, text in files.items()}
    return write_texts(texts, folder)


def write_texts(texts: Mapping[str, str], folder: str | os.PathLike[str]) -> list[Path]:
    """Write texts by their names into a folder, made where it is not there; return the files.

    Raises:
        OSError: The folder cannot be written.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in texts.items():
        paths.append(folder / name)
        paths[-1].parent.mkdir(exist_ok=True)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def _difference_files(audit: Found, parting: Parting) -> Mapping[str, str]:
    files = {TEST_FILE: test_text(audit), ISSUE_FILE: issue_text(audit)}
    rules = rules_of(audit.comparison.ours)
    position = parting.twin.ours
    if rules is not None and isinstance(position, RulesPosition):
        joints = tuple(
            state.last_move
            for state in rules.state(position).history
            if state.last_move is not None
        )
        saved = played(audit.game, joints, limits=rules.game.limits)
        comment = f"{audit.game} and {audit.against}: {parting.what}"
        said = f"the rules: {parting.ours}; the engine: {parting.theirs}"
        files[PLAY_FILE] = saved_text([saved], [comment, said])
    return files
