"""Arithmetic of manifests: as in Python where it is Python, and an error in words elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.ruleset.arithmetic import ExpressionError, Sizes, check, evaluate, interval, names

SIZES: Sizes = {"size": 5, "heaps": (1, 3, 7)}


def operation(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["+", " - ", "*", "//", " % "])
    return (
        st.tuples(inner, operators, inner).map("".join)
        | inner.map("({})".format)
        | inner.map("-{}".format)
        | st.tuples(inner, inner).map("max({0[0]}, {0[1]})".format)
    )


expressions = st.recursive(st.integers(0, 99).map(str) | st.just("size"), operation, max_leaves=8)


@given(expressions)
def test_it_means_what_it_means_in_python(text: str) -> None:
    if len(text) > 100:
        return
    try:
        expected = eval(text, {"max": max}, dict(SIZES))  # the texts are our own
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="a number is divided by zero"):
            evaluate(text, SIZES)
        return
    assert evaluate(text, SIZES) == expected


def test_lists_begin_at_one_and_have_a_length() -> None:
    assert [evaluate(f"heaps[{i}]", SIZES) for i in (1, 2, 3)] == [1, 3, 7]
    assert evaluate("count(heaps) * heaps[size - 2]", SIZES) == 21


def test_an_interval_has_both_ends_and_may_be_empty() -> None:
    assert list(interval("2 .. size", SIZES)) == [2, 3, 4, 5]
    assert list(interval("size..2", SIZES)) == []
    assert list(interval("size - 2", SIZES)) == [3]


def test_names_are_those_of_no_function() -> None:
    assert names("min(i, size)..count(heaps) + max(1, heaps[i])") == {"i", "size", "heaps"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("size +", "a number or a name is expected before its end"),
        ("", "a number or a name is expected before its end"),
        ("(size", ") is expected before its end"),
        ("size 3", "its end is expected before 3"),
        ("min 3", "( is expected before 3"),
        ("2 ** 9", "a number or a name is expected before *"),
        ("size & 1", "'& 1' is no arithmetic"),
        ("1e9", "'1e9' is no arithmetic"),
        ("1" * 101, "longer than 100 characters"),
        ("1..2..3", "'..3' is no arithmetic"),
    ],
)
def test_what_is_no_arithmetic(text: str, said: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        check(text)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sice", "there is no number sice"),
        ("heaps", "heaps is a list: write heaps[1] or count(heaps)"),
        ("size[1]", "size is a number, not a list"),
        ("heaps[4]", "heaps has 3 items, and none is number 4"),
        ("heaps[0]", "heaps has 3 items, and none is number 0"),
        ("1 // (size - 5)", "a number is divided by zero"),
    ],
)
def test_what_has_no_value(text: str, said: str) -> None:
    check(text)
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, SIZES)
    assert str(caught.value) == said


@given(st.text(alphabet="ab1+-*/%()[], .min", max_size=100))
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    try:
        evaluate(text, {"a": 1, "b": (2,)})
    except ExpressionError as error:
        assert str(error)  # noqa: PT017  # a result is as good
