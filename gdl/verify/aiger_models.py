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
from gdl.verify.correspondence.compared_game import make_side
from gdl.verify.correspondence.correspondence import find_matching
from gdl.verify.export import choose_properties, game_model, product_model
from gdl.verify.properties.custom import Probe, bodies, own_properties
from gdl.verify.properties.monitors import first_role, watched_edges, watching
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.product import product


def model_of_game(
    description: Description,
    *,
    names: Sequence[str] = (),
    probes: Sequence[Probe] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> Model:
    """Return a game with properties as bads.

    Args:
        description: The rules.
        names: Properties, as `gdl verify` calls them; of none, all that must never be violated,
            or only the user's own where there are such.
        probes: Formulas of the user.
        limits: What reading and grounding may take.

    Raises:
        GdlError: There is no such property, or a formula means nothing.
        CompileError: The rules cannot be made into a circuit.
    """
    role = first_role(Reasoner(description, limits=limits).roles)
    watched = watching(description, role, bodies(description, probes, limits=limits))
    circuit = build(watched.description, limits=CompileLimits(seconds=limits.seconds))
    circuit, edges = watched_edges(circuit, watched.of_moves)
    own = own_properties(probes, edges, watched.of_moves, role)
    return game_model(circuit, choose_properties(circuit, own, names))


def model_of_product(one: Ruleset, other: Ruleset, *, limits: Limits = DEFAULT_LIMITS) -> Model:
    """Return two games side by side with their disagreements as bads.

    Raises:
        CorrespondenceError: Roles or moves cannot be brought together.
        CompileError: Rules cannot be made into a circuit.
    """
    sides = make_side(one, limits=limits), make_side(other, limits=limits)
    try:
        (first, second), matching = find_matching(sides, Budget(limits.seconds))
    except OutOfBudgetError as spent:
        raise GdlError(
            f"matching the moves of the games took too long: {spent}\n  help: raise --max-seconds"
        ) from spent
    broken = first.broken, second.broken
    return product_model(product(first.circuit, second.circuit, matching, broken=broken))
