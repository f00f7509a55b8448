"""What tests share: the material that is not part of the project, and what the extras bring.

Published games and recorded traces lie beside the repository, or where ``GDL_SHARED`` says. Tests
that need them, or a package of an extra, are skipped and say so where these are absent.
"""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("GDL_SHARED", ROOT.parent / "shared"))
IS_RANDOM = os.environ.get("GDL_TESTS") == "random"
"""Whether hypothesis draws other examples each time (`make test-random`)."""
IS_THOROUGH = IS_RANDOM or os.environ.get("GDL_TESTS") == "thorough"
"""Whether the run is a long one (`make test-all`), which draws more examples."""
GAMES = sorted((SHARED / "games").glob("*.kif"))
"""The 366 published rule files."""

needs_games = pytest.mark.skipif(
    not GAMES, reason="the published games are not there (set GDL_SHARED)"
)


def examples(number: int) -> int:
    """Return how many examples hypothesis draws of so many that a long run takes."""
    return number if IS_THOROUGH else max(5, number // 5)


PACKAGES = {
    "adapters": ("pettingzoo", "gymnasium"),
    "browser": ("playwright",),
    "docs": ("mkdocs", "material", "mkdocstrings"),
    "fuzz": ("schemathesis",),
    "editor-test": ("pytest_lsp",),
    "jax": ("jax",),
    "learn": ("numba", "jax", "optax"),
    "lsp": ("lsprotocol", "pygls"),
    "native": ("llvmlite", "clingo", "numpy"),
    "notebook": ("anywidget", "ipykernel"),
    "notebook-test": ("anywidget", "ipykernel", "nbclient"),
    "openspiel": ("pyspiel",),
    "oracle": ("chess", "pyffish", "draughts"),
    "play": ("numba",),
    "plot": ("matplotlib",),
    "postgresql": ("psycopg",),
    "ray": ("ray",),
    "serve": ("uvicorn", "starlette"),
    "solve": ("numba", "scipy"),
    "torch": ("torch",),
    "verify": ("pysat", "scipy"),
}
"""The packages of an extra that a test may ask for, as they are imported."""


def missing(extra: str) -> str:
    """Return why a test of an extra cannot run here, empty if it can."""
    gone = [package for package in PACKAGES[extra] if find_spec(package) is None]
    if not gone:
        return ""
    return f"needs {' and '.join(gone)}: pip install 'gdl-framework[{extra}]'"


def needs(extra: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is skipped, in words, without an extra."""
    return pytest.mark.skipif(bool(missing(extra)), reason=missing(extra))


IS_WHOLE_CORPUS = os.environ.get("GDL_CORPUS") == "all"


def some(cases: Sequence[T], count: int) -> Sequence[T]:
    """Return a seeded sample of many cases; all of them with ``GDL_CORPUS=all``."""
    is_whole = IS_WHOLE_CORPUS or count >= len(cases)
    return cases if is_whole else random.Random(7).sample(cases, count)


def public_names(path: Path) -> list[str]:
    """Return the names in the ``__all__`` of a module, without running it, if it has one."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []
