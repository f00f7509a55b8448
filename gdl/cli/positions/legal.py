"""``gdl legal``: who can do what in a position."""

from __future__ import annotations

from typing import Annotated

from gdl.cli.positions.moves import written
from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.console import console, say, say_json
from gdl.cli.terminal.options import GameArgument, JsonOption, MovesOption, option
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import harmless
from gdl.language.words import counted
from gdl.state import State


def legal(
    game: GameArgument,
    moves: MovesOption = "",
    role: Annotated[str | None, option("--role", None, "Only this role's moves.")] = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """List the legal moves of a position.

    Examples:
      gdl legal tictactoe
      gdl legal pentago/strict --moves "E5 Q01 CW; B2 Q10 CCW" --role black
      gdl legal mine.kif --json
    """
    loaded = open_game(game, limits)
    state = reach(loaded, moves)
    roles = loaded.roles if role is None else (str(loaded.role(role)),)
    if json:
        say_json(
            {
                "game": loaded.id,
                "ply": state.ply,
                "terminal": state.is_terminal,
                "legal": {name: _moves_of(state, name) for name in roles},
            }
        )
        return
    if state.is_terminal:
        say("The game is over here; the rules still say what would be legal.", style="yellow")
    for name in roles:
        _print_moves(state, name)


def _moves_of(state: State, role: str) -> list[dict[str, str]]:
    has_short = state.game.ruleset.short_notation is not None
    return [
        {"kif": str(move), "notation": state.notation(move)}
        | ({"short": state.notation(move, short=True)} if has_short else {})
        for move in state.legal(role)
    ]


def _print_moves(state: State, role: str) -> None:
    from rich.columns import Columns

    texts = [harmless(written(state, move)) for move in state.legal(role)]
    number = counted(len(texts), "legal move") if texts else "no legal move"
    say(f"{role}: {number}", style="bold")
    console().print(Columns(texts, padding=(0, 2), column_first=True))
