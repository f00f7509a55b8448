"""Why something holds or does not, for a person who types a move or a sentence.

In: a state, a role, a text. Out: the proof, or the literal that fails, as text.

Source: ours.
"""

from __future__ import annotations

from gdl.language.diagnostics import GdlError
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.syntax import Compound, Constant, Term
from gdl.state import State


def why_text(state: State, role: str, text: str) -> str:
    """Return why a move is legal for a role or why not; or the same of any other sentence.

    Raises:
        GdlError: The text is neither a move nor a sentence.
    """
    if text.lstrip("( ").split(maxsplit=1)[0].casefold() in KEYWORD_ARITIES:
        return str(state.why(text))
    try:
        move = state.game.move(text)
    except GdlError:
        return str(state.why(text))
    if move not in state.legal(role) and _is_relation(state, move):
        return str(state.why(move))
    return why_legal(state, role, move)


def why_legal(state: State, role: str, move: Term) -> str:
    """Return why a move is legal for a role, or why it is not."""
    return str(state.why(Compound("legal", (state.game.role(role), move))))


def _is_relation(state: State, term: Term) -> bool:
    rules = state.game.ruleset.description.rules
    return isinstance(term, Constant | Compound) and any(
        rule.head.sentence.name == term.name for rule in rules
    )
