"""Stepping through the log of a match, forward and back, at the terminal.

In: a log, lines of text. Out: the board after each action, clocks, offers and the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer

from gdl.cli.playing.prompt import read_line
from gdl.cli.terminal.console import say, show
from gdl.cli.terminal.guard import FAILED, INTERRUPTED
from gdl.language.limits import Limits
from gdl.match.actions import Entry, Kind
from gdl.match.log import Replay, read_log, replay
from gdl.match.match import Match
from gdl.match.view import clock_json

FORWARD: Final = ("", "n", "next")
BACK: Final = ("b", "back")
FIRST: Final = ("first",)
LAST: Final = ("last",)
LIST: Final = ("list",)
QUIT: Final = ("q", "quit", "exit")
HELP: Final = (
    "  next, or nothing   one action forward\n"
    "  back               one action back\n"
    "  NUMBER             to after so many actions\n"
    "  first, last        to the beginning, to the end\n"
    "  list               all actions\n"
    "  quit               stop; so does the end of input"
)
WORDS: Final = {
    Kind.RESIGN: "resigns",
    Kind.REQUEST_DRAW: "offers a draw",
    Kind.ACCEPT_DRAW: "accepts the draw",
    Kind.DECLINE_DRAW: "declines the draw",
    Kind.REQUEST_TAKEBACK: "asks to take a move back",
    Kind.ACCEPT_TAKEBACK: "agrees: the move is taken back",
    Kind.DECLINE_TAKEBACK: "lets the move stand",
    Kind.TIMEOUT: "is out of time",
}
"""What a role does that makes no move."""


def replay_log(file: Path, *, under: str | None, at: int | None, limits: Limits) -> None:
    """Show a log: one position, or step by step.

    Raises:
        LogError: It is no log, or does not follow from its rules.
        UnknownRulesetError: ``under`` names none.
        typer.Exit: Under other rules something is different.
    """
    from gdl.ruleset import find

    header, entries = read_log(file)
    other = None if under is None else find(under, limits=limits)
    followed = replay(header, entries, under=other, limits=limits)
    ruleset = header.ruleset
    say(
        f"{header.id}: {ruleset['id']} {ruleset['version']}, {len(entries)} actions, "
        f"rules {ruleset['digest'][:16]}".replace("  ", " "),
        style="bold",
    )
    for note in followed.notes:
        say(f"note: {note}", style="yellow")
    if at is not None:
        _show(followed, min(at, len(followed.matches) - 1))
    else:
        Steps(followed).run()
    if not followed.is_same:
        raise typer.Exit(FAILED)


class Steps:
    """A walk through a replay."""

    def __init__(self, followed: Replay) -> None:
        """Begin before the first action."""
        self._followed = followed
        self._place = 0

    @property
    def _last(self) -> int:
        return len(self._followed.matches) - 1

    def run(self) -> None:
        """Show, ask, go; until the person stops."""
        _show(self._followed, 0)
        try:
            while True:
                line = read_line(f"{self._place}/{self._last}> ").casefold()
                if line in QUIT:
                    return
                self._answer(line)
        except EOFError:
            return
        except KeyboardInterrupt:
            say("")
            raise typer.Exit(INTERRUPTED) from None

    def _answer(self, line: str) -> None:
        if line in LIST:
            entries = self._followed.match.entries
            lines = [describe(self._followed.match, entry) for entry in entries]
            say("\n".join(lines) if lines else "No action was made.")
            return
        place = self._wanted(line)
        if place is None:
            say(HELP)
        elif not 0 <= place <= self._last:
            say("That is the end." if place > self._last else "That is the beginning.")
        else:
            self._place = place
            _show(self._followed, place)

    def _wanted(self, line: str) -> int | None:
        """Return where a line leads to, None when it leads nowhere."""
        if line.isascii() and line.isdecimal():
            return int(line[:9])
        for words, place in (
            (FORWARD, self._place + 1),
            (BACK, self._place - 1),
            (FIRST, 0),
            (LAST, self._last),
        ):
            if line in words:
                return place
        return None


def _show(followed: Replay, place: int) -> None:
    from gdl.cli.positions.picture import draw_state

    match = followed.matches[place]
    if match.entries:
        say(describe(match, match.entries[-1]), style="bold")
    show(draw_state(match.state))
    for line in standing(match):
        say(line, style="dim")


def describe(match: Match, entry: Entry) -> str:
    """Return an entry of a match as one line, counted from 1."""
    what = f": {entry.move}" if entry.kind is Kind.MOVE else f" {WORDS[entry.kind]}"
    note = f" ({entry.note})" if entry.note else ""
    return f"{entry.seq + 1:>4}. {match.title_of(entry.role)}{what}{note}"


def standing(match: Match) -> list[str]:
    """Return how a match stands besides its position: offers, clocks, the end or who moves."""
    lines = []
    clock = clock_json(match, match.last_at)
    if clock is not None:
        times = (
            f"{match.title_of(role)} {left / 1000:.1f} s"
            for role, left in clock["remainingMs"].items()
        )
        lines.append(f"clocks: {', '.join(times)}")
    if match.offer is not None:
        lines.append(f"{match.title_of(match.offer.by)} offers a draw")
    if match.outcome is None:
        lines.append(f"to move: {match.movers}")
        return lines
    goals = ", ".join(
        f"{match.title_of(role)} {'-' if goal is None else goal}"
        for role, goal in match.outcome.goals.items()
    )
    by = f" of {match.title_of(match.outcome.by)}" if match.outcome.by else ""
    lines.append(f"over ({match.outcome.how}{by}): {goals}")
    return lines
