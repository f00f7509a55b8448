"""Each room's own page names every module of the room: the map in its ``__init__`` is whole."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.shared import ROOT

ROOMS = sorted(path.parent for path in (ROOT / "gdl").rglob("__init__.py"))[1:]
FEW = 4
"""Rooms of so few modules need no map: their names are it."""


def modules(room: Path) -> set[str]:
    files = {path.stem for path in room.glob("*.py")} - {"__init__", "__main__"}
    return files | {path.parent.name for path in room.glob("*/__init__.py")}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_the_map_of_a_room_names_all_its_modules(room: Path) -> None:
    page = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = set(re.findall(r"\w+", page))
    missing = {module for module in modules(room) if module not in named}
    assert len(modules(room)) <= FEW or not missing
