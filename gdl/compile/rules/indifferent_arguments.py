"""Arguments that a relation mostly does not look at, taken out of it.

"This square is attacked, with whatever stands on that square put aside" has an instance for each
square that is put aside, though it is all one for those that are on no line of attack. In: clauses.
Out: clauses that mean the same, in which such a relation is two: ``any``, without these arguments,
for what holds whatever they are, and ``own`` for what rests on them.

A clause is indifferent to an argument of its head where it asks no more of it than what kind of
thing it is: by relations of one argument that never change. Where it asks for another such relation
it becomes several clauses, with either part in its place; and where it denies one, with both parts
denied, or with the argument of no such kind.

Source: Johnson, Swift, Warren and others, "XSB: Answer Subsumption" (an answer for all values
stands for those of each); ours, that it is done to rules, before they are evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Final, TypeAlias

from gdl.compile.rules.argument_kinds import ArgumentKinds
from gdl.compile.rules.fresh_names import apart
from gdl.compile.rules.grounder_names import BOUNDS, RELATIONS
from gdl.compile.rules.literals import asked_sentence, literal_variables
from gdl.language.clauses import Clause
from gdl.language.dependencies import DOES, TRUE, dependency_graph
from gdl.language.syntax import (
    Atom,
    Literal,
    Not,
    Sentence,
    Signature,
    Variable,
    arguments,
    sentence,
    signature,
    variables,
)

ANY: Final = "any "
OWN: Final = "own "
"""Relations of ours begin with these; see `fresh_names`."""
MANY: Final = 32
"""Values that the arguments of a relation have together, from which on it is taken apart."""
_MOST_CALLS: Final = 3
"""Questions for such relations that are taken apart in one clause."""

Kinds: TypeAlias = Mapping[int, frozenset[Signature]]
"""What is asked of each argument that is taken out, by place."""


def without_indifferent(clauses: Sequence[Clause], *, many: int = MANY) -> list[Clause]:
    """Return clauses that mean the same, with relations taken apart.

    Args:
        clauses: In clausal form.
        many: Values that the arguments of a relation have together, from which on it is taken
            apart.

    Cost O(literals), times two for each question that is taken apart in a clause, of at most three.
    """
    divided = _Apart(clauses, many)
    return divided.run() if divided.kinds else list(clauses)


class _Apart:
    def __init__(self, clauses: Sequence[Clause], many: int) -> None:
        self._many = many
        graph = dependency_graph(clauses)
        changing = graph.dependents([TRUE, DOES])
        self._clauses = clauses
        self._blanks = apart(graph.relations, ANY, OWN)
        self._facts = Counter(signature(clause.head) for clause in clauses if not clause.body)
        self._argument_kinds = ArgumentKinds(clauses)
        self._unary = {r for r in graph.relations if r.arity == 1 and r not in changing}
        self.kinds: dict[Signature, Kinds] = {}
        rules: dict[Signature, list[Clause]] = {}
        for clause in clauses:
            rules.setdefault(signature(clause.head), []).append(clause)
        # Bottom-up; of relations that ask each other, those go first that ask no other of them.
        for component in graph.components:
            left = sorted(component & changing & rules.keys() - {*RELATIONS, *BOUNDS})
            while indifferent := {r: kinds for r in left if (kinds := self._indifferent(rules[r]))}:
                self.kinds.update(indifferent)
                left = [relation for relation in left if relation not in indifferent]

    def _indifferent(self, rules: Iterable[Clause]) -> Kinds:
        """Return the arguments to which some clauses of a relation are indifferent, if many."""
        indifferent = [
            kinds for rule in rules for part in self._parts(rule) if (kinds := self._kinds(part))
        ]
        if not indifferent:
            return {}
        common = set(indifferent[0]).intersection(*indifferent)
        values = prod(min(map(self._facts.__getitem__, indifferent[0][i])) for i in common)
        return {i: indifferent[0][i] for i in common} if common and values >= self._many else {}

    def _kinds(self, clause: Clause) -> Kinds:
        """Return of what kind the arguments of a head must be of which nothing else is asked."""
        head = arguments(clause.head)
        times = Counter(variables(clause.head))
        asked: dict[Variable, set[Signature]] = {}
        for literal in clause.body:
            for variable in literal_variables(literal):
                kind = _kind(literal)
                if kind in self._unary:
                    asked.setdefault(variable, set()).add(kind)
                else:
                    times[variable] += 1
        return {
            i: frozenset(asked[arg])
            for i, arg in enumerate(head)
            if isinstance(arg, Variable) and times[arg] == 1 and arg in asked
        }

    def run(self) -> list[Clause]:
        parts = [part for clause in self._clauses for part in self._divided(clause)]
        rules = {signature(clause.head): clause.rule for clause in self._clauses}
        for relation in self.kinds:
            whole = sentence(relation.name, tuple(Variable(str(i)) for i in range(relation.arity)))
            parts += (Clause(whole, body, rules[relation]) for body in self._either(whole))
        return parts

    def _divided(self, clause: Clause) -> Iterator[Clause]:
        kinds = self.kinds.get(signature(clause.head))
        for part in self._parts(clause):
            if kinds is None:
                yield part
                continue
            kinds_here = self._kinds(part)
            if all(kinds_here.get(i) == kind for i, kind in kinds.items()):
                gone = {arguments(part.head)[i] for i in kinds}
                body = tuple(lit for lit in part.body if gone.isdisjoint(literal_variables(lit)))
                yield Clause(self._any(part.head), body, part.rule)
            else:
                yield Clause(self._own(part.head), part.body, part.rule)

    def _parts(self, clause: Clause) -> Iterator[Clause]:
        """Return a clause with each question for a relation taken apart."""
        calls = [
            literal
            for literal in clause.body
            if (asked := asked_sentence(literal)) is not None and signature(asked) in self.kinds
        ][:_MOST_CALLS]
        choices = [
            self._alternatives(literal, clause.body) if literal in calls else ((literal,),)
            for literal in clause.body
        ]
        for chosen in product(*choices):
            body = tuple(dict.fromkeys(literal for literals in chosen for literal in literals))
            positive = {lit for lit in body if isinstance(lit, Atom)}
            if not any(isinstance(lit, Not) and lit.operand in positive for lit in body):
                yield Clause(clause.head, body, clause.rule)

    def _alternatives(
        self, literal: Literal, body: Sequence[Literal]
    ) -> Sequence[tuple[Literal, ...]]:
        """Return the ways in which a literal about a relation that is taken apart is met."""
        asked = asked_sentence(literal)
        assert asked is not None
        if isinstance(literal, Atom):
            return self._either(asked)
        never, *kinds = self._either(asked)[0]
        doubtful = (kind for kind in kinds if not self._argument_kinds.hold(kind, body))
        return [(Not(Atom(self._own(asked))), Not(atom)) for atom in (never, *doubtful)]

    def _either(self, asked: Sentence) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
        """Return the two ways in which a sentence of a relation that is taken apart may hold."""
        args = arguments(asked)
        kinds = self.kinds[signature(asked)]
        of_kind = (
            Atom(sentence(kind.name, (args[i],))) for i in kinds for kind in sorted(kinds[i])
        )
        return (Atom(self._any(asked)), *of_kind), (Atom(self._own(asked)),)

    def _any(self, asked: Sentence) -> Sentence:
        kinds = self.kinds[signature(asked)]
        kept = (arg for i, arg in enumerate(arguments(asked)) if i not in kinds)
        return sentence(
            f"{ANY}{self._blanks}{signature(asked).arity} {signature(asked).name}", tuple(kept)
        )

    def _own(self, asked: Sentence) -> Sentence:
        return sentence(f"{OWN}{self._blanks}{signature(asked).name}", arguments(asked))


def _kind(literal: Literal) -> Signature | None:
    """Return the relation of one argument by which a variable is asked what it is."""
    if isinstance(literal, Atom) and isinstance((*arguments(literal.sentence), None)[0], Variable):
        return signature(literal.sentence)
    return None
