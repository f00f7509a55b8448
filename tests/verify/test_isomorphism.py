"""Texts of the same rules: which renaming makes them equal, and when there is none."""

from collections.abc import Sequence

import pytest

from gdl.language.clauses import Clause, clauses
from gdl.language.parse import parse, parse_term
from gdl.verify.correspondence.isomorphism import Renaming, isomorphism
from gdl.verify.correspondence.unfolded import unfold
from gdl.verify.solvers.budget import Budget

COIN = """
(role tosser) (side heads) (side tails)
(init (shows heads))
(<= (legal tosser (turn ?to)) (side ?to) (not (true (shows ?to))))
(<= (next (shows ?to)) (does tosser (turn ?to)))
(<= terminal (true (shows tails)))
(<= (goal tosser 100) terminal)
"""


def read(text: str) -> tuple[Clause, ...]:
    return clauses(parse(text))


def compared(one: Sequence[Clause], other: Sequence[Clause]) -> Renaming | None:
    return isomorphism(one, other, Budget(20))


def test_the_same_text_keeps_every_name() -> None:
    found = compared(read(COIN), read(COIN))
    assert found is not None
    assert found.is_identity
    assert found.lines() == ()


def test_names_variables_and_order_are_free() -> None:
    words = {"tosser": "a", "side": "b", "heads": "c", "tails": "d", "shows": "e", "turn": "f"}
    text = COIN.replace("?to", "?x")
    for word, letter in words.items():
        text = text.replace(word, letter)
    found = compared(read(COIN), tuple(reversed(read(text))))
    assert found is not None
    assert found.lines() == ("heads = c", "shows = e", "tails = d", "tosser = a", "turn = f")
    assert str(found.of(parse_term("(turn tails)"))) == "(f d)"


def test_places_of_arguments_are_free() -> None:
    one = read("(role r) (cell a 1 left) (<= (legal r (mark ?x ?y)) (cell ?x ?y left))")
    other = read("(role r) (cell left 1 a) (<= (legal r (mark ?y ?x)) (cell left ?y ?x))")
    found = compared(one, other)
    assert found is not None
    assert str(found.of(parse_term("(mark a 1)"))) == "(mark 1 a)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(init (shows heads))", "(init (shows tails))"),  # over before it begins
        ("(not (true (shows ?to)))", "(true (shows ?to))"),
        ("100", "50"),
        ("(<= terminal (true (shows tails)))", "(<= terminal (true (shows heads)))"),
        ("(<= (goal tosser 100) terminal)", "(<= (goal tosser 100) (not terminal))"),
    ],
)
def test_another_game_is_not_the_same_rules(old: str, new: str) -> None:
    assert COIN.count(old) == 1
    assert compared(read(COIN), read(COIN.replace(old, new))) is None


def test_a_goal_of_nobody_is_a_name_like_others() -> None:
    odd = COIN + "(<= goal (true (shows heads))) (<= (goal tosser) (true (shows heads)))"
    found = compared(read(odd), read(odd.replace("heads", "crown")))
    assert found is not None
    assert found.lines() == ("heads = crown",)


def test_goal_values_are_no_names() -> None:
    text = "(role a) (role b) (init p) (<= (legal ?r noop) (role ?r)) (goal a 0) (goal b 100)"
    found = compared(read(text), read(text.replace("a 0", "a 100").replace("b 100", "b 0")))
    assert found is not None
    assert not found.keeps_names
    assert found.lines() == ("a = b", "b = a")


@pytest.mark.parametrize("words", [("-1", "-2"), ("won", "lost")])
def test_a_goal_value_is_kept_whatever_it_is(words: tuple[str, str]) -> None:
    one, other = (f"{COIN} (<= (goal tosser {word}) (not terminal))" for word in words)
    assert compared(read(one), read(other)) is None


def test_numbers_below_0_are_no_names_where_a_goal_may_be_any_of_them() -> None:
    text = "(role r) (init (score -1)) (legal r wait) (<= (goal r ?n) (true (score ?n)))"
    assert compared(read(text), read(text.replace("-1", "-2"))) is None
    assert compared(read(text), read(text.replace("score", "points"))) is not None


@pytest.mark.parametrize("word", ["1234567890123456789", "0" * 19, "+1", "--1"])
def test_a_number_that_no_goal_can_pay_is_a_name_like_others(word: str) -> None:
    text = "(role r) (init (score lost)) (legal r wait) (<= (goal r ?n) (true (score ?n)))"
    found = compared(read(text), read(text.replace("lost", word)))
    assert found is not None
    assert found.lines() == (f"lost = {word}",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A helper is written out, with its other variables kept apart.
        (
            "(<= (legal r ?x) (h ?x) (q ?y)) (<= (h ?z) (p ?z ?y))",
            "(<= (legal r ?x) (p ?x ?v) (q ?y))",
        ),
        # Whatever its variables are called, names between bars included.
        (
            "(<= (legal r ?|y 0|) (h ?|y 0|)) (<= (h ?x) (p ?x ?y))",
            "(<= (legal r ?x) (p ?x ?y))",
        ),
        # In a chain.
        ("(<= terminal (h)) (<= h i) (<= i (true p))", "(<= terminal (true p))"),
        # A head with a constant restricts its use.
        ("(<= terminal (h ?x ?y) (q ?x)) (<= (h a ?x) (p ?x))", "(<= terminal (p ?y) (q a))"),
        # What can never be used is left out.
        ("(<= terminal (true p)) (<= h (true q))", "(<= terminal (true p))"),
    ],
)
def test_helpers_are_written_out(text: str, expected: str) -> None:
    found = compared(unfold(read(text)), read(expected))
    assert found is not None
    assert found.is_identity


@pytest.mark.parametrize(
    "text",
    [
        "(<= terminal (not h)) (<= h (true p))",  # under not
        "(<= terminal (h a)) (<= (h ?x) (true ?x)) (<= (h ?x) (p ?x ?x))",  # of two clauses
        "(<= terminal (h a)) (<= (h ?x) (p ?x ?y) (h ?y))",  # recursive
        "(<= terminal h) (<= h i) (<= i h)",  # in a circle
    ],
)
def test_other_views_stay(text: str) -> None:
    assert [(c.head, c.body) for c in unfold(read(text))] == [(c.head, c.body) for c in read(text)]
