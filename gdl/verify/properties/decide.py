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
from gdl.verify.proving.evidence import AllStates, Induction, Lengths, Shown
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.prove import Prover
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import Simulator
from gdl.verify.systems.sampling import Sample, SampledPlay, sample
from gdl.verify.systems.state_space import CHUNK, StateSpace
from gdl.verify.systems.system import Bad, Play, System

SECONDS_A_NODE: Final = 1e-5
"""What writing a question down takes, roughly, for each node of the circuit."""
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
    shown = Simulator(system.aig, system.fact_inputs, [asked.edge]).run(space.columns())[0]
    return space.play(int(shown.argmax())) if shown.any() else None


def _first_move(asked: Property, space: StateSpace) -> Play | None:
    import numpy as np

    system, states = space.system, space.columns()
    choices = system.flat_choices
    looker = Simulator(system.aig, [*system.fact_inputs, *choices], [asked.edge])
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
    result = asking.ask(system.bads, budget=budget, is_met=met is not None)
    if result.play is None and not result.proved and met is not None:
        method = f"random play; lengths up to {result.depth} are ruled out"
        return Result(tuple(met), proved=result.depth + 1 == len(met), depth=-1, method=method)
    return result


def check_affordable(system: System, budget: Budget) -> None:
    """Refuse a question that could not even be written down in the time left.

    Raises:
        OutOfBudgetError: Says why.
    """
    budget.check()
    if len(system.aig) * SECONDS_A_NODE > budget.left:
        raise OutOfBudgetError(f"{budget.left:.1f} seconds are too few for {len(system.aig)} nodes")


def sampled_sum(circuit: GameCircuit, sampled: Sample) -> int | None:
    """Return what the goals of the first sampled end add up to, None where no play ended."""
    import numpy as np

    ends = [states[:, :1] for states in sampled.stopped if states.shape[1]]
    if not ends:
        return None
    rows = [circuit.goals[role] for role in players(circuit.roles)]
    edges = [edge for row in rows for _, edge in row]
    values = [value for row in rows for value, _ in row]
    shown = Simulator(circuit.aig, circuit.fact_inputs, edges).run(np.concatenate(ends, axis=1))
    return int(sum(value for value, ok in zip(values, shown[:, 0], strict=True) if ok))
