"""Rules of which a few differ are recognised in other words, and others are not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import count

import pytest

from gdl.language.clauses import Clause, clauses
from gdl.language.syntax import Atom, Constant, Description, Literal, Rule, Term, arguments
from gdl.ruleset import find
from gdl.verify.correspondence.compared_game import prepare_game
from gdl.verify.correspondence.correspondence import BY_MOST_RULES, find_matching
from gdl.verify.correspondence.near_isomorphism import resemblances
from gdl.verify.correspondence.unfolded import unfold
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.product import product
from gdl.verify.systems.sampling import sample
from tests.verify.locked import COUNTED, OTHERS, Locked, locked
from tests.verify.scramble import scramble

SMALL = ("tictactoe", "breakthrough", "hex?size=3", "connectfour", "clobber", "pig")


def changed(name: str, chance: random.Random, *, what: str) -> Description:
    """Return rules of which one is left out, or has lost a condition."""
    rules = [(clause.head, clause.body) for clause in clauses(find(name).description)]
    number = chance.choice([n for n, (_, body) in enumerate(rules) if len(body) > 1])
    head, body = rules.pop(number)
    if what == "a condition":
        kept: list[Literal] = list(body)
        kept.pop(chance.randrange(len(kept)))
        rules.insert(number, (head, tuple(kept)))
    return Description(tuple(Rule(Atom(head), body) for head, body in rules))


def roles(rules: Sequence[Clause]) -> set[Term]:
    return {arguments(rule.head)[0] for rule in rules if rule.head.name == "role"}


@pytest.mark.sample(1)
@pytest.mark.parametrize("what", ["a rule", "a condition"])
@pytest.mark.parametrize("name", SMALL)
def test_rules_of_which_one_is_changed_are_recognised(name: str, what: str) -> None:
    for seed in range(3):
        one = clauses(find(name).description)
        other = clauses(scramble(changed(name, random.Random(seed), what=what), seed=seed))
        found = next(resemblances(unfold(one), unfold(other), Budget(60)), None)
        assert found is not None, seed
        assert {found.of(role) for role in roles(one)} == roles(other)


@pytest.mark.slow
def test_games_that_have_little_in_common_are_not() -> None:
    texts = [unfold(clauses(find(name).description)) for name in ("tictactoe", "breakthrough")]
    assert list(resemblances(texts[0], texts[1], Budget(60))) == []


def test_what_stands_in_no_rule_that_is_left_keeps_its_name() -> None:
    one = clauses(find("tictactoe").description)
    other = [rule for rule in one if rule.head.name != "goal"]
    found = next(resemblances(one, other, Budget(60)))
    assert found.of(Constant("noop")) == Constant("noop")


def is_in_other_words(pair: Locked) -> bool:
    return set(pair.other.checked().roles) != set(pair.one.checked().roles)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ultimatetictactoe", "hex?size=3", "tron"])
def test_a_lock_on_a_game_in_other_words_leaves_it_what_it_is(name: str) -> None:
    seeds = (n for n in count() if random.Random(n).choice(COUNTED + OTHERS).startswith(name))
    pairs = (locked(seed, opens=True) for seed in seeds)
    pair = next(each for each in pairs if is_in_other_words(each))
    sides = prepare_game(pair.one), prepare_game(pair.other)
    _, matching = find_matching(sides, Budget(240))
    assert matching.method.startswith(BY_MOST_RULES)
    both = product(sides[0].circuit, sides[1].circuit, matching)
    met = sample(both.system, Budget(60), lanes=64)
    assert met.play is None or (pair.depth is not None and len(met.play) >= pair.depth)
