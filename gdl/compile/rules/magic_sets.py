"""Relations computed only where some rule asks for them.

A helper relation such as "counting from square s on with w white and b black gives W and B"
has an instance for every start, while the game asks for one. In: clauses. Out: clauses that
mean the same for all that is seen from outside, in which such a relation is guarded by what
is asked of it. What is asked depends on the state; the guard holds what any state may ask:
it is found by rules in which everything may hold that may ever hold and nothing is denied.
Those rules decide nothing, so the grounder carries them out, and no gate comes of them.

Source: Bancilhon, Maier, Sagiv, Ullman, "Magic Sets and Other Strange Ways to Implement Logic
Programs", PODS 1986; Beeri, Ramakrishnan, "On the Power of Magic", 1991 (passing bindings on);
ours, that guards come of a relaxation, and that a relation has one pattern of bound arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from gdl.compile.rules.fresh_names import apart
from gdl.compile.rules.grounder_names import BOUNDS, RELATIONS
from gdl.compile.rules.literals import asked_sentence, literal_variables
from gdl.language.clauses import Clause
from gdl.language.dependencies import DependencyGraph, dependency_graph
from gdl.language.graphs import reachable
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

ASKED: Final = "asked "
MAY: Final = "may "
"""Relations of ours begin with these; see `fresh_names`."""
_TRUE, _DOES = Signature("true", 1), Signature("does", 2)
Bindings: TypeAlias = Mapping[Signature, tuple[int, ...]]


def demanded(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses that compute relations on demand; the same ones where none can be.

    Args:
        clauses: In clausal form, best split first.

    Returns:
        The clauses, guarded, and those that find the guards. Cost O(literals squared) a clause.
    """
    graph = dependency_graph(clauses)
    changing = graph.dependents([_TRUE, _DOES])  # what depends on a state or on moves
    bindings = _bindings(clauses, _whole(graph, changing))
    if not any(bindings.values()):
        return list(clauses)
    return list(_Demand(clauses, changing, bindings).run())


def relaxed(clauses: Sequence[Clause], on_demand: Iterable[Clause]) -> dict[Signature, Signature]:
    """Return for what changes the relations that say what may ever hold of it.

    Args:
        clauses: As they were.
        on_demand: What `demanded` made of them; only what it says of may hold is returned, which
            is nothing where it left the clauses as they are.
    """
    graph = dependency_graph(clauses)
    blanks = apart(graph.relations, ASKED, MAY)
    said = {signature(clause.head) for clause in on_demand}
    may = {
        old: Signature(f"{MAY}{blanks}{old.name}", old.arity)
        for old in graph.dependents([_TRUE, _DOES])
    }
    return {old: new for old, new in may.items() if new in said}


def _whole(graph: DependencyGraph, changing: Collection[Signature]) -> frozenset[Signature]:
    """Return the relations that are needed whole: what is seen, or denied while grounding.

    A denial is decided only when all of the relation is known, so nothing on which it depends
    may wait for a question.
    """
    denied = {body for bodies in graph.negative.values() for body in bodies if body not in changing}
    return frozenset(reachable(graph.successors, denied)) | frozenset((*RELATIONS, *BOUNDS))


class _Call(NamedTuple):
    """A literal on its turn.

    Attributes:
        literal: The literal.
        before: The literals that bind variables for it.
        bound: Which of its arguments are known by then.
    """

    literal: Literal
    before: tuple[Literal, ...]
    bound: frozenset[int]


def _bindings(clauses: Sequence[Clause], whole: Collection[Signature]) -> Bindings:
    """Return for each relation the arguments that are known wherever it is asked for.

    Only what is asked for, from what is seen on, says what is known: a relation that asks for
    itself with less would otherwise begin with knowing everything.
    """
    guardable = {
        relation
        for clause in clauses
        if clause.body and (relation := signature(clause.head)) not in whole
    }
    # From above: a relation begins with all that its first asker knows, and loses what another one
    # does not know. Arguments only get fewer, so this ends.
    bindings: dict[Signature, tuple[int, ...]] = {}
    is_stable = False
    while not is_stable:
        is_stable = True
        for clause in clauses:
            maker = signature(clause.head)
            if maker in guardable and maker not in bindings:
                continue  # nobody asks for it yet
            for call in _calls(clause, bindings, guardable):
                asked = asked_sentence(call.literal)
                if asked is None or signature(asked) not in guardable:
                    continue
                relation = signature(asked)
                kept = bindings.get(relation, tuple(range(relation.arity)))
                fewer = tuple(i for i in kept if i in call.bound)
                if bindings.get(relation) != fewer:
                    bindings[relation] = fewer
                    is_stable = False
    return bindings


