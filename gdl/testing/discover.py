"""Finding files of tests: by name, in folders, beside rulesets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gdl.language.diagnostics import GdlError
from gdl.language.files import as_typed
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.ruleset import Ruleset, UnknownRulesetError, find
from gdl.testing.games import find_beside
from gdl.testing.suite import SUFFIX, Suite, read_suite


def suites(words: Sequence[str], limits: Limits = DEFAULT_LIMITS) -> list[Suite]:
    """Return the tests that some words name.

    Args:
        words: Files of tests, folders of them at any depth, or games, which stand for their tests
            in the files beside their rules, of any size where they name none; nothing for the
            current folder.
        limits: What reading rules may take.

    Raises:
        UnknownRulesetError: A word is neither a file nor a game.
        SuiteError: A file cannot be used.
    """
    suites_found: list[Suite] = []
    for word in words or ["."]:
        path = Path(word)
        if path.is_dir():
            suites_found += map(read_suite, files(path))
        elif word.endswith(SUFFIX):
            suites_found.append(read_suite(path))
        elif not (path.suffix or path.exists()) and (word.endswith("/") or word.startswith(".")):
            raise UnknownRulesetError(
                word,
                (),
                f"there is no folder {word}",
                expected=f"a file of tests (*{SUFFIX}), a folder of them, or a game",
            )
        else:
            is_any = "?" not in word
            suites_found += beside(find(word, limits=limits), limits, of_any_size=is_any)
    return suites_found


def files(folder: Path) -> list[Path]:
    """Return the files of tests in a folder, at any depth, those in hidden folders left out."""
    return sorted(
        path
        for path in folder.rglob(f"*{SUFFIX}")
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def beside(
    ruleset: Ruleset, limits: Limits = DEFAULT_LIMITS, *, of_any_size: bool = False
) -> list[Suite]:
    """Return the tests of a ruleset in the files that lie beside its manifest or rule file.

    Args:
        ruleset: The ruleset.
        limits: What reading rules may take.
        of_any_size: Whether tests of other parameters are among them, those of hex?size=2 for hex.
    """
    home = ruleset.manifest or next(iter(ruleset.paths), None)
    files = []
    for path in sorted(home.parent.glob(f"*{SUFFIX}")) if home is not None else ():
        # One without a test is of no ruleset: tests may be about to be written to it.
        suite = read_suite(as_typed(path), may_be_empty=True)
        cases = [
            case
            for case in suite.cases
            if _is_of(case.game, path.parent, ruleset, limits)
            or (of_any_size and _is_of(case.game.partition("?")[0], path.parent, ruleset, limits))
        ]
        if cases:
            files.append(replace(suite, cases=tuple(cases)))
    return files


def _is_of(name: str, folder: Path, ruleset: Ruleset, limits: Limits) -> bool:
    try:
        return find_beside(name, folder, limits).digest() == ruleset.digest()
    except GdlError:
        return False
