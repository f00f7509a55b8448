"""A transition system to ask questions about: one game, or two side by side.

In: a `GameCircuit`, or a `Product` made in `product`. Out: a `System`: facts with their
first values, moves of each role, what is legal, what follows, where play stops, and the
questions: `Bad` edges, each with a name.

A move of a system is a *choice*: for one game simply a move, for two games a pair of
moves that stand for each other.

Source: Biere, Heljanko, Wieringa, "AIGER 1.9 And Beyond", 2011 (latches, inputs, bad).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gdl.circuit import names
from gdl.circuit.aig import Aig, Lit
from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term

Play = tuple[tuple[int, ...], ...]
"""The choice of each role, ply by ply."""


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a fact of a system: whose it is, and which.

    Attributes:
        side: 0 for the first game, 1 for the second, 2 for a fact of the product itself.
        term: The fact.
    """

    side: int
    term: Term


@dataclass(frozen=True, slots=True)
class Bad:
    """A question: can this ever hold in a state that play reaches?

    Attributes:
        name: What it says, in a few words; unique within a system.
        edge: When it holds; of facts only.
    """

    name: str
    edge: Lit


@dataclass(frozen=True, slots=True)
class System:
    """A transition system over a graph.

    Attributes:
        aig: The graph; its inputs are the facts, then the choices of each role.
        facts: What the facts are called.
        fact_inputs: Edge of each fact.
        initial: First value of each fact.
        choice_inputs: Edges of the choices of each role; exactly one of each role is set.
        legal: Whether each choice of each role is legal; facts only.
        next: Edge of each fact after the choices; facts and choices.
        stop: Whether play has ended; facts only.
        bads: The questions.
        choices: What the choices of all roles are called, one role after the other.
    """

    aig: Aig
    facts: tuple[Label, ...]
    fact_inputs: tuple[Lit, ...]
    initial: tuple[bool, ...]
    choice_inputs: tuple[tuple[Lit, ...], ...]
    legal: tuple[tuple[Lit, ...], ...]
    next: tuple[Lit, ...]
    stop: Lit
    bads: tuple[Bad, ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def flat_choices(self) -> list[Lit]:
        """Edges of the choices of all roles, one role after the other."""
        return [edge for row in self.choice_inputs for edge in row]

    @property
    def flat_legal(self) -> list[Lit]:
        """Whether each of these is legal."""
        return [edge for row in self.legal for edge in row]

    def by_role(self, values: Any) -> Iterator[Any]:  # noqa: ANN401  # a list or an array
        """Yield the part of each role, of values or rows of an array for all choices."""
        start = 0
        for row in self.choice_inputs:
            yield values[start : start + len(row)]
            start += len(row)

    def put(self, facts: Sequence[Lit], choices: Sequence[Sequence[Lit]]) -> dict[int, Lit]:
        """Return what stands for each input node where facts and choices are such edges."""
        table = {edge >> 1: fact for edge, fact in zip(self.fact_inputs, facts, strict=True)}
        for row, mine in zip(self.choice_inputs, choices, strict=True):
            table.update((edge >> 1, choice) for edge, choice in zip(row, mine, strict=True))
        return table

    def asking(self, bads: Iterable[Bad]) -> System:
        """Return the same system with other questions."""
        return replace(self, bads=tuple(bads))


def game_system(circuit: GameCircuit) -> System:
    """Return the system of one game, with nothing asked yet."""
    return System(
        aig=circuit.aig,
        facts=tuple(Label(0, fact) for fact in circuit.facts),
        fact_inputs=circuit.fact_inputs,
        initial=tuple(index in circuit.initial for index in range(len(circuit.facts))),
        choice_inputs=circuit.move_inputs,
        legal=circuit.legal,
        next=circuit.next,
        stop=circuit.terminal,
        choices=tuple(name for _, name in names.moves(circuit)),
    )
