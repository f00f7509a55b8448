"""Which rule files and rulesets a few words mean: files, ids and folders.

In go the words of the command line; out come names that `gdl.check` takes, each with
how a report should call it.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gdl.ruleset import catalogue
from gdl.ruleset.search import RULE_SUFFIXES


def expand(words: Iterable[str]) -> list[str]:
    """Return files and ids as they are, and for each folder what is in it.

    A folder stands for the rulesets of the manifests in it and for every rule file, at any
    depth, that is no part of one of them.
    """
    return list(
        dict.fromkeys(
            name for word in words for name in (_folder(Path(word)) if _is_folder(word) else [word])
        )
    )


def _is_folder(word: str) -> bool:
    return Path(word).is_dir()


def _folder(folder: Path) -> list[str]:
    manifests = sorted(folder.rglob("manifest.toml"))
    found = [
        ruleset
        for ruleset in catalogue(search_path=[each.parent for each in manifests]).rulesets
        if ruleset.manifest in manifests
    ]
    readable = {ruleset.manifest for ruleset in found}
    parts = {path.resolve() for ruleset in found for path in ruleset.paths}
    return [
        *(f"{ruleset.manifest}#{ruleset.id}" for ruleset in found),
        *(str(manifest) for manifest in manifests if manifest not in readable),
        *(str(path) for path in rule_files(folder) if path.resolve() not in parts),
    ]


def rule_files(folder: Path) -> list[Path]:
    """Return the rule files of a folder, at any depth, by path."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in RULE_SUFFIXES and path.is_file()
    )
