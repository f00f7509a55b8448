"""A circuit and the reasoner, played side by side."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from gdl.circuit.evaluate import Evaluation, evaluate
from gdl.circuit.game import GameCircuit
from gdl.reason.machine import Reasoner


def disagreement(
    circuit: GameCircuit,
    reasoner: Reasoner,
    *,
    states: int,
    seed: int,
    ask: Callable[..., Evaluation] = evaluate,
) -> str | None:
    """Return the first thing that the two say differently in random play, None if nothing.

    Args:
        circuit: What is tested.
        reasoner: The meaning.
        states: How many states to visit; terminal ones begin a new match.
        seed: Of the choice of moves.
        ask: Evaluates the circuit.
    """
    random = Random(seed)
    if circuit.roles != reasoner.roles:
        return f"roles are {circuit.roles}, not {reasoner.roles}"
    state = reasoner.initial()
    if {circuit.facts[index] for index in circuit.initial} != reasoner.facts(state):
        return "the initial states differ"
    for number in range(states):
        facts = reasoner.facts(state)
        over = reasoner.is_terminal(state)
        legal = tuple(reasoner.legal(state, role) for role in reasoner.roles)
        joint = None if over or not all(legal) else tuple(map(random.choice, legal))
        says = ask(circuit, facts, joint)
        goals = tuple(reasoner.goals(state, role) for role in reasoner.roles)
        expected = over, legal, goals
        found = says.terminal, says.legal, says.goals
        if found != expected:
            return f"state {number}, {sorted(map(str, facts))}: {found}, not {expected}"
        if joint is None:
            state = reasoner.initial()
            continue
        seen = tuple(reasoner.percepts(state, joint, role) for role in reasoner.roles)
        if (says.sees or (frozenset(),) * len(seen)) != seen:
            return f"state {number}: percepts are {says.sees}, not {seen}"
        follows = reasoner.successor(state, joint)
        odd = says.next ^ reasoner.facts(follows)
        if odd:
            moves = " ".join(map(str, joint))
            return f"state {number}, after {moves}: {sorted(map(str, odd))} differ"
        state = follows
    return None
