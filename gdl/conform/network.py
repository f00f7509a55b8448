"""A program that speaks the GGP protocol, asked for moves: the entrance `conform_player`.

In: a game and ``ggp:HOST:PORT``. Out: a `PlayerAudit`. Such a program is told the rules and the
moves, and answers with a move. It cannot be asked which moves are legal, whether play is over or
what an end is worth, so one thing is compared: in every position that it is led to, in each role in
turn, its answer has to be a legal move. In every other match it is told moves by chance in place of
its own, as a manager tells them after a time-out, so that it comes to positions that it would
not have chosen.

Source: Genesereth, Love, Pell, "General Game Playing: Overview of the AAAI Competition", 2005.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gdl.conform.evidence import write_texts
from gdl.conform.source import SourceError
from gdl.game import Game, GameLike, load
from gdl.ggp.manager import ILLEGAL, Event, Fault, Manager, Seated, Setup, StuckError, seat
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import require_whole
from gdl.language.terms import Term
from gdl.language.words import counted
from gdl.machine import JointMove
from gdl.plays import played, saved_text
from gdl.plies import format_ply
from gdl.state import State

PREFIX: Final = "ggp:"
"""How the name of such a program begins."""
START_CLOCK, PLAY_CLOCK = 10, 1
"""Seconds to get ready, and for a move, where the name does not say."""
SHORTER: Final = 20
"""Matches that look for a shorter play to an answer that is not legal."""
ADDRESS: Final = re.compile(
    r"ggp:(?P<host>[^():]+|\[[0-9a-fA-F:]+\]):(?P<port>[0-9]{1,5})"
    r"(\(startclock=(?P<start>[0-9]{1,5}),playclock=(?P<play>[0-9]{1,5})\))?"
)
FORM: Final = "ggp:HOST:PORT or ggp:HOST:PORT(startclock=10,playclock=1)"

OnAnswers = Callable[[str, int, int], None]
"""Told of the stage, the answers judged so far, and how many are wanted."""


@dataclass(frozen=True)
class WrongAnswer:
    """An answer that is no legal move.

    Attributes:
        role: Whom the program played.
        answer: What it said; ``null`` where that is no term.
        play: The joint moves that led to the position.
        state: The position.
        was_led: Whether the program had been told moves in place of its own on the way.
    """

    role: Term
    answer: str
    play: tuple[JointMove, ...]
    state: State = field(repr=False)
    was_led: bool


@dataclass(frozen=True)
class PlayerAudit:
    """What the answers of a program were.

    Attributes:
        game: The ruleset.
        against: The program's address.
        answers: Answers that were judged.
        matches: Matches that went to the end.
        wrong: The answer that is not legal after the shortest play, None where all were.
        first_length: Moves of the play to the first such answer; None where all were legal.
        seconds: Wall-clock time.
    """

    game: str
    against: str
    answers: int
    matches: int
    wrong: WrongAnswer | None
    first_length: int | None
    seconds: float

    @property
    def agree(self) -> bool:
        """Whether answers were judged, and all were legal."""
        return self.wrong is None and self.answers > 0

    def __str__(self) -> str:
        """Return the report for people."""
        return "\n".join(_lines(self))


class _Stop(GdlError):  # noqa: N818  # no error of the program or the user
    """Ends a match: enough was asked, or an answer was wrong."""


@dataclass(slots=True)
class _Asking:
    """Matches with one program, one after another."""

    game: Game
    player: Seated
    clocks: tuple[int, int]
    seed: int
    is_done: Callable[[int], bool]
    answers: int = 0
    matches: int = 0

    def match(self, number: int, max_steps: int | None = None) -> WrongAnswer | None:
        """Play a match, the first wrong answer ends it; roles take turns.

        Raises:
            SourceError: The program does not answer, or not in time.
        """
        # Once in each role, then all roles once more: in every second round it is told moves that
        # it did not answer, and so is led to positions that it would never choose.
        roles = [role for role in self.game.roles if role != RANDOM]
        turn, round_number = number % len(roles), number // len(roles)
        silent = Seated("", 0, "random")
        players = [self.player if n == turn else silent for n in range(len(roles))]
        wrong: list[WrongAnswer] = []
        setup = Setup(
            game=self.game,
            players=seat(self.game, players),
            start_clock=self.clocks[0],
            play_clock=self.clocks[1],
            match_id=f"audit.{self.seed}.{number}",
            seed=random.Random(f"{self.seed} {number}").getrandbits(31),  # noqa: S311  # for play
            is_led=round_number % 2 == 1,
            max_steps=max_steps,
        )
        manager = Manager(setup)

        def judge(event: Event) -> None:
            if isinstance(event, Fault):
                self._refuse_silence(event)
                record, state = manager.record, self.game.initial()
                for joint in record.moves:
                    state = state.play(joint)
                said = event.error.removeprefix(ILLEGAL).strip()
                joints = tuple(record.moves)
                wrong.append(WrongAnswer(event.role, said, joints, state, setup.is_led))
                raise _Stop("an answer is wrong")
            self.answers += 1
            if self.is_done(self.answers):
                raise _Stop("enough was asked")

        manager.on_event = judge
        try:
            asyncio.run(manager.run())
        except _Stop:
            pass
        except StuckError:
            if max_steps is None:
                raise
        else:
            self.matches += 1
        return wrong[0] if wrong else None

    def _refuse_silence(self, fault: Fault) -> None:
        """Refuse a program that says nothing: that is no answer, right or wrong."""
        if fault.error.startswith(ILLEGAL):
            return
        when = "START" if fault.step is None else f"PLAY after {fault.step} moves"
        raise SourceError(
            f"{PREFIX}{self.player.name} does not answer {when} as {fault.role} "
            f"({'no connection' if fault.error == 'CE' else 'the clock ran out'})",
            expected=FORM,
        )


def conform_player(  # noqa: PLR0913  # as conform
    game: GameLike,
    against: str,
    *,
    positions: int = 1_000,
    seconds: float | None = None,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    on_positions: OnAnswers = lambda _stage, _asked, _wanted: None,
) -> PlayerAudit:
    """Lead a program that speaks the GGP protocol through matches, and judge each of its answers.

    Args:
        game: A ruleset id, a rule file, a ruleset or a game.
        against: ``ggp:HOST:PORT``, with ``(startclock=10,playclock=1)`` behind it for other clocks.
        positions: Answers to judge.
        seconds: Wall-clock time after which no more is asked; None for no limit.
        seed: What the moves of the others, and of chance, come from.
        limits: What the rules may take.
        on_positions: Told of the progress; may raise to stop.

    Raises:
        ArgumentError: An argument of a value that it cannot have.
        SourceError: The address is none, or the program does not answer in time.
        GdlError: The game cannot be loaded, or a role has no legal move.
    """
    require_whole("positions", positions, 1)
    require_whole("seed", seed)
    host, port, clocks = _address(against)
    begin = time.monotonic()
    opened = game if isinstance(game, Game) else load(game, limits=limits)

    def is_done(answers: int) -> bool:
        on_positions("asking for moves", answers, positions)
        is_late = seconds is not None and time.monotonic() - begin > seconds
        return is_late or answers >= positions

    asking = _Asking(opened, Seated(host, port, f"{host}:{port}"), clocks, seed, is_done)
    wrong, number = None, 0
    while wrong is None and not is_done(asking.answers):
        wrong = asking.match(number)
        number += 1
    # A shorter play tells more: matches that end before the wrong answer may meet another one.
    first_length = None if wrong is None else len(wrong.play)
    for later in range(number, number + SHORTER):
        if wrong is None or not wrong.play:
            break
        wrong = asking.match(later, max_steps=len(wrong.play) - 1) or wrong
    return PlayerAudit(
        opened.id,
        against,
        asking.answers,
        asking.matches,
        wrong,
        first_length,
        time.monotonic() - begin,
    )


def _address(name: str) -> tuple[str, int, tuple[int, int]]:
    """Return host, port and clocks.

    Raises:
        SourceError: The name has another form.
    """
    fits = ADDRESS.fullmatch(name)
    port = int(fits["port"]) if fits else 0
    if not fits or not 0 < port < 1 << 16:
        raise SourceError(f"{name} is no address of a player", expected=FORM)
    clocks = (int(fits["start"] or START_CLOCK), int(fits["play"] or PLAY_CLOCK))
    if 0 in clocks:
        raise SourceError(f"{name}: a clock has one second at least", expected=FORM)
    return fits["host"].strip("[]"), port, clocks


def _lines(audit: PlayerAudit) -> Iterator[str]:
    judged = f"{audit.answers:,} answers, {audit.matches:,} matches to the end"
    if audit.wrong is None:
        said = "answered with legal moves" if audit.answers else "was not asked: the time was over"
        yield f"{audit.game}: {audit.against} {said} ({judged})"
    else:
        yield f"{audit.game}: {audit.against} answered with a move that is not legal ({judged})"
    yield "not compared: all legal moves, ends and what they are worth; the protocol asks for none"
    if audit.wrong is not None:
        yield ""
        yield from _difference(audit, audit.wrong)


def _difference(audit: PlayerAudit, wrong: WrongAnswer) -> Iterator[str]:
    count = len(wrong.play)
    first = "" if audit.first_length == count else f"; {audit.first_length} when it was met"
    yield f"as {wrong.role}, after {counted(count, 'move')}{first}"
    yield f"  answer: {wrong.answer}"
    yield f"  legal:  {'  '.join(str(move) for move in wrong.state.legal(wrong.role))}"
    plies = [format_ply(state) for state in wrong.state.history if state.previous is not None]
    yield f"  play:   {'; '.join(plies) or '(none)'}"
    if wrong.was_led:
        yield "  on the way it was told other moves than it had answered, as after a time-out"
    yield "  the position:"
    yield from (f"    {line}".rstrip() for line in str(wrong.state).splitlines())


def write_player_report(audit: PlayerAudit, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the report, and of a wrong answer a saved play and a text for the program's tracker.

    Returns:
        The files, in the order in which they were written.

    Raises:
        OSError: The folder cannot be written.
    """
    texts = {"report.txt": f"{audit}\n"}
    if audit.wrong is not None:
        wrong = audit.wrong
        said = f"{audit.against} answers {wrong.answer} as {wrong.role}, which is not legal"
        texts["play.toml"] = saved_text([played(audit.game, wrong.play)], [said])
        shown = "\n".join(_difference(audit, wrong))
        texts["issue.md"] = (
            f"# {said}\n\nRules: `{audit.game}`, a description in GDL.\n\n```\n{shown}\n```\n"
        )
    return write_texts(texts, folder)
