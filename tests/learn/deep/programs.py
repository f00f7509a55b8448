"""Trainings of deep networks in processes of their own: JAX warns in one that forks later."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

WARNINGS = ("-W", "error")


def run(code: str, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a program with warnings as errors."""
    return subprocess.run(
        [sys.executable, *WARNINGS, "-c", HEAD + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=check,
    )


def told(code: str, *arguments: object) -> Any:  # noqa: ANN401  # of any kind
    """Return what a program printed, as JSON."""
    done = run(code, *arguments, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


HEAD = """
import json, sys
from pathlib import Path
import gdl
from gdl.learn.deep import training as deep
from gdl.learn.deep.training import DeepTraining

def load(name):
    return gdl.load(Path(name) if name.endswith(".kif") else name, backend="native")

def refusal(make):
    try:
        made = make()
    except gdl.GdlError as error:
        return str(error)
    raise SystemExit(f"not refused: {made}")
"""


def trained(name: str | Path, path: Path, games: int = 30) -> None:
    """Train a network of a game in a process of its own."""
    run(
        "DeepTraining(load(sys.argv[1]), Path(sys.argv[2])).run(games=int(sys.argv[3]))",
        name,
        path,
        games,
    )
