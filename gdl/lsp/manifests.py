"""The manifest beside a rule file, and its rulesets that the file is a part of.

In: the path of a rule file. Out: rulesets, the same objects as before as long as nothing that the
manifest was read from is another: an editor asks at every keystroke.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.files import read_source
from gdl.ruleset import Ruleset, search_folders
from gdl.ruleset.manifest import MANIFEST_NAME, read_manifest
from gdl.ruleset.search import find_family

MOST_KEPT: Final = 16
"""Manifests of which the rulesets are kept."""


class Stamp(NamedTuple):
    """What tells one version of a file from the next."""

    nanoseconds: int
    size: int


class _Kept(NamedTuple):
    """A manifest as it was read.

    Attributes:
        rulesets: What it says.
        folders: Where other families were looked for.
        families: Those that it speaks of, each with its folder.
        stamps: It, and the manifests of these.
    """

    rulesets: tuple[Ruleset, ...]
    folders: tuple[Path, ...]
    families: dict[str, Path | None]
    stamps: dict[Path, Stamp | None]

    def is_true(self, folders: tuple[Path, ...]) -> bool:
        """Return whether all is as it was, and the rule files are there."""
        files = dict.fromkeys(path for ruleset in self.rulesets for path in ruleset.paths)
        return (
            folders == self.folders
            and all(stamp_of(path) == stamp for path, stamp in self.stamps.items())
            and all(find_family(name, folders) == there for name, there in self.families.items())
            and all(stamp_of(path) for path in files)
        )


_kept: dict[Path, _Kept] = {}


def rulesets_with(path: str) -> list[Ruleset]:
    """Return the rulesets of the manifest beside a rule file that the file is a part of."""
    if not has_manifest(path):
        return []
    try:
        rulesets = _rulesets_beside(path)
    except (GdlError, OSError):
        return []  # what is wrong there is said there
    here = Path(path)
    return [ruleset for ruleset in rulesets if here in ruleset.paths]


def unread_manifest(path: str) -> Diagnostic | None:
    """Return what is said of a part of a manifest that cannot be read; None of anything else.

    What it lacks alone may stand in other parts, so nothing is said of that.
    """
    if not has_manifest(path):
        return None
    here = Path(path)
    try:
        if here.name not in read_source(here.parent / MANIFEST_NAME).text:
            return None
        _rulesets_beside(path)
    except (GdlError, OSError) as error:
        first = next(iter(getattr(error, "diagnostics", ())), None)
        return Diagnostic(
            "unusable",
            Severity.WARNING,
            f"{MANIFEST_NAME} cannot be read, so nobody knows what else belongs to these rules",
            None,
            help=f"mend it first: {first.message if first else error}",
        )
    return None


def has_manifest(path: str) -> bool:
    """Return whether a manifest lies beside a file."""
    try:
        return (Path(path).parent / MANIFEST_NAME).is_file()
    except OSError:  # the address of what is no file may be longer than a name can be
        return False


def folders_of(path: str) -> tuple[Path, ...]:
    """Return where families lie that a file may speak of: beside its own, and the usual places."""
    return (*search_folders([]), Path(path).absolute().parent.parent)


def stamp_of(path: Path) -> Stamp | None:
    """Return what changes when a file does; None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(status.st_mtime_ns, status.st_size)


def _rulesets_beside(path: str) -> tuple[Ruleset, ...]:
    """Return all rulesets of the manifest beside a file.

    Raises:
        FileError: It cannot be read.
        ManifestError: It cannot be used.
    """
    folders, manifest = folders_of(path), Path(path).parent / MANIFEST_NAME
    kept = _kept.pop(manifest, None)
    if kept is None or not kept.is_true(folders):
        families: dict[str, Path | None] = {}
        stamps = {manifest: stamp_of(manifest)}  # first: what is written meanwhile is noticed

        def find(family: str) -> Path | None:
            there = families[family] = find_family(family, folders)
            if there is not None:
                stamps[there / MANIFEST_NAME] = stamp_of(there / MANIFEST_NAME)
            return there

        kept = _Kept(read_manifest(manifest, find_family=find), folders, families, stamps)
    _kept[manifest] = kept
    while len(_kept) > MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    return kept.rulesets
