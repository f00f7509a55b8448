"""Why something holds or does not, for a person who types a move or a sentence.

In: a state, a role, a text. Out: the proof, or the literal that fails, drawn.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gdl.cli.terminal.console import clean, say
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.syntax import Compound, Constant, Term
from gdl.state import State

if TYPE_CHECKING:
    from gdl.reason.why import Explanation

_VERDICT: Final = re.compile(r"^ *(?P<word>yes|no|nor|but|instead|\?)(?=:? )")
_PLACE: Final = re.compile(r"\[[^\]]*\]$|(?<=, by )\S+(?=:$)|(?<=nor )\S+(?=: )")
_STYLE_OF: Final = {"yes": "green", "no": "bold red", "nor": "red", "but": "yellow"}


def why(state: State, role: str, text: str) -> Explanation:
    """Return why a move is legal for a role or why not; or the same of any other sentence.

    Raises:
        GdlError: The text is neither a move nor a sentence.
    """
    first = text.lstrip("( ").split(maxsplit=1)[:1]
    if first and first[0].casefold() in KEYWORD_ARITIES:
        return state.why(text)
    try:
        move = state.game.move(text)
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

    for line in clean(str(explanation)).splitlines():
        painted = Text(line)
        for place in _PLACE.finditer(line):
            painted.stylize("dim", *place.span())
        if verdict := _VERDICT.match(line):
            painted.stylize(_STYLE_OF.get(verdict["word"], "dim"), *verdict.span("word"))
        say(painted)


def _is_relation(state: State, term: Term) -> bool:
    rules = state.game.ruleset.description.rules
    return isinstance(term, Constant | Compound) and any(
        rule.head.sentence.name == term.name for rule in rules
    )
