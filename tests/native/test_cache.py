"""What lies on disk is used when it is whole, and made anew when it is not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from gdl._cache import cache_folder, cached, digest
from gdl.circuit.game import GameCircuit
from gdl.native.game import NativeGame
from tests.native.circuits import tictactoe


def forbidden() -> GameCircuit:
    raise AssertionError("the circuit was wanted")


def counting() -> tuple[Callable[[], str], list[int]]:
    made: list[int] = []

    def make() -> str:
        made.append(1)
        return "content"

    return make, made


def test_a_game_is_compiled_once(tmp_path: Path) -> None:
    first = NativeGame("ttt", tictactoe, folder=tmp_path)
    counts = first.playouts(1000)
    assert first.machine.legal(first.machine.initial(), first.machine.roles[0])
    second = NativeGame("ttt", forbidden, folder=tmp_path)
    assert second.playouts(1000) == counts
    assert second.machine.initial() == first.machine.initial()


def test_other_rules_or_widths_do_not_share(tmp_path: Path) -> None:
    NativeGame("ttt", tictactoe, folder=tmp_path).playouts(10)
    with pytest.raises(AssertionError):
        NativeGame("other", forbidden, folder=tmp_path).playouts(10)
    narrow = NativeGame("ttt", forbidden, folder=tmp_path, width=64)
    assert narrow.playouts(10) == NativeGame("ttt", forbidden, folder=tmp_path).playouts(10)


@pytest.mark.parametrize(
    "spoil", [lambda b: b[:-1], lambda b: b[:50], lambda _: b"", lambda b: b[:-9] + b"x" + b[-8:]]
)
def test_a_spoilt_file_is_made_anew(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    make, made = counting()
    assert cached("name", str, make, folder=tmp_path) == "content"
    path = tmp_path / "name"
    path.write_bytes(spoil(path.read_bytes()))
    assert cached("name", str, make, folder=tmp_path) == "content"
    assert len(made) == 2
    assert cached("name", str, make, folder=tmp_path) == "content"
    assert len(made) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["name"]


def test_content_of_another_kind_is_made_anew(tmp_path: Path) -> None:
    assert cached("name", str, lambda: "text", folder=tmp_path) == "text"
    assert cached("name", int, lambda: 1, folder=tmp_path) == 1


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert cached("name", str, lambda: "text", folder=blocked) == "text"


def test_many_writers_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    content = "x" * 1_000_000
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda _: cached("n", str, lambda: content, folder=tmp_path), range(32))
        )
    assert set(found) == {content}
    assert cached("n", str, lambda: "other", folder=tmp_path) == content


def test_digests_keep_the_borders_of_parts() -> None:
    assert digest(["ab", "c"]) != digest(["a", "bc"])
    assert digest(["a"]) == digest([b"a"])


def test_the_folder_can_be_named_or_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDL_CACHE", "/some/where")
    assert cache_folder() == Path("/some/where")
    monkeypatch.setenv("GDL_CACHE", "")
    assert cache_folder() is None
    monkeypatch.delenv("GDL_CACHE")
    found = cache_folder()
    assert found is not None
    assert found.name == "gdl-framework"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
@pytest.mark.parametrize("home", ["/home/somebody", "/", "relative", None])
@pytest.mark.parametrize("named", [None, "", "/somewhere", "relative"])
def test_the_folder_is_where_platformdirs_says(
    monkeypatch: pytest.MonkeyPatch, home: str | None, named: str | None
) -> None:
    monkeypatch.delenv("GDL_CACHE", raising=False)
    for variable, value in (("HOME", home), ("XDG_CACHE_HOME", named)):
        if value is None:
            monkeypatch.delenv(variable, raising=False)
        else:
            monkeypatch.setenv(variable, value)
    assert cache_folder() == user_cache_path("gdl-framework", appauthor=False)


def test_a_warm_game_needs_neither_parser_nor_grounder(tmp_path: Path) -> None:
    NativeGame("ttt", tictactoe, folder=tmp_path).playouts(10)
    program = (
        "import sys\nfrom pathlib import Path\nfrom gdl.native.game import NativeGame\n"
        f"NativeGame('ttt', None, folder=Path({str(tmp_path)!r})).playouts(10)\n"
        "print([name for name in ('lark', 'clingo') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
