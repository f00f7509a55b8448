"""Whether one property holds.

In: a property and what is known of the game. Out: a `Verdict`, whose play the reasoner has
confirmed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gdl.circuit.aig import FALSE
from gdl.circuit.game import GameCircuit
from gdl.verify.properties.monitors import with_memory
from gdl.verify.properties.verdict import Status, Verdict
from gdl.verify.properties.well_formed import Property, players
from gdl.verify.properties.witness import Witness
from gdl.verify.proving.balances import is_kept_out
from gdl.verify.proving.evidence import AllStates, BalancedInduction, Induction, Lengths, Shown
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.prove import Prover
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import Simulator, of_facts, of_moves
from gdl.verify.systems.sampling import Sample, SampledPlay, sample
from gdl.verify.systems.state_space import CHUNK, StateSpace
from gdl.verify.systems.system import Bad, Play, System

SECONDS_A_NODE: Final = 1e-5
"""What writing a question down takes, roughly, for each node of the circuit."""
BEFORE_BALANCES: Final = 0.2
"""Of the time for a property, what it has before counts that never change are looked for."""
BALANCING: Final = 0.4
"""Of all the time left, what finding them may take."""
LANES: Final = 128
"""Random plays that look for a state that was met among the samples."""


def decide(  # noqa: PLR0913, PLR0917  # all that is known
    asked: Property,
    prover: Prover,
    space: StateSpace | None,
    witness: Witness,
    met: SampledPlay | None,
    budget: Budget,
) -> Verdict:
    """Return what is known of a property.

    Args:
        asked: The property.
        prover: What is known of the game.
        space: All its states, None where there are too many.
        witness: Replays plays.
        met: A random play that decides it, None where none does.
        budget: Of time and memory.

    Raises:
        OutOfBudgetError: Nothing is known.
        WitnessError: The reasoner does not confirm a play.
    """
    # What costs least is asked first: the circuit by itself, then all states where they are few,
    # then the engines, which may run out of time.
    if asked.edge == FALSE:
        bads = (Bad(asked.name, FALSE),)
        result = Result(
            None,
            proved=True,
            depth=-1,
            method="no state can: its circuit is constant",
            evidence=Induction(prover.system.asking(bads), Invariants({}, ())),
        )
    elif space is not None:
        result = _in_space(asked, space)
    else:
        result = _searched(asked, prover, met, budget)
    # A play answers either way: it shows what is possible, and refutes what must never be. It
    # counts only after the reasoner, which knows no circuit, has played it.
    if result.play is not None:
        joints = witness.confirmed(result.play, asked)
        status: Status = "proved" if asked.is_possible else "refuted"
        shown = Shown(as_system(prover.system, asked), result.play, result.proved, result.by_ply)
        return Verdict(
            asked.name,
            asked.claim,
            status,
            result.method,
            len(joints),
            joints,
            result.proved,
            evidence=shown,
        )
    if result.proved:
        status = "refuted" if asked.is_possible else "proved"
        return Verdict(
            asked.name, asked.claim, status, result.method, result.depth, evidence=result.evidence
        )
    refuted = Lengths(as_system(prover.system, asked), result.depth, result.by_ply)
    return Verdict(asked.name, asked.claim, "open", result.method, result.depth, evidence=refuted)


def as_system(system: System, asked: Property) -> System:
    """Return the system with a property as its question; what a move did is a fact after it."""
    edge = asked.edge
    if asked.of_moves:
        system, edge = with_memory(system, edge, asked.name)
    return system.asking((Bad(asked.name, edge),))


def _in_space(asked: Property, space: StateSpace) -> Result:
    """Return the answer from all states."""
    play = _first_move(asked, space) if asked.of_moves else _first_state(asked, space)
    if play is not None:
        method = "every shorter play was looked at"
        return Result(play, proved=True, depth=len(play) - 1, method=method)
    method = f"looking at all {len(space)} states"
    system = as_system(space.system, asked)
    evidence = AllStates(system if asked.of_moves else space, system.bads)
    return Result(None, proved=True, depth=space.depth, method=method, evidence=evidence)


def _first_state(asked: Property, space: StateSpace) -> Play | None:
    system = space.system
    shown = of_facts(system, [asked.edge]).run(space.columns())[0]
    return space.play(int(shown.argmax())) if shown.any() else None


def _first_move(asked: Property, space: StateSpace) -> Play | None:
    import numpy as np

    system, states = space.system, space.columns()
    looker = of_moves(system, [asked.edge])
    for start in range(0, len(space.edges), CHUNK):
        part = space.edges[start : start + CHUNK]
        before = states[:, [source for source, _ in part]]
        shown = looker.run(np.concatenate([before, space.joints(part)]))[0]
        if shown.any():
            source, joint = part[int(shown.argmax())]
            return (*space.play(source), joint)
    return None


def _searched(asked: Property, prover: Prover, met: SampledPlay | None, budget: Budget) -> Result:
    """Return the answer of the search; a random play where it finds none."""
    try:
        check_affordable(prover.system, budget)
    except OutOfBudgetError:
        if met is None:
            raise
        return Result(tuple(met), proved=not met, depth=-1, method="random play")
    system = as_system(prover.system, asked)
    if asked.of_moves:
        share = budget.share(budget.left / 4)
        met = sample(system, share, seed=prover.seed, lanes=LANES).play
    own = replace(system, bads=prover.system.bads)
    asking = replace(prover, system=own)
    is_worth_it = met is None and not asked.is_possible and bool(prover.guess_balances())
    first = budget.share(BEFORE_BALANCES * budget.left) if is_worth_it else budget
    result = asking.ask(system.bads, budget=first, is_met=met is not None)
    if is_worth_it and result.play is None and not result.proved:
        balanced = _balanced(prover, system, result, budget)
        if balanced is not None:
            return balanced
        again = asking.ask(system.bads, budget=budget)
        result = result if again.play is None and again.depth < result.depth else again
    if result.play is None and not result.proved and met is not None:
        method = f"random play; lengths up to {result.depth} are ruled out"
        return Result(tuple(met), proved=result.depth + 1 == len(met), depth=-1, method=method)
    return result


def _balanced(prover: Prover, system: System, so_far: Result, budget: Budget) -> Result | None:
    """Return that counts which never change keep play from what is bad, None if they do not."""
    try:
        # Found once, they are there for all that is asked later: so more than one share may go.
        whole = prover.budget
        balanced = prover.balance(whole.share(max(budget.left, BALANCING * whole.left)))
        if not balanced.balances or not is_kept_out(system, balanced, budget):
            return None
    except OutOfBudgetError:
        return None
    method = f"induction over one move, with counts that never change ({len(balanced.balances)})"
    evidence = BalancedInduction(system, balanced.invariants, balanced.balances)
    return Result(None, proved=True, depth=so_far.depth, method=method, evidence=evidence)


def check_affordable(system: System, budget: Budget) -> None:
    """Refuse a question that could not even be written down in the time left.

    Raises:
        OutOfBudgetError: Says why.
    """
    budget.check()
    if len(system.aig) * SECONDS_A_NODE > budget.left:
        raise OutOfBudgetError(f"{budget.left:.1f} seconds are too few for {len(system.aig)} nodes")


def sampled_sum(circuit: GameCircuit, sampled: Sample) -> int | None:
    """Return what the goals of the first sampled end add up to, None where no play ended.

    Of a role with several goals its lowest counts, and 0 where it has none: a sum that is one.
    """
    ends = [states[:, :1] for states in sampled.stopped if states.shape[1]]
    if not ends:
        return None
    rows = [circuit.goals[role] for role in players(circuit.roles)]
    edges = [edge for row in rows for _, edge in row]
    shown = iter(Simulator(circuit.aig, circuit.fact_inputs, edges).run(ends[0])[:, 0])
    return sum(min((value for value, _ in row if next(shown)), default=0) for row in rows)
