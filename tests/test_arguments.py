"""Every public door says which argument is wrong, what it was, and what it must be."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import gdl
from gdl.language.preconditions import ArgumentError, ArgumentTypeError
from gdl.language.terms import Constant

GAME = "a ruleset id, a path, a ruleset or a game"
LIMITS = "gdl.Limits(...)"
TURN = "a1"
BACK_ENDS = ("reason", "native")


class Silent:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError


def game(backend: str) -> Any:  # noqa: ANN401  # arguments are wrong on purpose
    if backend == "native":
        pytest.importorskip("llvmlite", reason="machine code needs llvmlite")
    return gdl.load("tictactoe", backend=backend)  # type: ignore[arg-type]


def verify(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401
    pytest.importorskip("pysat", reason="proofs need the extra verify")
    from gdl.verify.verification import verify

    return verify(*args, **kwargs)


def proof_core(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401
    pytest.importorskip("pysat", reason="proofs need the extra verify")
    from gdl.verify.questions.proof_core import proof_core

    return proof_core(*args, **kwargs)


def diff(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401
    return gdl.diff(*args, **kwargs)


OF_THE_PACKAGE: list[tuple[Callable[[Any], object], object, str]] = [
    (gdl.load, 3, f"the game must be {GAME}, not 3"),
    (gdl.load, None, f"the game must be {GAME}, not None"),
    (gdl.load, b"x", f"the game must be {GAME}, not b'x'"),
    (gdl.load, Silent(), f"the game must be {GAME}, not a value of type Silent"),
    (gdl.load, [1] * 99, f"the game must be {GAME}, not [{'1, ' * 26}1..."),
    (
        lambda value: gdl.load("tictactoe", backend=value),
        "natvie",
        "backend must be one of auto, reason, native, meaning, not 'natvie'",
    ),
    (
        lambda value: gdl.load("tictactoe", backend=value),
        ["auto"],
        "backend must be one of auto, reason, native, meaning, not ['auto']",
    ),
    (lambda value: gdl.load("tictactoe", limits=value), 5, f"limits must be {LIMITS}, not 5"),
    (
        gdl.check,
        3,
        "the name of a game must be a ruleset id, or the path of a manifest or rule file, not 3",
    ),
    (
        gdl.check,
        "a\0.kif",
        "the name of a game must be a path without the character NUL, not 'a\\x00.kif'",
    ),
    (lambda value: gdl.check("tictactoe", limits=value), {}, f"limits must be {LIMITS}, not {{}}"),
    (
        gdl.parse,
        b"(role a)",
        "text must be text, not b'(role a)'\n  help: gdl.read(path) reads a file",
    ),
    (lambda value: gdl.parse("", limits=value), 1, f"limits must be {LIMITS}, not 1"),
    (
        lambda value: gdl.parse("", syntax=value),
        "lisp",
        "syntax must be 'kif' or 'hrf', not 'lisp'",
    ),
    (gdl.read, 3, "path must be a path (text or os.PathLike), not 3"),
    (gdl.read, "\ud800", "path must be a path (text or os.PathLike), not '\\ud800'"),
    (
        gdl.render,
        "(role a)",
        "description must be rules, as gdl.parse and gdl.read give them, not '(role a)'",
    ),
    (
        lambda value: gdl.rulesets(search_path=value),
        "folder",
        "search_path must be a list of folders, not 'folder'",
    ),
    (lambda value: diff(value, "tictactoe"), 3, f"the game must be {GAME}, not 3"),
    (lambda value: diff("tictactoe", value), None, f"the game must be {GAME}, not None"),
    (
        lambda value: diff("tictactoe", "tictactoe", table=value),
        "x",
        "table must be a mapping of terms of a to terms of b, not 'x'",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", goals=value),
        "all",
        "goals must be one of auto, terminal, everywhere, not 'all'",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", seconds=value),
        "5",
        "seconds must be a number of at least 0, not '5'",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", seconds=value),
        float("nan"),
        "seconds must be a number of at least 0, not nan",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", megabytes=value),
        -1,
        "megabytes must be a number of at least 0, not -1",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", max_depth=value),
        1.5,
        "max_depth must be a whole number of at least 0, not 1.5",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", seed=value),
        None,
        "seed must be a whole number of at least 0, not None",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", proofs=value),
        3,
        "proofs must be a path (text or os.PathLike), not 3",
    ),
    (
        lambda value: diff("tictactoe", "tictactoe", on_stage=value),
        3,
        "on_stage must be a function or None, not 3",
    ),
    (verify, 3, f"the game must be {GAME}, not 3"),
    (
        lambda value: verify("tictactoe", probes=value),
        3,
        "probes must be a list of probes, not 3",
    ),
    (
        lambda value: verify("tictactoe", probes=[value]),
        "(cell 1 1 x)",
        "a probe must be a gdl.verify.properties.custom.Probe, not '(cell 1 1 x)'",
    ),
    (
        lambda value: proof_core("tictactoe", "playable", probes=value),
        ["(cell 1 1 x)"],
        "a probe must be a gdl.verify.properties.custom.Probe, not '(cell 1 1 x)'",
    ),
]

OF_A_GAME: list[tuple[Callable[[Any, Any], object], object, str]] = [
    (lambda game, v: game.role(v), ["x"], "tictactoe has no role \"['x']\"\n  expected: x or o"),
    (
        lambda game, v: game.state(v),
        3,
        "facts must be a collection of facts, as terms or KIF text, not 3",
    ),
    (lambda game, v: game.state(v), "x", "'x' is one text\n  expected: a collection of facts"),
    (lambda game, v: game.perft(v), -1, "depth must be at least 0, not -1"),
    (lambda game, v: game.perft(v), "2", "depth must be a whole number of at least 0, not '2'"),
    (lambda game, v: game.perft(v), True, "depth must be a whole number of at least 0, not True"),
    (lambda game, v: game.perft(1, on_level=v), 3, "on_level must be a function or None, not 3"),
    (
        lambda game, v: game.perft(1, state=v),
        "x",
        "'x' is no state\n  expected: a state of tictactoe",
    ),
    (
        lambda game, v: game.playouts(v),
        1.5,
        "the number of playouts must be a whole number of at least 0, not 1.5",
    ),
    (lambda game, v: game.playouts(v), -1, "the number of playouts must be at least 0, not -1"),
    (lambda game, v: game.playouts(1, seed=v), "0", "seed must be a whole number, not '0'"),
    (
        lambda game, v: game.playouts(1, threads=v),
        "all",
        "threads must be a whole number of at least 1, not 'all'",
    ),
    (lambda game, v: game.playouts(1, threads=v), 0, "threads must be at least 1, not 0"),
    (lambda game, v: game.playouts(1, max_plies=v), -1, "max_plies must be at least 0, not -1"),
    (
        lambda game, v: game.playouts(1, on_playout=v),
        print.__name__,
        "on_playout must be a function or None, not 'print'",
    ),
    (lambda game, v: game.playouts(1).wins(v), 3, "no role 3\n  expected: x or o"),
    (
        lambda game, v: game.playouts(1) + gdl.load(v, backend="reason").playouts(0),
        "pentago/strict",
        "playouts of black and white cannot be added to these\n  expected: playouts of x and o",
    ),
    (
        lambda game, v: game.initial().why(v),
        3,
        "the question must be a sentence, as text or a term, not 3",
    ),
    (
        lambda game, v: game.explain(v, "terminal"),
        None,
        "state must be a state of tictactoe, not None",
    ),
    (
        lambda game, v: game.explain(v, "terminal"),
        gdl.load("pentago/strict", backend="reason").initial(),
        "the state is of pentago/strict\n  expected: a state of tictactoe",
    ),
    (
        lambda game, v: game.initial().legal(v),
        {},
        "tictactoe has no role '{}'\n  expected: x or o",
    ),
    (lambda game, v: game.initial().goal(v), 5, "tictactoe has no role '5'\n  expected: x or o"),
    (
        lambda game, v: game.initial().notation(v),
        5,
        "int 5 is no move\n  expected: text or a term without variables",
    ),
    (
        lambda game, v: game.initial().play({"x": v}),
        5,
        "int 5 is no move\n  expected: text or a term without variables",
    ),
    (
        lambda game, v: game.initial().play(v),
        5,
        (
            "int 5 is no move\n"
            "  expected: text, a term, a move of each role by its name or in role order"
        ),
    ),
]

OF_A_BATCH: list[tuple[Callable[[Any, Any], object], object, str]] = [
    (
        lambda game, v: game.batch(v),
        "2",
        "the size of a batch must be a whole number of at least 1, not '2'",
    ),
    (lambda game, v: game.batch(v), 0, "the size of a batch must be at least 1, not 0"),
    (
        lambda game, v: game.batch(2).step(v),
        [[1]],
        (
            "move_ids has the shape (1, 1)\n"
            "  expected: (2, 2), a move of each role, or (2,), "
            "the move of the one that has a choice"
        ),
    ),
    (
        lambda game, v: game.batch(2).step(v),
        [1.5, 2],
        (
            "move_ids has the type float64\n"
            "  expected: whole numbers, each the index of a move in moves"
        ),
    ),
    (
        lambda game, v: game.batch(2).reset(v),
        [True],
        "rows has the shape (1,)\n  expected: (2,)",
    ),
    (
        lambda game, v: game.batch(2).sample(v),
        0,
        "rng must be a numpy.random.Generator, not 0",
    ),
]


@pytest.mark.parametrize(("call", "value", "said"), OF_THE_PACKAGE)
def test_doors_of_the_package(call: Callable[[Any], object], value: object, said: str) -> None:
    with pytest.raises(gdl.GdlError) as caught:
        call(value)
    assert str(caught.value) == said


@pytest.mark.parametrize("backend", BACK_ENDS)
@pytest.mark.parametrize(("call", "value", "said"), OF_A_GAME)
def test_doors_of_a_game(
    call: Callable[[Any, Any], object], value: object, said: str, backend: str
) -> None:
    with pytest.raises(gdl.GdlError) as caught:
        call(game(backend), value)
    assert str(caught.value) == said


@pytest.mark.parametrize(("call", "value", "said"), OF_A_BATCH)
def test_doors_of_a_batch(call: Callable[[Any, Any], object], value: object, said: str) -> None:
    with pytest.raises(gdl.GdlError) as caught:
        call(game("native"), value)
    assert str(caught.value) == said


def test_a_wrong_type_is_a_type_error_and_tells_its_facts() -> None:
    with pytest.raises(TypeError) as caught:
        gdl.load(3)  # type: ignore[arg-type]  # wrong on purpose
    error = caught.value
    assert isinstance(error, ArgumentTypeError)
    assert (error.name, error.value, error.expected, error.help) == ("the game", 3, GAME, None)
    with pytest.raises(ArgumentError) as wrong:
        gdl.load("tictactoe", backend="")  # type: ignore[arg-type]  # wrong on purpose
    assert not isinstance(wrong.value, TypeError)


def test_errors_survive_pickling() -> None:
    state = gdl.load("tictactoe", backend="reason").initial().play(TURN)
    calls: list[Callable[[], object]] = [
        lambda: state.play(TURN),
        lambda: gdl.load(3),  # type: ignore[arg-type]  # wrong on purpose
        lambda: gdl.load("tictactoo"),
        lambda: gdl.parse("(role"),
        lambda: state.legal("z"),
    ]
    for call in calls:
        with pytest.raises(gdl.GdlError) as caught:
            call()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value)
        assert str(again) == str(caught.value)
        assert vars(again).keys() == vars(caught.value).keys()
    assert isinstance(again, gdl.UnknownRoleError)


def test_games_are_taken_where_names_are() -> None:
    first, second = (gdl.load("tictactoe", backend="reason") for _ in range(2))
    assert gdl.diff(first, second).proved
    assert gdl.diff(first, "tictactoe").equivalent
    assert gdl.load(first) == gdl.load("tictactoe")
    assert gdl.load(first.ruleset, backend="reason") == first


@pytest.mark.parametrize("value", [[], {}, 3, None, Constant("x"), "(", "\ud800"])
def test_questions_with_in_have_an_answer(value: object) -> None:
    state = gdl.load("tictactoe", backend="reason").initial()
    assert value not in state.facts
    assert value not in state.legal("x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        ")",
        "((((",
        "\0",
        "\ufeff",
        "|",
        "(<=",
        "a" * 5000,
        "(role\ud800)",
        "; x",
        "\r\r",
        "(role x)(init)",
    ],
)
def test_check_never_raises_on_bad_text(tmp_path: Any, text: str) -> None:  # noqa: ANN401
    for suffix in ("kif", "hrf", "gdl"):
        path = tmp_path / f"bad.{suffix}"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert all(isinstance(each, gdl.Diagnostic) for each in gdl.check(path))
