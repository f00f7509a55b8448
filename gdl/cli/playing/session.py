"""One game at the terminal: asks people, lets chance play the other roles, shows what happens.

In: a state, who plays what, lines of text. Out: the dialogue, up to the result.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from gdl.cli.playing.commands import MEANINGS, Word, help_lines, read_command
from gdl.cli.playing.opponents import Opponents, ask, made_fast, thought_lines
from gdl.cli.playing.prompt import hand_over, read_line
from gdl.cli.positions.explanation import say_explanation, why, why_legal
from gdl.cli.positions.moves import MoveList, written
from gdl.cli.positions.outcome import outcome
from gdl.cli.terminal.console import say, shell_words, show
from gdl.cli.terminal.guard import FAILED, INTERRUPTED, report
from gdl.cli.terminal.table import table_lines
from gdl.language.diagnostics import GdlError
from gdl.language.files import FileError
from gdl.language.syntax import Term
from gdl.plies import format_ply
from gdl.state import State

if TYPE_CHECKING:  # much, which a session of people alone never needs
    from gdl.play import Player
    from gdl.play.knowledge import Knower

SHOWN_AT_ONCE: Final = 24
"""A list of moves as short as this is shown without being asked for."""
UNTOLD: Final = "These rules hide facts, and that would tell them: gdl play --open shows all."


class Jump(Enum):
    """What a person may want in place of a move."""

    UNDO = auto()
    QUIT = auto()


class Session:
    """A game that is being played.

    Attributes:
        state: The position now.
        humans: The roles that people play.
    """

    def __init__(
        self,
        state: State,
        humans: tuple[str, ...],
        *,
        seed: int,
        command: Sequence[str],
        opponents: Opponents,
        is_open: bool = False,
    ) -> None:
        """Begin at a state.

        Args:
            state: Where to begin.
            humans: The roles that people play; chance plays those that nobody plays.
            seed: Makes chance repeatable.
            command: The words that begin such a game, to which moves can be added.
            opponents: Players of other roles.
            is_open: Whether people see everything, also where the rules hide facts from them.
        """
        self.state = state
        self.humans = humans
        self._hides = bool(humans) and not is_open and state.game.hides_facts
        self._asked = humans[0] if len(humans) == 1 else ""
        self._chance = random.Random(seed)
        self._seed = seed
        self._command = tuple(command)
        self._opponents = opponents
        self._helper: Player | None = None
        self._knowers: dict[str, Knower] = {}
        self._commands: dict[Word, Callable[[MoveList, str], None]] = {
            Word.MOVES: self._list_moves,
            Word.WHY: self._why,
            Word.BOARD: lambda _moves, _text: self._draw(),
            Word.FACTS: self._list_facts,
            Word.HISTORY: self._list_history,
            Word.SAVE: self._save,
            Word.HINT: self._hint,
            Word.THOUGHTS: self._tell_thoughts,
            Word.HELP: self._help,
        }
        if self._hides:
            self._commands[Word.BOARD] = lambda moves, _text: self._tell_known(moves.role)
            self._commands[Word.HISTORY] = lambda moves, _text: self._tell_seen(moves.role)
            for word in (Word.WHY, Word.FACTS, Word.THOUGHTS):
                self._commands[word] = lambda _moves, _text: say(UNTOLD, style="yellow")

    def run(self) -> None:
        """Play to the end, or until the person stops.

        Raises:
            typer.Exit: Interrupted, or a role has no legal move before the end.
        """
        self._introduce()
        self._opponents.prepare(self.state.game)
        try:
            is_over = self._play()
        except EOFError:
            is_over = False
        except KeyboardInterrupt:
            say("")
            self._farewell()
            raise typer.Exit(INTERRUPTED) from None
        if is_over:
            say(outcome(self.state), style="bold")
        else:
            self._farewell()

    def _play(self) -> bool:
        """Return whether the game came to its end."""
        while not self.state.is_terminal:
            joint_move = self._joint_move()
            if joint_move is Jump.QUIT:
                return False
            if joint_move is Jump.UNDO:
                self._undo()
            else:
                self.state = self.state.play(joint_move)
                self._announce()
        self._draw(has_legend=bool(self.humans))
        if self._hides:
            say("What was played:")
            self._list_plies()
        return True

    def _joint_move(self) -> tuple[Term, ...] | Jump:
        """Return a move of each role: people are asked, chance and the forced are not."""
        lists = [MoveList.of(self.state, role) for role in self.state.game.roles]
        self._refuse_stuck(lists)
        movers = set(self.state.movers)
        if movers & set(self.humans) and not self._hides:
            self._draw()
        joint_move = []
        for moves in lists:
            if moves.role in self.humans and moves.role in movers:
                self._turn_to(moves)
                if self._hides:
                    self._draw_known(moves.role)
                answer = self._ask(moves)
                if isinstance(answer, Jump):
                    return answer
                joint_move.append(answer)
            elif moves.role in self._opponents.seats and moves.role in movers:
                joint_move.append(self._opponents.choose(self.state, moves.role))
            else:
                joint_move.append(self._chance.choice(moves.moves))
        return tuple(joint_move)

    def _refuse_stuck(self, lists: list[MoveList]) -> None:
        stuck = [moves.role for moves in lists if not moves.moves]
        if stuck:
            say(
                f"error: {self._titles(stuck)} cannot move, but the game is not over: the rules "
                "are broken here",
                stderr=True,
            )
            raise typer.Exit(FAILED)

    def _turn_to(self, moves: MoveList) -> None:
        """Where facts are hidden let who is asked next look alone, and tell what that one saw."""
        if self._hides and moves.role != self._asked:
            if len(self.humans) > 1:
                hand_over(self._title(moves.role), is_first=not self._asked)
            self._asked = moves.role
            self._tell_seen(moves.role)

    def _draw_known(self, role: str) -> bool:
        """Draw what a role knows of the position for certain; return whether there is a picture."""
        from gdl.cli.positions.picture import draw_scene
        from gdl.play.knowledge import Knower

        if self.state.game.ruleset.picture is None:
            return False
        # Where machine code is not ready in a few seconds, the next turn asks for it again.
        knower = self._knowers.get(role) or Knower.of(made_fast(self.state).game)
        if knower is None:
            return False
        drawn = knower.scene(self.state, self.state.game.role(role))
        if drawn is None:
            return False
        self._knowers[role] = knower
        say("")
        show(draw_scene(drawn))
        say("")
        return True

    def _tell_known(self, role: str) -> None:
        """Draw what a role knows; where that cannot be, list what it has seen."""
        if not self._draw_known(role):
            self._tell_seen(role)

    def _ask(self, moves: MoveList) -> Term | Jump:
        if len(moves.moves) <= SHOWN_AT_ONCE:
            self._list_moves(moves, "")
        while True:
            line = read_line(
                f"{self._title(moves.role)}> ", complete=lambda: (*moves.texts, *MEANINGS)
            )
            if not line:
                continue
            answer = self._answer(moves, line)
            if answer is not None:
                return answer

    def _answer(self, moves: MoveList, line: str) -> Term | Jump | None:
        """Return the move or jump of a line; None when it was a question, or made no sense."""
        move = None if line.startswith(":") else self._legal_move(moves, line)
        if move is not None:
            return move
        match read_command(line):
            case (Word.QUIT, _):
                return Jump.QUIT
            case (Word.UNDO, _) if self._hides:
                say("What a move has shown cannot be unseen.", style="yellow")
            case (Word.UNDO, _):
                if self._last_choice() is not None:
                    return Jump.UNDO
                say("There is no move of yours to take back.", style="yellow")
            case (Word.CHANCE, _):
                return self._chance.choice(moves.moves)
            case (command, rest):
                self._commands[command](moves, rest)
            case None:
                self._refuse(moves, line)
        return None

    def _legal_move(self, moves: MoveList, line: str) -> Term | None:
        try:
            move = self.state.move(line, moves.role)
        except GdlError:
            return moves.numbered(line)
        return move if move in moves.moves else moves.numbered(line)

    def _refuse(self, moves: MoveList, line: str) -> None:
        """Say why a line is no legal move."""
        if line.removeprefix("#").isdecimal() and not moves.sign:
            say(f"There is no move {line}; there are {len(moves.moves):,}.", style="yellow")
            return
        try:
            move = self.state.move(line, moves.role)
        except GdlError as error:
            report(error)
            say("Type moves for the legal ones, help for everything else.", style="dim")
            return
        text = self.state.notation(move)
        say(f"{text} is not legal for {self._title(moves.role)} here.", style="yellow")
        try:
            if not self._hides:
                say_explanation(why_legal(self.state, moves.role, move))
        except GdlError as error:
            report(error)
        nearest = moves.nearest(text)
        if nearest:
            say(f"Legal and similar: {', '.join(nearest)}")

    # -- what can be asked

    def _list_moves(self, moves: MoveList, part: str) -> None:
        table = moves.table(part)
        if table is None:
            say(f"No legal move contains {part!r}.", style="yellow")
        else:
            show(table)

    def _why(self, moves: MoveList, text: str) -> None:
        if not text:
            say("why what? For instance: why terminal, or why and a move", style="yellow")
            return
        try:
            say_explanation(why(self.state, moves.role, text))
        except GdlError as error:
            report(error)

    def _list_facts(self, _moves: MoveList, part: str) -> None:
        facts = [str(fact) for fact in sorted(self.state.facts)]
        shown = [fact for fact in facts if part.casefold() in fact.casefold()]
        say("\n".join(shown) if shown else "Nothing of the kind is true here.")

    def _list_history(self, _moves: MoveList, _text: str) -> None:
        self._list_plies()

    def _list_plies(self) -> None:
        plies = self._plies()
        if not plies:
            say("No move has been made.")
        for number, ply in enumerate(plies, start=1):
            say(f"{number:>4}. {ply}")

    def _tell_seen(self, role: str) -> None:
        """Tell what a role has done and seen, turn by turn; of nobody nothing."""
        for after in self.state.history[1:] if role else ():
            self._say_seen(after, role)

    def _say_seen(self, after: State, role: str) -> None:
        """Say what a role did and saw in the turn that led to a state."""
        before, joint_move = after.previous, after.last_move
        assert before is not None
        assert joint_move is not None
        told = []
        if role in before.movers:
            told.append(written(before, joint_move[after.game.roles.index(role)]))
        seen = before.machine.percepts(before.inner, joint_move, after.game.role(role))
        if seen or not told:
            told.append(f"sees {', '.join(map(str, sorted(seen))) or 'nothing'}")
        say(f"{after.ply}. {self._title(role)} {', '.join(told)}", style="cyan")

    def _save(self, _moves: MoveList, name: str) -> None:
        if not name:
            say("save where? For instance: save game.txt", style="yellow")
            return
        try:
            Path(name).write_text(
                "\n".join([f"# {shell_words(*self._command)}", *self._plies(), ""]),
                encoding="utf-8",
            )
        except OSError as error:
            report(FileError(error, name))
            return
        except ValueError as error:  # a name may hold what no file name can
            say(f"error: {error}: {name}", stderr=True)
            return
        say(f"Saved. To go on: {shell_words(*self._command, '--moves', f'@{name}')}")

    def _hint(self, moves: MoveList, _text: str) -> None:
        """Let a program say what it would play; it gets as long as the opponents."""
        from gdl.play import make

        seconds = self._opponents.seconds
        state = self.state if self._opponents.seats else made_fast(self.state)
        if self._helper is None:
            self._helper = make("mcts", seed=self._seed)
            Opponents({"": ("mcts", self._helper)}, seconds=seconds).prepare(state.game)
        move, thoughts = ask(self._helper, state, moves.role, name="mcts", seconds=seconds)
        say(f"mcts would play {state.notation(move)}.", style="bold")
        for line in thought_lines(thoughts, state) if thoughts is not None else ():
            say(f"  {line}")

    def _tell_thoughts(self, _moves: MoveList, _text: str) -> None:
        self._opponents.tell(self.state)

    def _help(self, _moves: MoveList, _text: str) -> None:
        for line in table_lines(help_lines()):
            say(f"  {line}")

    # -- how the game goes on

    def _title(self, role: str) -> str:
        return self.state.game.ruleset.title_of(role)

    def _titles(self, roles: Sequence[str]) -> str:
        return " and ".join(map(self._title, roles))

    def _introduce(self) -> None:
        ruleset = self.state.game.ruleset
        title = f"{ruleset.id}: {ruleset.title}" if ruleset.title else ruleset.id
        say(title, style="bold")
        seats = self._opponents.seats
        others = [
            role for role in self.state.game.roles if role not in self.humans and role not in seats
        ]
        if self.humans:
            say(f"You play {self._titles(self.humans)}.")
        for role, (name, _) in seats.items():
            whole = self._opponents.match_seconds
            a_move = f"{self._opponents.seconds:g} s a move"
            time = a_move if whole is None else f"{whole:g} s for all moves"
            say(f"{name} plays {self._title(role)}, {time}.")
        if others:
            say(f"Chance plays {self._titles(others)} (seed {self._seed}).")
        if self._hides:
            say("These rules hide facts: you are told what you see. gdl play --open shows all.")
            self._tell_seen(self._asked)
        elif self.humans and self.state.game.hides_facts:
            say("These rules hide facts from the players; here all of them are shown.")
        if self.humans:
            example = ruleset.notation.example
            say(f"Type a move{f' such as {example}' if example else ''}, or help.")
        else:
            self._draw()

    def _announce(self) -> None:
        """Say who made which move; in a game that nobody plays, draw it too."""
        state = self.state
        before, joint_move = state.previous, state.last_move
        assert before is not None
        assert joint_move is not None
        if self._hides:
            if len(self.humans) == 1:
                self._say_seen(state, *self.humans)
            return
        movers = before.movers or state.game.roles
        moves = [
            f"{self._title(role)} {written(before, move)}"
            for role, move in zip(state.game.roles, joint_move, strict=True)
            if role in movers
        ]
        say(f"{state.ply}. {', '.join(moves)}", style="bold cyan")
        self._opponents.explain(before)
        for role in self.humans:
            seen = state.game.machine.percepts(before.inner, joint_move, state.game.role(role))
            if seen:
                say(f"{self._title(role)} sees {', '.join(map(str, sorted(seen)))}", style="cyan")
        if not self.humans and not state.is_terminal:
            self._draw(has_legend=False)  # whoever watches has it above

    def _draw(self, *, has_legend: bool = True) -> None:
        from gdl.cli.positions.picture import draw_state

        say("")
        show(draw_state(self.state, has_legend=has_legend))
        table = self.state.game.table
        if table is not None:
            say(f"Best play: {table.value(self.state)}.", style="dim")
        say("")

    def _last_choice(self) -> State | None:
        """Return the latest earlier state in which a person had a choice."""
        state = self.state.previous
        while state is not None and not set(state.movers) & set(self.humans):
            state = state.previous
        return state

    def _undo(self) -> None:
        state = self._last_choice()
        assert state is not None
        self.state = state

    def _plies(self) -> list[str]:
        return [format_ply(state) for state in self.state.history[1:]]

    def _farewell(self) -> None:
        plies = self._plies()
        if not plies:
            say("Goodbye. No move was made.")
            return
        if self._hides:
            say("Goodbye. The moves tell what is hidden: save FILE writes them, to go on.")
            return
        again = shell_words(*self._command, "--moves", "; ".join(plies))
        say(f"Goodbye. To go on from here:\n  {again}")
