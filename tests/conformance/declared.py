"""What the rules declare: every fact that may be true (``base``), every move (``input``).

Lockstep never asks for these relations, but programs that ground the rules rely on them.
"""

from collections.abc import Mapping
from typing import Final

from gdl.conform import Divergence
from gdl.game import Game
from gdl.language.syntax import Atom, Compound, Description, Rule, Term, Variable
from gdl.reason.machine import Reasoner

COUNTS: Final[Mapping[str, tuple[int, int]]] = {
    "pentago/strict": (36 * 2 + 2, 2 * (288 + 1)),
    "pentago/utwente": (36 * 2 + 2, 2 * (288 + 1)),
    "pentago/classic": (36 * 2 + 2, 2 * (288 + 36 + 1)),
    "pentago/phased": (36 * 2 + 2 + 2, 2 * (36 + 8 + 1)),
    "gomoku/freestyle": (225 * 2 + 2, 2 * (225 + 1)),
}
"""Base propositions (marks on squares, control) and inputs (moves of both roles, noops)."""


def derived(game: Game, relation: str, arity: int) -> frozenset[Term]:
    """Return all sentences of a relation that never changes, for instance of ``base``."""
    variables = tuple(Variable(f"x{place}") for place in range(arity))
    sentence = Compound(relation, variables)
    shown = Rule(Atom(Compound("init", (sentence,))), (Atom(sentence),))
    machine = Reasoner(game.ruleset.description + Description((shown,)))
    return frozenset(
        fact
        for fact in machine.initial()
        if isinstance(fact, Compound) and (fact.name, len(fact.args)) == (relation, arity)
    )


def miscounted(game: Game, ruleset: str) -> Divergence | None:
    """Return how many declarations there are where it is not the number that the board gives."""
    found = len(derived(game, "base", 1)), len(derived(game, "input", 2))
    if found == COUNTS[ruleset]:
        return None
    return Divergence("declarations", str(found), str(COUNTS[ruleset]), (), "")


def undeclared(game: Game) -> Divergence | None:
    """Return what is true or legal in some state of a game without having been declared."""
    bases, inputs = derived(game, "base", 1), derived(game, "input", 2)
    state = game.initial()
    while not state.is_terminal:
        facts = {Compound("base", (fact,)) for fact in state.facts}
        moves = {
            Compound("input", (game.role(role), move))
            for role in game.roles
            for move in state.legal(role)
        }
        missing = sorted((facts - bases) | (moves - inputs))
        if missing:
            return Divergence("declarations", "", " ".join(map(str, missing)), (), "")
        state = state.play(state.legal()[-1])
    return None
