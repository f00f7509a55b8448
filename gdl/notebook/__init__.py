"""What notebooks have beyond values that show themselves: `cells` (``%%gdl``), `board`, `bar`.

`Board` is a board on which moves are clicked, and needs the extra ``notebook``; `progress` is a
bar for what takes long; `load_ipython_extension` is what ``%load_ext gdl`` asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.notebook.bar import progress
    from gdl.notebook.board import Board
    from gdl.notebook.cells import load_ipython_extension

__all__ = ["Board", "load_ipython_extension", "progress"]

__getattr__, __dir__ = deferred(
    __name__,
    {
        "gdl.notebook.board": ("Board",),
        "gdl.notebook.cells": ("load_ipython_extension",),
        "gdl.notebook.bar": ("progress",),
    },
)
