"""Names of before work and warn, and the page on compatibility lists all of them."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

import gdl.play
from tests.shared import ROOT

ROW = re.compile(r"^\| `(\S+)` \| `(\S+)` \|$", re.MULTILINE)


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
