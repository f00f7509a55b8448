"""Rules to AIGER models with questions, the whole way.

In: rules, and what is asked of them. Out: a `Model` to write.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.circuit.aiger import Model
from gdl.compile.limits import CompileLimits
from gdl.compile.pipeline import build
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Description
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset
from gdl.verify.correspondence.compared_game import prepare_game
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.export import choose_properties, game_model, product_model
from gdl.verify.properties.custom import CustomProperty, bodies, own_properties
from gdl.verify.properties.monitors import first_role, monitor_edges, with_monitors
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.product import product


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
    circuit, edges = monitor_edges(circuit, monitored.of_moves)
    own = own_properties(custom, edges, monitored.of_moves, role)
    return game_model(circuit, choose_properties(circuit, own, names))


def model_of_product(one: Ruleset, other: Ruleset, *, limits: Limits = DEFAULT_LIMITS) -> Model:
    """Return two games side by side with their disagreements as bads.

    Raises:
        CorrespondenceError: Roles or moves cannot be brought together.
        CompileError: Rules cannot be made into a circuit.
    """
    sides = prepare_game(one, limits=limits), prepare_game(other, limits=limits)
    try:
        (first, second), matching = find_matching(sides, Budget(limits.seconds))
    except OutOfBudgetError as spent:
        raise GdlError(
            f"matching the moves of the games took too long: {spent}", help="raise --max-seconds"
        ) from spent
    broken = first.broken, second.broken
    return product_model(product(first.circuit, second.circuit, matching, broken=broken))
