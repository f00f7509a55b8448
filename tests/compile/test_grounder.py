"""The process of the grounder never outlives whoever asked for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import closing

import pytest

from gdl.compile.grounding.grounder import GROUND_RULES, Grounder, run_grounder

ASKS = """
import subprocess
from gdl.compile.grounding.grounder import run_grounder

class Told(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        print(self.pid, flush=True)

subprocess.Popen = Told
run_grounder("PROGRAM", seconds=60, memory=1 << 30, ground_rules=1000)
"""
"""Asks for what takes hours and gives nothing; prints the process that grounds."""
PROGRAM = "d(1..9999). none(X,Y,Z) :- d(X), d(Y), d(Z), X+Y+Z=0."


def is_running(process: int) -> bool:
    """Return whether there is such a process, and not only what nobody has asked for yet."""
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return bool(found.stdout.strip()) and not found.stdout.strip().startswith("Z")


@pytest.mark.skipif(os.name == "nt" or not shutil.which("ps"), reason="needs ps")
def test_it_ends_when_who_asked_is_killed() -> None:
    asking = ASKS.replace("PROGRAM", PROGRAM)
    with subprocess.Popen(
        [sys.executable, "-c", asking], stdout=subprocess.PIPE, text=True
    ) as asks:
        assert asks.stdout is not None
        grounds = int(asks.stdout.readline())
        assert is_running(grounds)
        asks.kill()
    until = time.monotonic() + 20
    while is_running(grounds):
        assert time.monotonic() < until, "the grounder goes on for nobody"
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no process is given seconds of the processor there")
def test_it_ends_when_it_has_taken_its_seconds_of_the_processor() -> None:
    before = os.times().children_user
    output = run_grounder(
        PROGRAM, seconds=0.5, memory=1 << 30, ground_rules=1_000_000, of_processor=True
    )
    assert output.stopped == "seconds"
    assert 0.5 < os.times().children_user - before < 3


def test_it_waits_behind_a_look_and_goes_on() -> None:
    program = "{d(1..1200)}. p(X,Y) :- d(X), d(Y)."
    whole = run_grounder(program, seconds=60, memory=1 << 30, ground_rules=10_000_000)
    with closing(Grounder(program, seconds=60, memory=1 << 30)) as grounder:
        look = grounder.output(10_000)
        assert (look.text, look.stopped) == (b"", GROUND_RULES)
        assert grounder.output(10_000).stopped == GROUND_RULES
        assert grounder.output(10_000_000) == whole
    assert whole.text.count(b"\n") > 1_440_000


def test_one_that_waits_is_ended() -> None:
    with closing(Grounder(PROGRAM, seconds=60, memory=1 << 30)) as grounder:
        process = grounder._child
        assert process.poll() is None
    assert process.returncode is not None
