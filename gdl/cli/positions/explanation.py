"""Why something holds or does not, for a person who types a move or a sentence.

In: a state, a role, a text. Out: the proof, or the literal that fails, drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.cli.terminal.console import say
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.source import harmless
from gdl.language.syntax import Compound, Constant, Term
from gdl.state import State

if TYPE_CHECKING:
    from gdl.reason.explanation import Explanation

_STYLES: Final = {
    "HOLDS": "green",
    "FAILS": "bold red",
    "NOR": "red",
    "BUT": "yellow",
    "ASIDE": "dim",
    "PLACE": "dim",
}
"""How a part of a line is painted; one that is not here is not."""


def why(state: State, role: str, text: str) -> Explanation:
    """Return why a move is legal for a role or why not; or the same of any other sentence.

    Raises:
        GdlError: The text is neither a move nor a sentence.
    """
    first = text.lstrip("( ").split(maxsplit=1)[:1]
    if first and first[0].casefold() in KEYWORD_ARITIES:
        return state.why(text)
    try:
        move = state.move(text, role)
    except GdlError:
        return state.why(text)
    if move not in state.legal(role) and _is_relation(state, move):
        return state.why(move)
    return why_legal(state, role, move)


def why_legal(state: State, role: str, move: Term) -> Explanation:
    """Return why a move is legal for a role, or why it is not."""
    return state.why(Compound("legal", (state.game.role(role), move)))


def say_explanation(explanation: Explanation) -> None:
    """Write an explanation: what holds green, what fails red, places dim."""
    from rich.text import Text

    from gdl.reason.explanation import explanation_lines

    for line in explanation_lines(explanation):
        pieces = [(harmless(text), _STYLES.get(part.name, "")) for text, part in line]
        say(Text.assemble(*pieces))


def _is_relation(state: State, term: Term) -> bool:
    rules = state.game.ruleset.description.rules
    return isinstance(term, Constant | Compound) and any(
        rule.head.sentence.name == term.name for rule in rules
    )
