"""What the documentation shows runs, and says what it says."""

from __future__ import annotations

import doctest
import re
from importlib import import_module

import pytest

from tests.shared import missing

pytest.importorskip("pettingzoo", reason=missing("adapters"))
pytest.importorskip("pyspiel", reason=missing("openspiel"))

from tests.shared import ROOT

PAGE = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_of_the_page_runs(block: str) -> None:
    names: dict[str, object] = {}
    exec(block, names)
    if "image" in names:
        assert getattr(names["image"], "ndim", 0) == 3


def test_the_page_has_a_block_for_each_doorway() -> None:
    for door in ("pettingzoo", "gymnasium", "openspiel", "vector"):
        assert any(f"from gdl.adapters import {door}\n" in block for block in BLOCKS)


@pytest.mark.parametrize("door", ["pettingzoo", "gymnasium", "openspiel", "vector"])
def test_the_example_of_a_docstring_runs(door: str) -> None:
    found = doctest.testmod(import_module(f"gdl.adapters.{door}"))
    assert found.attempted
    assert not found.failed
