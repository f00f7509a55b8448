"""What was compiled by other code is never run: one name covers every file that makes code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gdl
from gdl._code_key import ABOVE, key_of

PACKAGE = Path(gdl.__file__).parent
ROOT = PACKAGE.parent
NEVER = 1 << 62
"""A start so late that no file has changed since."""
SCALAR = """
import gdl
game = gdl.load("tictactoe", backend="native")
game.back_end.native.scalar()
print(__import__("gdl._code_key")._code_key.code_key())
"""


def key(package: Path, folder: Path | None = None) -> str:
    return key_of(package, folder, started=NEVER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__", *(ABOVE - {"view"}))
    return Path(shutil.copytree(PACKAGE, tmp_path / "copy" / "gdl", ignore=ignored))


def some_files() -> list[str]:
    """One file of each kind in each room that counts."""
    found: dict[tuple[str, str], str] = {}
    for path in filter(Path.is_file, sorted(PACKAGE.rglob("*.*"))):
        inside = path.relative_to(PACKAGE)
        room = inside.parts[0] if len(inside.parts) > 1 else ""
        if path.stat().st_size and "__pycache__" not in inside.parts and room not in ABOVE:
            found.setdefault((room, path.suffix), inside.as_posix())
    return [path for path in found.values() if not path.startswith("_")]


def test_a_file_of_each_kind_and_room_is_tried() -> None:
    kinds = {Path(path).suffix for path in some_files()}
    assert {".py", ".ll", ".lark"} <= kinds


@pytest.mark.later
@pytest.mark.sample(6)
@pytest.mark.parametrize("name", some_files())
def test_any_file_that_makes_code_changes_the_key(copy: Path, tmp_path: Path, name: str) -> None:
    folder, path = tmp_path / "cache", copy / name
    before = key(copy, folder)
    about = path.stat()
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))  # of the same size
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))  # and seemingly as old
    assert key(copy, folder) != before
    path.write_bytes(content)
    assert key(copy, folder) == before, "the same code has the same name again"


def test_a_file_more_or_elsewhere_changes_the_key(copy: Path) -> None:
    names = [key(copy)]
    (copy / "native" / "more.ll").write_text("")
    names.append(key(copy))
    (copy / "native" / "more.ll").rename(copy / "compile" / "more.ll")
    names.append(key(copy))
    assert len(set(names)) == 3


def test_files_touched_or_installed_again_keep_the_key(copy: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    before = key(copy, folder)
    for path in copy.rglob("*.ll"):
        os.utime(path, ns=(1, 1))
    assert key(copy, folder) == before
    again = Path(shutil.copytree(copy, tmp_path / "again" / "gdl"))
    assert key(again, folder) == before
    assert len(list(folder.glob("*.code"))) == 3, "the files were read three times, not more"
    assert key(again, folder) == before
    assert len(list(folder.glob("*.code"))) == 3


def test_compiled_modules_and_rooms_above_do_not_count(copy: Path) -> None:
    before = key(copy)
    for name in ("native/__pycache__/x.pyc", "play/tree.py", "web/page.html"):
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text("x")
    assert key(copy) == before


def test_code_that_changed_while_it_ran_shares_no_name(copy: Path, tmp_path: Path) -> None:
    names = {key_of(copy, tmp_path / "cache", started=0) for _ in range(2)}
    assert len(names) == 2
    assert not (tmp_path / "cache").exists()


def test_a_package_that_cannot_be_read_shares_no_name(tmp_path: Path) -> None:
    assert key(tmp_path / "nowhere") != key(tmp_path / "nowhere")


def test_only_rooms_above_the_back_ends_are_left_out() -> None:
    """What may not be imported where code is made cannot decide what it looks like."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(each["layers"] for each in contracts["contracts"] if each["type"] == "layers")
    names = [
        {part.strip("() ").removeprefix("gdl.") for part in row.replace(":", "|").split("|")}
        for row in layers
    ]
    below = next(i for i, row in enumerate(names) if "backend" in row)
    assert not ABOVE & set.union(*names[below:])
    assert all((PACKAGE / room).is_dir() <= (room in set.union(*names[:below])) for room in ABOVE)


@pytest.mark.slow
def test_tables_never_run_on_the_code_of_another_template(copy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    def run() -> tuple[str, set[str]]:
        environment = {**os.environ, "GDL_CACHE": str(cache), "PYTHONPATH": str(copy.parent)}
        done = subprocess.run(
            [sys.executable, "-c", SCALAR],
            cwd=copy.parent,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout, {path.name for path in cache.glob("*.scalar")}

    shutil.copytree(ROOT / "rulesets" / "tictactoe", copy.parent / "rulesets" / "tictactoe")
    said, made = run()
    with (copy / "native" / "scalar" / "events.ll").open("a") as file:
        file.write("; one more line\n")
    said_after, made_after = run()
    assert said_after != said
    assert len(made_after) == len(made) + 1 == 2
