"""Every problem of a manifest is found at once, shown at its place, with a way to mend it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.language.syntax import Constant
from gdl.language.template import read_template
from gdl.ruleset import ManifestError, Ruleset, read_manifest

BAD = Path(__file__).parent / "bad_manifests"
NAMES = sorted(path.stem for path in BAD.glob("*.toml"))
GOOD = """[[ruleset]]
id = "mill"
title = "Mill"
version = "1"
source = "ours"
rules = ["board.kif"]
"""


def test_every_bad_manifest_has_its_text_and_every_text_its_manifest() -> None:
    assert sorted(path.stem for path in BAD.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_bad_manifest(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    with pytest.raises(ManifestError) as caught:
        read_manifest(Path(f"{name}.toml"))
    assert f"{caught.value}\n" == Path(f"{name}.txt").read_text("utf-8")


def test_a_manifest_with_only_what_is_needed_is_good(tmp_path: Path) -> None:
    (tmp_path / "board.kif").write_text("(role black)")
    (tmp_path / "manifest.toml").write_text(GOOD)
    (ruleset,) = read_manifest(tmp_path / "manifest.toml")
    assert (ruleset.id, ruleset.game_id, ruleset.ruleset_version) == ("mill", "mill", "1")
    assert (ruleset.players, ruleset.picture, ruleset.notation.forms) == ((), None, ())


def test_nesting_that_would_exhaust_the_stack_is_a_manifest_error(tmp_path: Path) -> None:
    deep = 100_000
    (tmp_path / "manifest.toml").write_text(f"ruleset = {'[' * deep}{']' * deep}")
    with pytest.raises(ManifestError, match="toml-syntax"):
        read_manifest(tmp_path / "manifest.toml")


fragments = st.sampled_from([*GOOD.splitlines(keepends=True), "[", "]]", '"', "= 3\n", "{", "\n"])
toml_values = st.recursive(
    st.integers(0, 20) | st.booleans() | st.sampled_from(["a", "1..3", "?x", "(", "(cell ?x)", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["form", "field", "move", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def _toml(value: object) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f'"{key}" = {_toml(each)}' for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case _:
            return str(value)


@settings(deadline=None)
@given(st.lists(fragments, max_size=12).map("".join))
def test_torn_manifests_give_rulesets_or_a_manifest_error(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    _read(tmp_path_factory, text)


@settings(deadline=None)
@given(
    st.sampled_from(["players", "notation", "picture"]),
    st.sampled_from(
        [
            "",
            "columns",
            "rows",
            "cell",
            "form",
            "field",
            "example",
            "mark",
            "empty",
            "kind",
            "map",
            "lines",
            "point",
            "spots",
            "board",
        ]
    ),
    toml_values,
)
def test_odd_values_give_rulesets_or_a_manifest_error(
    tmp_path_factory: pytest.TempPathFactory, section: str, key: str, value: object
) -> None:
    where = f"[{section}.odd]\n{key} = " if key else f"{section} = "
    _read(tmp_path_factory, f'{GOOD}{section} = "odd"\n{where}{_toml(value)}\n')


board_values = st.fixed_dictionaries(
    {"kind": st.sampled_from(["grid", "hexagons", "points"])},
    optional={
        "columns": st.sampled_from(["a..c", "1..2", ["x", "y y"]]),
        "rows": st.sampled_from(["1..3", "2..1", {"p": "P"}]),
        "outline": st.sampled_from(["triangle", "hexagon", "square"]),
        "slant": st.sampled_from(["left", "zigzag"]),
        "ground": st.sampled_from(["links", "lines", "x"]),
        "map": st.lists(st.sampled_from(["x.x", "", "xxxx"]), max_size=3),
        "lines": st.lists(st.lists(st.sampled_from(["a 1", "b 2", "p"]), max_size=3), max_size=2),
        "point": st.dictionaries(
            st.sampled_from(["p", "q", "a 1"]), st.lists(st.integers(-1, 3), max_size=3)
        ),
        "spots": st.lists(
            st.fixed_dictionaries(
                {"names": st.sampled_from(["1..3", ["p"]]), "at": st.just([0, 4])},
                optional={
                    "form": st.sampled_from(["pit", "hand", "ship"]),
                    "step": st.just([0, 0]),
                    "size": st.sampled_from([[1, 2], [0, 0], [-1, 3]]),
                    "labels": st.sampled_from(["left", "below", "on"]),
                },
            ),
            max_size=2,
        ),
        "cell": st.lists(
            st.fixed_dictionaries(
                {"fact": st.sampled_from(["(cell ?column ?row ?mark)", "(at ?point ?mark)", "t"])},
                optional={
                    "at": st.sampled_from(
                        ["?column ?row right", "?column ?row top-left down", "p", "a 1", "? ?", "*"]
                    ),
                    "turn": st.sampled_from([{"n": 0}, {"n": -1}, 3]),
                },
            ),
            max_size=3,
        ),
        "move": st.lists(
            st.fixed_dictionaries(
                {"move": st.sampled_from(["(go ?column)", "(go ?point ?to)", "(turn ?block)"])},
                optional={"at": st.sampled_from(["?point", ["?point", "?to"], ["* 1"], [], [3]])},
            ),
            max_size=2,
        ),
    },
)


@settings(deadline=None)
@given(board_values)
def test_odd_boards_are_drawn_or_give_a_manifest_error(
    tmp_path_factory: pytest.TempPathFactory, board: dict[str, object]
) -> None:
    text = f'{GOOD}picture = "odd"\n[picture]\nodd = {_toml(board)}\n'
    ruleset = _read(tmp_path_factory, text)
    if ruleset is not None:
        facts = [Constant("t"), read_template("(cell a 1 x)"), read_template("(at p x)")]
        assert ruleset.draw(facts)
        assert "</svg>" in (ruleset.draw_svg(facts) or "")


def _read(tmp_path_factory: pytest.TempPathFactory, text: str) -> Ruleset | None:
    folder = tmp_path_factory.getbasetemp() / "odd"
    folder.mkdir(exist_ok=True)
    (folder / "board.kif").write_text("(role black)")
    (folder / "manifest.toml").write_text(text)
    try:
        (ruleset, *_) = read_manifest(folder / "manifest.toml")
        assert ruleset.presentation is not None
    except ManifestError as error:
        assert "manifest.toml:" in str(error)  # noqa: PT017  # a result is as good as an error
        return None
    return ruleset
