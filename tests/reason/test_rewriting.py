"""Play is the same whatever the names are, and in whatever order rules and literals stand."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
)
from gdl.reason.machine import Reasoner
from gdl.ruleset import find

RULESETS = ("tictactoe", "connectfour", "pentago/phased", "pentago/classic", "gomoku/freestyle")
PLIES = 14

Rename = Callable[[str], str]


def renamed(term: Term, rename: Rename) -> Term:
    match term:
        case Constant(name):
            return Constant(rename(name))
        case Variable(name):
            return Variable(f"v_{name}")
        case Compound(name, args):
            return Compound(rename(name), tuple(renamed(arg, rename) for arg in args))


def renamed_sentence(sentence: Sentence, rename: Rename) -> Sentence:
    found = renamed(sentence, rename)
    assert not isinstance(found, Variable)
    return found


def renamed_formula(formula: Formula, rename: Rename) -> Formula:
    match formula:
        case Atom(sentence):
            return Atom(renamed_sentence(sentence, rename))
        case Distinct(left, right):
            return Distinct(renamed(left, rename), renamed(right, rename))
        case Not(operand):
            return Not(renamed_formula(operand, rename))
        case And(operands):
            return And(tuple(renamed_formula(operand, rename) for operand in operands))
        case Or(operands):
            return Or(tuple(renamed_formula(operand, rename) for operand in operands))


def scrambled(description: Description, rename: Rename) -> Description:
    return Description(
        tuple(
            Rule(
                Atom(renamed_sentence(rule.head.sentence, rename)),
                tuple(renamed_formula(formula, rename) for formula in rule.body),
            )
            for rule in description.rules
        )
    )


def scrambler(seed: int) -> Rename:
    """Return an injective renaming that leaves the words of the language as they are."""
    numbers = list(range(10_000))
    random.Random(seed).shuffle(numbers)
    names: dict[str, str] = {}

    def rename(name: str) -> str:
        if name in KEYWORD_ARITIES:
            return name
        return names.setdefault(name, f"n{numbers[len(names)]}")

    return rename


def shuffled(description: Description, seed: int) -> Description:
    """Return the rules in another order, all but those that name the roles, whose order counts."""
    chance = random.Random(seed)
    roles = [rule for rule in description.rules if rule.head.sentence.name == "role"]
    rest = [rule for rule in description.rules if rule.head.sentence.name != "role"]
    chance.shuffle(rest)
    bodies = [list(rule.body) for rule in rest]
    for body in bodies:
        chance.shuffle(body)
    return Description(
        (*roles, *(Rule(rule.head, tuple(b)) for rule, b in zip(rest, bodies, strict=True)))
    )


def assert_same_play(one: Reasoner, other: Reasoner, rename: Rename, seed: int) -> None:
    chance = random.Random(seed)
    here, there = one.initial(), other.initial()
    for _ in range(PLIES):
        assert {renamed(fact, rename) for fact in here} == there
        assert one.is_terminal(here) == other.is_terminal(there)
        joint_move = []
        for role, other_role in zip(one.roles, other.roles, strict=True):
            assert renamed(role, rename) is other_role
            assert one.goals(here, role) == other.goals(there, other_role)
            moves = one.legal(here, role)
            assert {renamed(move, rename) for move in moves} == set(other.legal(there, other_role))
            joint_move.append(chance.choice(moves) if moves else None)
        if one.is_terminal(here):
            here, there = one.initial(), other.initial()
            continue
        made = tuple(move for move in joint_move if move is not None)
        here = one.successor(here, made)
        there = other.successor(there, tuple(renamed(move, rename) for move in made))


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", RULESETS)
def test_scrambling_the_names_commutes_with_play(name: str) -> None:
    description = find(name).description
    kept = {str(n) for n in (0, 50, 100)}  # goal values are numbers, not names
    scramble = scrambler(1)

    def rename(text: str) -> str:
        return text if text in kept else scramble(text)

    assert_same_play(Reasoner(description), Reasoner(scrambled(description, rename)), rename, 1)


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_rules_and_literals_means_nothing(name: str, seed: int) -> None:
    description = find(name).description
    assert_same_play(
        Reasoner(description), Reasoner(shuffled(description, seed)), lambda text: text, seed
    )
