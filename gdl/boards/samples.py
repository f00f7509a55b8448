"""What there is to see of a game: the facts of some states, moves, and what rules count with.

In: rules. Out: `Samples`, the same in every process: play is random by a fixed seed, and bounded
by states and by facts, and by time only where a game is so slow that nobody would wait.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gdl.language.checked import CheckedDescription
from gdl.language.limits import Limits
from gdl.language.syntax import Atom, Description, Formula, operands
from gdl.language.terms import (
    Compound,
    Constant,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
)
from gdl.machine import Fact
from gdl.reason.machine import Reasoner

SEED: Final = 20080101
PLAYS: Final = 3
MOST_STATES: Final = 60
MOST_FACTS: Final = 60_000
SECONDS: Final = 2.0
TOLD: Final = ("true", "next", "init", "legal", "does")
"""Words that tell of a fact or a move, their last argument."""

Place = tuple[str, int, int]
"""A name, its number of arguments, and one of them, counted from 0."""


@dataclass(frozen=True, slots=True)
class Samples:
    """What there is to see of a game.

    Attributes:
        roles: The players.
        states: The facts of some states, the first one first.
        moves: Moves that were legal in them.
        steps: For each relation of two constants that is always true, its pairs.
        variables: How the rules call the arguments of facts and moves.
    """

    roles: tuple[Term, ...]
    states: tuple[frozenset[Fact], ...]
    moves: frozenset[Term]
    steps: Mapping[str, frozenset[tuple[Constant, Constant]]]
    variables: Mapping[Place, frozenset[str]]


def samples(rules: CheckedDescription, *, limits: Limits) -> Samples:
    """Return what there is to see of a game.

    Raises:
        GdlError: The rules cannot be played.
    """
    machine = Reasoner(rules, limits=limits)
    chance = random.Random(SEED)  # noqa: S311  # for play, not for secrets
    deadline = time.monotonic() + SECONDS
    states: list[frozenset[Fact]] = []
    moves: set[Term] = set()
    facts = 0
    for _ in range(PLAYS):
        state = machine.initial()
        while len(states) < MOST_STATES and facts < MOST_FACTS:
            states.append(machine.facts(state))
            facts += len(states[-1])
            if machine.is_terminal(state) or time.monotonic() > deadline:
                break
            legal = [machine.legal(state, role) for role in machine.roles]
            moves.update(*legal)
            if not all(legal):
                break
            state = machine.successor(state, tuple(map(chance.choice, legal)))
        if time.monotonic() > deadline:
            break
    written = rules.description
    return Samples(
        tuple(machine.roles), tuple(states), frozenset(moves), _steps(written), _variables(written)
    )


def _steps(rules: Description) -> dict[str, frozenset[tuple[Constant, Constant]]]:
    pairs: dict[str, set[tuple[Constant, Constant]]] = {}
    for rule in rules.rules:
        head = rule.head.sentence
        if rule.body or not isinstance(head, Compound):
            continue
        match head.args:
            case (Constant() as before, Constant() as after) if head.name not in TOLD:
                pairs.setdefault(head.name, set()).add((before, after))
    return {name: frozenset(those) for name, those in pairs.items()}


def _variables(rules: Description) -> dict[Place, frozenset[str]]:
    names: dict[Place, set[str]] = {}

    def note(atom: Atom) -> None:
        sentence = atom.sentence
        if signature(sentence).name not in TOLD or not arguments(sentence):
            return
        told = arguments(sentence)[-1]
        if isinstance(told, Compound):
            for number, argument in enumerate(told.args):
                if isinstance(argument, Variable):
                    place = (told.name, len(told.args), number)
                    names.setdefault(place, set()).add(argument.name.lower())

    pending: list[Formula] = []
    for rule in rules.rules:
        note(rule.head)
        pending.extend(rule.body)
    while pending:
        formula = pending.pop()
        if isinstance(formula, Atom):
            note(formula)
        pending.extend(operands(formula))
    return {place: frozenset(those) for place, those in names.items()}


def shape(term: Term) -> Signature | None:
    """Return the name and the number of arguments of a fact or move with arguments."""
    return signature(term) if isinstance(term, Compound) else None
