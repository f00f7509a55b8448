"""Trainings of deep networks in processes of their own: JAX warns in one that forks later."""

from __future__ import annotations

import json
import subprocess
import sys
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

DICE = """
(role x) (role random) (place 0) (place 1) (place 2) (place 3)
(place 4) (<= (base (at ?n)) (place ?n)) (base (turn x)) (base (turn random)) (base safe)
(init (at 0)) (init (turn random)) (more 0 1) (more 1 2) (more 2 3) (more 3 4)
(input x stop) (input x go) (input x wait) (input random fall) (input random rise)
(input random hold) (input random wait)
(<= (legal x stop) (true (turn x))) (<= (legal x go) (true (turn x)))
(<= (legal x wait) (true (turn random)))
(<= (legal random fall) (true (turn random))) (<= (legal random rise) (true (turn random)))
(<= (legal random hold) (true (turn random))) (<= (legal random wait) (true (turn x)))
(<= (next (turn x)) (true (turn random))) (<= (next (turn random)) (true (turn x)))
(<= (next safe) (does x stop)) (<= (next safe) (true safe))
(<= (next (at 0)) (does random fall))
(<= (next (at ?m)) (does random rise) (true (at ?n)) (more ?n ?m))
(<= (next (at 4)) (does random rise) (true (at 4)))
(<= (next (at ?n)) (true (at ?n)) (not (does random rise)) (not (does random fall)))
(<= terminal (true safe)) (<= (goal x 0) (true (at 0))) (<= (goal x 25) (true (at 1)))
(<= (goal x 50) (true (at 2))) (<= (goal x 75) (true (at 3))) (<= (goal x 100) (true (at 4)))
(goal random 0)
"""
"""A role that rises and falls by chance, and stops when it likes."""
