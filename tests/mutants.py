"""Rule files changed at random, as a hand that slips changes them and as a hostile one does.

In: a description and a generator. Out: another description, a few edits away. Edits keep to the
syntax and to nothing else: many break the specification on purpose (``does`` in a goal, a rule
for ``true``, a variable that nothing binds, a relation that rests on its own negation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Final, TypeAlias

from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Signature,
    Term,
    Variable,
    arguments,
    sentence,
    signature,
    variables,
)

Rules: TypeAlias = list[Rule]
Edit: TypeAlias = Callable[[Rules, Random], bool]
"""Changes rules in place; False where it finds nothing to change."""

OF_STATES: Final = ("terminal", "legal", "goal", "init", "role", "base", "input", "sees", "next")
OUTSIDE: Final = {
    1: ("true", "next", "init", "base", "role"),
    2: ("does", "legal", "input", "sees", "goal"),
}
"""Relations of the language, by arity, whose heads are put in place of each other."""


def mutant(description: Description, random: Random, *, edits: int = 2) -> Description:
    """Return a description with so many edits; the same for the same state of the generator."""
    rules = list(description.rules)
    left = edits
    while left:
        left -= random.choice(EDITS)(rules, random)
    return Description(tuple(rules))


# Edits of bodies ---------------------------------------------------------------------------------


def delete_condition(rules: Rules, random: Random) -> bool:
    at = _pick(rules, random, lambda rule: bool(rule.body))
    if at is None:
        return False
    body = list(rules[at].body)
    del body[random.randrange(len(body))]
    rules[at] = replace(rules[at], body=tuple(body))
    return True


def negate_condition(rules: Rules, random: Random) -> bool:
    at = _pick(rules, random, lambda rule: bool(rule.body))
    if at is None:
        return False
    body = list(rules[at].body)
    which = random.randrange(len(body))
    inner = body[which]
    body[which] = inner.operand if isinstance(inner, Not) else Not(inner)
    rules[at] = replace(rules[at], body=tuple(body))
    return True


def swap_conditions(rules: Rules, random: Random) -> bool:
    """Swap a condition of one rule with one of another."""
    one = _pick(rules, random, lambda rule: bool(rule.body))
    other = _pick(rules, random, lambda rule: bool(rule.body))
    if one is None or other is None or one == other:
        return False
    first, second = list(rules[one].body), list(rules[other].body)
    i, j = random.randrange(len(first)), random.randrange(len(second))
    first[i], second[j] = second[j], first[i]
    rules[one] = replace(rules[one], body=tuple(first))
    rules[other] = replace(rules[other], body=tuple(second))
    return True


def ask_what_is_done(rules: Rules, random: Random) -> bool:
    """Let a rule for a question about a state ask for moves, or for the state."""
    at = _pick(rules, random, lambda rule: rule.head.sentence.name in OF_STATES)
    if at is None:
        return False
    known = [
        atom.sentence
        for rule in rules
        for atom in _atoms(rule.body)
        if atom.sentence.name == "does"
    ]
    anybody = Compound("does", (Variable("anybody"), Variable("anything")))
    asked = Atom(random.choice([*known, anybody]))
    extra: Formula = Not(asked) if random.random() < 0.4 else asked
    head = Rule(rules[at].head, (*rules[at].body, extra))
    if random.random() < 0.5:
        rules[at] = head
    else:
        rules.insert(at, head)
    return True


def ask_another_keyword(rules: Rules, random: Random) -> bool:
    """Let a rule ask for a relation of the language that it has no business with."""
    heads = [rule.head.sentence for rule in rules if rule.head.sentence.name in KEYWORD_ARITIES]
    at = _pick(rules, random, lambda rule: bool(rule.body))
    if at is None or not heads:
        return False
    asked = Atom(random.choice(heads))
    extra: Formula = Not(asked) if random.random() < 0.3 else asked
    rules[at] = replace(rules[at], body=(*rules[at].body, extra))
    return True


def rest_on_own_negation(rules: Rules, random: Random) -> bool:
    at = _pick(rules, random, lambda _: True)
    if at is None:
        return False
    rule = rules[at]
    rules[at] = replace(rule, body=(*rule.body, Not(Atom(rule.head.sentence))))
    return True


# Edits of names ----------------------------------------------------------------------------------


def rename_relation(rules: Rules, random: Random) -> bool:
    """Put another relation of the same arity into one condition or head."""
    names = _relations(rules)
    at = _pick(rules, random, lambda _: True)
    if at is None:
        return False
    rule = rules[at]
    atoms = [rule.head, *_atoms(rule.body)]
    old = random.choice(atoms)
    others = [s for s in names if s.arity == signature(old.sentence).arity]
    new = Atom(sentence(random.choice(others).name, arguments(old.sentence)))
    if new.sentence == old.sentence:
        return False
    if old is rule.head:
        rules[at] = replace(rule, head=new)
    else:
        rules[at] = replace(rule, body=tuple(_exchanged(f, old, new) for f in rule.body))
    return True


def rename_variable(rules: Rules, random: Random) -> bool:
    """Make one occurrence of a variable another variable of the rule, or a new one."""
    at = _pick(rules, random, lambda rule: bool(_variables_of(rule)))
    if at is None:
        return False
    found = _variables_of(rules[at])
    old = random.choice(found)
    new = random.choice([*found, Variable("fresh")])
    return _change_term(rules, at, random, old, new)


def exchange_constant(rules: Rules, random: Random) -> bool:
    """Make one occurrence of a constant another one, or a variable."""
    constants = sorted({c for rule in rules for term in _terms(rule) for c in _constants(term)})
    at = _pick(rules, random, lambda rule: any(_constants(t) for t in _terms(rule)))
    if at is None:
        return False
    old = random.choice([c for term in _terms(rules[at]) for c in _constants(term)])
    is_open = random.random() < 0.25
    new: Term = Variable("open") if is_open else random.choice(constants)
    return _change_term(rules, at, random, old, new)


def swap_arguments(rules: Rules, random: Random) -> bool:
    at = _pick(rules, random, lambda rule: signature(rule.head.sentence).arity > 1)
    if at is None:
        return False
    head = rules[at].head.sentence
    args = list(arguments(head))
    random.shuffle(args)
    rules[at] = replace(rules[at], head=Atom(sentence(head.name, tuple(args))))
    return True


# Edits of rules ----------------------------------------------------------------------------------


def drop_rule(rules: Rules, random: Random) -> bool:
    if len(rules) < 2:  # something has to stay
        return False
    del rules[random.randrange(len(rules))]
    return True


def repeat_with_another_head(rules: Rules, random: Random) -> bool:
    """Add a rule for ``true``, ``does``, ``base`` and so on, with the body of another rule."""
    at = _pick(rules, random, lambda rule: rule.head.sentence.name in KEYWORD_ARITIES)
    if at is None:
        return False
    head = rules[at].head.sentence
    names = OUTSIDE.get(signature(head).arity)
    if names is None:
        return False
    other = Atom(sentence(random.choice(names), arguments(head)))
    if random.random() < 0.5:
        rules.insert(at, replace(rules[at], head=other))
    else:
        rules[at] = replace(rules[at], head=other)
    return True


def add_open_fact(rules: Rules, random: Random) -> bool:
    """Add a fact with variables for a relation that there is: ``(leq ?x ?x)``."""
    names = [name for name in _relations(rules) if name.arity]
    if not names:
        return False
    name = random.choice(names)
    args = tuple(random.choice((Variable("x"), Variable("y"))) for _ in range(name.arity))
    rules.append(Rule(Atom(sentence(name.name, args))))
    return True


EDITS: Final[Sequence[Edit]] = (
    delete_condition,
    negate_condition,
    swap_conditions,
    ask_what_is_done,
    ask_what_is_done,
    ask_another_keyword,
    rest_on_own_negation,
    rename_relation,
    rename_relation,
    rename_variable,
    exchange_constant,
    swap_arguments,
    drop_rule,
    repeat_with_another_head,
    add_open_fact,
)


# What edits share --------------------------------------------------------------------------------


def _pick(rules: Rules, random: Random, fits: Callable[[Rule], bool]) -> int | None:
    """Return a rule that fits; rules with a body are few among many facts, so they come first."""
    found = [i for i, rule in enumerate(rules) if fits(rule)]
    with_body = [i for i in found if rules[i].body]
    if with_body and random.random() < 0.7:
        found = with_body
    return random.choice(found) if found else None


def _atoms(formulas: Iterable[Formula]) -> list[Atom]:
    found: list[Atom] = []
    for formula in formulas:
        match formula:
            case Atom():
                found.append(formula)
            case Not(operand):
                found += _atoms([operand])
            case And(operands) | Or(operands):
                found += _atoms(operands)
            case Distinct():
                pass
    return found


def _relations(rules: Rules) -> list[Signature]:
    """Return the relations of rules, and those of the language as often as all others together."""
    own = sorted({signature(a.sentence) for rule in rules for a in [rule.head, *_atoms(rule.body)]})
    of_language = [Signature(name, arity) for name, arity in KEYWORD_ARITIES.items() if arity < 3]
    return [*own, *of_language]


def _terms(rule: Rule) -> list[Term]:
    found: list[Term] = []
    for atom in [rule.head, *_atoms(rule.body)]:
        found += arguments(atom.sentence)
    return found


def _constants(term: Term) -> list[Constant]:
    match term:
        case Constant():
            return [term]
        case Compound(_, args):
            return [found for arg in args for found in _constants(arg)]
        case Variable():
            return []


def _variables_of(rule: Rule) -> list[Variable]:
    return [var for term in _terms(rule) for var in variables(term)]


def _exchanged(formula: Formula, old: Atom, new: Atom) -> Formula:
    match formula:
        case Atom():
            return new if formula is old else formula
        case Not(operand):
            return Not(_exchanged(operand, old, new))
        case And(operands):
            return And(tuple(_exchanged(part, old, new) for part in operands))
        case Or(operands):
            return Or(tuple(_exchanged(part, old, new) for part in operands))
        case Distinct():
            return formula


def _change_term(rules: Rules, at: int, random: Random, old: Term, new: Term) -> bool:
    """Put a term in place of one occurrence of another in a rule."""
    if old == new:
        return False
    rule = rules[at]
    atoms = [rule.head, *_atoms(rule.body)]
    fitting = [atom for atom in atoms if any(_has(arg, old) for arg in arguments(atom.sentence))]
    if not fitting:
        return False
    atom = random.choice(fitting)
    places = [i for i, arg in enumerate(arguments(atom.sentence)) if _has(arg, old)]
    place = random.choice(places)
    args = list(arguments(atom.sentence))
    args[place] = _put(args[place], old, new)
    changed = Atom(sentence(atom.sentence.name, tuple(args)))
    if atom is rule.head:
        rules[at] = replace(rule, head=changed)
    else:
        rules[at] = replace(rule, body=tuple(_exchanged(f, atom, changed) for f in rule.body))
    return True


def _has(term: Term, old: Term) -> bool:
    if isinstance(term, Compound):
        return any(_has(arg, old) for arg in term.args)
    return term == old


def _put(term: Term, old: Term, new: Term) -> Term:
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_put(arg, old, new) for arg in term.args))
    return new if term == old else term


def changed_rules(before: Description, after: Description) -> tuple[list[Rule], list[Rule]]:
    """Return the rules that only one of two descriptions has: what to show of a mutant."""
    old, new = set(before.rules), set(after.rules)
    return (
        [rule for rule in before.rules if rule not in new],
        [rule for rule in after.rules if rule not in old],
    )


__all__ = ["EDITS", "changed_rules", "mutant"]
