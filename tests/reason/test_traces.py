"""Replay of matches that an independent, widely used reasoner recorded: no difference at all.

Each trace holds, for every step of one random match: the state, the legal moves of each role,
the joint move that was played, whether the state is terminal, and the goals. Where that reasoner
finds no goal or several, the trace has null.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gdl.language.parse import parse_term, read
from gdl.language.syntax import Term
from gdl.reason.machine import Reasoner, State
from tests.shared import SHARED, some

TRACES = sorted((SHARED / "traces").glob("*.json.gz"))
NUMBER_OF_TRACES = 172
QUICK = ("blocks", "connectFour", "lightsOut", "nim3", "peg", "gt_centipede")
"""Games that the definition replays in a second or two."""

pytestmark = pytest.mark.skipif(
    not TRACES, reason="the recorded traces are not there (set GDL_SHARED)"
)


@cache
def term(text: str) -> Term:
    return parse_term(text, syntax="kif")


def terms(texts: list[str]) -> frozenset[Term]:
    return frozenset(map(term, texts))


def name(path: Path) -> str:
    return path.name.removesuffix(".json.gz")


def single_goals(reasoner: Reasoner, state: State) -> list[int | None]:
    values = [reasoner.goals(state, role) for role in reasoner.roles]
    return [value[0] if len(value) == 1 else None for value in values]


def compare(reasoner: Reasoner, state: State, step: dict[str, Any]) -> None:
    assert reasoner.facts(state) == terms(step["state"])
    assert reasoner.is_terminal(state) == step["terminal"]
    assert single_goals(reasoner, state) == step["goals"]
    for role, moves in zip(reasoner.roles, step.get("legal", ()), strict=False):
        legal = reasoner.legal(state, role)
        assert frozenset(legal) == terms(moves)
        assert len(legal) == len(moves)


@pytest.mark.sample(12)
@pytest.mark.parametrize("path", some(TRACES, 100), ids=name)
def test_replay_has_no_difference(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    reasoner = Reasoner(read(SHARED / "games" / trace["game"]))
    assert list(reasoner.roles) == [term(role) for role in trace["roles"]]
    state = reasoner.initial()
    for step in trace["steps"]:
        compare(reasoner, state, step)
        if "joint" in step:
            state = reasoner.successor(state, tuple(map(term, step["joint"])))


@pytest.mark.slow
def test_every_trace_is_there_and_has_moves() -> None:
    assert len(TRACES) == NUMBER_OF_TRACES
    steps = 0
    for path in TRACES:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            steps += sum("joint" in step for step in json.load(file)["steps"])
    assert steps > 4_000
