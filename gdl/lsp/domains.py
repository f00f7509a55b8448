"""What each variable of a rule may be: the values that can flow to where it stands.

In: checked rules. Out: for each rule its variables and their values, more rather than less; or
nothing where that is not known: facts or moves of any kind, rules without a meaning, too many
values. The values are those by which the reasoner orders joins, followed to the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl.language.checked import CheckedDescription
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import (
    Atom,
    Rule,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
)
from gdl.language.walk import conditions
from gdl.reason.estimates import MAX_VALUES, Values, settled_values
from gdl.reason.program import Predicate, Program, program

Domain = frozenset["Term | Signature"]
"""Constants and ground terms; a signature stands for terms of that form."""


@dataclass(frozen=True, eq=False)
class Domains:
    """What the arguments of each predicate may be."""

    program: Program
    values: Mapping[Predicate, Values]

    def of_rule(self, rule: Rule) -> dict[Variable, Domain]:
        """Return the values of each variable that a condition binds."""
        domain_of: dict[Variable, Domain] = {}
        for leaf, is_negative in conditions(rule):
            if is_negative or not isinstance(leaf, Atom):
                continue
            for term, values in zip(*self._columns(leaf.sentence), strict=False):
                if isinstance(term, Variable) and len(values) < MAX_VALUES:
                    domain = frozenset(values)
                    domain_of[term] = domain_of.get(term, domain) & domain
        return domain_of

    def of_relation(self, relation: Signature) -> Sequence[int]:
        """Return how many values each argument of a relation may take; empty if not known."""
        predicate = self.program.relations.get(relation)
        return [] if predicate is None else [len(column) for column in self.values[predicate]]

    def of_fluent(self, fluent: Signature) -> Sequence[int]:
        """Return how many values each argument of a fluent may take; empty if not known."""
        predicate = self.program.states.get(fluent)
        return [] if predicate is None else [len(column) for column in self.values[predicate]]

    def _columns(self, asked: Sentence) -> tuple[Sequence[Term], Values]:
        """Return the arguments of a condition that are told apart, and the values of each."""
        relation, args = signature(asked), arguments(asked)
        if relation.name in {"true", "does"}:
            if isinstance(args[-1], Variable):
                return (), []
            receivers = self.program.states if relation.name == "true" else self.program.moves
            predicate = receivers.get(signature(args[-1]))
            args = (*args[:-1], *arguments(args[-1]))
        else:
            predicate = self.program.relations.get(relation)
        return ((), []) if predicate is None else (args, self.values[predicate])


def domains(rules: CheckedDescription) -> Domains | None:
    """Return what the arguments of each predicate may be; None where that is not known.

    Cost O(passes * literals * constants).
    """
    try:
        clausal = program(rules)
    except GdlError:
        return None
    values = settled_values(clausal)
    return None if values is None else Domains(clausal, values)
