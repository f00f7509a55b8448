"""The matches of a player: who is in which, who is in how many, and what was answered.

In: messages and when they came. Out: answers, each before its clock ends whatever the process
that plays the match does: a second process, the guard, only follows the rules and has a legal
move at hand. A process that died is started again and told all that happened.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from gdl.ggp.messages import News, Play, Start
from gdl.ggp.process import Process
from gdl.ggp.seat import folded

MARGIN: Final = 0.06
"""Part of a clock that is kept for the way back."""
LEAST_MARGIN: Final = 0.2
MOST_MARGIN: Final = 1.0
"""Bounds of that, in seconds; never more than half the clock."""
SILENCE: Final = 60.0
"""Seconds beyond its clocks after which a silent match makes room for a new one."""
PROCESSES: Final = 2
"""Processes of a match: the one that plays, and its guard."""
REMEMBERED: Final = 1_000
"""Matches that are over, of which is known how they ended."""

RUNS_AS: Final = {"native": "by machine code", "reason": "by the rules as written"}
"""What people are told of a back end."""

Log = Callable[[str], None]
"""Takes one line for people."""


def _no_log(_: str) -> None:
    """Say nothing."""


def margin(clock: float) -> float:
    """Return how many seconds before the end of a clock the answer is sent."""
    return min(max(MARGIN * clock, LEAST_MARGIN), MOST_MARGIN, clock / 2)


@dataclass(slots=True)
class Question:
    """One ``PLAY`` and what is known of its answer.

    Attributes:
        number: Counts the questions of a match.
        text: The message.
        news: What it says.
        move: The best move so far, as text; None for none yet.
        is_settled: Set when the last word on it is spoken.
        answered: What was answered in time, None if nothing was.
        hearing: Where the news belonged (`gdl.ggp.seat.Hearing`), as text.
        has_failed: Whether the player has given up on it, so that the guard's word is the last.
        note: What people should know of the move: that it was not thought about, and why.
    """

    number: int
    text: str
    news: News
    move: str | None = None
    is_settled: asyncio.Event = field(default_factory=asyncio.Event)
    answered: str | None = None
    hearing: str = ""
    has_failed: bool = False
    note: str = ""


@dataclass(slots=True)
class Match:
    """One match that is played.

    Attributes:
        start: How it began.
        text: The message that began it.
        seed: What chance comes from.
        process: Who plays it.
        guard: A process that only follows the rules, and so always has a legal move at hand,
            whatever the player or the compiler is busy with.
        heard: When its manager last spoke (monotonic seconds).
        question: The last ``PLAY``.
        standing: The last one before it that was about the present step, and no late message.
        log: The ``PLAY`` messages so far that told of new steps.
        has_begun: Set when it is known whether the rules can be played.
        refusal: Why they cannot, empty if they can.
        is_restarted: Whether ``START`` came again after moves were made.
        tell: Takes what people should know of it.
    """

    start: Start
    text: str
    player: str
    seed: int
    process: Process
    guard: Process
    heard: float
    question: Question | None = None
    standing: Question | None = None
    log: list[str] = field(default_factory=list)
    has_begun: asyncio.Event = field(default_factory=asyncio.Event)
    refusal: str = ""
    backend: str = ""
    is_restarted: bool = False
    tell: Log = _no_log

    def begin(self, process: Process, until: float) -> None:
        """Set a process to work, and tell it what happened so far."""
        is_guard = process is self.guard

        def hear(told: dict[str, Any]) -> None:
            self._found(told, is_guard=is_guard)

        process.listen(hear, self._lost)
        process.send(
            do="start",
            text=self.text,
            until=until,
            player="" if is_guard else self.player,
            seed=self.seed,
            log=self.log,
        )

    async def ready(self, deadline: float) -> str:
        """Return the answer to ``START``: ``ready``, or ``busy`` where it cannot be played."""
        await _until(self.has_begun, deadline)
        return "busy" if self.refusal else "ready"

    async def play(self, message: Play, text: str, deadline: float) -> Question:
        """Return a question with its answer, the best that is known at the deadline."""
        question = self.question
        if question is None or question.text != text or question.is_settled.is_set():
            question = self._ask(message, text, deadline)
        await _until(question.is_settled, deadline)
        return question

    def _ask(self, message: Play, text: str, deadline: float) -> Question:
        before = self.question
        number = 1 if before is None else before.number + 1
        # A manager that saw no answer asks again, so the processes have to know whether it saw the
        # last one. That is what was answered to the last question about the present step: a
        # message that came late, or fits nowhere, asked about none.
        if before is not None and before.hearing not in {"LATE", "LOST"}:
            self.standing = before
        self.question = question = Question(number, text, message.news)
        is_restart = self.is_restarted and _is_first(message.news)
        if is_restart:
            self.standing = None
            self.log.clear()
        self.is_restarted = False
        if not self.process.is_alive:
            self.process = Process()
            self.begin(self.process, monotonic())
        if not self.guard.is_alive:
            self.guard = Process()
            self.begin(self.guard, monotonic())
        for process in (self.guard, self.process):
            process.send(
                do="play",
                number=number,
                text=text,
                until=deadline,
                answered=None if self.standing is None else self.standing.answered,
                is_restart=is_restart,
            )
        return question

    def _found(self, told: dict[str, Any], *, is_guard: bool) -> None:
        question = self.question
        match told["said"]:
            case "ready" if not is_guard:
                self._runs(told["backend"], told["why"])
                self.has_begun.set()
            case "backend" if not is_guard:
                self._runs(told["backend"], told["why"])
            case "refused" if told["number"] is None:
                self.refusal = told["why"]
                self.has_begun.set()
            case "refused" if question is not None and question.number == told["number"]:
                if not is_guard:
                    question.has_failed = True
                    if question.move is not None:
                        question.is_settled.set()
            case "move" if question is not None and question.number == told["number"]:
                self._found_move(question, told, is_guard=is_guard)

    def _runs(self, backend: str, why: str) -> None:
        """Note and tell by which back end the player plays, and why it is not the other."""
        self.backend = backend
        self.tell(
            f"{self.start.match}: {self.start.role} plays {RUNS_AS[backend]}"
            + (f"; {why}" if why else "")
        )

    def _found_move(self, question: Question, told: dict[str, Any], *, is_guard: bool) -> None:
        if told["hearing"] == "NEW" and not question.hearing:
            self.log.append(question.text)
        question.hearing = question.hearing or told["hearing"]
        if not is_guard or question.move is None:
            question.move = told["move"]
            question.note = told["note"]
        if told["is_final"] or question.has_failed or not self.process.is_alive:
            question.is_settled.set()

    def _lost(self) -> None:
        """Take it that a process died; while the other lives, it answers."""
        if not self.has_begun.is_set() and not self.process.is_alive:
            if not self.guard.is_alive:
                self.refusal = "the processes that read the rules died"
            self.has_begun.set()
        if self.question is not None and self.question.move is not None:
            self.question.is_settled.set()

    def close(self) -> list[asyncio.Task[None]]:
        """End the processes. Returns what to wait for."""
        return [self.guard.close(), self.process.close()]


def _silence(match: Match) -> float:
    """Return how many seconds a manager has been silent beyond what any manager would be."""
    clocks = match.start.start_clock + match.start.play_clock
    return monotonic() - match.heard - clocks - SILENCE


def _is_first(news: News) -> bool:
    return news is None or (not isinstance(news, tuple) and news.turn == 0)


async def _until(event: asyncio.Event, deadline: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, deadline - monotonic())):
            await event.wait()
    except TimeoutError:
        pass


class Matches:
    """All matches of a player, by name.

    Attributes:
        most: How many are played at the same time.
    """

    def __init__(self, *, player: str, most: int, seed: int, log: Log) -> None:
        """Begin with none.

        Args:
            player: Name and options of the player, see `gdl.play.make`.
            most: How many matches at the same time.
            seed: What chance comes from.
            log: Takes a line for each event.
        """
        self.most = most
        self._player = player
        self._seed = seed
        self._log = log
        self._playing: dict[str, Match] = {}
        self._over: OrderedDict[str, str] = OrderedDict()
        self._ending: set[asyncio.Task[None]] = set()
        self._spare: list[Process] = []

    def warm(self) -> None:
        """Start the processes of the next match, so that its start clock is its own.

        Not while one is played: a process that starts takes a second of a processor.
        """
        self._spare = [process for process in self._spare if process.is_alive]
        while len(self._spare) < PROCESSES:
            self._spare.append(Process())

    @property
    def is_full(self) -> bool:
        """Whether another match would be refused."""
        return len(self._playing) >= self.most and self._stale() is None

    def _stale(self) -> str | None:
        """Return the match whose manager has been silent for longest, if it must be gone."""
        silent = {name: _silence(match) for name, match in self._playing.items()}
        name = max(silent, key=silent.__getitem__, default=None)
        return name if name is not None and silent[name] > 0 else None

    async def start(self, message: Start, text: str, received: float) -> str:
        """Return the answer to ``START``."""
        deadline = received + message.start_clock - margin(message.start_clock)
        match = self._playing.get(message.match)
        if match is not None and match.start != message:
            is_other_role = folded(match.start.role) != folded(message.role)
            if is_other_role and _silence(match) <= 0:
                self._log(f"{message.match}: busy, {match.start.role} is played in it")
                return "busy"
            self._end(message.match, "aborted")
            match = None
        if match is None:
            if self.is_full:
                self._log(f"{message.match}: busy with {len(self._playing)} other matches")
                return "busy"
            match = self._begin(message, text, deadline)
        elif match.question is not None:
            match.is_restarted = True
        match.heard = monotonic()
        answer = await match.ready(deadline)
        if match.refusal and self._playing.get(message.match) is match:
            self._log(f"{message.match}: cannot be played\n{match.refusal}")
            self._end(message.match, "busy")
        return answer

    def _begin(self, message: Start, text: str, deadline: float) -> Match:
        if len(self._playing) >= self.most and (stale := self._stale()) is not None:
            self._end(stale, "aborted")
        self.warm()
        (process, guard), self._spare = self._spare, []
        seed = self._seed + len(self._over) + len(self._playing)
        match = Match(
            message, text, self._player, seed, process, guard, monotonic(), tell=self._log
        )
        self._playing[message.match] = match
        self._over.pop(message.match, None)
        match.begin(guard, deadline)
        match.begin(process, deadline)
        self._log(
            f"{message.match}: begins, {message.role} has {message.start_clock} s to get ready "
            f"and {message.play_clock} s a move"
        )
        return match

    async def play(self, message: Play, text: str, received: float) -> tuple[str, Question | None]:
        """Return the answer to ``PLAY``, and the question that it answers."""
        match = self._playing.get(message.match)
        if match is None:
            return "busy", None
        match.heard = monotonic()
        clock = match.start.play_clock
        question = await match.play(message, text, received + clock - margin(clock))
        if question.move is None:
            self._log(f"{message.match}: no move at hand")
            return "nil", question
        note = "" if question.hearing == "NEW" or question.number == 1 else f" ({question.hearing})"
        note += f"; {question.note}" if question.note else ""
        self._log(f"{message.match}: {match.start.role} plays {question.move}{note}")
        return question.move, question

    def stop(self, name: str) -> str:
        """Return the answer to ``STOP``."""
        return self._leave(name, "done")

    def abort(self, name: str) -> str:
        """Return the answer to ``ABORT``."""
        return self._leave(name, "aborted")

    def _leave(self, name: str, word: str) -> str:
        if name in self._playing:
            self._end(name, word)
            self._log(f"{name}: {word}")
            return word
        return word if self._over.get(name) == word else "busy"

    def _end(self, name: str, word: str) -> None:
        for task in self._playing.pop(name).close():
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        if not self._playing:
            self.warm()
        self._over[name] = word
        while len(self._over) > REMEMBERED:
            self._over.popitem(last=False)

    async def close(self) -> None:
        """End all processes."""
        for match in self._playing.values():
            self._ending.update(match.close())
        self._playing.clear()
        self._ending.update(process.close() for process in self._spare)
        await asyncio.gather(*self._ending, return_exceptions=True)
