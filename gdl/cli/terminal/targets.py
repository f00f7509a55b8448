"""Which rule files and rulesets a few words mean: files, ids and folders.

In go the words of the command line; out come names that `gdl.check` takes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from gdl.cli.terminal.guard import UsageError
from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.language.source import Source
from gdl.ruleset import search_folders
from gdl.ruleset.manifest import MANIFEST_NAME
from gdl.ruleset.search import RULE_SUFFIXES, read_among


def expand(words: Iterable[str]) -> list[str]:
    """Return files and ids as they are, and what folders and manifests hold.

    A folder stands for the rulesets of the manifests in it and for every rule file, at any
    depth, that is no part of one of them.

    Raises:
        UsageError: A folder holds nothing of that, or a word is empty.
    """
    return list(dict.fromkeys(name for word in words for name in _meant(word)))


def named(word: str, expected: str) -> Path:
    """Return the path that a word is; an empty one, such as an unset variable, is no folder.

    Raises:
        UsageError: The word is empty.
    """
    if not word:
        raise UsageError("an empty word names no file", expected=expected)
    return Path(word)


def _meant(word: str) -> list[str]:
    path = named(word, "rule files, folders of them, manifests or ids; . is the folder here")
    if path.is_dir():
        held = _folder(path)
        if not held:
            raise UsageError(
                f"there is no rule file in {word}",
                expected="a folder with rule files or manifests",
            )
        return held
    if path.suffix == ".toml" and path.is_file() and not word.endswith(".test.toml"):
        return _manifest(path)[0]
    return [word]


def _folder(folder: Path) -> list[str]:
    names: list[str] = []
    taken: set[Path] = set()
    for manifest in sorted(folder.rglob(MANIFEST_NAME)):
        held, used = _manifest(manifest)
        names += held
        taken |= used
    loose = [path for path in rule_files(folder) if path.resolve() not in taken]
    return names + [str(path) for path in loose]


def _manifest(path: Path) -> tuple[list[str], set[Path]]:
    """Return the names of a manifest's rulesets, and their rule files.

    A manifest that cannot be read stands for itself, so that checking it says why.
    """
    folders = search_folders([path.parent])
    try:
        held = read_among(folders, path)
    except (GdlError, OSError):
        return [str(path)], set()
    names = [f"{path}#{ruleset.id}" for ruleset in held]
    return names, {part.resolve() for ruleset in held for part in ruleset.paths}


def read_typed(limits: Limits) -> Source:
    """Return what is typed or piped in; no more of it is read than may be parsed."""
    return Source.from_bytes("-", sys.stdin.buffer.read(limits.bytes + 1))


def rule_files(folder: Path) -> list[Path]:
    """Return the rule files of a folder, at any depth, by path."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in RULE_SUFFIXES and path.is_file()
    )
