"""Programs that choose moves, as they run in a process apart.

In: a match's header and log, a role, the name of a player, seconds. Out: a move, or what the
program thinks of the position. A player is kept from move to move, so that it may use what
it has learned.
"""

from __future__ import annotations

import ctypes
import gc
import random
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from gdl.backend import Wanted
from gdl.compile.budget import memory_held
from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.language.terms import Term
from gdl.match.actions import read_entry
from gdl.match.log import read_header
from gdl.match.match import Match, follow, start
from gdl.match.pin import unpin
from gdl.play.budget import Budget
from gdl.play.player import Player, choose, thoughts_of
from gdl.play.registry import make
from gdl.state import State
from gdl.view.scene_json import scene_json
from gdl.web.correspondences import correspond
from gdl.web.problems import ProblemError
from gdl.web.shipped import keep, name_of

if TYPE_CHECKING:
    from gdl.play.knowledge import Knower
    from gdl.view.scene import Scene
    from gdl.web.exact import Exact

KEPT: Final = 32
"""Matches, games and players that a process keeps."""
MOST_BYTES: Final = 768 << 20
"""Bytes beyond which a process lets go of the oldest of what it keeps."""
BEST: Final = 10
"""Candidates that an evaluation names."""


class Thinkers:
    """Players of several matches."""

    def __init__(self, backend: Wanted) -> None:
        """Begin with none.

        Args:
            backend: Who runs the rules; a confined process can only take ``reason``.
        """
        self._backend = backend
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._players: OrderedDict[tuple[str, str, str], Player] = OrderedDict()
        self._knowers: OrderedDict[tuple[str, str], Knower] = OrderedDict()
        self._exact: Exact | None = None

    def choose(  # noqa: PLR0913, PLR0917  # the fields of one request
        self,
        header: Any,  # noqa: ANN401  # JSON
        entries: list[Any],
        role: str,
        player: str,
        guest: bool,  # noqa: FBT001  # from JSON
        budget: float,
        limits: Limits,
    ) -> dict[str, Any]:
        """Return the move that a player chooses for a role, and what it thought.

        A player that is not named by a guest may be a file: whoever runs the server offers it.
        """
        match = self._match(header, entries, limits)
        if role not in match.to_move:
            raise ProblemError(409, "out-of-turn", f"{match.title_of(role)} is not to move")
        self.let_go()
        program = self._player(match, role, player, guest=guest)
        move = choose(program, match.state, Budget(budget), role=role)
        return {"seq": match.seq, "move": str(move), "thoughts": _thoughts(match, program)}

    def evaluate(  # noqa: PLR0913, PLR0917  # the fields of one request
        self,
        header: Any,  # noqa: ANN401  # JSON
        entries: list[Any],
        moves: list[Any],
        player: str,
        guest: bool,  # noqa: FBT001  # from JSON
        budget: float,
        limits: Limits,
    ) -> dict[str, Any]:
        """Return what a player thinks of a position, and for whom."""
        match = self._position(header, entries, moves, limits)
        role = match.to_move[0]
        self.let_go()
        program = made(player, match.game.role(role), guest=guest)
        move = choose(program, match.state, Budget(budget), role=role)
        return {
            "role": role,
            "move": match.state.notation(move, short=True),
            "thoughts": _thoughts(match, program),
        }

    def values(  # noqa: PLR0913, PLR0917  # the fields of one request
        self,
        header: Any,  # noqa: ANN401  # JSON
        entries: list[Any],
        moves: list[Any],
        table: str | None,
        budget: float,
        limits: Limits,
    ) -> dict[str, Any]:
        """Return what a position and each move in it are worth exactly, as far as that is known."""
        match = self._position(header, entries, moves, limits)
        if missing_for_values():
            return {"role": None, "source": None, "value": None, "moves": []}
        from gdl.web.exact import Exact

        self.let_go()
        self._exact = self._exact or Exact()
        return self._exact.tell(match, table, budget)

    def known(  # noqa: PLR0913, PLR0917  # the fields of one request
        self,
        header: Any,  # noqa: ANN401  # JSON
        entries: list[Any],
        moves: list[Any],
        role: str,
        budget: float,
        limits: Limits,
    ) -> dict[str, Any]:
        """Return the picture of what a role knows of a match for certain; None for no picture.

        Raises:
            ProblemError: Moves are tried, whose percepts would tell what is hidden.
        """
        match = self._match(header, entries, limits)
        drawn = None
        if not match.hidden:
            drawn = match.game.ruleset.scene(match.state.facts)
        elif moves:
            raise ProblemError(403, "hidden", "this game hides its state from its roles")
        elif match.game.ruleset.picture is not None:
            drawn = self._scene_of_known(match, role, budget)
        return {"role": role, "scene": None if drawn is None else scene_json(drawn)}

    def _scene_of_known(self, match: Match, role: str, budget: float) -> Scene | None:
        from gdl.play.knowledge import Knower

        self.let_go()
        key = match.header.id, role
        knower = self._knowers.pop(key, None) or Knower.of(match.game)
        if knower is None:
            return None
        keep(self._knowers, key, knower, KEPT)
        return knower.scene(match.state, match.game.role(role), budget)

    def correspond(self, left: Any, right: Any, budget: float, limits: Limits) -> dict[str, Any]:  # noqa: ANN401  # JSON
        """Return which roles and moves of two pinned rulesets stand for each other."""
        self.let_go()
        return correspond(unpin(left, limits=limits), unpin(right, limits=limits), budget, limits)

    def _position(
        self,
        header: Any,  # noqa: ANN401  # JSON
        entries: list[Any],
        moves: list[Any],
        limits: Limits,
    ) -> Match:
        """Return a match after further moves, where somebody is to move and may know all."""
        from gdl.web.study import after_moves

        match = self._match(header, entries, limits)
        if match.hidden:
            raise ProblemError(403, "hidden", "this game hides its state from its roles")
        match = after_moves(match, moves)
        if not match.to_move:
            raise ProblemError(409, "game-over", "the game is over")
        return match

    def _match(self, header: Any, entries: list[Any], limits: Limits) -> Match:  # noqa: ANN401  # JSON
        read = read_header(header)
        match = self._matches.pop(read.id, None) if read.id else None
        wanted = tuple(map(read_entry, entries))
        if match is None or match.entries != wanted[: match.seq]:
            match = start(read, game=self._game(header, limits))
        for entry in wanted[match.seq :]:
            match = follow(match, entry)
        if read.id:
            keep(self._matches, read.id, match, KEPT)
        return match

    def _game(self, header: Any, limits: Limits) -> Game:  # noqa: ANN401  # JSON
        name = name_of(header["ruleset"])
        game = self._games.pop(name, None)
        if game is None:
            game = load(
                unpin(header["ruleset"], limits=limits), backend=self._backend, limits=limits
            )
        keep(self._games, name, game, KEPT)
        return game

    def _player(self, match: Match, role: str, spec: str, *, guest: bool) -> Player:
        key = (match.header.id, role, spec)
        player = self._players.pop(key, None)
        if player is None:
            seed = random.SystemRandom().getrandbits(48)
            player = made(spec, match.game.role(role), seed, guest=guest)
        keep(self._players, key, player, KEPT)
        return player

    def let_go(self) -> None:
        """Let go of what was used longest ago, while the process holds more than it should.

        The player that was used last stays: it is the one that will be asked again.
        """
        held = (self._players, 1), (self._knowers, 0), (self._matches, 1), (self._games, 1)
        for kept, least in held:
            while len(kept) > least and memory_held() > MOST_BYTES:
                kept.popitem(last=False)
                give_back()


