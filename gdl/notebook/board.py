"""A board in a notebook on which moves are clicked.

In: a game or a state, and who plays which role. Out: a widget; its ``state`` is where the game
is. The browser is told shapes and the legal moves, and sends back which of them was clicked:
what that means is for the rules alone, here.

Source: anywidget's documentation, "Authoring widgets" (a module of JavaScript, traits, messages).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.packages import need_packages
from gdl.language.preconditions import ArgumentTypeError, require
from gdl.language.syntax import Term
from gdl.play import Budget, Player, choose, make
from gdl.play.information import information_state
from gdl.state import State
from gdl.view.frame import frame
from gdl.view.scene_json import scene_json
from gdl.view.svg import STYLE

if TYPE_CHECKING:
    from gdl.play.knowledge import Knower
    from gdl.view.scene import Scene

need_packages("a board in a notebook", ("anywidget",), "notebook")

import anywidget  # noqa: E402  # asked for above, in words
import traitlets  # noqa: E402

CHANCE: Final = "random"
"""The role whose moves nobody chooses."""
HOME: Final = files("gdl")
SCRIPT: Final = "\n".join(
    (HOME / where).read_text(encoding="utf-8")
    for where in ("web/page/choose.js", "web/page/board.js", "notebook/board.js")
)
"""What the browser runs: the board of the page, its choice of moves, and what joins them here."""


class Board(anywidget.AnyWidget):
    """A board on which moves are clicked.

    Attributes:
        state: Where the game is; it may be set.
        game: What is played.
    """

    _esm = SCRIPT
    _css = STYLE + (HOME / "notebook/board.css").read_text(encoding="utf-8")
    frame = traitlets.Dict().tag(sync=True)
    position = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        game: Game | State,
        *,
        players: Mapping[str, str | Player] | None = None,
        seconds: float = 1.0,
        seed: int = 0,
    ) -> None:
        """Show a game.

        Args:
            game: The game, or a state from which it goes on.
            players: For a role the program that plays it, by name (``mcts``, ``./mine.py``) or as
                a function; a role that is not named is clicked. ``random`` of games with chance
                draws by itself.
            seconds: What each program may think about a move.
            seed: Of chance and of the programs.

        Raises:
            UnknownRoleError: There is no such role.
            UnknownPlayerError: There is no such player.
        """
        if not isinstance(game, Game | State):
            raise ArgumentTypeError("the board's game", game, "a game or a state")
        first = game if isinstance(game, State) else game.initial()
        self.game, self._seconds = first.game, seconds
        named = dict(players or {})
        if CHANCE in self.game.roles:
            named.setdefault(CHANCE, "random")
        self._players: dict[str, Player] = {}
        for number, (name, player) in enumerate(named.items()):
            role = self.game.role(name)
            if isinstance(player, str):
                player = make(player, role=role, seed=seed + number, own=True)  # noqa: PLW2901
            self._players[str(role)] = player
        # Facts stay hidden from a person who plays against programs that do not see them either.
        is_shared = set(self._players) - {CHANCE}
        self._hides = bool(is_shared) and self.game.hides_facts
        self._knowers: dict[Term, Knower] = {}
        picture = self.game.ruleset.picture
        self._state = first
        self._chosen: dict[str, Any] = {}
        super().__init__(frame={} if picture is None else frame(picture).to_json())
        self.on_msg(self._on_message)
        self._go_on()

    def __repr__(self) -> str:
        """Say what is played; not how it stands, which may be hidden."""
        return f"<Board {self.game.id}>"

    @property
    def state(self) -> State:
        """Where the game is."""
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        require("the state", state, State, f"a state of {self.game.id}")
        if state.game != self.game:
            raise ArgumentTypeError("the state", state, f"a state of {self.game.id}")
        self._state, self._chosen = state, {}
        self._go_on()

    @property
    def role(self) -> str | None:
        """The role whose move is clicked next; None when the game is over."""
        if self._state.is_terminal:
            return None
        waiting = [r for r in self._people() if r not in self._chosen]
        return waiting[0] if waiting else None

    def play(self, move: str) -> None:
        """Make a move of the role that is asked, then those of the programs.

        Raises:
            IllegalMoveError: The move is not legal.
        """
        role = self.role
        if role is None:
            raise GdlError("the game is over", help="board.back() takes moves back")
        chosen = self.game.move(move) if move not in self._texts(role) else self._texts(role)[move]
        if chosen not in self._state.legal(role):
            self._state.play({role: chosen})  # which says why not
        self._chosen[role] = chosen
        self._go_on()

    def back(self) -> None:
        """Return to the last position in which somebody had clicked."""
        earlier = self._state.previous
        while earlier is not None and not self._people(earlier):
            earlier = earlier.previous
        if earlier is not None:
            self._chosen, self._state = {}, earlier
            self._tell()

    def _people(self, state: State | None = None) -> list[str]:
        """Return the roles that are clicked and have something to choose."""
        state = self._state if state is None else state
        return [role for role in state.movers if role not in self._players]

    def _go_on(self) -> None:
        """Play on until somebody has to click, and tell the browser."""
        while not self._state.is_terminal and self.role is None:
            budget = Budget(self._seconds)
            for role, player in self._players.items():
                self._chosen[role] = choose(player, self._state, budget, role=role)
            self._state, self._chosen = self._state.play(self._chosen), {}
        self._tell()

    def _texts(self, role: str) -> dict[str, Any]:
        return {self._state.notation(move): move for move in self._state.legal(role)}

    def _tell(self, words: str = "") -> None:
        state, role, ruleset = self._state, self.role, self.game.ruleset
        moves = []
        for text, move in ({} if role is None else self._texts(role)).items():
            place = ruleset.location(move, role or "")
            touch = {"block": place.block, "degrees": place.degrees} if place else None
            moves.append({"text": text, "steps": place.steps if place else [], "touch": touch})
        before = None if state.previous is None else state.previous.facts
        drawn = self._known(role) if self._hides else ruleset.scene(state.facts, before=before)
        self.position = {
            "scene": None if drawn is None else scene_json(drawn),
            "text": self._seen(role) if self._hides else str(state),
            "moves": moves,
            "words": words or self._words(),
            "back": state.previous is not None,
            "hides": self._hides,
        }

    def _looking(self, role: str | None) -> Term:
        """Return the role that looks: who is to be clicked, or else whoever is nobody's program."""
        return self.game.role(role or next(r for r in self.game.roles if r not in self._players))

    def _known(self, role: str | None) -> Scene | None:
        """Return the picture of what a role knows for certain, where it may not see the state."""
        from gdl.play.knowledge import Knower

        looking = self._looking(role)
        knower = self._knowers.get(looking) or Knower.of(self.game)
        if knower is None:
            return None
        self._knowers[looking] = knower
        return knower.scene(self._state, looking)

    def _seen(self, role: str | None) -> str:
        """Return what a role has done and seen, where it may not see the state."""
        steps = information_state(self._state, self._looking(role)).steps
        return "\n".join(
            f"{self.game.ruleset.notation.format(step.move)}: {' '.join(map(str, step.percepts))}"
            for step in steps
        )

    def _words(self) -> str:
        state = self._state
        if state.is_terminal:
            goals = (f"{role} {state.goal(role)}" for role in self.game.roles if role != CHANCE)
            return f"The game is over: {', '.join(goals)}."
        return f"{self.role} moves."

    def _on_message(self, _widget: object, content: Any, _buffers: object) -> None:  # noqa: ANN401  # of a browser
        try:
            if isinstance(content, dict) and content.get("back"):
                self.back()
            elif isinstance(content, dict) and isinstance(content.get("move"), str):
                self.play(content["move"])
        except GdlError as error:
            self._tell(f"{error.headline}")
