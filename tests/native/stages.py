"""Each stage of compiling, held against matches that are already known step by step.

In go the steps of recorded or random matches and one stage: the circuit, the kernel, the
tables for search, or the lanes. Out comes the first thing that the stage says differently.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from gdl.circuit.aig import Lit
from gdl.circuit.evaluate import evaluate_nodes
from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term, kif_text
from gdl.native.kernel.state_machine import NativeMachine
from gdl.native.scalar.game import Scalar
from gdl.reason.machine import Reasoner

AT_ONCE = 1024
"""Steps that are evaluated as the bits of one integer."""


@dataclass(frozen=True, slots=True)
class Step:
    """One state of a match and what is known of it.

    Attributes:
        facts: What is true.
        legal: For each role its legal moves; None where nothing is known.
        terminal: Whether the game is over.
        goals: For each role its goal values; None where only "not exactly one" is known.
        joint: The joint move that leads to the next step; None where a match ends.
    """

    facts: frozenset[Term]
    legal: tuple[frozenset[Term], ...] | None
    terminal: bool
    goals: tuple[tuple[int, ...] | None, ...]
    joint: tuple[Term, ...] | None


def play(reasoner: Reasoner, *, states: int, seed: int, seconds: float = 1e9) -> list[Step]:
    """Return the steps of uniform random matches, one match after the other.

    Args:
        reasoner: Plays and says what holds.
        states: How many steps.
        seed: Of the moves.
        seconds: Stops early once this much processor time is spent.
    """
    rng = random.Random(seed)
    until = time.process_time() + seconds
    steps: list[Step] = []
    state = reasoner.initial()
    while len(steps) < states and (not steps or time.process_time() < until):
        legal = tuple(reasoner.legal(state, role) for role in reasoner.roles)
        terminal = reasoner.is_terminal(state)
        is_last = terminal or not all(legal) or len(steps) == states - 1
        joint = None if is_last else tuple(map(rng.choice, legal))
        goals = tuple(reasoner.goals(state, role) for role in reasoner.roles)
        facts = reasoner.facts(state)
        steps.append(Step(facts, tuple(map(frozenset, legal)), terminal, goals, joint))
        state = reasoner.initial() if joint is None else reasoner.successor(state, joint)
    last = steps.pop()
    return [*steps, Step(last.facts, last.legal, last.terminal, last.goals, None)]


def goals_differ(found: Sequence[tuple[int, ...]], step: Step) -> bool:
    return any(
        len(says) == 1 if known is None else says != known
        for says, known in zip(found, step.goals, strict=True)
    )


def circuit_difference(circuit: GameCircuit, steps: Sequence[Step]) -> str | None:
    """Hold the plain evaluation of a circuit against steps, `AT_ONCE` at a time."""
    if frozenset(circuit.facts[i] for i in circuit.initial) != steps[0].facts:
        return "circuit: the initial states differ"
    for start in range(0, len(steps), AT_ONCE):
        found = _chunk_difference(circuit, steps, range(start, min(start + AT_ONCE, len(steps))))
        if found is not None:
            return found
    return None


def _chunk_difference(  # noqa: C901, PLR0912  # one loop for each kind of output
    circuit: GameCircuit, steps: Sequence[Step], at: range
) -> str | None:
    facts = {fact: i for i, fact in enumerate(circuit.facts)}
    moves = [{move: i for i, move in enumerate(row)} for row in circuit.moves]
    held = [0] * len(facts)
    follow = [0] * len(facts)
    does = [[0] * len(row) for row in circuit.moves]
    legal = [[0] * len(row) for row in circuit.moves]
    is_known = goes_on = terminal = 0
    for bit, number in enumerate(at):
        step, one = steps[number], 1 << bit
        try:
            for fact in step.facts:
                held[facts[fact]] |= one
            for r, row in enumerate(step.legal or ()):
                for move in row:
                    legal[r][moves[r][move]] |= one
            for r, move in enumerate(step.joint or ()):
                does[r][moves[r][move]] |= one
            for fact in steps[number + 1].facts if step.joint else ():
                follow[facts[fact]] |= one
        except KeyError as error:
            return f"circuit, step {number}: does not have {error}"
        is_known |= one * (step.legal is not None)
        goes_on |= one * (step.joint is not None)
        terminal |= one * step.terminal
    mask = (1 << len(at)) - 1
    edges = [*circuit.fact_inputs, *chain.from_iterable(circuit.move_inputs)]
    inputs = {
        edge >> 1: bits
        for edge, bits in zip(edges, [*held, *chain.from_iterable(does)], strict=True)
    }
    values = evaluate_nodes(circuit.aig, inputs, mask=mask)

    def value(edge: Lit) -> int:
        return values[edge >> 1] ^ (mask if edge & 1 else 0)

    odd = {"terminal": value(circuit.terminal) ^ terminal}
    for fact, edge, bits in zip(circuit.facts, circuit.next, follow, strict=True):
        odd[f"next {kif_text(fact)}"] = (value(edge) ^ bits) & goes_on
    for r, role in enumerate(circuit.roles):
        for move, edge, bits in zip(circuit.moves[r], circuit.legal[r], legal[r], strict=True):
            odd[f"legal {role} {kif_text(move)}"] = (value(edge) ^ bits) & is_known
    for what, bits in odd.items():
        if bits:
            return f"circuit, step {at[(bits & -bits).bit_length() - 1]}: {what} differs"
    goals = [[(goal, value(edge)) for goal, edge in pairs] for pairs in circuit.goals]
    for bit, number in enumerate(at):
        said = [tuple(goal for goal, bits in pairs if bits >> bit & 1) for pairs in goals]
        if goals_differ(said, steps[number]):
            return f"circuit, step {number}: goals are {said}"
    return None


def machine_difference(machine: NativeMachine, steps: Sequence[Step]) -> str | None:
    """Hold a kernel, one state at a time, against steps."""
    state = machine.initial()
    for number, step in enumerate(steps):
        odd = machine.facts(state) ^ step.facts
        if odd:
            return f"kernel, step {number}: {sorted(map(kif_text, odd))} differ"
        if machine.is_terminal(state) != step.terminal:
            return f"kernel, step {number}: terminal is {not step.terminal}"
        goals = [machine.goals(state, role) for role in machine.roles]
        if goals_differ(goals, step):
            return f"kernel, step {number}: goals are {goals}"
        for role, known in zip(machine.roles, step.legal or (), strict=False):
            legal = machine.legal(state, role)
            if len(legal) != len(known) or frozenset(legal) != known:
                return f"kernel, step {number}: the legal moves of {role} differ"
        state = machine.successor(state, step.joint) if step.joint else machine.initial()
    return None


def _choice(legal: Sequence[frozenset[Term]], mover: int) -> frozenset[Term]:
    """Return the moves by which a game goes on: none where another role has none."""
    others = [*legal[:mover], *legal[mover + 1 :]]
    return legal[mover] if all(others) else frozenset()


def scalar_difference(scalar: Scalar, circuit: GameCircuit, steps: Sequence[Step]) -> str | None:
    """Hold the game for search against steps; it knows the stored facts and the mover."""
    stored = [(i, circuit.facts[i]) for i in scalar.tables.fact_index]
    position = scalar.initial()
    for number, step in enumerate(steps):
        held = frozenset(i for i, fact in stored if fact in step.facts)
        if scalar.facts(position) != held:
            return f"scalar, step {number}: facts differ"
        if scalar.is_terminal(position) != step.terminal:
            return f"scalar, step {number}: terminal is {not step.terminal}"
        goals = scalar.goals(position)
        if goals_differ(goals, step):
            return f"scalar, step {number}: goals are {goals}"
        mover = scalar.mover(position)
        names = [circuit.moves[mover][i] for i in scalar.tables.moves[position.phase]]
        legal = frozenset(names[i] for i in scalar.legal(position))
        if step.legal is not None and legal != _choice(step.legal, mover):
            return f"scalar, step {number}: the legal moves of {circuit.roles[mover]} differ"
        if step.joint is None:
            position = scalar.initial()
            continue
        if step.joint[mover] not in legal:
            return f"scalar, step {number}: {kif_text(step.joint[mover])} is not legal"
        position = scalar.play(position, names.index(step.joint[mover]))
    return None
