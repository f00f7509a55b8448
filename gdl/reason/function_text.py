"""The text of one function: lines, names, and how terms are built and taken apart.

In: terms. Out: lines of Python. Nothing here knows what the function is for.

In the text no name of the rules occurs: constants stand in variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from gdl.language.syntax import Compound, Constant, Signature, Term, Variable, signature
from gdl.reason.plan import Modes
from gdl.reason.program import Definition, Predicate
from gdl.reason.tables import Demand

Names: TypeAlias = Mapping[Variable, str]
"""How each variable of a rule is called in the text."""


class Workshop(Protocol):
    """Where a writer gets names for what its functions use, and leaves them when they are done."""

    def demand(self, predicate: Predicate, modes: Modes) -> Demand:
        """Return a predicate, asked in one way: ``demand_N`` and ``solve_N`` by its slot."""

    def index(self, predicate: Predicate, modes: Modes) -> int:
        """Return the slot of an index."""

    def unique(self, predicate: Predicate, modes: Modes) -> str | None:
        """Return the name of an index of facts with one value a key, None if there is none."""

    def is_table(self, predicate: Predicate) -> bool:
        """Return whether a predicate is looked up in an index, not evaluated for each question."""

    def constant(self, term: Term) -> str:
        """Return the name of a ground term."""

    def builder(
        self, functor: Signature, definition: Definition, *, is_bounded: bool
    ) -> tuple[str, str]:
        """Return the names of the mapping of terms built, and of the function that adds one.

        Args:
            functor: Of the terms.
            definition: The rule that a refusal names.
            is_bounded: Whether a term deeper than the limits allow is refused.
        """

    def object(self, kind: str, value: object) -> str:
        """Return a name for any object."""

    def add_function(self, name: str, text: str, definition: Definition) -> None:
        """Take a finished function."""


@dataclass(eq=False)
class FunctionText:
    """The lines of a function, as they are written.

    Attributes:
        workshop: Where constants get their names.
        definition: The rule that the function evaluates.
        names: Names of the rule's variables.
        bound: Variables that have a value at this point.
        give_up_by: The statement that gives up outside any loop.
    """

    workshop: Workshop
    definition: Definition
    names: Names
    bound: set[Variable]
    give_up_by: str
    lines: list[str] = field(default_factory=list)
    loops: int = 0
    temporaries: int = 0

    def line(self, text: str) -> None:
        """Write a line, within the loops that are open."""
        self.lines.append("    " * (self.loops + 1) + text)

    def loop(self, text: str) -> None:
        """Begin a loop; it goes on to the end of the function."""
        self.line(text)
        self.loops += 1

    def fail_if(self, condition: str) -> None:
        """Give up on the values at hand if a condition holds."""
        self.line(f"if {condition}: {self.give_up}")

    @property
    def give_up(self) -> str:
        """The statement that goes on with the next values, or gives up."""
        return "continue" if self.loops else self.give_up_by

    def temporary(self) -> str:
        """Return a new name."""
        self.temporaries += 1
        return f"t{self.temporaries}"

    # Terms -------------------------------------------------------------------------------

    def expression(self, term: Term, *, is_bounded: bool) -> str:
        """Return the text of a term whose variables are bound; writes lines that build it.

        A stack of its own, so that no term is too deep.

        Args:
            term: The term.
            is_bounded: Whether it is refused where it is too deep: a recursion may lead from it to
                deeper ones without end. One that is merely looked up or compared leads nowhere.
        """
        values: list[str] = []
        work: list[tuple[Term, bool]] = [(term, False)]
        while work:
            inner, are_args_done = work.pop()
            if isinstance(inner, Variable):
                values.append(self.names[inner])
            elif inner.is_ground or isinstance(inner, Constant):
                values.append(self.workshop.constant(inner))
            elif are_args_done:
                first = len(values) - len(inner.args)
                row = f"({', '.join(values[first:])},)"
                values[first:] = [self.built(signature(inner), row, is_bounded=is_bounded)]
            else:
                work.append((inner, True))
                work += [(arg, False) for arg in reversed(inner.args)]
        (text,) = values
        return text

    def built(self, functor: Signature, row: str, *, is_bounded: bool) -> str:
        """Write the line that builds a compound of a row of arguments; return its name."""
        terms, build = self.workshop.builder(functor, self.definition, is_bounded=is_bounded)
        name = self.temporary()
        self.line(f"{name} = {terms}.get({row}) or {build}({row})")
        return name

    def pack(self, terms: Iterable[Term], *, is_bounded: bool = True) -> str:
        """Return the text of packed terms."""
        texts = [self.expression(term, is_bounded=is_bounded) for term in terms]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def match(self, terms: Sequence[Term]) -> tuple[list[str], list[tuple[Term, str]]]:
        """Bind variables to the values of a row.

        Returns:
            Names to unpack the row into, and for `check` the terms that are no new variables,
            each with the name of its value.
        """
        targets: list[str] = []
        unchecked: list[tuple[Term, str]] = []
        for term in terms:
            if isinstance(term, Variable) and term not in self.bound:
                self.bound.add(term)
                targets.append(self.names[term])
            else:
                name = self.temporary()
                targets.append(name)
                unchecked.append((term, name))
        return targets, unchecked

    def check(self, unchecked: Sequence[tuple[Term, str]]) -> None:
        """Give up unless the value of each name is an instance of its term."""
        work = list(reversed(unchecked))
        while work:
            term, name = work.pop()
            if term.is_ground or isinstance(term, Variable):
                self.fail_if(f"{name} is not {self.expression(term, is_bounded=False)}")
                continue
            assert isinstance(term, Compound)
            functor = self.workshop.object("name", term.name)
            self.fail_if(f"{name}.__class__ is not Compound or {name}.name != {functor}")
            targets, inner = self.match(term.args)
            self.fail_if(f"len({name}.args) != {len(term.args)}")
            self.line(f"{', '.join(targets)}, = {name}.args")
            work += reversed(inner)
