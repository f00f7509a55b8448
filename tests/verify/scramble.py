"""The same rules in other words.

Constants, relations and roles get new names, rules and literals another order, and
relations that rules define without recursion are written out where they are used.
"""

import random
from collections.abc import Callable, Mapping

from gdl.language.clauses import Clause, clauses
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Literal,
    Not,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
    arguments,
    signature,
)

KEYWORDS = frozenset(
    (
        *("role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input"),
        *("sees", "distinct", "random"),
    )
)


def scramble(description: Description, *, seed: int, inline: bool = True) -> Description:
    """Return a description that plays the same game."""
    chance = random.Random(seed)
    rules = list(clauses(description))
    if inline:
        rules = _inlined(rules)
    names = _renaming(rules, chance)
    made = [_renamed(rule, names, chance) for rule in rules]
    chance.shuffle(made)
    return Description(tuple(made))


def _inlined(rules: list[Clause]) -> list[Clause]:
    """Write out views that one rule defines and that are used positively."""
    by_head: dict[object, list[Clause]] = {}
    for rule in rules:
        by_head.setdefault(signature(rule.head), []).append(rule)
    simple = {
        name: found[0]
        for name, found in by_head.items()
        if len(found) == 1
        and found[0].body
        and found[0].head.name not in KEYWORDS
        and len(set(arguments(found[0].head))) == len(arguments(found[0].head))
        and all(isinstance(arg, Variable) for arg in arguments(found[0].head))
        and not any(
            isinstance(part, Atom) and signature(part.sentence) == name for part in found[0].body
        )
    }
    made = []
    for rule in rules:
        body: list[Literal] = []
        for number, part in enumerate(rule.body):
            if isinstance(part, Atom) and signature(part.sentence) in simple:
                body += _written_out(simple[signature(part.sentence)], part.sentence, number)
            else:
                body.append(part)
        made.append(Clause(rule.head, tuple(body), rule.rule))
    return made


def _written_out(view: Clause, use: Sentence, number: int) -> list[Literal]:
    names: dict[Term, Term] = dict(zip(arguments(view.head), arguments(use), strict=True))

    def changed(term: Term) -> Term:
        match term:
            case Variable(name):
                return names.get(term, Variable(f"{name}-in-{number}"))
            case Compound(name, args):
                return Compound(name, tuple(map(changed, args)))
            case _:
                return term

    return [_mapped(part, changed) for part in view.body]


def _mapped(part: Formula, changed: Callable[[Term], Term]) -> Literal:
    """Return a literal with other terms."""
    match part:
        case Atom(use):
            return Atom(_sentence(changed(use)))
        case Not(operand):
            return Not(_mapped(operand, changed))
        case Distinct(left, right):
            return Distinct(changed(left), changed(right))
        case And() | Or():
            raise AssertionError("clauses have neither and nor or")


def _sentence(term: Term) -> Sentence:
    assert not isinstance(term, Variable)
    return term


def _renaming(rules: list[Clause], chance: random.Random) -> Mapping[str, str]:
    names: dict[str, None] = {}
    kept = set(KEYWORDS)

    def collect(term: Term) -> None:
        if isinstance(term, Constant | Compound):
            names[term.name] = None
        if isinstance(term, Compound):
            for arg in term.args:
                collect(arg)

    def kept_as_it_is(term: Term) -> Term:
        collect(term)
        return term

    for rule in rules:
        collect(rule.head)
        for part in rule.body:
            _mapped(part, kept_as_it_is)
        if rule.head.name == "goal":
            kept.add(str(arguments(rule.head)[1]))
    wanted = [name for name in names if name not in kept]
    fresh = [f"w{number}" for number in range(len(wanted))]
    chance.shuffle(fresh)
    return dict(zip(wanted, fresh, strict=True))


def _renamed(rule: Clause, names: Mapping[str, str], chance: random.Random) -> Rule:
    def changed(term: Term) -> Term:
        match term:
            case Constant(name):
                return Constant(names.get(name, name))
            case Compound(name, args):
                return Compound(names.get(name, name), tuple(map(changed, args)))
            case _:
                return term

    body = [_mapped(part, changed) for part in rule.body]
    chance.shuffle(body)
    return Rule(Atom(_sentence(changed(rule.head))), tuple(body))
