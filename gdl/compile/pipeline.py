"""Rules to circuit, the whole way: `build` is the entrance of this room.

In: a description. Out: a verified `GameCircuit`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from gdl._gc_pause import collector_paused
from gdl.circuit.aig import Lit
from gdl.circuit.game import GameCircuit
from gdl.circuit.validate import validate_circuit
from gdl.compile.budget import Budget, begin
from gdl.compile.gates.base_and_input import beyond_bounds, not_trusted, usable_bounds
from gdl.compile.gates.game_network import GameNetwork, game_network, verify_network
from gdl.compile.gates.simplify import simplify
from gdl.compile.gates.two_input_trees import two_input_gates
from gdl.compile.grounding.ground_game import GroundGame, ground, ground_within
from gdl.compile.limits import DEFAULT_COMPILE_LIMITS, CompileLimits, GroundingLimitError
from gdl.compile.progress import Listener, StageTimer
from gdl.compile.rules.constant_facts import lasting, lasting_kinds
from gdl.compile.rules.decision_diagrams import through_diagrams
from gdl.compile.rules.indifferent_arguments import without_indifferent
from gdl.compile.rules.logic_program import needed_clauses
from gdl.compile.rules.magic_sets import demanded, relaxed
from gdl.compile.rules.rule_decomposition import split
from gdl.compile.rules.safety import check_safe
from gdl.compile.rules.specialise import specialised
from gdl.compile.rules.unfold import is_narrower, unfold
from gdl.language.checked import CheckedDescription, checked
from gdl.language.clauses import Clause
from gdl.language.diagnostics import Diagnostic
from gdl.language.syntax import Compound, Description, Signature, Term, Variable, signature

_SIMPLIFYING: Final = 0.5
"""Share of the time left that goes into making a network smaller; machine code takes time too."""
_TRYING: Final = 0.2
"""Share of the time left that a try to ground the rules in another form may take."""
_SHARING: Final = 0.5
"""Share of the time left that goes into finding gates that many can share."""
_LARGE: Final = 100_000
"""Gates from which that is tried."""


@collector_paused()
def build(  # noqa: PLR0913  # one parameter for each thing a caller may want
    description: Description | CheckedDescription,
    *,
    limits: CompileLimits = DEFAULT_COMPILE_LIMITS,
    roles: Sequence[Term] = (),
    on_stage: Listener | None = None,
    on_diagnostic: Callable[[Diagnostic], None] | None = None,
    is_plain: bool = False,
) -> GameCircuit:
    """Return the circuit of a game.

    Args:
        description: The game.
        limits: What the build may take.
        roles: The roles in the order that the circuit is to have, where that is known; by
            default those that the rules name outright come first, in order.
        on_stage: Is told of each stage when it is done; of the first two twice where ``base``
            or ``input`` turn out too small.
        on_diagnostic: Is told of what is suspect in the rules and only grounding finds: a
            ``base`` or ``input`` that does not have all that the rules make.
        is_plain: Whether to say what the rules do of all states and moves; else only of those that
            play reaches, and the circuit is smaller.

    Raises:
        GroundingLimitError: The rules have too many instances (names the rule with most), or
            their circuit is too large for the time and memory.
        CompileError: The rules cannot be made into a circuit.
        LimitError: The description is too large to be brought into clausal form.
    """
    timer = StageTimer(on_stage)
    budget = begin(limits)
    stated = _with_roles(specialised(checked(description).clauses), roles)
    everything = stated if is_plain else lasting(stated)
    bounds = usable_bounds(everything)
    rules = needed_clauses(everything, bounds)
    check_safe(needed_clauses(rules))
    rules = through_diagrams(rules)
    # Split rules ground to fewer instances; unfolding and magic sets begin with them unsplit.
    whole, rules = needed_clauses(rules), split(rules)
    game = None
    if bounds:
        game = _within_bounds(
            whole, rules, bounds, budget=budget, timer=timer, on_diagnostic=on_diagnostic
        )
    is_unfolded = False
    if game is None:
        rules, further = needed_clauses(rules), _Further(whole)
        grounded = ground(
            rules,
            limits=limits,
            budget=budget,
            instead=(further.cut, lambda: needed_clauses(split(demanded(whole)))),
            is_narrower=lambda: further.is_narrower_than(rules),
        )
        is_unfolded = grounded.way == 1
        game = _network(grounded, budget, timer)
        del grounded  # the ground rules of a large game take more memory than all that follows
    if not is_unfolded and game.network.cost(game.outputs()) > _LARGE:
        game = _unfolded(whole, game, budget, timer)
    if not is_plain:
        simpler = simplify(game, budget.part(_SIMPLIFYING))
        if simpler is not game:
            game = simpler
            verify_network(game)
    timer.done("simplify", game.network.cost(game.outputs()))
    kept = frozenset[Signature]() if is_plain else lasting_kinds(stated)
    fixed = frozenset(
        i
        for i, fact in enumerate(game.facts)
        if not isinstance(fact, Variable) and signature(fact) in kept
    )
    circuit = replace(game_circuit(game, budget.part(_SHARING)), fixed=fixed)
    validate_circuit(circuit)
    timer.done("circuit", sum(1 for _ in circuit.aig.ands()))
    return circuit


def _with_roles(clauses: Sequence[Clause], roles: Sequence[Term]) -> list[Clause]:
    """Return the clauses with roles that rules derive named outright as well, in order."""
    of_role = [clause for clause in clauses if signature(clause.head) == Signature("role", 1)]
    if all(not clause.body for clause in of_role):
        return list(clauses)
    named = [Clause(Compound("role", (role,)), (), of_role[0].rule) for role in roles]
    return [*named, *clauses]


class _Further:
    """Clauses on demand that are cut by all means: far fewer instances, or far more."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = clauses

    @cached_property
    def _unfolded(self) -> list[Clause]:
        clauses = needed_clauses(without_indifferent(self._clauses))
        return needed_clauses(unfold(clauses, is_thorough=True))

    @cached_property
    def _cut(self) -> list[Clause]:
        on_demand = demanded(self._unfolded)
        return needed_clauses(split(on_demand, relaxed(self._unfolded, on_demand)))

    def cut(self) -> list[Clause]:
        """Return them."""
        return self._cut

    def is_narrower_than(self, others: Sequence[Clause]) -> bool:
        """Return whether they have far fewer rules of many variables than others have."""
        # What is to be no wider in the end is no wider half-way, which is known sooner.
        return is_narrower(self._unfolded, others) and is_narrower(self._cut, others)


