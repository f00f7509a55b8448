# ruff: noqa: ARG001, ARG005  # a fault has the arguments of what it stands for, and ignores some
"""A fault in any stage of compiling is caught by play beside the reasoner.

Each fault is one wrong line, as somebody might write it, put in the place of the right one.
The games are small, and between them use what the stages do: recursion, turns, long
rules, negation, a board of exclusive contents, and a ``base`` that misses a fact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from gdl.circuit.evaluate import Evaluation, evaluate
from gdl.circuit.mutex import MutexGroup
from gdl.compile import CompileError, GameCircuit, build, pipeline
from gdl.compile.gates import (
    completion,
    cut_proofs,
    implications,
    mutex_groups,
    recursion,
    rewrite,
    simplify,
    two_input_trees,
)
from gdl.compile.grounding import aspif, ground_game
from gdl.compile.rules import logic_program, rule_decomposition
from gdl.language.parse import parse
from gdl.language.syntax import Constant, Description, Not, Term
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from tests.compile.lockstep import disagreement

Patch = pytest.MonkeyPatch

JOIN = """
(role white) (role black) (init (control white))
(number 1) (number 2) (number 3) (succ 1 2) (succ 2 3)
(<= (init (cell ?x ?y empty)) (number ?x) (number ?y))
(<= (near ?x ?y ?u ?y) (succ ?x ?u) (number ?y)) (<= (near ?u ?y ?x ?y) (succ ?x ?u) (number ?y))
(<= (near ?x ?y ?x ?v) (succ ?y ?v) (number ?x)) (<= (near ?x ?v ?x ?y) (succ ?y ?v) (number ?x))
(<= (joined ?r 1 ?y) (true (cell 1 ?y ?r)) (role ?r))
(<= (joined ?r ?u ?v) (joined ?r ?x ?y) (near ?x ?y ?u ?v) (true (cell ?u ?v ?r)))
(<= (legal ?r (put ?x ?y)) (true (control ?r)) (true (cell ?x ?y empty)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell ?x ?y ?r)) (does ?r (put ?x ?y)))
(<= (next (cell ?x ?y ?z)) (true (cell ?x ?y ?z)) (does ?r (put ?u ?v)) (apart ?x ?y ?u ?v))
(<= (apart ?x ?y ?u ?v) (number ?x) (number ?y) (number ?u) (number ?v) (distinct ?x ?u))
(<= (apart ?x ?y ?u ?v) (number ?x) (number ?y) (number ?u) (number ?v) (distinct ?y ?v))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(<= (next (last ?r ?x)) (does ?r (put ?x ?y)))
(<= (wins ?r) (joined ?r 3 ?y))
(<= open (true (cell ?x ?y empty)))
(<= terminal (wins ?r)) (<= terminal (not open))
(<= corner (true (cell 1 1 ?r)) (true (last ?r ?a)) (succ ?a ?b)
    (true (cell ?b ?c ?r)) (distinct ?r empty))
(<= near_corner (true (cell 1 2 ?r)) (true (cell 2 1 ?r)) (true (last ?r ?a)) (succ ?b ?a)
    (true (cell ?b ?b ?r)) (distinct ?r empty))
