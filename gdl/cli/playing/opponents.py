"""Players at the table of ``gdl play``: they are asked, watched while they think, and explained.

In: names of players with options, and seconds a move. Out: their moves, and what they thought, in
words and as a table. While one thinks, a terminal shows its visits, values and principal line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from gdl.cli.terminal.console import is_watched, say
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.table import table_lines
from gdl.cli.terminal.ticker import ticker
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.syntax import Term
from gdl.language.words import counted

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.play import MatchBudget, Player, Thoughts
    from gdl.state import State

CHANCE: Final = "random"
"""The player that the session itself is."""
HUMAN: Final = "human"
CODE_SECONDS: Final = 3.0
"""Seconds that people wait for machine code of a game; beyond them it is made beside play."""
START_SECONDS: Final = 4.0
"""Seconds for players to get ready before the first move; what is not ready then is made beside."""
SOON: Final = 1.0
"""The same where machine code of the game is made beside already."""
SHOWN: Final = 8
"""Moves of a table of thoughts."""
SHOWN_LINE: Final = 6
"""Plies of a principal line in a sentence."""


def seat(
    game: Game, specs: Sequence[str], humans: Sequence[str], *, seed: int
) -> dict[str, tuple[str, Player]]:
    """Return the player of each role that neither a person nor chance plays.

    Args:
        game: The game.
        specs: One for all, or one for each of these roles in order.
        humans: Roles that people play.
        seed: Makes the players' draws repeatable.

    Raises:
        UsageError: There are neither one nor as many players as roles, or there is no such
            player, file or module, or none with such an option.
    """
    from gdl.play import PlayerOptionError, UnknownPlayerError, make
    from gdl.play.own_player import OwnPlayerError

    roles = [role for role in game.roles if role not in humans and role != RANDOM]
    if len(specs) not in {1, len(roles)} and roles:
        raise UsageError(
            f"{len(specs)} players for {counted(len(roles), 'role')} ({', '.join(roles)})",
            expected="one player for all of them, or one for each",
        )
    specs_of_roles = list(specs) * len(roles) if len(specs) == 1 else list(specs)
    players = {}
    for number, (role, spec) in enumerate(zip(roles, specs_of_roles, strict=False)):
        try:
            player = make(spec, role=game.role(role), seed=seed + number, own=True)
        except (UnknownPlayerError, PlayerOptionError, OwnPlayerError) as error:
            raise UsageError(f"player {spec}: {error}") from error
        players[role] = spec, player
    return {role: chosen for role, chosen in players.items() if chosen[0] != CHANCE}


def made_fast(state: State) -> State:
    """Return a state in a game that runs as machine code, if it can; for those who search."""
    from gdl.game import load

    with ticker() as line:
        line.tick(lambda: f"makes machine code of {state.game.id} ...")
        game = load(state.game.ruleset, limits=state.game.limits, patience=CODE_SECONDS)
    first, *others = state.history
    if first != state.game.initial():
        return state
    faster = game.initial()
    for after in others:
        assert after.last_move is not None
        faster = faster.play(after.last_move)
    return faster


class Opponents:
    """The players of a game that is being played.

    Attributes:
        seats: Name and player of each role that has one.
        seconds: What each has for a move.
        match_seconds: What each has for all moves, in place of that; None for any time.
    """

    def __init__(
        self,
        seats: Mapping[str, tuple[str, Player]],
        *,
        seconds: float,
        match_seconds: float | None = None,
        is_shown: bool = True,
    ) -> None:
        """Sit down; what they think is watched on a terminal if that may be shown."""
        self.seats = seats
        self._is_shown = is_shown
        self.seconds, self.match_seconds = seconds, match_seconds
        self._matches: dict[str, MatchBudget] = {}
        self._thoughts: dict[str, Thoughts] = {}
        self._backends: dict[str, str] = {}

    def prepare(self, game: Game) -> None:
        """Let all get ready."""
        from gdl.play import Budget, prepare

        seconds = START_SECONDS if game.back_end.refusal is None else SOON
        with ticker() as line:
            for role, (name, player) in self.seats.items():
                title = game.ruleset.title_of(role)
                line.tick(lambda name=name, title=title: f"{name} gets ready to play {title} ...")  # type: ignore[misc]  # defaults bind the names of this round
                with _answering(name, title):
                    prepare(player, game, Budget(seconds))

    def choose(self, state: State, role: str) -> Term:
        """Ask the player of a role for its move, and keep what it thought.

        Raises:
            IllegalMoveError: Its move is not legal.
        """
        name, player = self.seats[role]
        match = self._match_of(state.game, role)
        move, thoughts = ask(
            player,
            state,
            role,
            name=name,
            seconds=self.seconds,
            match=match,
            is_shown=self._is_shown,
        )
        if thoughts is not None:
            self._thoughts[role] = thoughts
        else:
            self._thoughts.pop(role, None)
        self._say_backend(state, role)
        return move

    def _match_of(self, game: Game, role: str) -> MatchBudget | None:
        """Return what a role has for the whole match, if that is limited."""
        from gdl.play import MatchBudget

        if self.match_seconds is not None and role not in self._matches:
            self._matches[role] = MatchBudget.of(game, self.match_seconds)
        return self._matches.get(role)

    def _say_backend(self, state: State, role: str) -> None:
        """Say when a player does without the machine code of the game, and when it has it."""
        from gdl.play.player import backend_of, is_compiling

        name, player = self.seats[role]
        before, backend = self._backends.get(role, ""), backend_of(player)
        title = state.game.ruleset.title_of(role)
        self._backends[role] = backend
        if backend == before or state.game.back_end.refusal is None:
            return
        if backend == "native":
            say(f"   {name} plays {title} by machine code from here on", style="dim")
        elif backend:
            beside = "; machine code is made beside" if is_compiling(player) else ""
            say(f"   {name} plays {title} by the rules as written{beside}", style="dim")

    def explain(self, before: State) -> None:
        """Say in a sentence what the players of the roles that had a choice thought."""
        thinkers = [role for role in before.movers if role in self._thoughts]
        for role in thinkers:
            sentence = summary(self._thoughts[role], before)
            whose = f" for {before.game.ruleset.title_of(role)}" if len(thinkers) > 1 else ""
            if sentence:
                say(f"   {self.seats[role][0]}{whose}: {sentence}", style="dim")

    def tell(self, before: State) -> None:
        """Show the last thoughts as tables."""
        if not self._thoughts:
            say("Nobody has thought yet.")
        for role, thoughts in self._thoughts.items():
            title = before.game.ruleset.title_of(role)
            say(f"{self.seats[role][0]} for {title}:", style="bold")
            for line in thought_lines(thoughts, before):
                say(f"  {line}")


def ask(
    player: Player,
    state: State,
    role: str,
    *,
    name: str,
    seconds: float,
    match: MatchBudget | None = None,
    is_shown: bool = True,
) -> tuple[Term, Thoughts | None]:
    """Return a player's move and what it thought; on a terminal it is watched, if that is shown.

    Raises:
        IllegalMoveError: Its move is not legal.
    """
    from gdl.play import Budget, choose
    from gdl.play.player import thoughts_of

    title = state.game.ruleset.title_of(role)
    with _answering(name, title), ticker() as lines:

        def update(thoughts: Thoughts) -> None:
            lines.tick(lambda: _watched(thoughts, state, f"{name} thinks for {title}"))

        watch = update if is_shown and is_watched() else None
        own_budget = nullcontext(Budget(seconds, watch=watch))
        given = own_budget if match is None else match.move(watch=watch)
        with given as budget:
            move = choose(player, state, budget, role=role)
    return move, thoughts_of(player)


def _watched(thoughts: Thoughts, state: State, title: str) -> str:
    """Return what is seen of a search while it runs."""
    head = f"{title}: {thoughts.simulations:,} positions, {thoughts.seconds:.1f} s"
    return "\n".join([head, *(f"  {line}" for line in thought_lines(thoughts, state))])


@contextmanager
def _answering(name: str, title: str) -> Iterator[None]:
    """Say in a line where a player failed, which may be somebody else's.

    Raises:
        PlayerError: It failed.
    """
    from gdl.play.player import PlayerError, describe_error

    try:
        yield
    except GdlError:
        raise
    except Exception as error:
        raise PlayerError(
            f"the player {name} of {title} failed", notes=[describe_error(error)]
        ) from error


def summary(thoughts: Thoughts, state: State) -> str:
    """Return value, effort and principal line in a sentence; nothing where none was needed."""
    said = []
    best = thoughts.best
    if thoughts.simulations:
        sign = "exactly " if best.proven else ""
        said.append(f"{sign}{best.value:.4g} expected")
        looked = f"{counted(thoughts.simulations, 'position')} in {thoughts.seconds:.2f} s"
        if best.visits:
            looked = f"{counted(best.visits, 'visit')}; {looked}"
        if thoughts.playouts:
            looked += f", {thoughts.playouts:,} random games"
        said.append(looked)
    if thoughts.note:
        said.append(thoughts.note)
    line = line_text(thoughts, state, SHOWN_LINE)
    if line:
        said.append(f"then {line}")
    return "; ".join(said)


def line_text(thoughts: Thoughts, state: State, plies: int) -> str:
    """Return the principal line after its first move, in the notation of the game."""
    game = state.game
    told = []
    for joint in thoughts.line[1 : plies + 1]:
        moves = [state.notation(move) for move in joint if str(move) != "noop"]
        told.append("+".join(moves) if len(moves) <= len(game.roles) else "")
    return ", ".join(filter(None, told))


def thought_lines(thoughts: Thoughts, state: State) -> list[str]:
    """Return the best moves as a table: visits, value, and what is proven."""
    rows = [("move", "visits", "value", "")]
    rows += [
        (
            state.notation(candidate.move),
            f"{candidate.visits:,}",
            f"{candidate.value:.1f}",
            "proven" if candidate.proven else "",
        )
        for candidate in thoughts.candidates[:SHOWN]
    ]
    lines = table_lines(rows, right=(1, 2))
    text = line_text(thoughts, state, SHOWN)
    return [
        *lines,
        *([f"then {text}"] if text else []),
        *([thoughts.note] if thoughts.note else []),
    ]
