"""Search for a plan of one file, and say when the phases of its moves are begun.

    python -m tests.play.planning FILE

A process to be interrupted or killed by a test: it makes what a phase needs again and again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress

from gdl import load
from gdl.play.puzzles import plan
from gdl.play.puzzles.subgroups import Phases


def build_for_ever(phases: Phases) -> Iterator[None]:
    """Make the patterns of all phases, and begin again."""
    sys.stdout.write("phases\n")
    sys.stdout.flush()
    while True:
        for phase in phases._phases:
            yield from phase.build()


if __name__ == "__main__":
    Phases.build = build_for_ever  # type: ignore[method-assign,assignment]
    with suppress(KeyboardInterrupt):
        plan(load(sys.argv[1]).initial())