def _calls(clause: Clause, bindings: Bindings, guardable: Collection[Signature]) -> Iterator[_Call]:
    """Return the literals of a clause in the order in which bindings are passed on.

    First what is given and meets something known, then the questions, then what meets nothing;
    of equals the one with most known arguments. Denials and ``distinct`` when all is known.
    """
    head = arguments(clause.head)
    bound_so_far = {
        var for i in bindings.get(signature(clause.head), ()) for var in variables(head[i])
    }
    waiting = [literal for literal in clause.body if isinstance(literal, Atom)]
    before: list[Literal] = []
    while waiting:
        best = max(waiting, key=lambda literal: _readiness(literal, bound_so_far, guardable))
        waiting.remove(best)
        yield _Call(best, tuple(before), _bound(best, bound_so_far))
        before.append(best)
        bound_so_far.update(literal_variables(best))
    for literal in clause.body:
        if not isinstance(literal, Atom):
            yield _Call(literal, tuple(before), _bound(literal, bound_so_far))
            before.append(literal)


def _readiness(
    literal: Atom, bound: Collection[Variable], guardable: Collection[Signature]
) -> tuple[int, float]:
    used = literal_variables(literal)
    free = len([var for var in used if var not in bound])
    meets = free < len(used) or not used
    is_question = signature(literal.sentence) in guardable
    return (2 if meets and not is_question else 1 if is_question else 0), -free


def _bound(literal: Literal, bound: Collection[Variable]) -> frozenset[int]:
    asked = asked_sentence(literal)
    if asked is None:
        return frozenset()
    return frozenset(
        i for i, arg in enumerate(arguments(asked)) if all(var in bound for var in variables(arg))
    )


class _Demand:
    def __init__(
        self, clauses: Sequence[Clause], changing: frozenset[Signature], bindings: Bindings
    ) -> None:
        self.clauses = clauses
        self.changing = changing
        self.bindings = bindings
        self._blanks = apart(dependency_graph(clauses).relations, ASKED, MAY)

    def run(self) -> Iterator[Clause]:
        for clause in self.clauses:
            yield from self._guarded(clause)
        yield from self._states()

    def _guarded(self, clause: Clause) -> Iterator[Clause]:
        """Return a clause with its guard, what it may make, and what it asks for."""
        # The guard takes away nothing that is asked for: questions are found by the same rules with
        # what depends on a state relaxed, so every question of every state is among them.
        head = clause.head
        guard = self._question(head) if clause.body else None  # a fact needs none
        first = () if guard is None else (Atom(guard),)
        yield Clause(head, (*first, *clause.body), clause.rule)
        if signature(head) in self.changing:
            relaxed = tuple(self._relaxed(clause.body))
            yield Clause(self._may(head), (*first, *relaxed), clause.rule)
        for call in _calls(clause, self.bindings, self.bindings):
            asked = asked_sentence(call.literal)
            question = None if asked is None else self._question(asked)
            if question is not None and question != guard:
                before = tuple(self._relaxed(call.before))
                yield Clause(question, (*first, *before), clause.rule)

    def _question(self, asked: Sentence) -> Sentence | None:
        """Return that a relation is asked for, by its arguments that are known."""
        bound = self.bindings.get(signature(asked))
        if not bound:
            return None
        args = arguments(asked)
        return sentence(
            f"{ASKED}{self._blanks}{len(args)} {signature(asked).name}",
            tuple(args[i] for i in bound),
        )

    def _relaxed(self, literals: Iterable[Literal]) -> Iterator[Literal]:
        """Return literals as far as they hold whatever the state is."""
        for literal in literals:
            asked = asked_sentence(literal)
            if asked is None or signature(asked) not in self.changing:
                yield literal
            elif not isinstance(literal, Not):
                yield Atom(self._may(asked))

    def _states(self) -> Iterator[Clause]:
        """Return what may be true and be done: as in the glue of `logic_program`."""
        fact, role, move = Variable("fact"), Variable("role"), Variable("move")
        rule = self.clauses[0].rule
        may_true = self._may(sentence("true", (fact,)))
        follows = tuple(self._relaxed([Atom(sentence("next", (fact,)))]))
        yield Clause(may_true, (Atom(sentence("init", (fact,))),), rule)
        yield Clause(may_true, follows, rule)
        legal = self._relaxed(
            [Atom(sentence("legal", (role, move))), Atom(sentence("role", (role,)))]
        )
        yield Clause(self._may(sentence("does", (role, move))), tuple(legal), rule)

    def _may(self, held: Sentence) -> Sentence:
        """Return that a sentence may hold."""
        return sentence(MAY + self._blanks + signature(held).name, arguments(held))
