"""Names of before work and warn, and the page on compatibility lists all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

import pytest

import gdl.play
from tests.shared import ROOT, public_names

ROW = re.compile(r"^\| `(\S+)` \| `(\S+)` \|$", re.MULTILINE)
IMPORT = re.compile(r"^[\s\"]*from (gdl[\w.]*) import (?:\(([^)]*)\)|([\w, ]+))", re.MULTILINE)


def going() -> dict[str, str]:
    text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    return dict(ROW.findall(text))


def value(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


@pytest.mark.parametrize(("old", "new"), going().items())
def test_a_name_of_before_says_what_it_is_called_now(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=re.escape(new)):
        assert value(old) is value(new)


def test_the_page_lists_every_name_that_is_kept() -> None:
    kept = {f"gdl.play.{old}": f"gdl.play.{new}" for old, new in gdl.play._RENAMED.items()}
    for path in (ROOT / "gdl").rglob("*.py"):
        package = ".".join(path.parent.relative_to(ROOT).parts)
        for table in re.findall(r"renamed=\{(.*?)\}", path.read_text(encoding="utf-8"), re.DOTALL):
            pairs = re.findall(r'"(\w+)": "(\w+)"', table)
            kept |= {f"{package}.{old}": f"{package}.{new}" for old, new in pairs}
    assert going() == kept


def public(module: str) -> list[str]:
    """Return the public names of a module; none where there is no such module."""
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return public_names(path) if path.is_file() else []


def taught() -> Iterator[tuple[str, str, str]]:
    """Yield where readers are told to import something of ours, from what, and its name."""
    examples = ROOT / "examples"
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for path in (*pages, *sorted(examples.rglob("*.py")), *sorted(examples.rglob("*.ipynb"))):
        text = path.read_text(encoding="utf-8").replace('\\n",', "\n")
        for module, inner, line in IMPORT.findall(text):
            for name in re.findall(r"\w+", re.sub(r" as \w+", "", inner or line)):
                yield path.relative_to(ROOT).as_posix(), module, name


@pytest.mark.later
def test_what_readers_are_told_to_import_is_public() -> None:
    found = list(taught())
    assert len(found) > 50
    private = {
        (page, f"{module}.{name}")
        for page, module, name in found
        if name not in public(module) and not public(f"{module}.{name}")
    }
    assert private == set()
