"""Whether the goals of two roles are proved to add up to the same at every end of play.

In: a state, the sum that some end of play had. Out: proved, refuted, or neither. What one role can
force against the other is what it gets when both play for their own goals only where one loses what
the other wins. Random plays may miss the end at which both win, and so does a search that cuts off
what is not good for the other; so it is asked of the rules: by induction over the plies from the
state on, or by a play to an end of another sum (`gdl.verify`).

Source: Knuth and Moore, "An Analysis of Alpha-Beta Pruning", 1975 (of games of a constant sum).
"""

from __future__ import annotations

import time
from collections import OrderedDict
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gdl.game import Game
from gdl.language.syntax import Term
from gdl.state import State

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit

SECONDS: Final = 2.0
"""Of the processor for one proof, at most: of the shipped games of two most take a tenth of it."""
MOST_KEPT: Final = 1024
"""Answers that are kept."""

Question = tuple[str, int, frozenset[Term]]
"""Digest of the rules, sum, and facts of the position from which on it is asked."""

_answers: OrderedDict[Question, tuple[bool | None, float]] = OrderedDict()
"""Answers, and the seconds that each was given: one left open is asked again only with more."""


def is_sum_constant(state: State, total: int, *, seconds: float = SECONDS) -> bool | None:
    """Return whether goals add up to a total at every end that play may come to from a state.

    Args:
        state: Of a game of two roles. If it was set up, nothing is taken for granted but what it
            says; if it was reached, a proof from the first position is one for all others.
        total: What the goals add up to at some end.
        seconds: Processor time, at most.

    Returns:
        None where it was neither proved nor refuted: time was up, or what it takes is not installed
        (the extra ``verify``). Answers are kept; one that was left open is found again at once, and
        is looked for anew where there is more time.
    """
    try:
        import pysat.solvers  # noqa: F401  # asked for before anything is made
    except ImportError:
        return None
    start = _first(state)
    # What is proved from the first position on holds for all others that play comes to.
    if (
        start == state.game.initial()
        and start != state
        and _asked(start, start, total, seconds / 2)
    ):
        return True
    return _asked(start, state, total, seconds / 2)


def _asked(start: State, state: State, total: int, seconds: float) -> bool | None:
    """Return the answer from a position on that play came to from another, and keep it."""
    key = (state.game.ruleset.digest(), total, state.facts)
    answer, spent = _answers.get(key, (None, 0.0))
    if answer is not None or spent >= seconds:
        return answer
    circuit = _circuit(state.game, seconds)
    if circuit is None or not (start == state.game.initial() or _allows(circuit, start)):
        return None
    answer = _ask(circuit, state, total, seconds)
    _answers[key] = answer, seconds
    if len(_answers) > MOST_KEPT:
        _answers.popitem(last=False)
    return answer


def _circuit(game: Game, seconds: float) -> GameCircuit | None:
    """Return the rules as logic; None where they cannot be had so."""
    try:
        from gdl.compile import CompileError, CompileLimits, build
    except ImportError:
        return None
    if game.back_end.native is not None:
        return game.back_end.native.circuit
    try:
        return build(game.ruleset.checked(), limits=CompileLimits(seconds=seconds, explain=False))
    except CompileError:
        return None


def _allows(circuit: GameCircuit, start: State) -> bool:
    """Return whether the circuit is right in a position that was set up, and in all after it."""
    numbers = {fact: number for number, fact in enumerate(circuit.facts)}
    facts = start.facts
    return facts <= numbers.keys() and circuit.allows([numbers[fact] for fact in facts])


def _first(state: State) -> State:
    """Return where the plays began that led to a state."""
    while state.previous is not None:
        state = state.previous
    return state


def _ask(circuit: GameCircuit, start: State, total: int, seconds: float) -> bool | None:
    from gdl.verify.properties.well_formed import constant_sum
    from gdl.verify.proving.prove import Prover
    from gdl.verify.solvers.budget import Budget, OutOfBudgetError
    from gdl.verify.systems.system import Bad, game_system

    facts = start.facts
    begun = replace(
        circuit,
        aig=deepcopy(circuit.aig),  # others read it, and the question adds gates
        initial=frozenset(i for i, fact in enumerate(circuit.facts) if fact in facts),
    )
    bad = Bad("another sum", constant_sum(begun, total).edge)
    prover = Prover(
        game_system(begun).asking([bad]), Budget(max(seconds, 0.05), clock=time.process_time)
    )
    try:
        result = prover.run()
    except OutOfBudgetError:
        return None
    if result.play is not None:
        return False
    return True if result.proved else None
