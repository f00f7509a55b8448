"""Rules that are the same up to their names: a proof without a circuit or a solver.

In: the clauses of two descriptions. Out: for each word of the first its name in the
second, so that after renaming both are the same clauses, in whatever order and with
whatever variables; None where no such names are found. Words and variables get colours
from the clauses they stand in (`colour_refinement`). What is found is checked by renaming every
clause.

Source: rule graphs as in Kuhlmann, Stone, "Graph-Based Domain Mapping for Transfer Learning in
General Games", ECML 2007.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from gdl.language.clauses import Clause
from gdl.language.dependencies import GOAL
from gdl.language.keywords import KEYWORDS, RANDOM
from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Distinct,
    Formula,
    Literal,
    Not,
    Sentence,
    Term,
    Variable,
    arguments,
    signature,
)
from gdl.machine import goal_value
from gdl.verify.correspondence.colour_refinement import bijections
from gdl.verify.solvers.budget import Budget

MAX_ATTEMPTS: Final = 400
"""Picks that are tried in all."""


class Symbol(NamedTuple):
    """A name that may be another one in the other description.

    Attributes:
        name: The name.
        arity: Arguments it takes; 0 for a constant, -1 for a goal's value that is apart.
        is_relation: Whether it is what a literal says, or a goal; not what a literal speaks of.
    """

    name: str
    arity: int
    is_relation: bool


class ClauseVariable(NamedTuple):
    """A variable of one clause."""

    clause: int
    name: str


class ArgumentPosition(NamedTuple):
    """One of the arguments of a word; in the other description it may be another one."""

    word: Symbol
    number: int


Vertex: TypeAlias = Symbol | ClauseVariable | ArgumentPosition
Colours: TypeAlias = dict[Vertex, int]


class TermNode(NamedTuple):
    """A term or a sentence, with the vertices it is made of.

    Attributes:
        head: A word, or a variable.
        args: For each argument its place and what stands there.
    """

    head: Symbol | ClauseVariable
    args: tuple[tuple[ArgumentPosition, TermNode], ...] = ()


class RuleLiteral(NamedTuple):
    """A head or a literal.

    Attributes:
        sign: ``head``, ``atom``, ``not`` or ``distinct``.
        parts: The two sides of a ``distinct``, in either order; else one part.
    """

    sign: str
    parts: tuple[TermNode, ...]


Rules: TypeAlias = list[tuple[RuleLiteral, ...]]
Painted: TypeAlias = dict[int, int]
"""The colours of terms, by the identities of their nodes."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """How the words of one description are those of another.

    Attributes:
        words: For each word its name.
        places: For each argument of a word its place.
        variables: For each variable of a clause that of the other's clause.
    """

    words: Mapping[Symbol, Symbol]
    places: Mapping[ArgumentPosition, ArgumentPosition]
    variables: Mapping[ClauseVariable, ClauseVariable] = field(default_factory=dict)

    def of(self, term: Term) -> Term:
        """Return a ground term, a role or a move, in the other description's words."""
        args = arguments(term) if not isinstance(term, Variable) else ()
        word = Symbol(str(term) if isinstance(term, Variable) else term.name, len(args), False)  # noqa: FBT003
        order = [self._place(word, n) for n in range(len(args))]
        nodes = [self.of(arg) for _, arg in sorted(zip(order, args, strict=True), key=_first)]
        name = self.words.get(word, word).name
        return Compound(name, tuple(nodes)) if nodes else Constant(name)

    @property
    def is_identity(self) -> bool:
        """Whether every name and every place stays what it is."""
        pairs = (*self.words.items(), *self.places.items())
        return all(mine == other for mine, other in pairs)

    @property
    def keeps_names(self) -> bool:
        """Whether constants and functions that both descriptions know mean the same in both."""
        common = {word for word in self.words.values() if not word.is_relation}
        return all(other == word for word, other in self.words.items() if word in common) and all(
            other == place for place, other in self.places.items() if place.word in common
        )

    def lines(self) -> tuple[str, ...]:
        """Return constants and functions with their names in the other description.

        Where arguments come in another order there, they are written: ``(at ?1 ?2) = (at ?2 ?1)``.
        """
        shown = set()
        for word, other in self.words.items():
            if word.is_relation:
                continue
            numbers = range(word.arity)
            order = sorted(numbers, key=partial(self._place, word))
            if order != [*numbers]:
                mine, theirs = (" ".join(f"?{n + 1}" for n in row) for row in (numbers, order))
                shown.add((f"({word.name} {mine})", f"({other.name} {theirs})"))
            elif word.name != other.name:
                shown.add((word.name, other.name))
        return tuple(f"{mine} = {theirs}" for mine, theirs in sorted(shown))

    def _place(self, word: Symbol, number: int) -> int:
        """Return the place in the other description of an argument of a word."""
        position = ArgumentPosition(word, number)
        return self.places.get(position, position).number


