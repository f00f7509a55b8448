"""Where things are: a large room has a map in its first lines, and the map is complete."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gdl
from tests.shared import public_names

HOUSE = Path(gdl.__file__).parent
ROOMS = sorted(each.parent for each in HOUSE.rglob("*/__init__.py"))
LARGE = 18
"""Modules from which on a room needs a map."""
NAME = re.compile(r"(?<!`)`(\w+)`(?!`)")


MAP = "What stands where"


def first_words(room: Path) -> str:
    text = (room / "__init__.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)) or ""


def modules(room: Path) -> set[str]:
    return {each.stem for each in room.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize(
    "room",
    [each for each in ROOMS if len(modules(each)) >= LARGE or MAP in first_words(each)],
    ids=lambda room: room.relative_to(HOUSE).as_posix(),
)
def test_the_map_of_a_room_names_every_module_once(room: Path) -> None:
    _, _, plan = first_words(room).partition(MAP)
    named = NAME.findall(plan)
    assert sorted(named) == sorted(modules(room))


DEFERRED = [each for each in ROOMS if "deferred(" in (each / "__init__.py").read_text("utf-8")]


@pytest.mark.parametrize("room", DEFERRED, ids=lambda room: room.relative_to(HOUSE).as_posix())
def test_no_name_that_is_imported_when_it_is_used_is_that_of_a_module(room: Path) -> None:
    """The import puts the module into the package, in the place of the name, for everybody."""
    public = public_names(room / "__init__.py")
    assert public
    assert not modules(room) & set(public)