def made(spec: str, role: Term, seed: int = 0, *, guest: bool) -> Player:
    """Return a player; of one that no guest has named, why it cannot be made is for the log alone.

    Raises:
        GdlError: It cannot be, in words for the guest who has named it.
        RuntimeError: The same of one that whoever runs the server offers: the words name its file.
    """
    try:
        return make(spec, role=role, seed=seed, own=not guest, guest=guest)
    except GdlError as error:
        if guest:
            raise
        raise RuntimeError("a player that is offered cannot be made") from error


def give_back() -> None:
    """Give the system what is free: the C library of Linux keeps the gaps that players leave."""
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # another C library, or system
        ctypes.CDLL(None).malloc_trim(0)


def missing_for_values() -> bool:
    """Return whether numpy is missing, which tables are read with."""
    return find_spec("numpy") is None


def _thoughts(match: Match, player: Player) -> dict[str, Any] | None:
    thoughts = thoughts_of(player)
    if thoughts is None:
        return None
    return {
        "role": str(thoughts.role),
        "simulations": thoughts.simulations,
        "seconds": round(thoughts.seconds, 3),
        "note": thoughts.note,
        "candidates": [
            {
                "move": match.state.notation(candidate.move, short=True),
                "visits": candidate.visits,
                "value": round(candidate.value, 2),
                "proven": candidate.proven,
            }
            for candidate in thoughts.candidates[:BEST]
        ],
        "line": _line(match.state, thoughts.line),
    }


def _line(state: State, line: Iterable[tuple[Term, ...]]) -> list[str]:
    """Return the principal line of a search in notation, as far as one role moves at a time."""
    told: list[str] = []
    for joint in line:
        if state.is_terminal or len(state.movers) != 1:
            break
        move = joint[state.game.roles.index(state.movers[0])]
        told.append(state.notation(move, short=True))
        state = state.play(joint)
    return told
