"""The auditor finds bugs that were put into games of open_spiel, and none in the games as they are.

``python -m tests.conform.test_seeded_faults`` prints the table.
"""

from __future__ import annotations

import sys
import time

import pytest

from tests.shared import GAMES, missing, needs_games

pytest.importorskip("pyspiel", reason=missing("openspiel"))

from gdl.conform import Audit, conform
from tests.conform.bugs import CASES, Case
from tests.conform.faulty import Bug, Faulty

SECONDS = 60.0
QUICK = {"the second diagonal of x"}

UNSETTLED = {"pentago", "gomoku", "hex(board_size=9)", "othello"}
"""Games that the table has and the tests leave out: matching the moves of a faulty one takes longer
than a minute on a busy machine (pentago, hex), or it was not measured to the end."""
TESTED = [case for case in CASES if case.engine not in UNSETTLED]


def find(case: Case, bug: Bug) -> Audit:
    engine = Faulty(case.engine, bug)
    return conform(case.path, engine, positions=10**9, seconds=SECONDS, allow=case.allow)


def marks(case: Case, name: str = "") -> list[pytest.MarkDecorator]:
    slow = [] if name in QUICK else [pytest.mark.slow]
    return [*slow, *([needs_games] if case.is_published else [])]


@pytest.mark.parametrize(
    ("case", "bug"),
    [
        pytest.param(case, bug, id=f"{case.engine}: {bug.name}", marks=marks(case, bug.name))
        for case in TESTED
        for bug in case.bugs
    ],
)
def test_a_bug_is_found_within_a_minute(case: Case, bug: Bug) -> None:
    audit = find(case, bug)
    assert not audit.agree
    assert audit.parting is not None
    assert audit.first_length is not None
    assert audit.parting.twin.depth <= audit.first_length


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.engine, marks=marks(case)) for case in TESTED]
)
def test_a_game_as_it_is_raises_no_alarm(case: Case) -> None:
    audit = conform(case.path, f"pyspiel:{case.engine}", positions=5_000, allow=case.allow)
    assert audit.agree, str(audit)


def main() -> None:
    """Print for each bug whether it was found, after how long, and the length of the play."""
    hits = total = 0
    for case in CASES:
        if case.is_published and not GAMES:
            continue
        for bug in case.bugs:
            begin = time.monotonic()
            audit = find(case, bug)
            seconds = time.monotonic() - begin
            total += 1
            hits += not audit.agree
            length = "" if audit.parting is None else str(audit.parting.twin.depth)
            kind = "" if audit.parting is None else audit.parting.kind
            row = (case.engine, bug.name, kind or "NOT FOUND", f"{seconds:.1f} s")
            lengths = f"{audit.first_length} to {length} moves" if length else ""
            sys.stdout.write(" | ".join((*row, f"{audit.positions}", lengths)) + "\n")
            sys.stdout.flush()
    sys.stdout.write(f"{hits} of {total} found\n")


if __name__ == "__main__":
    main()
