"""A match between players that are asked over HTTP.

In: a `Setup`. Out: a `MatchRecord`, and events while it goes on. All players are asked at the
same time. One that does not answer in time, or not with a legal move, gets a legal move drawn
at random, and the match goes on.

Source: the game server of ggp-base: its order of messages, its time-outs, its words for
errors (``TO`` out of time, ``CE`` no connection, ``IL`` no legal move).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from gdl.game import Game
from gdl.ggp.messages import (
    Abort,
    Message,
    News,
    Play,
    Preview,
    Sensed,
    Start,
    Stop,
    format_message,
    parse_answer,
)
from gdl.ggp.record import MatchRecord, now, token
from gdl.ggp.scramble import Scrambler, scrambler, unscrambled
from gdl.ggp.spelling import Spelling, Use, spelling
from gdl.ggp.wire import WireError, ask
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.syntax import Term
from gdl.language.words import counted
from gdl.machine import JointMove
from gdl.ruleset.flatten import flatten
from gdl.state import State

__all__ = [
    "Event",
    "Fault",
    "Manager",
    "Seated",
    "Setup",
    "SetupError",
    "Step",
    "StuckError",
    "seat",
]

PLAY_GRACE: Final = 1.0
"""Seconds that a move may take beyond the play clock."""
SHORT_SECONDS: Final = 1.0
"""How long ``ABORT`` and ``INFO`` may take."""
TOO_LATE: Final = "TO"
NO_CONNECTION: Final = "CE"
ILLEGAL: Final = "IL"


class SetupError(GdlError):
    """A match that cannot be played as it is wanted."""


class StuckError(GdlError):
    """A role has no legal move though the game is not over."""


@dataclass(frozen=True, slots=True)
class Seated:
    """Who plays a role.

    Attributes:
        host: Where the player is; empty for one that moves at random, here.
        port: And at which port.
        name: What people call it.
    """

    host: str
    port: int
    name: str

    @property
    def is_chance(self) -> bool:
        """Whether nobody is asked."""
        return not self.host


CHANCE: Final = Seated("", 0, "random")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A match that is to be played.

    Attributes:
        game: The game.
        players: Who plays each role, in role order.
        start_clock: Seconds to get ready.
        play_clock: Seconds a move.
        preview_clock: Seconds to look at the rules before the match, None for no preview.
        match_id: Its name.
        seed: What chance comes from: replaced moves, nature, made-up words.
        is_scrambled: Whether players get made-up words.
        max_steps: After so many joint moves the match is given up; None for no end.
        is_led: Whether players are told moves drawn at random in place of their own, as after a
            time-out; what they answer is judged all the same.
    """

    game: Game
    players: tuple[Seated, ...]
    start_clock: int = 30
    play_clock: int = 10
    preview_clock: int | None = None
    match_id: str = "match"
    seed: int = 0
    is_scrambled: bool = False
    max_steps: int | None = None
    is_led: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A player did not do as it should.

    Attributes:
        step: Number of joint moves made before; None for ``START``.
        role: Whom it plays.
        player: Its name.
        error: As it stands in the record.
        instead: The move that was drawn for it, None where none was needed.
    """

    step: int | None
    role: Term
    player: str
    error: str
    instead: Term | None


@dataclass(frozen=True, slots=True)
class Step:
    """A joint move was made, and led to a state."""

    joint_move: JointMove
    state: State


Event: TypeAlias = "Fault | Step"


def seat(game: Game, players: Sequence[Seated]) -> tuple[Seated, ...]:
    """Return who plays each role, where nature is given nobody.

    Raises:
        SetupError: Too many players, or too few.
    """
    wanted = [role for role in game.roles if role != RANDOM]
    if len(players) == len(game.roles):
        return tuple(
            CHANCE if role == RANDOM else player
            for role, player in zip(game.roles, players, strict=True)
        )
    if len(players) != len(wanted):
        raise SetupError(
            f"{counted(len(players), 'player')} for {counted(len(wanted), 'role')}",
            expected=f"one for each of {', '.join(wanted)}, in this order",
        )
    given = iter(players)
    return tuple(CHANCE if role == RANDOM else next(given) for role in game.roles)


@dataclass(slots=True)
class Manager:
    """Plays one match.

    Attributes:
        setup: What is wanted.
        record: What has happened so far.
        on_event: Is told of each step and fault.
        on_change: Is called whenever the record has grown.
    """

    setup: Setup
    on_event: Callable[[Event], None] = lambda _: None
    on_change: Callable[[MatchRecord], None] = lambda _: None
    record: MatchRecord = field(init=False)
    _rng: random.Random = field(init=False)
    _words: Scrambler = field(init=False)
    _wire: Spelling = field(init=False)
    _is_sensed: bool = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the record and the words that players see."""
        setup = self.setup
        rules = flatten(setup.game.ruleset)
        self._rng = random.Random(f"match {setup.seed}")  # noqa: S311  # chance for play
        self._words = (
            scrambler(rules, seed=setup.seed) if setup.is_scrambled else unscrambled(rules)
        )
        self._wire = spelling(self._words.rules)
        self._is_sensed = setup.game.hides_facts
        self.record = MatchRecord(
            match_id=setup.match_id,
            game_url=setup.game.id,
            start_clock=setup.start_clock,
            play_clock=setup.play_clock,
            preview_clock=-1 if setup.preview_clock is None else setup.preview_clock,
            players=tuple(player.name for player in setup.players),
            is_scrambled=setup.is_scrambled,
            start_time=now(),
            random_token=token(random.Random()),  # noqa: S311  # a name, no secret
            names=spelling(rules),
        )

    async def run(self) -> MatchRecord:
        """Play the match to its end; when this is cancelled, the players are told.

        Raises:
            StuckError: A role has no legal move though the game is not over.
            OSError: Who is told of changes cannot write them; the players are told as well.
        """
        try:
            return await self._run()
        except (asyncio.CancelledError, GdlError, OSError):
            self.record.is_aborted = True
            try:
                self.on_change(self.record)
            finally:
                await asyncio.shield(self._tell_all(Abort(self.setup.match_id), SHORT_SECONDS))
            raise

    async def _run(self) -> MatchRecord:
        setup, record = self.setup, self.record
        state = setup.game.initial()
        record.reach(state)
        self.on_change(record)
        if setup.preview_clock is not None:
            await self._tell_all(
                Preview(self._words.rules, setup.preview_clock), setup.preview_clock
            )
        record.start_errors = await self._start()
        while not await asyncio.to_thread(_is_over, state):
            if setup.max_steps is not None and len(record.moves) >= setup.max_steps:
                raise StuckError(f"the match is not over after {setup.max_steps} joint moves")
            joint, errors = await self._step(state)
            state = await asyncio.to_thread(state.play, joint)
            record.moves.append(joint)
            record.errors.append(errors)
            record.reach(state)
            self.on_event(Step(joint, state))
            self.on_change(record)
        record.complete(_goals(state))
        self.on_change(record)
        await self._stop(state)
        return record

    # Messages -----------------------------------------------------------------------------

    async def _start(self) -> tuple[str, ...]:
        setup = self.setup
        roles = setup.game.machine.roles
        messages = [
            Start(
                setup.match_id,
                self._words.scramble(role),
                self._words.rules,
                setup.start_clock,
                setup.play_clock,
            )
            for role in roles
        ]
        answers = await self._ask_all(messages, setup.start_clock)
        errors = []
        for index, (_, error) in enumerate(answers):
            errors.append(error)
            if error:
                self.on_event(Fault(None, roles[index], setup.players[index].name, error, None))
        return tuple(errors)

    async def _step(self, state: State) -> tuple[JointMove, tuple[str, ...]]:
        """Return the joint move that is made in a state, and what went wrong for each role."""
        setup = self.setup
        roles = state.machine.roles
        legal = [await asyncio.to_thread(state.legal, role) for role in roles]
        for role, moves in zip(roles, legal, strict=True):
            if not moves:
                raise StuckError(
                    f"{role} has no legal move after {state.ply} joint moves, "
                    "and the game is not over",
                    help="gdl verify tells whether a game can be played to its end",
                )
        messages = [Play(setup.match_id, news) for news in self._news(state)]
        answers = await self._ask_all(messages, setup.play_clock + PLAY_GRACE)
        joint, errors = [], []
        for role, player, moves, (text, error) in zip(
            roles, setup.players, legal, answers, strict=True
        ):
            move, fault = self._judged(text, error, moves)
            if move is None:
                move = self._rng.choice(moves)
                if not player.is_chance:
                    self.on_event(Fault(state.ply, role, player.name, fault, move))
            elif setup.is_led:
                move = self._rng.choice(moves)
            joint.append(move)
            errors.append("" if player.is_chance else fault)
        return tuple(joint), tuple(errors)

    def _judged(
        self, text: str | None, error: str, legal: Sequence[Term]
    ) -> tuple[Term | None, str]:
        """Return the move that an answer is, None if it is no legal one, and what is wrong."""
        if text is None:
            return None, error
        answer = parse_answer(text)
        if answer is None:
            return None, f"{ILLEGAL} null"
        move = self._words.unscramble(answer)
        return (
            (move, "")
            if move in legal
            else (None, f"{ILLEGAL} {self.record.names.text(move, Use.MOVE)}")
        )

    def _news(self, state: State) -> list[News]:
        """Return what each role is told of the last step."""
        before, joint = state.previous, state.last_move
        roles = state.machine.roles
        scramble = self._words.scramble
        if not self._is_sensed:
            return [None if joint is None else tuple(map(scramble, joint))] * len(roles)
        if before is None or joint is None:
            return [Sensed(0, None)] * len(roles)
        machine = before.machine
        return [
            Sensed(
                state.ply,
                scramble(move),
                frozenset(map(scramble, machine.percepts(before.inner, joint, role))),
            )
            for role, move in zip(roles, joint, strict=True)
        ]

    async def _stop(self, state: State) -> None:
        messages = [Stop(self.setup.match_id, news) for news in self._news(state)]
        await self._ask_all(messages, max(self.setup.play_clock, SHORT_SECONDS))

    async def _tell_all(self, message: Message, seconds: float) -> None:
        await self._ask_all([message] * len(self.setup.players), seconds)

    async def _ask_all(
        self, messages: Sequence[Message], seconds: float
    ) -> list[tuple[str | None, str]]:
        """Return for each player its answer, or None and what went wrong; nobody asks chance."""

        async def nobody() -> tuple[str | None, str]:
            return None, ""

        asked: list[Awaitable[tuple[str | None, str]]] = [
            nobody()
            if player.is_chance
            else _ask(player, format_message(message, self._wire), seconds)
            for player, message in zip(self.setup.players, messages, strict=True)
        ]
        return list(await asyncio.gather(*asked))


async def _ask(player: Seated, text: str, seconds: float) -> tuple[str | None, str]:
    try:
        answer = await ask(player.host, player.port, text, receiver=player.name, seconds=seconds)
    except TimeoutError:
        return None, TOO_LATE
    except WireError as error:
        too_large = 413
        return None, f"{ILLEGAL} null" if error.status == too_large else NO_CONNECTION
    except OSError:
        return None, NO_CONNECTION
    return answer, ""


def _is_over(state: State) -> bool:
    return state.is_terminal


def _goals(state: State) -> tuple[int, ...]:
    """Return the goal of each role; 0 where the rules give none, the lowest of several."""
    machine = state.machine
    return tuple(next(iter(machine.goals(state.inner, role)), 0) for role in machine.roles)


async def introduce(player: Seated) -> str | None:
    """Return what a player says to ``INFO``, None when it says nothing."""
    answer, _ = await _ask(player, "( INFO )", SHORT_SECONDS)
    return answer
