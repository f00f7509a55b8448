"""``gdl prospects``: what can still come of a position."""

from __future__ import annotations

from typing import Annotated

import typer

from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.options import GameArgument, JsonOption, MovesOption
from gdl.language.limits import DEFAULT_LIMITS, Limits


def prospects(
    game: GameArgument,
    moves: MovesOption = "",
    positions: Annotated[
        int,
        typer.Option(
            "--positions",
            metavar="N",
            help="Look at up to so many positions behind it for an exact answer.",
            min=0,
        ),
    ] = 5000,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Say which goals each role may still end with: who cannot win any more, what is decided.

    What is not listed can never come, whatever anybody does. Where too many positions are behind
    this one to look at all of them, what is listed may yet be out of reach; the answer says so.

    Examples:
      gdl prospects tictactoe --moves "b2; a1; c1; a3; a2; c2"
      gdl prospects mine.kif --moves @play.txt --json
    """
    from gdl.verify.questions.prospects import Prospects

    state = reach(open_game(game, limits), moves)
    outlook = Prospects(state.game, limits=limits)
    exact = outlook.exact(state, positions=positions) if positions else None
    (goals,) = [exact] if exact is not None else outlook.goals([state])
    roles = state.game.roles
    if json:
        answer = {role: sorted(mine) for role, mine in zip(roles, goals, strict=True)}
        say_json(
            {"game": state.game.id, "ply": state.ply, "exact": exact is not None}
            | {"goals": answer}
        )
        return
    for role, mine in zip(roles, goals, strict=True):
        values = " or ".join(map(str, sorted(mine))) or "none"
        say(f"{role}: {values}{_remark(mine)}")
    say(
        "exact"
        if exact is not None
        else "nothing else can come; some of these perhaps cannot either"
    )


def _remark(goals: frozenset[int]) -> str:
    if len(goals) == 1:
        return ", decided"
    return "" if 100 in goals else ", cannot win any more"  # noqa: PLR2004  # a win
