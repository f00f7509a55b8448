"""The auditor finds bugs that were put into games of open_spiel, and none in the games as they are.

``python -m tests.conform.test_seeded_faults`` prints the table: engine, bug, kind of what differs,
seconds by the clock and of the processor, positions, moves of the play before and after.
"""

from __future__ import annotations

import sys
import time

import pytest

from tests.shared import GAMES, IS_WHOLE_CORPUS, missing, needs_games

pytest.importorskip("pyspiel", reason=missing("openspiel"))

from gdl.conform import Audit, conform
from gdl.conform.conventions import PASS_LEFT_OUT
from tests.conform.bugs import CASES, Case
from tests.conform.faulty import Bug, Faulty
from tests.conform.rare_bugs import CHESS, RARE

SECONDS = 60.0
QUICK = {"the second diagonal of x"}
LONG = {"pentago", "gomoku", "hex(board_size=9)", "othello"}
"""Games whose bugs take some ten seconds each: tested when all is asked; the table has them."""
RARE_TESTED = {"clobber", "kuhn_poker", "phantom_ttt(obstype=reveal-numturns)"}
TESTED = [
    case
    for case in (*CASES, *RARE)
    if IS_WHOLE_CORPUS or case.engine in RARE_TESTED or (case in CASES and case.engine not in LONG)
]


def find(case: Case, bug: Bug, seconds: float = SECONDS) -> tuple[Audit, bool]:
    """Return what the auditor says, and whether it names a position where the engine is wrong.

    Where it names one where the engine is as it was, which is a bug that open_spiel itself has,
    the search is made once more and goes on behind that.
    """
    engine = Faulty(case.engine, bug)
    for differences in (1, 2):
        audit = conform(
            case.path,
            engine,
            positions=10**9,
            seconds=seconds,
            allow=case.allow,
            differences=differences,
        )
        met = [each.parting for each in audit.differences if each.parting is not None]
        if not met or any(engine.is_wrong(parting.twin.theirs) for parting in met):
            return audit, bool(met)
    return audit, False


def marks(case: Case, name: str = "") -> list[pytest.MarkDecorator]:
    slow = [] if name in QUICK else [pytest.mark.slow]
    return [*slow, *([needs_games] if case.is_published else [])]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "bug"),
    [
        pytest.param(case, bug, id=f"{case.engine}: {bug.name}", marks=marks(case, bug.name))
        for case in TESTED
        for bug in case.bugs
    ],
)
def test_a_bug_is_found_within_a_minute(case: Case, bug: Bug) -> None:
    audit, is_the_bug = find(case, bug)
    assert is_the_bug, str(audit)
    for each in audit.differences:
        assert each.parting is not None
        assert each.first_length is not None
        assert each.parting.twin.depth <= each.first_length


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.engine, marks=marks(case)) for case in TESTED]
)
def test_a_game_as_it_is_raises_no_alarm(case: Case) -> None:
    audit = conform(case.path, f"pyspiel:{case.engine}", positions=5_000, allow=case.allow)
    assert audit.agree, str(audit)


@pytest.mark.slow
def test_last_moves_that_an_engine_plays_by_itself_are_a_convention() -> None:
    game, engine = "goofspiel?cards=4", "pyspiel:goofspiel(num_cards=4)"
    found = conform(game, engine, positions=500)
    assert found.parting is not None
    assert (found.parting.kind, found.parting.theirs) == ("terminal", "True")
    found = conform(game, engine, positions=2_000, allow=[PASS_LEFT_OUT])
    assert found.agree, str(found)
    assert found.conventions == (PASS_LEFT_OUT,)


def main() -> None:
    """Print for each bug whether it was found, after how long, and the length of the play.

    Found is what ends in a position where the engine is wrong. A busy machine may be given more
    seconds by the clock, as the first argument; what took more than a minute of the processor
    counts as not found all the same. Names of engines may follow.
    """
    seconds = float(sys.argv[1]) if sys.argv[1:] else SECONDS
    cases = [case for case in (*CASES, *RARE, CHESS) if GAMES or not case.is_published]
    asked = [
        (case, bug)
        for case in cases
        if not sys.argv[2:] or any(name in case.engine for name in sys.argv[2:])
        for bug in case.bugs
    ]
    hits = 0
    for case, bug in asked:
        begin, used = time.monotonic(), time.process_time()
        audit, is_the_bug = find(case, bug, seconds)
        clock, used = time.monotonic() - begin, time.process_time() - used
        is_found = is_the_bug and used <= SECONDS
        hits += is_found
        last = audit.differences[-1] if audit.differences else audit
        length = "" if last.play is None else f"{last.first_length} to {len(last.play)} moves"
        kind = last.parting.kind if is_found and last.parting is not None else "NOT FOUND"
        row = (case.engine, bug.name, kind, f"{clock:.1f} s", f"{used:.1f} s")
        sys.stdout.write(" | ".join((*row, f"{audit.positions}", length)) + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{hits} of {len(asked)} found\n")


if __name__ == "__main__":
    main()
