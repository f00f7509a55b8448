"""Relations that depend on themselves: reachability in states, linear and not."""

from __future__ import annotations

from random import Random

import pytest

from gdl.circuit.evaluate import evaluate
from gdl.circuit.game import GameCircuit
from gdl.compile import CompileError, build
from gdl.language.parse import parse
from gdl.language.syntax import Compound, Constant, Term

SIZE = 4
CELLS = [(x, y) for x in range(SIZE) for y in range(SIZE)]
STEP = """
(<= (near ?x ?y ?u ?y) (succ ?x ?u) (number ?y)) (<= (near ?u ?y ?x ?y) (succ ?x ?u) (number ?y))
(<= (near ?x ?y ?x ?v) (succ ?y ?v) (number ?x)) (<= (near ?x ?v ?x ?y) (succ ?y ?v) (number ?x))
"""
LINEAR = """
(<= (joined 0 ?y) (true (stone 0 ?y)))
(<= (joined ?u ?v) (joined ?x ?y) (near ?x ?y ?u ?v) (true (stone ?u ?v)))
"""
DOUBLING = """
(<= (path ?x ?y ?x ?y) (true (stone ?x ?y)))
(<= (path ?x ?y ?u ?v) (true (stone ?x ?y)) (near ?x ?y ?u ?v) (true (stone ?u ?v)))
(<= (path ?x ?y ?u ?v) (path ?x ?y ?a ?b) (path ?a ?b ?u ?v))
(<= (joined ?x ?y) (path 0 ?z ?x ?y))
"""


def board(rules: str, size: int) -> GameCircuit:
    numbers = "".join(f"(number {i})" for i in range(size))
    steps = "".join(f"(succ {i} {i + 1})" for i in range(size - 1))
    text = (
        f"(role robot) {numbers} {steps} {STEP} {rules}"
        "(<= (legal robot (put ?x ?y)) (number ?x) (number ?y) (not (true (stone ?x ?y))))"
        "(<= (legal robot pass) (true (stone 0 0)))"
        "(<= (next (stone ?x ?y)) (does robot (put ?x ?y)))"
        "(<= (next (stone ?x ?y)) (true (stone ?x ?y)))"
        f"(<= terminal (joined {size - 1} ?y))"
        "(<= (goal robot 100) terminal) (<= (goal robot 0) (not terminal))"
    )
    return build(parse(text, syntax="kif"))


def stone(x: int, y: int) -> Term:
    return Compound("stone", (Constant(str(x)), Constant(str(y))))


def is_joined(stones: set[tuple[int, int]], size: int) -> bool:
    seen = {cell for cell in stones if cell[0] == 0}
    stack = list(seen)
    while stack:
        x, y = stack.pop()
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if cell in stones and cell not in seen:
                seen.add(cell)
                stack.append(cell)
    return any(x == size - 1 for x, _ in seen)


@pytest.mark.parametrize(
    ("rules", "size"),
    [(LINEAR, SIZE), (DOUBLING, 2), pytest.param(DOUBLING, 3, marks=pytest.mark.slow)],
)
def test_connection_is_what_a_search_says(rules: str, size: int) -> None:
    circuit = board(rules, size)
    random = Random(7)
    answers = set()
    for _ in range(150):
        cells = [cell for cell in CELLS if max(cell) < size]
        stones = {cell for cell in cells if random.random() < 0.6}
        expected = is_joined(stones, size)
        assert evaluate(circuit, [stone(*cell) for cell in stones]).terminal == expected
        answers.add(expected)
    assert answers == {True, False}


def test_the_longest_way_round_is_found() -> None:
    snake = {(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (2, 2), (2, 1), (2, 0), (3, 0)}
    circuit = board(LINEAR, SIZE)
    assert evaluate(circuit, [stone(*cell) for cell in snake]).terminal
    for missing in snake - {(0, 0), (0, 1), (0, 2)}:
        assert not evaluate(circuit, [stone(*cell) for cell in snake - {missing}]).terminal


def test_linear_recursion_takes_fewer_gates_than_unrolling() -> None:
    size = 6
    unrolled = 4 * (size * size) ** 2
    assert len(list(board(LINEAR, size).aig.ands())) < unrolled // 3


def test_recursion_through_negation_is_refused() -> None:
    text = (
        "(role robot) (init (s 1)) (<= (legal robot a) (true (s 1)))"
        "(<= p (not q) (true (s 1))) (<= q (not p) (true (s 1)))"
        "(<= (next (s 1)) p) (<= terminal q) (goal robot 0)"
    )
    with pytest.raises(CompileError) as caught:
        build(parse(text, syntax="kif"))
    assert str(caught.value) == "a sentence depends on its own negation in some state"
