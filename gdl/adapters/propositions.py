"""The facts and moves that a game can have at all, in canonical order.

In: a `Game`. Out: a `Propositions`. A compiled game knows it; of one that is run as it is
written, the relations ``base`` and ``input`` say it.

Source: GDL specification 2008 as extended by the general game playing community (``base``
and ``input`` name what may become true and what may become legal).
"""

from __future__ import annotations

from dataclasses import dataclass

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Compound, Term, Variable, sort_key
from gdl.reason.machine import Reasoner


class UnlistedError(GdlError):
    """A game whose moves or facts cannot be listed before it is played."""


@dataclass(frozen=True, slots=True)
class Propositions:
    """What can be true, and what each role can do.

    Attributes:
        roles: The roles in order.
        facts: Base propositions, in canonical order.
        moves: For each role its moves, in canonical order.
        percepts: What any role may be shown (GDL-II), in canonical order.
    """

    roles: tuple[Term, ...]
    facts: tuple[Term, ...]
    moves: tuple[tuple[Term, ...], ...]
    percepts: tuple[Term, ...] = ()


def propositions(game: Game) -> Propositions:
    """Return what a game can have.

    Raises:
        UnlistedError: It is run by the reasoner, and its rules have no ``base`` or ``input``, or
            hide facts.
    """
    native = game.back_end.native
    if native is not None:
        code = native.machine.compiled
        percepts = sorted({seen for row in code.sees for seen in row}, key=sort_key)
        return Propositions(code.roles, code.facts, code.moves, tuple(percepts))
    if game.hides_facts:
        raise UnlistedError(
            f"what players of {game.id} may be shown cannot be listed: its rules are run as they "
            f"are written, for {game.back_end.why}",
            help='load it with backend="native"',
        )
    reasoner = game.reasoner
    facts = _column(game, Compound("base", (Variable("fact"),)))
    moves = tuple(
        _column(game, Compound("input", (role, Variable("move")))) for role in reasoner.roles
    )
    if not facts or not all(moves):
        what, missing = ("moves", "(input ...) for each role") if facts else ("facts", "(base ...)")
        raise UnlistedError(
            f"the {what} of {game.id} cannot be listed: its rules have no {missing}, and they are "
            f"run as they are written, for {game.back_end.why}",
            help='say base and input in the rules, or load it with backend="native"',
        )
    return Propositions(reasoner.roles, facts, moves)


def _column(game: Game, query: Compound) -> tuple[Term, ...]:
    """Return the last arguments of all instances of a sentence."""
    reasoner: Reasoner = game.reasoner
    relations = {rule.head.sentence.name for rule in game.ruleset.description.rules}
    if query.name not in relations:
        return ()
    instances = reasoner.instances(reasoner.initial(), query)
    terms = {sentence.args[-1] for sentence in instances if isinstance(sentence, Compound)}
    return tuple(sorted(terms, key=sort_key))
