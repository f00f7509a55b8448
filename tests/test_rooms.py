"""Where things are: a large room has a map in its first lines, and the map is complete."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gdl

ROOMS = sorted(each.parent for each in Path(gdl.__file__).parent.glob("*/__init__.py"))
LARGE = 18
"""Modules from which on a room needs a map."""
NAME = re.compile(r"(?<!`)`(\w+)`(?!`)")


def modules(room: Path) -> set[str]:
    return {each.stem for each in room.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize(
    "room", [each for each in ROOMS if len(modules(each)) >= LARGE], ids=lambda room: room.name
)
def test_the_map_of_a_large_room_names_every_module_once(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    assert said is not None
    _, _, plan = said.partition("What stands where")
    named = NAME.findall(plan)
    assert sorted(named) == sorted(modules(room))
