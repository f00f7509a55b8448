"""The classes that OpenSpiel calls: a game and its states.

In: a `MarkovGame` and what kind of game it is. Out: a registered game. A state of OpenSpiel is a
state of ours, together with the moves that players have chosen while chance has not yet.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyspiel

from gdl.adapters.game_type import GameType
from gdl.adapters.markov_game import MarkovGame, OldName, Status
from gdl.adapters.spiel_observers import PlaneObserver, RecallObserver
from gdl.adapters.spiel_structs import ActionStruct, ObservationStruct, StateStruct, texts
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term, kif_text, sort_key
from gdl.machine import JointMove
from gdl.state import State


def register_markov_game(name: str, markov_game: MarkovGame, kind: GameType) -> bool:
    """Make a game known to OpenSpiel; return whether the name was free, or was this very game's."""
    if name in pyspiel.registered_names():
        other = pyspiel.load_game(name)
        return isinstance(other, SpielGame) and other.is_same(markov_game, kind)
    game_type = _game_type(name, markov_game, kind)
    # A class, not a function: OpenSpiel holds it until after the interpreter is gone, and what
    # nobody else holds any more would be freed there, which is fatal.
    registered = type(
        "RegisteredGame",
        (SpielGame,),
        {
            "game_type": game_type,
            "markov_game": markov_game,
            "game_kind": kind,
            "game_digest": markov_game.game.ruleset.digest(),
        },
    )
    pyspiel.register_game(game_type, registered)
    return True


