"""Long rules cut into short ones, so that joins stay small.

In: clauses. Out: clauses with the same meaning for all relations of the input, plus
relations of our own. A variable that does not occur in the head is taken out: the
literals that use it become the body of a new relation over the other variables of these
literals. The variable with the fewest neighbours goes first. Of a head of many variables, literals
about some of them are joined before all are. Of literals about the same
variables only so many stay together. Bodies that are the same up
to the names of variables become one relation.

Source: Bichler, Morak, Woltran, "lpopt: A Rule Optimization Tool for Answer Set
Programming", 2016 (tree decomposition of rules); Dechter, "Bucket Elimination", 1999.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, count
from typing import Final

from gdl.compile.rules.literals import literal_variables, with_terms
from gdl.compile.rules.made_names import apart
from gdl.language.clauses import Clause
from gdl.language.dependencies import dependency_graph
from gdl.language.matching import applied
from gdl.language.syntax import Atom, Literal, Sentence, Variable, sentence, variables

PREFIX: Final = "split "
MOST_ALIKE: Final = 32
"""Literals about the same variables that one body may have."""
MANY: Final = 6
"""Variables of a head from which its body is joined step by step: it has instances by thousands."""


def split(clauses: Sequence[Clause]) -> list[Clause]:
    """Return short clauses that mean the same. Cost O(literals squared) a clause."""
    return _Splitter(clauses).run()


class _Splitter:
    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._prefix = PREFIX + apart(dependency_graph(clauses).relations, PREFIX)
        self._clauses = clauses
        self._known: dict[tuple[tuple[Literal, ...], int], str] = {}
        self._numbers = count()
        self._found: list[Clause] = []

    def run(self) -> list[Clause]:
        for clause in self._clauses:
            self._found.append(self._shortened(clause))
        return self._found

    def _shortened(self, clause: Clause) -> Clause:
        head = set(variables(clause.head))
        body = list(clause.body)
        while len(body) > 1:
            bucket = _best_bucket(body, head)
            if bucket is None:
                break
            taken = set(bucket)
            others = [literal for index, literal in enumerate(body) if index not in taken]
            # Variables that only the bucket has are projected away in the new relation (bucket
            # elimination); the others are its arguments, over which it is joined with the rest.
            outside = head | _variables(others)
            inner = [body[index] for index in bucket]
            scope = [var for var in _in_order(inner) if var in outside]
            atom = Atom(self._relation(inner, scope, clause))
            body[bucket[0]] = atom
            body = [lit for index, lit in enumerate(body) if index not in taken - {bucket[0]}]
        if len(head) >= MANY:
            body = self._in_steps(body, head, clause)
        body = self._in_groups(body, clause)
        if tuple(body) == clause.body:
            return clause
        return Clause(clause.head, tuple(body), clause.rule)

    def _in_steps(self, body: list[Literal], head: set[Variable], clause: Clause) -> list[Literal]:
        """Return a body in which literals about a part of the variables are one relation, nested.

        What a move of three squares asks of the first two is so made once for each pair of squares
        rather than once for each move, and a rule has two literals where it had six.
        """
        while (bucket := _narrowest_join(body)) is not None:
            others = [literal for index, literal in enumerate(body) if index not in bucket]
            inner = [body[index] for index in bucket]
            outside = head | _variables(others)
            scope = [var for var in _in_order(inner) if var in outside]
            body = [Atom(self._relation(inner, scope, clause)), *others]
        return body

    def _in_groups(self, body: list[Literal], clause: Clause) -> list[Literal]:
        """Return a body, literals about the same variables taken out of it some at a time.

        A board of 400 squares makes rules of as many literals, and the grounder takes time with
        the cube of their number.
        """
        alike: dict[frozenset[Variable], list[Literal]] = {}
        regrouped: list[Literal] = []
        for literal in body:
            about = frozenset(literal_variables(literal))
            if about and not isinstance(literal, Atom):
                regrouped.append(literal)  # another binds its variables
            else:
                alike.setdefault(about, []).append(literal)
        if all(len(literals) <= MOST_ALIKE for literals in alike.values()):
            return body
        for literals in alike.values():
            short, scope = literals, _in_order(literals)
            while len(short) > MOST_ALIKE:
                groups = [short[i : i + MOST_ALIKE] for i in range(0, len(short), MOST_ALIKE)]
                short = [Atom(self._relation(group, scope, clause)) for group in groups]
            regrouped += short
        return regrouped

    def _relation(self, body: list[Literal], scope: list[Variable], clause: Clause) -> Sentence:
        """Return the head of a relation with this body, a known one where there is one."""
        order = [*scope, *(var for var in _in_order(body) if var not in scope)]
        renamed = {var: Variable(str(index)) for index, var in enumerate(order)}
        alike = tuple(with_terms(lit, lambda term: applied(term, renamed)) for lit in body)
        key = alike, len(scope)
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = f"{self._prefix}{next(self._numbers)}"
            head = sentence(name, tuple(scope))
            self._found.append(Clause(head, tuple(body), clause.rule))
        return sentence(name, tuple(scope))


def _best_bucket(body: Sequence[Literal], head: set[Variable]) -> list[int] | None:
    """Return the literals to take out next, None when nothing gets smaller."""
    scopes = [set(literal_variables(literal)) for literal in body]
    everything = set().union(*scopes) | head
    best: tuple[int, int] | None = None
    best_bucket: list[int] | None = None
    for variable in sorted(everything - head):
        bucket = [index for index, scope in enumerate(scopes) if variable in scope]
        inner = set().union(*(scopes[index] for index in bucket))
        if len(bucket) == len(body) or len(inner) >= len(everything):
            continue
        # The new rule must be safe by itself: its positive literals bind all of its variables.
        bound: set[Variable] = set()
        for index in bucket:
            if isinstance(body[index], Atom):
                bound |= scopes[index]
        if bound != inner:
            continue
        rank = len(inner), len(bucket)
        if best is None or rank < best:
            best, best_bucket = rank, bucket
    return best_bucket


def _narrowest_join(body: Sequence[Literal]) -> list[int] | None:
    """Return literals that meet and are about the fewest variables, not about all of them."""
    scopes = [frozenset(literal_variables(literal)) for literal in body]
    whole = frozenset[Variable]().union(*scopes)
    # Two that share no variable are never joined: their relation would be a product.
    joins = {a | b for a, b in combinations(scopes, 2) if a & b} - {whole}
    for join in sorted(joins, key=lambda join: (len(join), sorted(join))):
        bucket = [index for index, scope in enumerate(scopes) if scope and scope <= join]
        # The new rule must be safe by itself, as above.
        bound = (scopes[index] for index in bucket if isinstance(body[index], Atom))
        if join == frozenset[Variable]().union(*bound):
            return bucket
    return None


def _variables(body: Iterable[Literal]) -> set[Variable]:
    return {var for literal in body for var in literal_variables(literal)}


def _in_order(body: Iterable[Literal]) -> list[Variable]:
    return list(dict.fromkeys(var for literal in body for var in literal_variables(literal)))
