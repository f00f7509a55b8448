"""Rule files with one seeded mistake, of the kinds that authors make; many are in error."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Description,
    Formula,
    Not,
    Rule,
    Term,
    Variable,
    variables,
)


def mutant(description: Description, seed: int) -> Description:
    """Return the description with one rule changed, left out or doubled."""
    chance = random.Random(seed)
    rules = list(description.rules)
    with_body = [number for number, rule in enumerate(rules) if rule.body]
    number = chance.choice(with_body or range(len(rules)))
    rules[number : number + 1] = chance.choice(CHANGES)(rules[number], chance)
    return Description(tuple(rules))


def _without_condition(rule: Rule, chance: random.Random) -> list[Rule]:
    body = list(rule.body)
    if body:
        body.pop(chance.randrange(len(body)))
    return [Rule(rule.head, tuple(body))]


def _negated(rule: Rule, chance: random.Random) -> list[Rule]:
    body: list[Formula] = list(rule.body)
    if body:
        number = chance.randrange(len(body))
        formula = body[number]
        body[number] = formula.operand if isinstance(formula, Not) else Not(formula)
    return [Rule(rule.head, tuple(body))]


def _left_out(rule: Rule, chance: random.Random) -> list[Rule]:
    del rule, chance
    return []


def _other_condition(rule: Rule, chance: random.Random) -> list[Rule]:
    """Add a condition on moves, the state, itself or an unbound variable."""
    free = Variable("free")
    conditions: list[Formula] = [
        Atom(Compound("does", (free, chance.choice((Constant("noop"), Variable("move")))))),
        Not(Atom(Compound("does", (free, Variable("move"))))),
        Not(Atom(Compound("true", (free,)))),
        Atom(rule.head.sentence),
        Not(rule.head),
    ]
    return [Rule(rule.head, (*rule.body, chance.choice(conditions)))]


def _one_variable_for_another(rule: Rule, chance: random.Random) -> list[Rule]:
    body: list[Formula] = list(rule.body)
    atoms = [number for number, formula in enumerate(body) if isinstance(formula, Atom)]
    known = sorted({v for f in body if isinstance(f, Atom) for v in variables(f.sentence)})
    if atoms and known:
        number = chance.choice(atoms)
        formula = body[number]
        assert isinstance(formula, Atom)
        old, new = chance.choice(known), chance.choice((*known, Variable("typo")))
        replaced = _replaced(formula.sentence, old, new)
        assert not isinstance(replaced, Variable)
        body[number] = Atom(replaced)
    return [Rule(rule.head, tuple(body))]


def _replaced(term: Term, old: Term, new: Term) -> Term:
    if term is old:
        return new
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_replaced(arg, old, new) for arg in term.args))
    return term


CHANGES: Final[tuple[Callable[[Rule, random.Random], list[Rule]], ...]] = (
    *(_without_condition, _negated, _left_out, _other_condition, _one_variable_for_another),
)