(<= (next marked) near_corner) (<= (next marked) (true marked))
(<= (goal ?r 100) (wins ?r)) (<= (goal ?r 60) (role ?r) corner (not (wins ?r)))
(<= (goal ?r 0) (role ?r) (not corner) (not (wins ?r)))
"""
STEPS = """
(role robot) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal robot (go ?n)) (true (step ?n))) (<= (legal robot stay) (true (step 2)))
(<= (next (step ?m)) (does robot (go ?n)) (succ ?n ?m))
(<= (next (step 2)) (does robot stay))
(<= terminal (true (step 4)))
(<= (goal robot 100) (true (step 4))) (<= (goal robot 0) (not (true (step 4))))
(base (step 1)) (base (step 2)) (base (step 4))
"""
GAMES = ("join", "steps", "tictactoe")


@cache
def description(name: str) -> Description:
    texts = {"join": JOIN, "steps": STEPS}
    return parse(texts[name], syntax="kif") if name in texts else find(name).description


def forgiving(
    circuit: GameCircuit, facts: Collection[Term], joint_move: Sequence[Term] | None = None
) -> Evaluation:
    """Evaluate; facts and moves that a faulty circuit does not know are a difference."""
    try:
        return evaluate(circuit, facts, joint_move)
    except (KeyError, ValueError):
        return Evaluation((), frozenset(), terminal=False, goals=(), sees=())


def caught() -> str | None:
    """Return what is wrong with the first game that is not played by its rules."""
    for name in GAMES:
        rules = description(name)
        try:
            circuit = build(rules)
        except (AssertionError, CompileError) as error:
            return f"{name} is refused: {error}"
        found = disagreement(circuit, Reasoner(rules), states=160, seed=4, ask=forgiving)
        if found is not None:
            return f"{name}: {found}"
    return None


@pytest.mark.slow
def test_without_a_fault_nothing_is_caught() -> None:
    assert caught() is None


FAULTS: dict[str, Callable[[Patch], None]] = {}


def fault(change: Callable[[Patch], None]) -> Callable[[Patch], None]:
    FAULTS[change.__name__] = change
    return change


def around(patch: Patch, owner: Any, name: str, change: Callable[..., Any]) -> None:  # noqa: ANN401  # a module or a class
    """Put a function in the place of another, which it is given first."""
    right = getattr(owner, name)
    patch.setattr(owner, name, lambda *args, **options: change(right, *args, **options))


@fault
def a_literal_is_lost_when_a_rule_is_split(patch: Patch) -> None:
    around(
        patch,
        rule_decomposition._Splitter,
        "_relation",
        lambda right, self, body, scope, clause: right(
            self, body[:-1] if len(body) > 1 else body, scope, clause
        ),
    )


@fault
def bodies_of_different_rules_are_taken_for_the_same(patch: Patch) -> None:
    around(patch, rule_decomposition, "applied", lambda right, term, renamed: Constant("same"))


@fault
def a_negation_is_lost_on_the_way_to_the_grounder(patch: Patch) -> None:
    def change(right: Any, literal: Any, *rest: Any) -> Any:  # noqa: ANN401  # as above
        return right(literal.operand if type(literal) is Not else literal, *rest)

    around(patch, logic_program, "_literal_text", change)


@fault
def signs_are_lost_when_ground_rules_are_read(patch: Patch) -> None:
    around(patch, aspif, "_numbers", lambda right, text: right(text.replace("-", "")))


@fault
def a_rule_is_lost_when_ground_rules_are_read(patch: Patch) -> None:
    def change(right: Any, text: bytes) -> Any:  # noqa: ANN401  # as above
        found = right(text)
        bodies = {head: rows[:-1] if len(rows) > 2 else rows for head, rows in found.bodies.items()}
        return found._replace(bodies=bodies)

    around(patch, ground_game, "read_aspif", change)


@fault
def base_is_trusted_blindly(patch: Patch) -> None:
    patch.setattr(pipeline, "beyond_bounds", lambda game: [])


@fault
def the_common_factor_is_lost(patch: Patch) -> None:
    patch.setattr(completion, "_MANY", 2)

    def change(right: Any, rows: Any, logic: Any) -> Any:  # noqa: ANN401  # as above
        return right([row[1:] if len(row) > 2 else row for row in rows], logic)

    around(patch, completion, "sum_of_products", change)


@fault
def recursion_ends_after_one_step(patch: Patch) -> None:
    around(
        patch, recursion, "_eliminate_all", lambda right, start, weight, *rest: _unweighted(weight)
    )


def _unweighted(weight: dict[int, dict[int, int]]) -> list[int]:
    for row in weight.values():
        row.clear()
    return list(weight)


@fault
def recursion_forgets_where_it_starts(patch: Patch) -> None:
    def change(right: Any, start: Any, *rest: Any) -> Any:  # noqa: ANN401  # as above
        start[next(atom for atom in start if start[atom])] = 0
        return right(start, *rest)

    around(patch, recursion, "_eliminate_all", change)


@fault
def everything_is_proved(patch: Patch) -> None:
    patch.setattr(cut_proofs.Prover, "always", lambda self, edges, law: True)


@fault
def a_group_is_taken_for_exact(patch: Patch) -> None:
    def change(right: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401  # as above
        return [MutexGroup(group.members, is_exact=True) for group in right(*args, **options)]

    around(patch, mutex_groups, "_groups", change)
    patch.setattr(cut_proofs.Prover, "always", lambda self, edges, law: len(edges) < 4)


@fault
def a_move_is_said_to_imply_what_it_does_not(patch: Patch) -> None:
    around(
        patch,
        simplify,
        "legality",
        lambda right, game, known, *rest: {
            move: (mask & known.plain) << 1 | (mask >> 1) & known.plain
            for move, mask in right(game, known, *rest).items()
        },
    )


@fault
def a_move_is_taken_for_one_that_waits(patch: Patch) -> None:
    def change(right: Any, game: Any, *rest: Any) -> Any:  # noqa: ANN401  # as above
        rows = zip(game.move_inputs, game.legal, strict=True)
        return {row[0]: legal[0] for row, legal in rows if len(row) > 1}

    around(patch, simplify, "waiting_moves", change)


@fault
def an_operand_is_dropped(patch: Patch) -> None:
    def change(right: Any, self: Any, operands: Any) -> Any:  # noqa: ANN401  # as above
        found = right(self, operands)
        return found - {max(found)} if found and len(found) > 4 else found

    around(patch, rewrite.Rewriter, "_reduced", change)


@fault
def one_of_the_rest_forgets_one(patch: Patch) -> None:
    around(
        patch,
        rewrite,
        "edges_of",
        lambda right, mask: list(right(mask))[1:] if mask.bit_count() > 1 else right(mask),
    )


@fault
def rivals_are_of_all_roles(patch: Patch) -> None:
    patch.setattr(simplify, "_WIDE_BITS", 0)

    def change(right: Any, self: Any, operands: Any) -> Any:  # noqa: ANN401  # as above
        return {edge for edge in operands if edge ^ 1 not in self._knowledge.rivals}

    around(patch, rewrite.Rewriter, "_without_rivals", change)


@fault
def a_literal_is_lost_when_factors_are_taken_out(patch: Patch) -> None:
    around(patch, rewrite._Sums, "_taken", lambda right, self, edge: right(self, edge)[1:])


@fault
def opposites_are_equal(patch: Patch) -> None:
    around(
        patch,
        simplify,
        "_opposites",
        lambda right, found: {node: edge ^ 1 for node, edge in right(found).items()},
    )


@fault
def one_fact_holds_when_another_does(patch: Patch) -> None:
    patch.setattr(simplify, "_own_gates", lambda network, edge, uses: 1000 + edge)
    around(
        patch,
        simplify,
        "without_others",
        lambda right, game, found: right(
            game, [MutexGroup(group.members[:-1], is_exact=True) for group in found]
        ),
    )


@fault
def knowledge_holds_both_ways(patch: Patch) -> None:
    def change(right: Any, implied: Any, group: Any) -> None:  # noqa: ANN401  # as above
        right(implied, group)
        implied[group.members[0] ^ 1] |= 1 << group.members[-1]

    around(patch, implications, "_add_group", change)


@fault
def a_shared_pair_has_one_operand_inverted(patch: Patch) -> None:
    def change(right: Any, *args: Any) -> Any:  # noqa: ANN401  # as above
        return {node: (one, other ^ 1) for node, (one, other) in right(*args).items()}

    around(patch, two_input_trees, "_shared_pairs", change)


@fault
def two_goals_are_exchanged(patch: Patch) -> None:
    def change(right: Any, game: Any, *rest: Any) -> Any:  # noqa: ANN401  # as above
        return right(game._replace(goals=tuple(reversed(game.goals))), *rest)

    around(patch, pipeline, "game_circuit", change)


@fault
def moves_are_off_by_one(patch: Patch) -> None:
    def change(right: Any, game: Any, *rest: Any) -> Any:  # noqa: ANN401  # as above
        found = right(game, *rest)
        legal = tuple((*row[1:], row[0]) for row in found.legal)
        return replace(found, legal=legal)

    around(patch, pipeline, "game_circuit", change)


@pytest.mark.later
@pytest.mark.sample(8)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(name: str, monkeypatch: Patch) -> None:
    FAULTS[name](monkeypatch)
    assert caught() is not None
