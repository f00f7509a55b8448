"""The games that tests name.

In: a name as a file of tests has it, and the folder of the file. Out: the game, run by the rules as
written; the same in machine code, where much is to be counted; and of a file what is wrong with it.
"""

from __future__ import annotations

from pathlib import Path

from gdl.game import Game, load
from gdl.language.diagnostics import Diagnostic, GdlError, Severity, sort_diagnostics
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import Span
from gdl.ruleset import Ruleset, find
from gdl.ruleset.search import RULE_SUFFIXES
from gdl.testing.firing import Firing
from gdl.testing.suite import Case, Comparison, SuiteError, read_suite

FILES = (*RULE_SUFFIXES, ".toml")


def find_beside(name: str, folder: Path, limits: Limits = DEFAULT_LIMITS) -> Ruleset:
    """Return a ruleset: files and ids of a manifest beside a file of tests come first.

    Raises:
        UnknownRulesetError: There is none of that name; names the nearest.
    """
    path = name.partition("?")[0].partition("#")[0]
    if path.lower().endswith(FILES) and (folder / path).is_file():
        name = str(folder / name)
    return find(name, search_path=[folder], limits=limits)


def check_suite(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> list[Diagnostic]:
    """Return what is wrong with a file of tests: its form, and games that are not there.

    No game is loaded, and no test is run.

    Raises:
        FileError: It cannot be read.
    """
    try:
        suite = read_suite(path)
    except SuiteError as error:
        if not error.diagnostics:
            raise
        return list(error.diagnostics)
    problems: dict[str, Diagnostic] = {}
    for case in suite.cases:
        others = [case.body.other] if isinstance(case.body, Comparison) else []
        for name in (case.game, *others):
            if name in problems:
                continue
            try:
                find_beside(name, case.folder, limits)
            except GdlError as error:
                place = _named(case, name)
                problems[name] = Diagnostic(
                    "no-such-game", Severity.ERROR, error.message, place, error.expected, error.help
                )
    return sort_diagnostics(problems.values())


def _named(case: Case, name: str) -> Span:
    """Return where a file of tests names a game: in the table of the test, or at its head."""
    file, keys = case.table.file, ("game", "games", "with")
    for path in [(*case.table.path, key) for key in keys] + [(key,) for key in keys]:
        span = file.value_place(path, name) if path in file.places else None
        if span is not None and span.text == name:
            return span
    return case.place()


class Games:
    """Games that were loaded, and which of their rules fired in tests.

    Attributes:
        firing: For each ruleset by id which rules fired; empty where nobody counts.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, counts: bool = True) -> None:
        """Load nothing yet; ``counts`` says whether the rules that fire are counted."""
        self._limits, self._counts = limits, counts
        self._loaded: dict[tuple[str, Path], Game] = {}
        self._fast: dict[str, Game] = {}
        self.firing: dict[str, Firing] = {}

    def ruleset(self, name: str, folder: Path) -> Ruleset:
        """Return what a name in a file of that folder means."""
        return self.game(name, folder).ruleset

    def game(self, name: str, folder: Path) -> Game:
        """Return the game, run by the rules as written.

        Raises:
            GdlError: It cannot be loaded.
        """
        key = name, folder
        if key not in self._loaded:
            ruleset = find_beside(name, folder, self._limits)
            self._loaded[key] = load(ruleset, backend="reason", limits=self._limits)
        return self._loaded[key]

    def fast(self, game: Game) -> Game:
        """Return the same game in machine code, where that can be had."""
        if game.id not in self._fast:
            self._fast[game.id] = load(game.ruleset, limits=self._limits)
        return self._fast[game.id]

    def fired(self, game: Game) -> Firing | None:
        """Return who counts the rules of a game that fire; None where nobody does."""
        if not self._counts:
            return None
        if game.id not in self.firing:
            self.firing[game.id] = Firing(game)
        return self.firing[game.id]
