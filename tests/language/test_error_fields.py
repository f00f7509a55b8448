"""Advice of errors is data: fields of the error, laid out in one place."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gdl
from gdl._cache_space import SizeError, parse_size
from gdl.language.diagnostics import GdlError
from gdl.match.clock import TimeControl
from gdl.play.registry import PlayerOptionError, UnknownPlayerError, make
from gdl.ruleset import UnknownRulesetError

HOUSE = Path(gdl.__file__).parent
LAID_OUT = re.compile(r"(?:^|\n)  (?:expected|help):")
RENDERERS = {
    "language/diagnostics.py",  # draws all errors
    "_cache_space.py",  # its error is in a room below that one
}


def laid_out(code: str) -> Iterator[int]:
    """Return the lines of the literals that lay out advice, without docstrings."""
    tree = ast.parse(code)
    sentences = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in sentences:
                if LAID_OUT.search(text):
                    yield node.lineno


def test_the_scan_sees_what_it_looks_for() -> None:
    assert list(laid_out('x = "no\\n  expected: yes"')) == [1]
    assert list(laid_out('x = f"{no}\\n  help: {yes}"')) == [1]
    assert list(laid_out('x.append(f"  help: {yes}")')) == [1]
    assert not list(laid_out('def f():\n    """No.\n  expected: yes"""'))


@pytest.mark.slow
def test_no_message_lays_out_advice_by_hand() -> None:
    by_hand = [
        f"{path.relative_to(HOUSE).as_posix()}:{line}"
        for path in sorted(HOUSE.rglob("*.py"))
        if path.relative_to(HOUSE).as_posix() not in RENDERERS
        for line in laid_out(path.read_text(encoding="utf-8"))
    ]
    assert by_hand == []


def test_notes_stand_after_the_advice_or_before_it() -> None:
    class FoundError(GdlError):
        notes_first = True

    advice = "  expected: that\n  help: do it\n"
    after = GdlError("this", expected="that", help="do it", notes=["so"])
    before = FoundError("this", expected="that", help="do it", notes=["so"])
    assert f"{after}\n" == f"this\n{advice}  note: so\n"
    assert f"{before}\n" == f"this\n  note: so\n{advice}"
    assert after.notes == before.notes == ("so",)


@pytest.mark.parametrize(
    ("kind", "call", "message", "expected", "help_"),
    [
        (
            UnknownPlayerError,
            lambda: make("mctz"),
            "there is no player 'mctz'",
            None,
            "did you mean mcts?",
        ),
        (
            PlayerOptionError,
            lambda: make("mcts:simulations"),
            "'simulations' is no option of mcts",
            "NAME=VALUE, after a comma each",
            None,
        ),
        (
            UnknownRulesetError,
            lambda: gdl.load("tictacto"),
            "there is no ruleset tictacto",
            None,
            "did you mean tictactoe?",
        ),
        (
            GdlError,
            lambda: gdl.load("tictactoe").initial().why("row ?a ?b ?c"),
            "the rules have no relation row/3",
            "row with 1 argument",
            None,
        ),
        (
            GdlError,
            lambda: TimeControl.read(3),
            None,
            '{"initialMs": 1 to 34560000000, "incrementMs": 0 to 34560000000}',
            None,
        ),
    ],
)
def test_advice_is_in_fields(
    kind: type[GdlError],
    call: Callable[[], object],
    message: str | None,
    expected: str | None,
    help_: str | None,
) -> None:
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert message is None or error.message == message
    assert expected is None or error.expected == expected
    assert error.help == help_
    lines = [error.message]
    lines += [f"  expected: {error.expected}"] if error.expected else []
    lines += [f"  help: {error.help}"] if error.help else []
    assert str(error) == "\n".join(lines)
    again = pickle.loads(pickle.dumps(error))
    assert (again.expected, again.help) == (error.expected, error.help)


def test_a_size_has_its_advice_in_a_field_too() -> None:
    with pytest.raises(SizeError) as caught:
        parse_size("much", "size")
    assert caught.value.message == "size is 'much', which is no size"
    assert caught.value.expected.startswith("a number of bytes")