def _game_type(name: str, markov_game: MarkovGame, kind: GameType) -> Any:  # noqa: ANN401  # pyspiel has no types
    of = pyspiel.GameType
    utility = {
        "zero-sum": of.Utility.ZERO_SUM,
        "constant-sum": of.Utility.CONSTANT_SUM,
        "general-sum": of.Utility.GENERAL_SUM,
    }
    has_chance = markov_game.nature is not None
    return of(
        short_name=name,
        long_name=markov_game.game.ruleset.title or markov_game.game.id,
        dynamics=of.Dynamics.SEQUENTIAL if kind.is_turn_taking else of.Dynamics.SIMULTANEOUS,
        chance_mode=(
            of.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else of.ChanceMode.DETERMINISTIC
        ),
        information=(
            of.Information.IMPERFECT_INFORMATION
            if markov_game.hides_facts
            else of.Information.PERFECT_INFORMATION
        ),
        utility=utility[kind.utility],
        reward_model=of.RewardModel.TERMINAL,
        max_num_players=len(markov_game.players),
        min_num_players=len(markov_game.players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game as OpenSpiel knows it; `register_markov_game` makes a class of each.

    Attributes:
        game_type: OpenSpiel's type of the game.
        markov_game: The game as learners take it, a Markov game.
        game_kind: What kind of game it is.
        game_digest: Of the rules when it was registered; files change.
    """

    game_type: Any
    markov_game: MarkovGame
    game_kind: GameType
    game_digest: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Begin; called by ``pyspiel.load_game``."""
        markov_game = self.markov_game
        players = len(markov_game.players)
        game_info = pyspiel.GameInfo(
            num_distinct_actions=len(markov_game.table),
            max_chance_outcomes=len(markov_game.drawn),
            num_players=players,
            min_utility=markov_game.worst,
            max_utility=1.0,
            utility_sum=self.game_kind.utility_sum,
            max_game_length=markov_game.max_plies * players,
        )
        super().__init__(self.game_type, game_info, params or {})

    def is_same(self, markov_game: MarkovGame, kind: GameType) -> bool:
        """Return whether this is the same game, registered in the same way."""
        mine = self.markov_game
        return (
            (mine.game, mine.max_plies, self.game_kind)
            == (markov_game.game, markov_game.max_plies, kind)
        ) and self.game_digest == markov_game.game.ruleset.digest()

    def new_initial_state(self) -> SpielState:
        """Return the state in which the game begins."""
        return SpielState(self)

    def make_py_observer(
        self,
        iig_obs_type: Any = None,  # noqa: ANN401  # pyspiel has no types
        params: dict[str, Any] | None = None,
    ) -> PlaneObserver | RecallObserver:
        """Return what turns states into observations."""
        if params:
            raise ValueError(f"observation parameters are not supported, {params} was given")
        is_whole = iig_obs_type is not None and iig_obs_type.perfect_recall
        if is_whole:
            return RecallObserver()
        return PlaneObserver(self.markov_game)


@dataclass(frozen=True)
class Moment:
    """Where a play stands: all that a state of OpenSpiel knows.

    OpenSpiel clones a state by copying this and writes it down by pickling it. A copy is the
    thing itself, and what is pickled is the play, not the position, so that neither loses how
    it came about.

    Attributes:
        name: What OpenSpiel calls the game.
        markov_game: The game as learners take it, a Markov game.
        kind: What kind of game it is.
        position: The state of the game.
        chosen: What players have chosen while chance has not yet: player and number.
    """

    name: str
    markov_game: MarkovGame
    kind: GameType
    position: State
    chosen: tuple[tuple[int, int], ...] = ()

    def __deepcopy__(self, memo: dict[int, object]) -> Moment:
        """Return this moment: it never changes."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the joint moves played."""
        played = tuple(state.last_move for state in self.position.history[1:])
        return _replay, (self.name, played, self.chosen)


def _replay(
    name: str, played: tuple[JointMove, ...], chosen: tuple[tuple[int, int], ...]
) -> Moment:
    """Return the moment that was pickled; the game must be registered."""
    game: SpielGame = pyspiel.load_game(name)
    state = game.markov_game.game.initial()
    for joint in played:
        state = state.play(joint)
    return Moment(name, game.markov_game, game.game_kind, state, chosen)


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A position as OpenSpiel knows it.

    Attributes:
        moment: Where the play stands.
    """

    course = OldName()

    def __init__(self, game: SpielGame) -> None:
        """Begin in the initial state, after the plies in which nobody is asked."""
        super().__init__(game)
        markov_game = game.markov_game
        name = game.game_type.short_name
        self.moment = Moment(name, markov_game, game.game_kind, markov_game.game.initial())
        self._settle()

    @property
    def markov_game(self) -> MarkovGame:
        """The game as learners take it, a Markov game."""
        return self.moment.markov_game

    @property
    def kind(self) -> GameType:
        """What kind of game it is."""
        return self.moment.kind

    @property
    def position(self) -> State:
        """The state of the game."""
        return self.moment.position

    def current_player(self) -> Any:  # noqa: ANN401  # a number or one of pyspiel.PlayerId
        """Return who is asked."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        asked = self._asked()
        if self.moment.chosen or not asked:
            return pyspiel.PlayerId.CHANCE
        if len(asked) == 1:
            return asked[0]
        if self.kind.is_turn_taking:
            names = " and ".join(self.markov_game.names[p] for p in asked)
            raise GdlError(
                f"{names} choose at the same time, but the game was registered as sequential",
                help='register(..., dynamics="simultaneous", name="another name")',
            )
        return pyspiel.PlayerId.SIMULTANEOUS

    def is_terminal(self) -> bool:
        """Return whether the game is over, cut off, or stuck."""
        return self.markov_game.status(self.position) is not Status.GOING

    def returns(self) -> list[float]:
        """Return the utility of each player: zeros until the end."""
        if not self.is_terminal():
            return [0.0] * len(self.markov_game.players)
        rewards = self.markov_game.rewards(self.position)
        total = self.kind.utility_sum
        if total is not None and not self.markov_game.is_decided(self.position):
            return [total / len(rewards)] * len(rewards)
        if total is not None and abs(sum(rewards) - total) > 1e-6:  # noqa: PLR2004  # rounding
            raise GdlError(
                f"utilities add up to {sum(rewards):g} here, but the game was registered as "
                f"{self.kind.utility}",
                help='register(..., utility="general-sum", name="another name")',
            )
        return rewards

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the moves of ``random``, each as likely."""
        drawn = self.markov_game.drawn
        legal = self._nature_moves()
        return sorted((drawn.index(move), 1 / len(legal)) for move in legal)

    def __str__(self) -> str:
        """Return the position as text; that it is the same says that the position is."""
        return self.markov_game.game.ruleset.draw(self.position.facts)

    def information(self, player: int) -> str:
        """Return all that a player knows of the play so far, as text."""
        return f"{self.markov_game.names[player]}: {'; '.join(self._history_of(player))}"

    def to_struct(self) -> StateStruct:
        """Return the state as plain data."""
        player = self.current_player()
        names = self.markov_game.names
        return StateStruct(
            names[player] if player >= 0 else pyspiel.PlayerId(player).name.lower(),
            texts(self.position.facts),
            {names[p]: self._action_to_string(p, n) for p, n in self.moment.chosen},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what `to_struct` holds."""
        return self.to_struct().to_dict()

    def to_json(self) -> str:
        """Return what `to_struct` holds as JSON."""
        return self.to_struct().to_json()

    def to_observation_struct(self, player: int | None = None) -> ObservationStruct:
        """Return what a player sees, by default who is asked.

        Raises:
            GdlError: There is no such player, or no single one is asked.
        """
        names = self.markov_game.names
        seen_by = self.current_player() if player is None else player
        if not 0 <= seen_by < len(names):
            said = f"{seen_by} is no player" if player is not None else "no single player is asked"
            raise GdlError(
                f"{said}, and an observation is one player's",
                expected=f"0 to {len(names) - 1}",
            )
        is_hidden = self.markov_game.hides_facts
        facts = (
            self.markov_game.percepts(self.position, seen_by) if is_hidden else self.position.facts
        )
        return ObservationStruct(names[seen_by], texts(facts))

    def action_to_struct(self, first: int, action: int | None = None) -> ActionStruct:
        """Return an action as plain data: of a player and an action, or of who is asked."""
        player, number = (self.current_player(), first) if action is None else (first, action)
        return ActionStruct(self._action_to_string(player, number))

    def struct_to_actions(self, struct: ActionStruct) -> list[int]:
        """Return the one number of a move of who is asked, legal or not.

        Raises:
            GdlError: It is no move of the game.
        """
        is_chance = self.current_player() == pyspiel.PlayerId.CHANCE
        moves = self.markov_game.drawn if is_chance else self.markov_game.table.moves
        written = self.markov_game.game.ruleset.notation.format
        for number in dict.fromkeys((*self.legal_actions(), *range(len(moves)))):
            if written(moves[number]) == struct.move:
                return [number]
        raise GdlError(
            f"{struct.move!r} is no move of this game",
            help="state.action_to_struct(action) tells how a move is written",
        )

    def validate_action_struct(self, struct: ActionStruct) -> Any:  # noqa: ANN401  # pyspiel.Status
        """Return whether a move is legal now, with the reason where it is not."""
        try:
            (action,) = self.struct_to_actions(struct)
        except GdlError as error:
            return pyspiel.error_status(str(error))
        if action in self.legal_actions():
            return pyspiel.ok_status()
        return pyspiel.error_status(f"{struct.move!r} is not legal here")

    def apply_action_struct(self, struct: ActionStruct) -> Any:  # noqa: ANN401  # pyspiel.Status
        """Make a move where it is legal; return whether it was, with the reason where not."""
        status = self.validate_action_struct(struct)
        if status.ok():
            self.apply_action(*self.struct_to_actions(struct))
        return status

    # What OpenSpiel calls by these names --------------------------------------------------

    def _legal_actions(self, player: int) -> list[int]:
        options = self.markov_game.options(self.position, player)
        return options or [0]

    def _apply_action(self, action: int) -> None:
        player = self.current_player()
        self._require_going()
        if player == pyspiel.PlayerId.SIMULTANEOUS:
            raise GdlError(
                "several players choose here, and one action was given",
                help="apply_actions takes one of each player",
            )
        if player == pyspiel.PlayerId.CHANCE:
            self._play(self.moment.chosen, self._numbered(player, action))
        else:
            self._choose(((player, action),))

    def _apply_actions(self, actions: list[int]) -> None:
        self._require_going()
        if len(actions) != len(self.markov_game.players):
            raise GdlError(
                f"{len(actions)} actions were given",
                expected=f"one of each player, {len(self.markov_game.players)}",
            )
        self._choose(tuple((p, actions[p]) for p in self._asked()))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.markov_game.game.ruleset.notation.format(self._numbered(player, action))

    # Ours ---------------------------------------------------------------------------------

    def _require_going(self) -> None:
        if self.is_terminal():
            raise GdlError("no action can be applied: the game is over")

    def _numbered(self, player: int, action: int) -> Term:
        """Return the move of a number, of chance or of a player.

        Raises:
            GdlError: It is the number of none.
        """
        is_chance = player == pyspiel.PlayerId.CHANCE
        moves = self.markov_game.drawn if is_chance else self.markov_game.table.moves
        if not 0 <= action < len(moves):
            raise GdlError(
                f"{action} is the number of no move{' of chance' * is_chance}",
                expected=f"0 to {len(moves) - 1}",
            )
        return moves[action]

    def _asked(self) -> tuple[int, ...]:
        return self.markov_game.asked(self.position)

    def _nature_moves(self) -> tuple[Term, ...]:
        nature = self.markov_game.nature
        if nature is None:
            return ()
        machine = self.position.machine
        return machine.legal(self.position.inner, self.markov_game.table.roles[nature])

    def _choose(self, chosen: tuple[tuple[int, int], ...]) -> None:
        for player, number in chosen:
            self.markov_game.check(self.position, player, number)
        if len(self._nature_moves()) > 1:
            self.moment = replace(self.moment, chosen=chosen)
        else:
            self._play(chosen, None)

    def _play(self, chosen: tuple[tuple[int, int], ...], drawn: Term | None) -> None:
        moves = {self.markov_game.players[p]: self.markov_game.table.moves[n] for p, n in chosen}
        if drawn is not None and self.markov_game.nature is not None:
            moves[self.markov_game.nature] = drawn
        self._move_to(self.markov_game.play(self.position, moves, None))
        self._settle()

    def _settle(self) -> None:
        """Make the plies in which neither a player nor chance is asked."""
        while not self.is_terminal() and not self._asked() and len(self._nature_moves()) <= 1:
            self._move_to(self.markov_game.play(self.position, {}, None))

    def _move_to(self, position: State) -> None:
        self.moment = replace(self.moment, position=position, chosen=())

    def _history_of(self, player: int) -> list[str]:
        role = self.markov_game.players[player]
        history: list[str] = []
        for after in self.position.history[1:]:
            before, joint = after.previous, after.last_move
            assert before is not None
            assert joint is not None
            if not self.markov_game.hides_facts:
                history.append(" ".join(map(kif_text, joint)))
                continue
            seen = before.machine.percepts(before.inner, joint, self.markov_game.table.roles[role])
            texts = map(kif_text, sorted(seen, key=sort_key))
            history.append(f"{kif_text(joint[role])} {{{' '.join(texts)}}}")
        return history
