"""The same rules in other words.

Roles, moves, constants, relations and variables get new names, arguments, rules and literals
another order. Relations that rules define are written out where they are used, new ones are
introduced, and rules with one head become one rule with ``or``.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    sentence,
    signature,
    variables,
)

KEYWORDS = frozenset(
    (
        *("role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input"),
        *("sees", "distinct", "random"),
    )
)


@dataclass(frozen=True, slots=True)
class Horn:
    """A head and the literals it follows from."""

    head: Sentence
    body: tuple[Literal, ...]


def scramble(description: Description, *, seed: int) -> Description:
    """Return a description that plays the same game."""
    chance = random.Random(seed)
    rules = [Horn(rule.head, rule.body) for rule in clauses(description)]
    rules = _inlined(rules, chance)
    rules = _with_helpers(rules, chance)
    names = _renaming(rules, chance)
    orders = _orders(rules, chance)
    rules = [_renamed(rule, names, orders, chance) for rule in rules]
    made = _merged(rules, chance)
    chance.shuffle(made)
    return Description(tuple(made))


# ------------------------------------------------------------------ views written out


def _inlined(rules: list[Horn], chance: random.Random) -> list[Horn]:
    """Write out views that one rule defines, where they are used positively."""
    by_head: dict[object, list[Horn]] = {}
    for rule in rules:
        by_head.setdefault(signature(rule.head), []).append(rule)
    simple = {
        name: found[0]
        for name, found in by_head.items()
        if len(found) == 1 and _can_be_written_out(found[0]) and chance.random() < 2 / 3
    }
    made = []
    for rule in rules:
        body: list[Literal] = []
        for number, part in enumerate(rule.body):
            if isinstance(part, Atom) and signature(part.sentence) in simple:
                body += _written_out(simple[signature(part.sentence)], part.sentence, number)
            else:
                body.append(part)
        made.append(Horn(rule.head, tuple(body)))
    return made


def _can_be_written_out(rule: Horn) -> bool:
    args = arguments(rule.head)
    return (
        bool(rule.body)
        and rule.head.name not in KEYWORDS
        and len(set(args)) == len(args)
        and all(isinstance(arg, Variable) for arg in args)
        and all(signature(rule.head) != signature(use) for use in _used(rule.body))
    )


def _used(body: Iterable[Literal]) -> list[Sentence]:
    return [part.sentence for part in body if isinstance(part, Atom)]


def _written_out(view: Horn, use: Sentence, number: int) -> list[Literal]:
    names: dict[Term, Term] = dict(zip(arguments(view.head), arguments(use), strict=True))

    def changed(term: Variable) -> Term:
        return names.get(term, Variable(f"{term.name}-in-{number}"))

    return [_mapped(part, lambda term: _with_variables(term, changed)) for part in view.body]


def _with_variables(term: Term, changed: Callable[[Variable], Term]) -> Term:
    match term:
        case Variable():
            return changed(term)
        case Compound(name, args):
            return Compound(name, tuple(_with_variables(arg, changed) for arg in args))
        case Constant():
            return term


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


# ------------------------------------------------------------------------ new views


def _with_helpers(rules: list[Horn], chance: random.Random) -> list[Horn]:
    """Give parts of some rules names of their own."""
    made = []
    for number, rule in enumerate(rules):
        atoms = [part for part in rule.body if isinstance(part, Atom)]
        if len(atoms) < 2 or chance.random() < 2 / 3:
            made.append(rule)
            continue
        part = chance.sample(atoms, 2)
        rest = [literal for literal in rule.body if literal not in part]
        shared = sorted(_variables(part) & (_variables(rest) | set(variables(rule.head))))
        helper = sentence(f"helper-{number}", tuple(shared))
        made += [Horn(helper, tuple(part)), Horn(rule.head, (*rest, Atom(helper)))]
    return made


def _variables(body: Sequence[Literal]) -> set[Variable]:
    found: set[Variable] = set()

    def kept(term: Term) -> Term:
        found.update(variables(term))
        return term

    for part in body:
        _mapped(part, kept)
    return found


# --------------------------------------------------------------------- names and order


def _renaming(rules: list[Horn], chance: random.Random) -> Mapping[str, str]:
    names: dict[str, None] = {}
    kept = set(KEYWORDS)

    def collect(term: Term) -> Term:
        if isinstance(term, Constant | Compound):
            names[term.name] = None
        if isinstance(term, Compound):
            for arg in term.args:
                collect(arg)
        return term

    for rule in rules:
        collect(rule.head)
        for part in rule.body:
            _mapped(part, collect)
        if rule.head.name == "goal":
            kept.add(str(arguments(rule.head)[1]))
    wanted = [name for name in names if name not in kept]
    fresh = [f"w{number}" for number in range(len(wanted))]
    chance.shuffle(fresh)
    return dict(zip(wanted, fresh, strict=True))


Orders = Mapping[tuple[str, int], Sequence[int]]
"""Where each argument of a relation or a function comes from; by its name and arity."""


def _orders(rules: list[Horn], chance: random.Random) -> Orders:
    found: dict[tuple[str, int], Sequence[int]] = {}

    def collect(term: Term) -> Term:
        if isinstance(term, Compound):
            if term.name not in KEYWORDS:
                size = len(term.args)
                found.setdefault((term.name, size), chance.sample(range(size), size))
            for arg in term.args:
                collect(arg)
        return term

    for rule in rules:
        collect(rule.head)
        for part in rule.body:
            _mapped(part, collect)
    return found


def _renamed(rule: Horn, names: Mapping[str, str], orders: Orders, chance: random.Random) -> Horn:
    fresh: dict[Variable, Variable] = {}
    letters = chance.sample("abcdefghijklmnopqrstuvwxyz", 26)

    def changed(term: Term) -> Term:
        match term:
            case Constant(name):
                return Constant(names.get(name, name))
            case Compound(name, args):
                order = orders.get((name, len(args)), range(len(args)))
                return Compound(names.get(name, name), tuple(changed(args[i]) for i in order))
            case Variable():
                number = len(fresh)
                return fresh.setdefault(term, Variable(f"{letters[number % 26]}{number // 26}"))

    body = [_mapped(part, changed) for part in rule.body]
    chance.shuffle(body)
    return Horn(_sentence(changed(rule.head)), tuple(body))


# ------------------------------------------------------------------------ rules merged


def _merged(rules: list[Horn], chance: random.Random) -> list[Rule]:
    """Return rules, some of those with the same head as one with ``or``."""
    groups: dict[Sentence, list[Horn]] = {}
    for rule in rules:
        same = _with_plain_head(rule)
        groups.setdefault(same.head, []).append(same)
    made = []
    for head, group in groups.items():
        if len(group) > 1 and all(rule.body for rule in group) and chance.random() < 1 / 2:
            made.append(Rule(Atom(head), (Or(tuple(And(rule.body) for rule in group)),)))
        else:
            made += (Rule(Atom(rule.head), rule.body) for rule in group)
    return made


def _with_plain_head(rule: Horn) -> Horn:
    """Return a rule whose head has the variables a, b, ... in the order they come in."""
    places = {v: Variable(f"v{i}") for i, v in enumerate(dict.fromkeys(variables(rule.head)))}
    others = sorted(_variables(rule.body) - places.keys())
    places |= {variable: Variable(f"u{i}") for i, variable in enumerate(others)}

    def changed(term: Term) -> Term:
        return _with_variables(term, places.__getitem__)

    body = tuple(_mapped(part, changed) for part in rule.body)
    return Horn(_sentence(changed(rule.head)), body)


__all__ = ["Clause", "scramble"]
