"""Games of OpenSpiel: ``pyspiel:NAME`` or ``pyspiel:NAME(key=value,...)``.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from gdl.adapters.packages import require
from gdl.conform.source import CHANCE, EngineMove, Plain, SourceError


class SpielSource(Plain):
    """A game of OpenSpiel; moves are its action numbers.

    A subclass, or anything that wraps its states, may change their answers.
    """

    def __init__(self, game: Any, name: str) -> None:  # noqa: ANN401  # pyspiel has no types
        """Ask a loaded game."""
        import pyspiel

        self.name = name
        self.version = f"open_spiel {_version()}"
        self._game = game
        kind = game.get_type()
        self.roles = tuple(f"player {n}" for n in range(game.num_players()))
        self.hides = kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION
        self.hides &= kind.dynamics != pyspiel.GameType.Dynamics.SIMULTANEOUS
        self.has_chance = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        self.bounds = (game.min_utility(), game.max_utility())
        self.most_moves = game.max_game_length()
        self._turns = tuple((player,) for player in range(len(self.roles)))
        self._is_at_once = kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        self._remembers = kind.provides_information_state_string
        self._observes = kind.provides_observation_string

    def initial(self) -> Any:  # noqa: ANN401
        """Return where play begins."""
        return self._game.new_initial_state()

    def movers(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401
        """Return who chooses here."""
        player = position.current_player()  # below 0 are chance, the end and several at once
        if player >= 0:
            return () if position.is_terminal() else self._turns[player]
        if position.is_terminal():
            return ()
        if position.is_chance_node():
            return (CHANCE,)
        return tuple(range(len(self.roles)))

    def legal(self, position: Any, role: int) -> Sequence[EngineMove]:  # noqa: ANN401
        """Return the legal actions of a role."""
        if role == CHANCE:
            return [outcome for outcome, _ in position.chance_outcomes()]
        actions: list[int] = position.legal_actions(role)
        return actions

    def chances(self, position: Any) -> Mapping[EngineMove, float]:  # noqa: ANN401
        """Return how likely each outcome is."""
        return dict(position.chance_outcomes())

    def play(self, position: Any, moves: Mapping[int, EngineMove]) -> Any:  # noqa: ANN401
        """Return what follows."""
        after = position.clone()
        if self._is_at_once and position.is_simultaneous_node():
            after.apply_actions([moves[role] for role in range(len(self.roles))])
        else:
            (move,) = moves.values()
            after.apply_action(move)
        return after

    def is_terminal(self, position: Any) -> bool:  # noqa: ANN401
        """Return whether play is over."""
        return bool(position.is_terminal())

    def returns(self, position: Any) -> tuple[float, ...]:  # noqa: ANN401
        """Return what the end is worth."""
        return tuple(position.returns())

    def text(self, position: Any, role: int, move: EngineMove) -> str:  # noqa: ANN401
        """Return an action as OpenSpiel writes it here."""
        return str(position.action_to_string(role, move))

    def observation(self, position: Any, role: int) -> Hashable | None:  # noqa: ANN401
        """Return all that a role knows: the information state, where the game has it."""
        if not self.hides or not self._remembers:
            return None
        return str(position.information_state_string(role))

    def draw(self, position: Any) -> str:  # noqa: ANN401
        """Return the position as OpenSpiel writes it."""
        return str(position)

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return a script of OpenSpiel alone."""
        lines = [
            "import pyspiel",
            "",
            f"state = pyspiel.load_game({self.name.partition(':')[2]!r}).new_initial_state()",
        ]
        for moves in plays:
            if len(moves) > 1:
                joint = [moves[role] for role in sorted(moves)]
                lines.append(f"state.apply_actions({joint})")
            else:
                lines.append(f"state.apply_action({next(iter(moves.values()))})")
        return "\n".join(lines)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("open-spiel")
    except PackageNotFoundError:
        return "of unknown version"


def open_spiel_game(name: str) -> SpielSource:
    """Return a game of OpenSpiel by its name, with parameters as OpenSpiel reads them.

    Raises:
        MissingPackageError: OpenSpiel is not installed.
        SourceError: It has no such game; names the nearest.
    """
    require("games of OpenSpiel", "pyspiel", extra="openspiel")
    import pyspiel

    registered, plain = pyspiel.registered_names(), name.partition("(")[0]
    # Before it is asked for a game that it lacks: it writes all names that it has to the terminal.
    if plain not in registered:
        from difflib import get_close_matches

        near = get_close_matches(plain, registered)
        help_ = f"did you mean {' or '.join(near)}?" if near else None
        raise SourceError(f"OpenSpiel has no game {plain}", help=help_)
    try:
        game = pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        raise SourceError(f"OpenSpiel cannot load {name}: {error}") from None
    return SpielSource(game, f"pyspiel:{name}")
