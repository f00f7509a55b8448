"""One match in a process of its own: whatever a game does here, the server still answers.

In, on standard input: one JSON object a line, what to do (see `Work`). Out, on standard
output: one JSON object a line, what is found. The first word on a move is the best that is known
without a thought, at once; then comes what a search thinks best so far, again and again, and at
last what the player chooses. The process ends when its input does.

The rules are first run as they are written, which takes milliseconds. Machine code is made by
another process (`gdl.play.compilation`), however long that takes, and taken over between two moves
once it agrees about the facts and the legal moves. What was made is kept for the next match.
"""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final, TextIO

from gdl.game import load
from gdl.ggp.messages import News, Play, Start, parse_message
from gdl.ggp.seat import Hearing, Seat, find_role
from gdl.ggp.spelling import PLAIN, Spelling, Use, spelling
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS
from gdl.language.parse import parse_term
from gdl.language.syntax import Term
from gdl.play import Budget, Player, make, prepare
from gdl.play.compilation import Compilation
from gdl.play.fallback_thoughts import NO_TIME, fallback_thoughts
from gdl.play.player import describe_error, thoughts_of
from gdl.play.thoughts import Thoughts
from gdl.ruleset import Ruleset

ENOUGH: Final = 0.02
"""Seconds below which no player is asked."""
NICENESS: Final = 5
"""How far the player stands back when the processor is wanted by its guard or its server."""
BESIDE: Final = "machine code is made beside"
SO_FAR: Final = f"{NO_TIME} to the end: the best so far"
"""What is said of a move that stands highest while a search goes on."""
COMPILING: Final = 0.8
"""Part of the start clock that is spent waiting for machine code, at most."""


