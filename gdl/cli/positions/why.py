"""``gdl why``: the proof of a fact, or the literal that fails."""

from __future__ import annotations

from typing import Annotated

from gdl.cli.positions.explanation import say_explanation
from gdl.cli.positions.position import open_game, reach
from gdl.cli.terminal.console import say_json
from gdl.cli.terminal.options import GameArgument, JsonOption, MovesOption, argument
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import harmless


def why(
    game: GameArgument,
    query: Annotated[
        list[str],
        argument(
            None,
            "A sentence: terminal, legal ROLE MOVE, goal ROLE N, true (cell 1 1 x), or any "
            "relation of the rules.",
        ),
    ],
    moves: MovesOption = "",
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Say why something holds in a position, or why it does not.

    Examples:
      gdl why tictactoe terminal
      gdl why pentago/strict legal black E5 Q01 CW
      gdl why pentago/strict "legal white E5 Q01 CW" --moves "E5 Q01 CW"
    """
    state = reach(open_game(game, limits), moves)
    text = " ".join(query)
    reason = state.why(text)
    if json:
        from gdl.reason.explanation import Proof

        holds = isinstance(reason, Proof)
        explanation = harmless(str(reason)).splitlines()
        say_json({"query": text, "holds": holds, "explanation": explanation})
    else:
        say_explanation(reason)
