"""Long rules cut into short ones, so that joins stay small.

In: clauses. Out: clauses with the same meaning for all relations of the input, plus
relations of our own. A variable that does not occur in the head is taken out: the
literals that use it become the body of a new relation over the other variables of these
literals. The variable with the fewest neighbours goes first. Where rules have too many
instances otherwise, literals about some variables of a head that has many are joined before
all are. Of literals about the same variables only so many stay together. Bodies that are the
same up to the names of variables become one relation.

Source: Bichler, Morak, Woltran, "lpopt: A Rule Optimization Tool for Answer Set
Programming", 2016 (tree decomposition of rules); Dechter, "Bucket Elimination", 1999.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count
from typing import Final

from gdl.compile.rules.fresh_names import apart
from gdl.compile.rules.literals import asked_sentence, literal_variables, with_terms
from gdl.language.clauses import Clause
from gdl.language.dependencies import DOES, TRUE, dependency_graph
from gdl.language.matching import applied
from gdl.language.syntax import (
    Atom,
    Literal,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    sentence,
    signature,
    variables,
)

PREFIX: Final = "split "
MOST_ALIKE: Final = 32
"""Literals about the same variables that one body may have."""
MANY: Final = 6
"""Variables of a head from which its body is joined step by step: it has instances by thousands."""


def split(
    clauses: Sequence[Clause], relaxed: Mapping[Signature, Signature] | None = None
) -> list[Clause]:
    """Return short clauses that mean the same. Cost O(literals squared) a clause.

    Args:
        clauses: In clausal form.
        relaxed: For relations others that hold wherever they may hold in any state and that the
            grounder decides. Where these are given, literals are also taken out that bind not all
            of their variables, together with what may hold of others that do; and long bodies are
            joined step by step. Elsewhere that makes circuits no smaller, and some larger.
    """
    return _Splitter(clauses, relaxed).run()


class _Splitter:
    def __init__(
        self, clauses: Sequence[Clause], relaxed: Mapping[Signature, Signature] | None
    ) -> None:
        self._relaxed = relaxed
        graph = dependency_graph(clauses)
        self._prefix = PREFIX + apart(graph.relations, PREFIX)
        self._changing = graph.dependents([TRUE, DOES])
        self._derived = {signature(clause.head) for clause in clauses if clause.body}
        self._clauses = clauses
        self._names: dict[tuple[tuple[Literal, ...], int], str] = {}
        self._numbers = count()
        self._short_clauses: list[Clause] = []

    def run(self) -> list[Clause]:
        for clause in self._clauses:
            self._short_clauses.append(self._shortened(clause))
        if self._relaxed is None:
            return self._short_clauses
        return self._alternatives_together(self._short_clauses)

    def _alternatives_together(self, clauses: Sequence[Clause]) -> list[Clause]:
        """Return the clauses, those that differ in one literal as one that asks for either.

        What stands between a king and what checks it may be a square on any of eight lines: all
        moves are so joined with the squares once, and not once for each line.
        """
        alike: dict[tuple[Sentence, frozenset[Literal], Sequence[Term]], list[int]] = {}
        for number, clause in enumerate(clauses):
            if len(_variables(clause.body)) >= MANY:
                for literal in clause.body:
                    if isinstance(literal, Atom):
                        others = frozenset(clause.body) - {literal}
                        key = clause.head, others, arguments(literal.sentence)
                        alike.setdefault(key, []).append(number)
        instead: dict[int, Clause] = {}
        gone: set[int] = set()
        helpers: list[Clause] = []
        for (head, others, args), numbers in sorted(
            alike.items(), key=lambda item: (-len(item[1]), item[1])
        ):
            left = [n for n in numbers if n not in gone and n not in instead]
            about = {var for arg in args for var in variables(arg)}
            if len(left) < 2 or not _variables(others) > about:  # noqa: PLR2004  # two to be one
                continue
            scope = tuple(dict.fromkeys(var for arg in args for var in variables(arg)))
            either = sentence(f"{self._prefix}{next(self._numbers)}", scope)
            for number in left:
                own = tuple(lit for lit in clauses[number].body if lit not in others)
                helpers.append(Clause(either, own, clauses[number].rule))
            body = (lit if lit in others else Atom(either) for lit in clauses[left[0]].body)
            instead[left[0]] = Clause(head, tuple(body), clauses[left[0]].rule)
            gone.update(left[1:])
        kept = (instead.get(n, clause) for n, clause in enumerate(clauses) if n not in gone)
        return [*kept, *helpers]

    def _shortened(self, clause: Clause) -> Clause:
        head = set(variables(clause.head))
        body = list(clause.body)
        while len(body) > 1:
            bucket, binders = self._best_bucket(body, head)
            if not bucket:
                break
            if self._relaxed is not None:
                bucket = self._with_filters(bucket, body)
            taken = set(bucket)
            others = [literal for index, literal in enumerate(body) if index not in taken]
            # Variables that only the bucket has are projected away in the new relation (bucket
            # elimination); the others are its arguments, over which it is joined with the rest.
            outside = head | _variables(others)
            inner = [body[index] for index in bucket]
            inner += self._bound(inner, [body[index] for index in binders], clause)
            scope = [var for var in _in_order(inner) if var in outside]
            atom = Atom(self._relation(inner, scope, clause))
            body[bucket[0]] = atom
            body = [lit for index, lit in enumerate(body) if index not in taken - {bucket[0]}]
        if self._relaxed is not None and len(head) >= MANY:
            body = self._in_steps(body, head, clause)
        body = self._in_groups(body, clause)
        if tuple(body) == clause.body:
            return clause
        return Clause(clause.head, tuple(body), clause.rule)

    def _with_filters(self, bucket: list[int], body: Sequence[Literal]) -> list[int]:
        """Return a bucket with what never changes and says no more than which values may be there.

        Of forty pieces two are kings: what holds of a piece and a king is so asked of few.
        """
        inner = _variables(body[index] for index in bucket)
        filters = [
            index
            for index, literal in enumerate(body)
            if index not in bucket and self._is_filter(literal, inner)
        ]
        return bucket if len(bucket) + len(filters) == len(body) else sorted([*bucket, *filters])

    def _is_filter(self, literal: Literal, inner: set[Variable]) -> bool:
        asked = asked_sentence(literal)
        about = set(literal_variables(literal))
        is_given = asked is None or signature(asked) not in self._derived | self._changing
        return is_given and bool(about) and about <= inner

    def _in_steps(self, body: list[Literal], head: set[Variable], clause: Clause) -> list[Literal]:
        """Return a body in which literals about a part of the variables are one relation, nested.

        What a move of three squares asks of the first two is so made once for each pair of squares
        rather than once for each move, and a rule has two literals where it had six.
        """
        while (join := self._narrowest_join(body)) is not None:
            bucket, binders = join
            others = [literal for index, literal in enumerate(body) if index not in bucket]
            inner = [body[index] for index in bucket]
            inner += self._bound(inner, [body[index] for index in binders], clause)
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
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = f"{self._prefix}{next(self._numbers)}"
            if self._relaxed is not None and len(order) >= MANY:
                body = self._in_steps(body, set(scope), clause)
            head = sentence(name, tuple(scope))
            self._short_clauses.append(Clause(head, tuple(body), clause.rule))
        return sentence(name, tuple(scope))

    def _best_bucket(
        self, body: Sequence[Literal], head: set[Variable]
    ) -> tuple[list[int], list[int]]:
        """Return the literals to take out next, and which bind what they do not.

        None where nothing gets smaller.
        """
        scopes = [set(literal_variables(literal)) for literal in body]
        everything = set().union(*scopes) | head
        best: tuple[int, int] | None = None
        taken: tuple[list[int], list[int]] = [], []
        for variable in sorted(everything - head):
            bucket = [index for index, scope in enumerate(scopes) if variable in scope]
            inner = set().union(*(scopes[index] for index in bucket))
            if len(bucket) == len(body) or len(inner) >= len(everything):
                continue
            binders = self._binders(body, scopes, bucket, inner)
            if binders is None:
                continue
            rank = len(inner), len(bucket)
            if best is None or rank < best:
                best, taken = rank, (bucket, binders)
        return taken

    def _narrowest_join(self, body: Sequence[Literal]) -> tuple[list[int], list[int]] | None:
        """Return literals that meet and are about the fewest variables, not about all of them.

        The second are those that bind what the first do not.
        """
        scopes = [frozenset(literal_variables(literal)) for literal in body]
        whole = frozenset[Variable]().union(*scopes)
        # Two that share no variable are never joined: their relation would be a product.
        joins = {a | b for a, b in combinations(scopes, 2) if a & b} - {whole}
        for join in sorted(joins, key=lambda join: (len(join), sorted(join))):
            bucket = [index for index, scope in enumerate(scopes) if scope and scope <= join]
            binders = self._binders(body, scopes, bucket, join)
            if binders is not None:
                return bucket, binders
        return None

    def _binders(
        self,
        body: Sequence[Literal],
        scopes: Sequence[set[Variable]] | Sequence[frozenset[Variable]],
        bucket: Sequence[int],
        inner: Collection[Variable],
    ) -> list[int] | None:
        """Return which literals bind what the positive ones of a bucket do not.

        Args:
            body: The literals.
            scopes: The variables of each.
            bucket: Those that are to be a rule by themselves, by index.
            inner: The variables of that rule.

        The new rule must be safe by itself: None where nothing may bind it.
        """
        missing = set(inner)
        for index in bucket:
            if isinstance(body[index], Atom):
                missing -= scopes[index]
        binders: list[int] = []
        while missing:
            others = {
                index: scopes[index]
                for index, literal in enumerate(body)
                if index not in bucket and self._may_bind(literal)
            }
            if self._relaxed is None or not any(missing & used for used in others.values()):
                return None
            # The one that binds most of them, and has fewest variables beside.
            binders.append(
                max(others, key=lambda i: (len(others[i] & missing), -len(others[i]), -i))
            )
            missing -= others[binders[-1]]
        return binders

    def _may_bind(self, literal: Literal) -> bool:
        if not isinstance(literal, Atom):
            return False
        relation = signature(literal.sentence)
        return relation not in self._changing or relation in (self._relaxed or ())

    def _bound(
        self, inner: Sequence[Literal], binders: Iterable[Literal], clause: Clause
    ) -> Iterator[Literal]:
        """Yield what may hold of literals that bind variables of others, about these only."""
        used = _variables(inner)
        for literal in binders:
            asked = asked_sentence(literal)
            assert asked is not None
            relation = (self._relaxed or {}).get(signature(asked), signature(asked))
            held = Atom(sentence(relation.name, arguments(asked)))
            scope = [var for var in _in_order([held]) if var in used]
            yield Atom(self._relation([held], scope, clause))


def _variables(body: Iterable[Literal]) -> set[Variable]:
    return {var for literal in body for var in literal_variables(literal)}


def _in_order(body: Iterable[Literal]) -> list[Variable]:
    return list(dict.fromkeys(var for literal in body for var in literal_variables(literal)))
