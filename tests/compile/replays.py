"""Recorded matches of an independent reasoner, held against a circuit."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from gdl.circuit.evaluate import Evaluation, evaluate
from gdl.circuit.game import GameCircuit
from gdl.language.parse import parse
from gdl.language.syntax import Compound, Term

SHARED = Path(os.environ.get("GDL_SHARED", Path(__file__).parents[2].parent / "shared"))


def trace(name: str) -> dict[str, Any]:
    """Return the recorded match of a game."""
    with gzip.open(SHARED / "traces" / f"{name}.json.gz", "rt") as file:
        found: dict[str, Any] = json.load(file)
    return found


@cache
def term(text: str) -> Term:
    """Return the term of a KIF text."""
    head = parse(f"(x {text})", syntax="kif").rules[0].head.sentence
    assert isinstance(head, Compound)
    return head.args[0]


def differences(
    circuit: GameCircuit,
    match: dict[str, Any],
    ask: Callable[..., Evaluation] = evaluate,
) -> list[str]:
    """Return what a circuit and a recorded match say differently."""
    found: list[str] = []
    if [str(role) for role in circuit.roles] != match["roles"]:
        found.append(f"roles are {circuit.roles}, not {match['roles']}")
        return found
    follows = frozenset(circuit.facts[index] for index in circuit.initial)
    for number, step in enumerate(match["steps"]):
        state = frozenset(map(term, step["state"]))
        found += [f"step {number}: {fact} differs" for fact in sorted(state ^ follows)]
        joint = tuple(map(term, step["joint"])) if "joint" in step else None
        says = ask(circuit, state, joint)
        if says.terminal != step["terminal"]:
            found.append(f"step {number}: terminal is {says.terminal}")
        for role, values in enumerate(says.goals):
            expected = step["goals"][role]
            if values != (expected,) and (expected is not None or len(values) == 1):
                found.append(f"step {number}: goals of {circuit.roles[role]} are {values}")
            if step.get("legal"):
                legal = set(map(term, step["legal"][role]))
                odd = legal ^ set(says.legal[role])
                found += [f"step {number}: legality of {move} differs" for move in sorted(odd)]
        follows = says.next
    return found
