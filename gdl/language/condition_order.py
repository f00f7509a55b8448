"""In which order the conditions of a rule are asked, and which rules no order can save.

In: layers of clauses. Out: for each relation the rules that answer it, their conditions in an
order in which they can be met: as they are written, but for two things.

- A test (``not``, ``distinct``) waits until its variables have values. A variable that no positive
  condition ever gives a value stays open.
- Some rules need their asker: ``(<= (same ?x ?x))`` holds for whatever value one gives, so a
  condition on ``same`` waits until one of its arguments is known.

Source: GDL specification 2008, definition 11 (safe rules); Ullman, "Principles of Database and
Knowledge-Base Systems" II, 1989, section 12.2 (which arguments the asker gives).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from gdl.language.clauses import Clause, asked, sentence_of
from gdl.language.dependencies import DOES, TRUE
from gdl.language.matching import may_unify
from gdl.language.refusals import unsafe_rule
from gdl.language.syntax import (
    Atom,
    Distinct,
    Literal,
    Sentence,
    Signature,
    Variable,
    arguments,
    signature,
    variables,
)

GAME, STATE, MOVES = range(3)
"""What a part rests on: the rules alone, what is true, who does what."""
Given: TypeAlias = tuple[int, ...]
"""The arguments whose values the asker gives; none where a part can be asked whole."""
WHOLE: Final[Given] = ()
Asked: TypeAlias = "tuple[tuple[Part, Given], ...]"
Refusal: TypeAlias = tuple[Clause, Variable]


@dataclass(eq=False)
class Part:
    """The rules of one relation that stand in one layer: what is asked as one."""

    relation: Signature
    layer: int
    level: int = GAME
    is_recursive: bool = False
    clauses: list[Clause] = field(default_factory=list)


class Step(NamedTuple):
    """A condition in its turn: whom it asks, which of its variables have values, which get one."""

    literal: Literal
    asked: Asked
    bound: tuple[Variable, ...]
    new: tuple[Variable, ...]


class Orders:
    """The parts of a description, and in which order the conditions of their rules are met.

    Attributes:
        outside: For each level, the part whose sentences come from outside: none, true, does.
    """

    def __init__(self, layers: Iterable[Sequence[Clause]]) -> None:
        """Part the rules; each layer comes after those that its negations are about."""
        true, does = Part(TRUE, -1, STATE), Part(DOES, -1, MOVES)
        self.outside: tuple[tuple[Part, ...], ...] = ((), (true,), (does,))
        self._parts: dict[Signature, list[Part]] = {TRUE: [true], DOES: [does]}
        self._rules: dict[tuple[Part, Given], list[tuple[Clause, tuple[Step, ...]]]] = {}
        self._foundations: dict[Asked, list[Part]] = {}
        self._refusals: dict[tuple[Part, Given], Refusal | None] = {}
        self._unsettled: list[tuple[Part, Given]] = []
        for number, layer in enumerate(layers):
            own: dict[Signature, Part] = {}
            for clause in layer:
                key = signature(clause.head)
                own.setdefault(key, Part(key, number)).clauses.append(clause)
            for key, part in own.items():
                part.clauses.sort(key=lambda clause: bool(clause.body))  # facts, then rules
                self._parts.setdefault(key, []).append(part)
            sentences = (sentence for clause in layer for sentence, _ in asked(clause))
            below = {part for sentence in sentences for part in self._of(sentence)}
            for part in own.values():
                part.level = max((other.level for other in below), default=GAME)
                part.is_recursive = not below.isdisjoint(own.values())

    def question(self, query: Sentence, bound: Iterable[Variable] = ()) -> Asked:
        """Return whom to ask for instances of a sentence, if the rules say where it holds."""
        asked = self.asked(query, bound)
        for refusal in (self.refusal(part, given) for part, given in asked):
            if refusal is not None:
                raise unsafe_rule(*refusal)
        return asked

    def asked(self, query: Sentence, bound: Iterable[Variable] = ()) -> Asked:
        """Return whom to ask for instances of a sentence; each part whole, if that can be."""
        has_value = set(bound).issuperset
        given = tuple(i for i, a in enumerate(arguments(query)) if has_value(variables(a)))
        parts = self._of(query)
        return tuple((p, WHOLE if self.refusal(p, WHOLE) is None else given) for p in parts)

    def refusal(self, part: Part, given: Given) -> Refusal | None:
        """Return which rule leaves which variable without a value when it is asked so, if any.

        Nothing is refused until a rule shows why: recursion may bind what it was given.
        """
        if (part, given) not in self._refusals:
            self._refusals[part, given] = None
            self._unsettled.append((part, given))
            if len(self._unsettled) == 1:
                self._settle()
        return self._refusals[part, given]

    def rules(self, part: Part, given: Given) -> list[tuple[Clause, tuple[Step, ...]]]:
        """Return the rules of a part, each with its conditions in their turn."""
        if (part, given) not in self._rules:
            rules = [(clause, self._ordered(clause, given)[0]) for clause in part.clauses]
            self._rules[part, given] = rules
        return self._rules[part, given]

    def foundations(self, asked: Asked) -> list[Part]:
        """Return the parts asked whole by those asked, and by these in turn, lowest first."""
        if asked not in self._foundations:
            reached = dict.fromkeys(asked)
            work = list(asked)
            for part, given in work:  # grows while we go
                for _, steps in self.rules(part, given):
                    new = [ask for step in steps for ask in step.asked if ask not in reached]
                    reached |= dict.fromkeys(new)
                    work += dict.fromkeys(new)
            whole = (part for part, given in reached if given == WHOLE)
            self._foundations[asked] = sorted(whole, key=lambda part: part.layer)
        return self._foundations[asked]

    def _of(self, query: Sentence) -> list[Part]:
        """Return the parts with a rule that may produce instances of a sentence."""
        parts = self._parts.get(signature(query), [])
        if len(parts) <= 1:
            return parts
        return [p for p in parts if any(may_unify(query, c.head) for c in p.clauses)]

    def _settle(self) -> None:
        """Refuse what some rule cannot answer, until nothing more is refused.

        All is taken for answerable at first, the greatest fixpoint. That is right of recursion: an
        answer has a derivation of finitely many steps, so a rule that asks its own relation rests
        on answers that took fewer. A refusal only takes ways away from other rules, so those that
        were refused before stay so, and each round refuses one question more or is the last.
        """
        is_settled = False
        while not is_settled:
            is_settled = True
            for part, given in self._unsettled:  # grows while we go
                for clause in part.clauses:
                    refusal = self._ordered(clause, given)[1]
                    if refusal is not None and self._refusals[part, given] is None:
                        self._refusals[part, given] = refusal
                        is_settled = False
        self._unsettled.clear()

    def _ordered(self, clause: Clause, given: Given) -> tuple[tuple[Step, ...], Refusal | None]:
        """Return the conditions of a rule in their turn, or why some never get one.

        Whichever can be met is taken, the tests first: a value that is known stays so, and what
        can be asked with some arguments given can be with more, so no choice spoils a later one.
        """
        head = arguments(clause.head)
        bound = {variable for index in given for variable in variables(head[index])}
        waiting = sorted(clause.body, key=lambda literal: isinstance(literal, Atom))  # tests first
        bindable = bound.union(*(_variables(x) for x in waiting if isinstance(x, Atom)))
        steps: list[Step] = []
        while turn := next((x for x in waiting if self._can(x, bound, bindable)), None):
            waiting.remove(turn)
            mine = dict.fromkeys(_variables(turn))
            bound_before = tuple(variable for variable in mine if variable in bound)
            new = tuple(variable for variable in mine if variable not in bound)
            asked = (
                () if isinstance(turn, Distinct) else self.asked(sentence_of(turn), bound_before)
            )
            steps.append(Step(turn, asked, bound_before, new))
            bound.update(new if isinstance(turn, Atom) else ())
        for sentence in (sentence_of(x) for x in waiting if not isinstance(x, Distinct)):
            # Stuck: because of a part that no asker can help, or of what is not known.
            all_given = tuple(range(len(arguments(sentence))))
            refusals = (self.refusal(part, all_given) for part in self._of(sentence))
            refusal = next(filter(None, refusals), None)
            unknown = set(variables(sentence)) - bound
            if refusal or unknown:
                return (), refusal or (clause, min(unknown))
        unbound = sorted(set(variables(clause.head)) - bound)
        return tuple(steps), (clause, unbound[0]) if unbound else None

    def _can(self, literal: Literal, bound: set[Variable], bindable: set[Variable]) -> bool:
        """Return whether a condition can be met where some variables have values."""
        if not isinstance(literal, Atom) and (bindable - bound).intersection(_variables(literal)):
            return False  # a value is still to come
        asked = () if isinstance(literal, Distinct) else self.asked(sentence_of(literal), bound)
        return all(self.refusal(part, given) is None for part, given in asked)


def _variables(literal: Literal) -> list[Variable]:
    if isinstance(literal, Distinct):
        return [*variables(literal.left), *variables(literal.right)]
    return list(variables(sentence_of(literal)))