def _network(grounded: GroundGame, budget: Budget, timer: StageTimer) -> GameNetwork:
    timer.done("ground", grounded.program.rule_count)
    game = game_network(grounded, budget)
    gates = check_size(game, budget.limits)
    verify_network(game)
    budget.check("making gates of the rules")
    timer.done("network", gates)
    return game


def _within_bounds(  # noqa: PLR0913  # the rules in both forms, and what they may take
    whole: Sequence[Clause],
    rules: Sequence[Clause],
    bounds: Collection[Signature],
    *,
    budget: Budget,
    timer: StageTimer,
    on_diagnostic: Callable[[Diagnostic], None] | None,
) -> GameNetwork | None:
    """Return the network within ``base`` and ``input``, None where these are not to be trusted."""

    def narrower() -> Sequence[Clause] | None:
        unfolded = needed_clauses(unfold(whole))
        return split(unfolded) if is_narrower(unfolded, rules) else None

    limits = budget.limits
    grounded = ground_within(rules, bounds, limits=limits, budget=budget, narrower=narrower)
    if grounded is None:
        return None
    game = _network(grounded, budget, timer)
    if grounded.way:
        return game
    beyond = beyond_bounds(game)
    if not beyond:
        is_cut = any(relation.arity == 1 for (relation, _), _ in game.outside)  # of base
        return game._replace(outside=(), is_cut=is_cut)
    if on_diagnostic is not None:
        for diagnostic in not_trusted(beyond, rules):
            on_diagnostic(diagnostic)
    return None


def _unfolded(
    rules: Sequence[Clause], game: GameNetwork, budget: Budget, timer: StageTimer
) -> GameNetwork:
    """Return the network that the rules have with relations unfolded, if it is smaller."""
    unfolded = needed_clauses(unfold(rules))
    if unfolded == list(rules):
        return game
    share = max(_TRYING * budget.seconds_left, 1.0)
    grounded = ground_within(
        split(unfolded), (), limits=budget.limits, budget=budget, seconds=share
    )
    if grounded is None or grounded.program.rule_count >= game.rules:
        return game  # a guess: more rules make more gates, mostly
    try:
        other = _network(grounded, budget, timer)
    except GroundingLimitError:
        return game
    is_smaller = other.network.cost(other.outputs()) < game.network.cost(game.outputs())
    return other if is_smaller else game


def check_size(game: GameNetwork, limits: CompileLimits) -> int:
    """Return the gates of a network, which must be few enough for them to be made fewer.

    Raises:
        GroundingLimitError: It has more gates than the limit.
    """
    gates = game.network.cost(game.outputs())
    if gates > limits.gates:
        raise GroundingLimitError(
            f"the rules take {gates:,} gates, more than the limit of {limits.gates:,}",
            help="raise the limit with CompileLimits(gates=...), "
            "or let the reasoner play this game",
        )
    return gates


def game_circuit(game: GameNetwork, budget: Budget | None = None) -> GameCircuit:
    """Return the circuit of a network.

    Args:
        game: The network.
        budget: When it is spent, gates share less than they could.
    """
    aig, edges = two_input_gates(game.network, game.outputs(), budget)
    inputs = [2 * node for node in aig.inputs]
    game = game.with_outputs(game.network, edges)
    move_inputs: list[tuple[Lit, ...]] = []
    position = len(game.facts)
    for row in game.moves:
        move_inputs.append(tuple(inputs[position : position + len(row)]))
        position += len(row)
    return GameCircuit(
        roles=game.roles,
        facts=game.facts,
        initial=game.initial,
        moves=game.moves,
        aig=aig,
        fact_inputs=tuple(inputs[: len(game.facts)]),
        move_inputs=tuple(move_inputs),
        legal=game.legal,
        next=game.next,
        terminal=game.terminal,
        goals=game.goals,
        sees=game.sees,
        assumed=tuple(
            (tuple((edge >> 1) - 1 for edge in group.members), group.is_exact)
            for group in game.assumed
        ),
        is_cut=game.is_cut,
    )
