"""Games and products with their questions as AIGER 1.9, for outside model checkers.

In: rules, and what is asked of them. Out: a `Model` to write: choices are inputs, facts are
latches with first values, each question is a ``bad``. One more latch says that every step so far
was a play: one legal choice of each role, and no step after the end; a bad state counts only
then.

Source: Biere, Heljanko, Wieringa, "AIGER 1.9 And Beyond", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gdl.circuit.aig import FALSE, Lit, negate
from gdl.circuit.aiger import Latch, Model, model_of
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import conj_all, exactly_one
from gdl.compile.limits import CompileLimits
from gdl.compile.pipeline import build
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Description
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset
from gdl.verify.correspondence.compared_game import prepare_game, side_by_side
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.properties.custom import CustomProperty, bodies, own_properties
from gdl.verify.properties.monitors import first_role, monitor_edges, with_monitors
from gdl.verify.properties.well_formed import Property, standard_properties
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.product import Product
from gdl.verify.systems.system import Bad, Label, System, game_system

PLAY: Final = "every step so far was a play"
SIDES: Final = ("a", "b", "both")
COMMENT: Final = (
    "A bad state counts while every step so far was one legal move of each role and none came\n"
    "after the end: the last latch says so."
)


def model_of_game(
    description: Description,
    *,
    names: Sequence[str] = (),
    custom: Sequence[CustomProperty] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> Model:
    """Return a game with properties as bads.

    Args:
        description: The rules.
        names: Properties, as `gdl verify` calls them; of none, all that must never be violated,
            or only the user's own where there are such.
        custom: Formulas of the user.
        limits: What reading and grounding may take.

    Raises:
        GdlError: There is no such property, or a formula means nothing.
        CompileError: The rules cannot be made into a circuit.
    """
    role = first_role(Reasoner(description, limits=limits).roles)
    monitored = with_monitors(description, role, bodies(description, custom, limits=limits))
    circuit = build(monitored.description, limits=CompileLimits(seconds=limits.seconds))
    circuit, edges = monitor_edges(circuit, monitored)
    own = own_properties(custom, edges, monitored, role)
    return game_model(circuit, choose_properties(circuit, own, names))


def model_of_product(left: Ruleset, right: Ruleset, *, limits: Limits = DEFAULT_LIMITS) -> Model:
    """Return two games side by side with their disagreements as bads.

    Raises:
        CorrespondenceError: Roles or moves cannot be brought together.
        CompileError: Rules cannot be made into a circuit.
    """
    sides = prepare_game(left, limits=limits), prepare_game(right, limits=limits)
    try:
        (first, second), matching = find_matching(sides, Budget(limits.seconds))
    except OutOfBudgetError as spent:
        raise GdlError(
            f"matching the moves of the games took too long: {spent}", help="raise --max-seconds"
        ) from spent
    return product_model(side_by_side(first, second, matching))


def game_model(circuit: GameCircuit, asked: Sequence[Property]) -> Model:
    """Return a game with properties as bads, and no outputs: checkers take these for bads, too.

    Args:
        circuit: The game; its graph grows.
        asked: What is asked. Of a property that something is possible, the bad is that it is
            so: a checker that finds a play has proved it.
    """
    plain = model_of(circuit)
    system = game_system(circuit)
    steps = legal_step(system)
    valid = circuit.aig.add_input()
    play = circuit.aig.conj(valid, steps)
    bads = tuple(
        (circuit.aig.conj(property_.edge, play if property_.of_moves else valid), _name(property_))
        for property_ in asked
    )
    latches = (*plain.latches, Latch(valid, play, start=True, name=PLAY))
    return Model(circuit.aig, plain.inputs, latches, (), bads, COMMENT)


def _name(asked: Property) -> str:
    return f"possible: {asked.name}" if asked.is_possible else asked.name


def choose_properties(
    circuit: GameCircuit, own: Sequence[Property], names: Sequence[str]
) -> list[Property]:
    """Return the properties of some names; of no names, all that must never be violated.

    Args:
        circuit: The game; its graph grows.
        own: Properties of the user.
        names: Names as `gdl verify` prints them.

    Raises:
        GdlError: A name is none of them; lists them.
    """
    by_name = {property_.name: property_ for property_ in (*standard_properties(circuit), *own)}
    if not names:
        return list(own) or [
            property_ for property_ in by_name.values() if not property_.is_possible
        ]
    for name in names:
        if name not in by_name:
            raise GdlError(f"there is no property {name}", expected=f"one of {', '.join(by_name)}")
    return [by_name[name] for name in names] + [
        property_ for property_ in own if property_.name not in names
    ]


def product_model(both: Product) -> Model:
    """Return two games side by side, with their disagreements as bads."""
    system = both.system.asking(_possible(both.system.bads))
    return replace(system_model(system), outputs=())


def system_model(system: System) -> Model:
    """Return a system with its questions as bads; the outputs say which choices are legal.

    Args:
        system: The system; its graph grows.
    """
    aig = system.aig
    steps = legal_step(system)
    valid = aig.add_input()
    latches = [
        Latch(edge, follows, start, called(label))
        for label, edge, follows, start in zip(
            system.facts, system.fact_inputs, system.next, system.initial, strict=True
        )
    ]
    latches.append(Latch(valid, aig.conj(valid, steps), start=True, name=PLAY))
    return Model(
        aig,
        tuple(zip(system.flat_choices, system.choices, strict=True)),
        tuple(latches),
        tuple(
            (edge, f"legal {name}")
            for edge, name in zip(system.flat_legal, system.choices, strict=True)
        ),
        tuple((aig.conj(bad.edge, valid), bad.name) for bad in system.bads),
        COMMENT,
    )


def called(fact: Label) -> str:
    """Return the name of a fact in the file of a system: whose it is, and which."""
    return f"{SIDES[fact.side]}: {fact.term}"


def _possible(bads: Sequence[Bad]) -> list[Bad]:
    """Return the questions that are not answered by the graph already."""
    return [bad for bad in bads if bad.edge != FALSE] or list(bads)


def legal_step(system: System) -> Lit:
    """Return that play goes on and each role makes one legal choice."""
    aig = system.aig
    steps = [negate(system.stop)]
    for row, legal in zip(system.choice_inputs, system.legal, strict=True):
        steps.append(exactly_one(aig, row))
        steps += (
            negate(aig.conj(c, negate(allowed))) for c, allowed in zip(row, legal, strict=True)
        )
    return conj_all(aig, steps)
