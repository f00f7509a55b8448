"""Running the tests of a file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from gdl.language.diagnostics import Diagnostic, GdlError, LimitError, Severity
from gdl.testing.games import Games
from gdl.testing.outcome import Outcome
from gdl.testing.positions import check_position
from gdl.testing.suite import Case, Position, Proofs, Suite


def run_suite(
    suite: Suite,
    games: Games | None = None,
    *,
    wanted: Callable[[Case], bool] = lambda _: True,
) -> Iterator[Outcome]:
    """Yield how each test goes, as soon as it is known.

    Args:
        suite: The tests.
        games: Keeps games, and which of their rules fired; by default new ones.
        wanted: Which cases are run.
    """
    games = games or Games()
    for case in suite.cases:
        if wanted(case):
            yield run_case(case, games)


def run_case(case: Case, games: Games) -> Outcome:
    """Return how a test goes; what stops it is a problem like any other."""
    if case.skip:
        return Outcome(case)
    begin = time.perf_counter()
    try:
        problems = _problems(case, games)
    except GdlError as error:
        problems = [_stopped(case, error)]
    return Outcome(case, tuple(problems), time.perf_counter() - begin)


def _problems(case: Case, games: Games) -> list[Diagnostic]:
    game = games.game(case.game, case.folder)
    if isinstance(case.body, Position):
        return check_position(case, game, games)
    from gdl.testing.proofs import check_comparison, check_proofs  # needs an extra

    if isinstance(case.body, Proofs):
        return check_proofs(case, game)
    return check_comparison(case, game, games)


def _stopped(case: Case, error: GdlError) -> Diagnostic:
    """Return an error that a test came to: the game cannot be loaded, a limit is reached."""
    slug = "limit" if isinstance(error, LimitError) else "bad-test"
    if error.diagnostics and not error.message:
        return error.diagnostics[0]
    place = case.place("game") if "game" in case.table.values else case.place()
    return Diagnostic(slug, Severity.ERROR, error.headline, place, error.expected, error.help)
