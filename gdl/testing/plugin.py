"""Tests of games for pytest: it collects ``*.test.toml`` files, each test an item.

Nothing else of this package is loaded until there is such a file: who has none waits for nothing.

Source: the hooks are those of pytest 8, "Working with non-python tests".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gdl.language.diagnostics import Diagnostic
    from gdl.testing.games import Games
    from gdl.testing.suite import Case

SUFFIX = ".test.toml"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take files of tests of games."""
    if not file_path.name.endswith(SUFFIX):
        return None
    file: GameTestFile = GameTestFile.from_parent(parent, path=file_path)
    return file


class GameTestFile(pytest.File):
    """A file of tests of games."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield its tests."""
        from gdl.language.diagnostics import GdlError
        from gdl.testing.games import Games
        from gdl.testing.suite import read_suite

        try:
            suite = read_suite(self.path)
        except GdlError as error:
            raise self.CollectError(str(error)) from None
        games = Games(counts=False)
        for case in suite.cases:
            yield GameTest.from_parent(self, name=case.name, case=case, games=games)


class GameTestError(AssertionError):
    """A test of a game that fails."""

    def __init__(self, problems: tuple[Diagnostic, ...]) -> None:
        """Keep what is not as it must be."""
        super().__init__("\n".join(map(str, problems)))


class GameTest(pytest.Item):
    """A test of a game."""

    def __init__(self, *, case: Case, games: Games, **settings: Any) -> None:  # noqa: ANN401  # of pytest
        """Keep the test, and the games of its file."""
        super().__init__(**settings)
        self.case, self.games = case, games
        self.funcargs: dict[str, Any] = {}  # none; but plugins ask every item, as pytest-lsp does

    def runtest(self) -> None:
        """Run it."""
        from gdl.testing.run import run_case

        if self.case.skip:
            pytest.skip(self.case.skip)
        outcome = run_case(self.case, self.games)
        if outcome.problems:
            raise GameTestError(outcome.problems)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401  # of pytest
        """Return what is wrong, without the lines of Python in between."""
        if isinstance(excinfo.value, GameTestError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where it stands."""
        return self.path, self.case.place().line - 1, self.name