def _first(pair: tuple[int, Term]) -> int:
    return pair[0]


def isomorphism(left: Sequence[Clause], right: Sequence[Clause], budget: Budget) -> Renaming | None:
    """Return how to rename the words of ``left`` so that both are the same rules.

    Cost: O(size of the rules) for each round of colours; a few dozen rounds, mostly.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    apart = are_values_apart([*left, *right])
    rules = rules_of(left, apart=apart), rules_of(right, apart=apart)
    if len(rules[0]) != len(rules[1]):
        return None
    return _Search(rules, budget, are_numbers_free=apart).run()


def are_values_apart(rules: Iterable[Clause]) -> bool:
    """Return whether goal values stand in heads only, so that numbers elsewhere are mere names."""
    for rule in rules:
        if signature(rule.head) == GOAL and not isinstance(arguments(rule.head)[-1], Constant):
            return False
        for part in rule.body:
            operand = part.operand if isinstance(part, Not) else part
            if isinstance(operand, Atom) and operand.sentence.name == "goal":
                return False
    return True


def rules_of(rules: Sequence[Clause], *, apart: bool) -> Rules:
    """Return clauses as what they are made of.

    Args:
        rules: The clauses.
        apart: Whether values of goals are no names, see `are_values_apart`.
    """
    return [
        (_head(head, number, apart=apart), *(_literal(part, number) for part in body))
        for number, (head, body) in enumerate(distinct_rules(rules))
    ]


def distinct_rules(rules: Sequence[Clause]) -> list[tuple[Sentence, frozenset[Literal]]]:
    """Return the clauses as `Renaming.variables` counts them: each once, bodies as sets."""
    return list(dict.fromkeys((rule.head, frozenset(rule.body)) for rule in rules))


def _head(head: Sentence, clause: int, *, apart: bool) -> RuleLiteral:
    node = _node(head, clause, is_relation=True)
    if apart and signature(head) == GOAL:
        *others, (place, value) = node.args
        assert isinstance(value.head, Symbol)
        node = node._replace(
            args=(*others, (place, TermNode(value.head._replace(arity=-1, is_relation=True))))
        )
    return RuleLiteral("head", (node,))


def _literal(part: Formula, clause: int) -> RuleLiteral:
    match part:
        case Atom(use):
            return RuleLiteral("atom", (_node(use, clause, is_relation=True),))
        case Not(Atom(use)):
            return RuleLiteral("not", (_node(use, clause, is_relation=True),))
        case Distinct(left, right):
            sides = (_node(side, clause, is_relation=False) for side in (left, right))
            return RuleLiteral("distinct", tuple(sides))
        case _:
            raise AssertionError("clauses hold literals only")


def _node(term: Term, clause: int, *, is_relation: bool) -> TermNode:
    if isinstance(term, Variable):
        return TermNode(ClauseVariable(clause, term.name))
    args = arguments(term)
    word = Symbol(term.name, len(args), is_relation)
    inner = (_node(arg, clause, is_relation=False) for arg in args)
    return TermNode(
        word, tuple((ArgumentPosition(word, number), arg) for number, arg in enumerate(inner))
    )


def _vertices(node: TermNode) -> Iterator[Vertex]:
    yield node.head
    for place, arg in node.args:
        yield place
        yield from _vertices(arg)


class _Search:
    """Colours of two descriptions, refined together."""

    def __init__(
        self, rules: tuple[Rules, Rules], budget: Budget, *, are_numbers_free: bool
    ) -> None:
        self.rules, self.budget = rules, budget
        self.are_numbers_free = are_numbers_free

    def run(self) -> Renaming | None:
        """Return a renaming, None where none is found.

        What is found is a proof, so `_checked` renames every clause. Colours only say what need
        not be tried, and giving up early only leaves the question to the circuits.
        """
        left, right = self.rules
        free = self.are_numbers_free
        colours = (
            first_colours(left, are_numbers_free=free),
            first_colours(right, are_numbers_free=free),
        )
        rounds = partial(refined, left), partial(refined, right)
        partners = bijections(colours, rounds, self.budget, most=MAX_ATTEMPTS)
        return next(filter(None, map(self._checked, partners)), None)

    def _checked(self, partner: Mapping[Vertex, Vertex]) -> Renaming | None:
        """Return the renaming, once every clause was renamed and compared.

        Both descriptions are sets of clauses, and a clause is a set of literals: neither order
        nor repetition means anything. A partner maps vertices one to one, and each to one of its
        kind; so equal sets of clauses are the same rules up to names, and the same game.
        Variables are vertices of their clause, so that they are renamed apart in each.
        """
        kind = partial(_kind, are_numbers_free=self.are_numbers_free)
        if any(kind(mine) != kind(theirs) for mine, theirs in partner.items()):
            return None  # two kinds that hash alike
        mine = {frozenset(_renamed(literal, partner) for literal in rule) for rule in self.rules[0]}
        same = {
            vertex: vertex
            for other_rule in self.rules[1]
            for s in other_rule
            for p in s.parts
            for vertex in _vertices(p)
        }
        theirs = {frozenset(_renamed(literal, same) for literal in rule) for rule in self.rules[1]}
        if mine != theirs:
            return None
        return renaming_of(partner)


def renaming_of(partner: Mapping[Vertex, Vertex]) -> Renaming:
    """Return what a map of vertices says of words, their arguments, and variables."""
    words = {a: b for a, b in partner.items() if isinstance(a, Symbol) and isinstance(b, Symbol)}
    places = {
        a: b
        for a, b in partner.items()
        if isinstance(a, ArgumentPosition) and isinstance(b, ArgumentPosition)
    }
    variables = {
        a: b
        for a, b in partner.items()
        if isinstance(a, ClauseVariable) and isinstance(b, ClauseVariable)
    }
    return Renaming(words, places, variables)


def first_colours(rules: Rules, *, are_numbers_free: bool) -> Colours:
    """Return a colour for each vertex: what it must have in common with its counterpart."""
    kind = partial(_kind, are_numbers_free=are_numbers_free)
    parts = (part for rule in rules for literal in rule for part in literal.parts)
    return {vertex: hash(kind(vertex)) for part in parts for vertex in _vertices(part)}


def _kind(vertex: Vertex, *, are_numbers_free: bool) -> Hashable:
    """Return what a vertex must have in common with its counterpart."""
    if isinstance(vertex, ClauseVariable):
        return "variable"
    if isinstance(vertex, ArgumentPosition):
        is_fixed = _is_fixed(vertex.word, are_numbers_free=are_numbers_free)
        return vertex if is_fixed else "place"
    is_fixed = _is_fixed(vertex, are_numbers_free=are_numbers_free)
    return vertex if is_fixed else (vertex.arity, vertex.is_relation)


def _is_fixed(word: Symbol, *, are_numbers_free: bool) -> bool:
    """Return whether a word means the same in every description."""
    if word.is_relation:
        return word.arity < 0 or word.name in KEYWORDS
    if word.arity:
        return False
    is_value = goal_value(Constant(word.name)) is not None
    return word.name == RANDOM or (is_value and not are_numbers_free)


def _renamed(literal: RuleLiteral, partner: Mapping[Vertex, Vertex]) -> Hashable:
    return literal.sign, frozenset(_renamed_node(part, partner) for part in literal.parts)


def _renamed_node(node: TermNode, partner: Mapping[Vertex, Vertex]) -> Hashable:
    args = frozenset((partner[place], _renamed_node(arg, partner)) for place, arg in node.args)
    return partner[node.head], args


def refined(rules: Rules, colours: Colours) -> Colours:
    """Return colours after one round: each vertex by its own and the clauses it stands in."""
    contexts: dict[Vertex, list[int]] = {vertex: [] for vertex in colours}
    for rule in rules:
        painted: Painted = {}
        names, clause = _painted_clause(rule, colours, painted)
        for name, literal in zip(names, rule, strict=True):
            around = hash((clause, name))
            for part in literal.parts:
                contexts[part.head].append(hash((around, painted[id(part)])))
                if part.args:
                    _note(part, around, colours, painted, contexts)
    return {
        vertex: hash((colour, tuple(sorted(contexts[vertex]))))
        for vertex, colour in colours.items()
    }


def clause_colours(rules: Rules, colours: Colours) -> list[int]:
    """Return a colour for each clause: those of its literals, in any order."""
    return [_painted_clause(rule, colours, {})[1] for rule in rules]


def _painted_clause(
    rule: tuple[RuleLiteral, ...], colours: Colours, painted: Painted
) -> tuple[list[int], int]:
    """Return the colours of the literals of a clause, and its own."""
    names = [
        hash((s.sign, tuple(sorted(_painted(part, colours, painted) for part in s.parts))))
        for s in rule
    ]
    return names, hash(tuple(sorted(names)))


def _painted(node: TermNode, colours: Colours, painted: Painted) -> int:
    """Return the colour of a term: that of its word, and of what stands in each place."""
    args = [hash((colours[place], _painted(arg, colours, painted))) for place, arg in node.args]
    args.sort()
    colour = painted[id(node)] = hash((colours[node.head], tuple(args)))
    return colour


def _note(
    node: TermNode,
    around: int,
    colours: Colours,
    painted: Painted,
    contexts: dict[Vertex, list[int]],
) -> None:
    """Tell each vertex inside of a term what it stands in."""
    here = hash((around, painted[id(node)]))
    for place, arg in node.args:
        colour = painted[id(arg)]
        inner = hash((here, colours[place]))
        contexts[place].append(hash((here, colour)))
        contexts[arg.head].append(hash((inner, colour)))
        if arg.args:
            _note(arg, inner, colours, painted, contexts)