@dataclass(slots=True)
class Work:
    """The state of the process.

    Attributes:
        out: Where findings go.
        seat: The match, None before it begins.
        player: Who chooses.
        spec: The player's name and options; empty for a guard, which only follows the rules.
        seed: What its draws, and ours, come from.
        names: How the rules of the match write names.
        compilation: What makes the game's machine code, until that is taken over.
    """

    out: TextIO
    seat: Seat | None = None
    player: Player | None = None
    spec: str = "random"
    seed: int = 0
    rng: random.Random = field(default_factory=random.Random)
    names: Spelling = PLAIN
    compilation: Compilation | None = None

    def do(self, command: dict[str, Any]) -> None:
        """Do what one command says; tell of any failure."""
        try:
            match command["do"]:
                case "start":
                    self.start(command, command["until"])
                case "play":
                    self.play(command, command["until"])
        except GdlError as error:
            self.tell(said="refused", number=command.get("number"), why=str(error))
        except Exception as error:  # noqa: BLE001  # a player of somebody else may do anything
            traceback.print_exc()
            self.tell(said="refused", number=command.get("number"), why=repr(error))

    def tell(self, **finding: object) -> None:
        """Write one finding."""
        self.out.write(json.dumps(finding) + "\n")
        self.out.flush()

    # START --------------------------------------------------------------------------------

    def start(self, command: dict[str, Any], deadline: float) -> None:
        """Read the rules and get ready; machine code is waited for until the deadline."""
        message = parse_message(command["text"])
        assert isinstance(message, Start)
        ruleset = Ruleset(id=f"{message.match}.kif", paths=(), text=message.rules)
        limits = dataclasses.replace(DEFAULT_LIMITS, seconds=max(1.0, float(message.start_clock)))
        game = load(ruleset, backend="reason", limits=limits)
        role = find_role(game, message.role)
        if role is None:
            names = " or ".join(game.roles)
            raise GdlError(f"the game has no role {message.role}", expected=names)
        self.spec, self.seed = command["player"], command["seed"]
        self.rng = random.Random(self.seed)  # noqa: S311  # chance is for play
        self.names = spelling(message.rules)
        self.seat = Seat(game, role, self.rng)
        self.seat.moves()  # what never changes is derived now, not within the first play clock
        if self.spec:
            self._get_ready(ruleset, deadline, is_hurried=bool(command["log"]))
        for text in command["log"]:
            self._hear(text, was_answered=True)
        why = "" if self.compilation is None else self.compilation.why or BESIDE
        self.tell(said="ready", backend=self.seat.game.backend, why=why)

    def _get_ready(self, ruleset: Ruleset, deadline: float, *, is_hurried: bool) -> None:
        """Make the player, and machine code, as far as the start clock allows."""
        assert self.seat is not None
        if self.spec != "random":  # which needs nothing but the legal moves
            self.compilation = Compilation(ruleset, DEFAULT_LIMITS)
        with suppress(AttributeError, OSError):  # no such call on Windows
            os.nice(NICENESS)  # the process that compiles goes before the search it will speed up
        self.player = make(self.spec, role=self.seat.role, seed=self.seed, own=True)
        if self.compilation is not None and not is_hurried:
            self.compilation.wait(COMPILING * (deadline - monotonic()))
        if not self._adopt(deadline):
            self._prepare(deadline)

    def _adopt(self, deadline: float) -> bool:
        """Take over machine code if it is there; whether that was done."""
        if self.compilation is None or self.seat is None or not self.compilation.is_over:
            return False
        compilation, self.compilation = self.compilation, None
        if compilation.game is None or not self.seat.adopt(compilation.game):
            why = compilation.why or "machine code disagrees about this state"
            self.tell(said="backend", backend=self.seat.game.backend, why=why)
            return False
        self.player = make(self.spec, role=self.seat.role, seed=self.seed, own=True)
        self._prepare(deadline)
        self.tell(said="backend", backend=self.seat.game.backend, why="")
        return True

    def _prepare(self, deadline: float) -> None:
        assert self.seat is not None
        assert self.player is not None
        if (seconds := deadline - monotonic()) > ENOUGH:
            prepare(self.player, self.seat.game, Budget(seconds))

    # PLAY ---------------------------------------------------------------------------------

    def play(self, command: dict[str, Any], deadline: float) -> None:
        """Take the news of a step and find a move."""
        if self.seat is None:
            raise GdlError("no match has begun")
        if command.get("is_restart"):
            self.seat = Seat(self.seat.game, self.seat.role, self.rng)
        if command["answered"] is not None:
            self.seat.say(parse_term(command["answered"]))
        news, hearing = self._hear(command["text"], was_answered=command["answered"] is not None)
        number = command["number"]
        if hearing in {Hearing.REPEATED, Hearing.LATE}:
            said = self.seat.said.get(self.seat.step_of(news))
            if said is not None:
                self._found(number, said, is_final=True, hearing=hearing)
                return
        legal = self.seat.moves()
        if not legal:
            raise GdlError(f"{self.seat.role} has no legal move")
        spare = self._recalled(legal)
        is_only = len(legal) == 1
        note = "" if is_only else spare.note
        self._found(number, spare.best.move, is_final=is_only, hearing=hearing, note=note)
        if len(legal) > 1 and self.player is not None:

            def tell(thoughts: Thoughts) -> None:
                if (best := thoughts.best.move) in legal:
                    self._found(number, best, is_final=False, hearing=hearing, note=SO_FAR)

            chosen, note = self._chosen(spare, legal, deadline, tell)
            self._found(number, chosen, is_final=True, hearing=hearing, note=note)

    def _recalled(self, legal: tuple[Term, ...]) -> Thoughts:
        """Return the best of what is known without a look at the game, at once."""
        assert self.seat is not None
        last = None if self.player is None else thoughts_of(self.player)
        at_once = Budget(1.0)
        at_once.stop()
        return fallback_thoughts(self.seat.position(legal), self.seat.role, legal, at_once, last)

    def _hear(self, text: str, *, was_answered: bool) -> tuple[News, Hearing]:
        assert self.seat is not None
        message = parse_message(text)
        assert isinstance(message, Play)
        return message.news, self.seat.hear(message.news, was_answered=was_answered)

    def _chosen(
        self,
        spare: Thoughts,
        legal: tuple[Term, ...],
        deadline: float,
        tell: Callable[[Thoughts], None],
    ) -> tuple[Term, str]:
        """Return what the player chooses, the spare move where it fails or is too late.

        Returns:
            The move, and what is to be said of it: nothing where it was thought about.
        """
        assert self.seat is not None
        assert self.player is not None
        try:
            self._adopt(monotonic() + (deadline - monotonic()) / 2)
            seconds = deadline - monotonic()
            if seconds < ENOUGH:
                return spare.best.move, spare.note
            budget = Budget(seconds, watch=tell)
            move = self.player(self.seat.game, self.seat.position(legal), budget)
        except Exception as error:  # noqa: BLE001  # a player of somebody else may do anything
            traceback.print_exc()
            return spare.best.move, f"the player failed: {describe_error(error)}"
        if move not in legal:
            return spare.best.move, f"the player named {move}, which is not legal"
        thoughts = thoughts_of(self.player)
        is_hasty = thoughts is not None and thoughts.note.startswith(NO_TIME)
        return move, thoughts.note if thoughts is not None and is_hasty else ""

    def _found(  # what is told
        self, number: int, move: Term, *, is_final: bool, hearing: Hearing, note: str = ""
    ) -> None:
        assert self.seat is not None
        if is_final:
            self.seat.say(move)
        self.tell(
            said="move",
            number=number,
            move=self.names.text(move, Use.MOVE),
            is_final=is_final,
            hearing=hearing.name,
            note=note,
        )


def main() -> None:
    """Do what standard input says until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when to leave
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what players print is no finding
    commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            commands.put(json.loads(line))
        os._exit(0)  # the server is gone, whatever is being computed

    threading.Thread(target=read, daemon=True).start()
    work = Work(out)
    while True:
        work.do(commands.get())


if __name__ == "__main__":
    main()
