"""Object code runs the same whether LLVM loads it or we do, and what is odd is left to LLVM."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdl.native.code import llvm as engine
from gdl.native.code.elf_loader import Image, UnsupportedImageError
from gdl.native.lanes.playouts import Lanes, compile_lanes
from gdl.native.scalar.game import scalar_code
from tests.native.circuits import tictactoe

ROOT = Path(__file__).resolve().parents[2]
IS_OURS = sys.platform.startswith("linux") and os.uname().machine == "x86_64"
ours = pytest.mark.skipif(not IS_OURS, reason="code is loaded by LLVM on this system")
FINDING = """
import sys
drawing = {"presentation", "notation", "manifest_picture"}
left_out = {"numpy", "llvmlite", "clingo", "lark", *(f"gdl.ruleset.{each}" for each in drawing)}
making = ("gdl.compile", "gdl.language.syntax", "gdl.native.code.schedule")
making += ("gdl.view", "gdl.boards")
print(sorted(name for name in sys.modules if name in left_out or name.startswith(making)))
"""
MOVES = """
import gdl
game = gdl.load("tictactoe", backend="native")
assert len(game.initial().legal("x")) == 9
assert game.playouts(100).n == 100
"""
PLAYOUTS = """
import gdl
assert gdl.load("connectfour?columns=4&rows=4").playouts(100).n == 100
"""
"""Of a game with parameters and with facts that are made of them."""


def refuse(_code: bytes) -> Image:
    raise UnsupportedImageError("for a test")


def test_llvm_loads_what_we_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    code = compile_lanes(tictactoe())
    found = Lanes(code).playouts(20_000, seed=3)
    monkeypatch.setattr(engine, "Image", refuse)
    assert Lanes(code).playouts(20_000, seed=3) == found


@ours
def test_our_code_is_loaded_by_us() -> None:
    assert Image(compile_lanes(tictactoe()).code).address("run") > 0
    assert Image(scalar_code()).address("rollouts") > 0


@ours
@pytest.mark.parametrize("code", [b"", b"\x7fELF", bytes(200), b"MZ" * 100])
def test_what_is_no_object_code_is_refused(code: bytes) -> None:
    with pytest.raises(UnsupportedImageError):
        Image(code)


@ours
def test_code_that_needs_a_name_from_elsewhere_is_refused() -> None:
    text = (
        "declare i64 @nowhere()\ndefine i64 @f() {\n  %x = call i64 @nowhere()\n  ret i64 %x\n}\n"
    )
    with pytest.raises(UnsupportedImageError, match=r"^a name that is not known$"):
        Image(engine.assemble(text))


@ours
def test_code_with_data_to_write_is_refused() -> None:
    text = "@n = global i64 7\ndefine i64 @f() {\n  %x = load i64, ptr @n\n  ret i64 %x\n}\n"
    with pytest.raises(UnsupportedImageError, match=r"^writable data$"):
        Image(engine.assemble(text))


@ours
def test_memory_that_cannot_be_made_executable_is_left_to_llvm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mmap, "PROT_EXEC", 1 << 30)
    with pytest.raises(UnsupportedImageError, match=r"^memory cannot be made executable"):
        Image(scalar_code())


@pytest.mark.later
@ours
@pytest.mark.parametrize("program", [MOVES, PLAYOUTS])
def test_a_game_on_disk_runs_without_what_makes_and_draws_games(
    program: str, tmp_path: Path
) -> None:
    for expected in (None, "[]\n"):
        done = subprocess.run(
            [sys.executable, "-c", program + FINDING],
            env={**os.environ, "GDL_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert expected is None or done.stdout == expected
