"""Finding rulesets: shipped ones, a user's own, and rule files anywhere.

A search path is a list of folders. A folder holds families (``chess/manifest.toml``) or
is one itself. Searched in this order, the first that has the id wins: folders given as an
argument, those in the environment variable ``GDL_RULESETS`` (separated as ``PATH`` is),
the user's own folder (`user_folder`), the shipped rulesets.

Source: the user's folder follows the XDG Base Directory Specification 0.8 and its
counterparts on Windows and macOS.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import ArgumentTypeError, require, require_path
from gdl.ruleset.errors import ParameterError, UnknownRulesetError, did_you_mean, one_of
from gdl.ruleset.manifest import MANIFEST_NAME, FindPresentation, read_manifest
from gdl.ruleset.ruleset import Ruleset

if TYPE_CHECKING:
    from gdl.ruleset.presentation import Presentation

PathLike: TypeAlias = "str | os.PathLike[str]"

SEARCH_PATH_VARIABLE: Final = "GDL_RULESETS"
NAMED: Final = "a ruleset id, or the path of a manifest or rule file"
RULE_SUFFIXES: Final = (".kif", ".hrf", ".gdl")
"""File name endings of rule files."""
_MAX_LISTED: Final = 8  # ids that an error lists; of more it says who lists them
_MANIFEST_NAME: Final = r"(?s)(.*\.toml)(?:#([^?]*))?(?:\?(.*))?"


class Catalogue(NamedTuple):
    """All rulesets that can be found, and what could not be read on the way.

    Attributes:
        rulesets: In search order; an id that occurs twice is listed where it is found first.
        broken: One error a manifest that cannot be used.
    """

    rulesets: tuple[Ruleset, ...]
    broken: tuple[GdlError, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, in order."""
        return tuple(ruleset.id for ruleset in self.rulesets)


def find(
    name: PathLike,
    *,
    search_path: Sequence[PathLike] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> Ruleset:
    """Return the ruleset of a name.

    Args:
        name: An id (``pentago/strict``), after which a question mark may give parameters
            (``hex?size=7``); a manifest, with ``#id`` if it has several rulesets; a folder with a
            manifest of one; or any rule file (``.kif``, ``.hrf``), which has no manifest then:
            moves are KIF text and the board is what `gdl.boards` infers from facts, where they
            show one.
        search_path: Folders to search first.
        limits: What reading the rules may take.

    Raises:
        ArgumentError: The name is no text and no path.
        UnknownRulesetError: No such ruleset or file; names the nearest and lists all.
        ManifestError: The manifest that was named, or that has the id, cannot be used.
        ParameterError: The ruleset has no such parameters, or none with such values.
    """
    text = require_path("the name of a game", name, NAMED)
    require("limits", limits, Limits, "gdl.Limits(...)")
    if ".toml" in text and (manifest := re.fullmatch(_MANIFEST_NAME, text)):
        path, id_, settings = manifest.groups()
        return _from_manifest(Path(path), id_ or "", settings, search_path, limits)
    if Path(text).suffix.lower() in RULE_SUFFIXES:
        return _from_rule_file(Path(text), search_path, limits)
    # An id goes before a file or folder of that name, so that none in the current folder changes
    # what a command means; reading all manifests is put off until the first with the id fails.
    id_, settings = split_name(text)
    ruleset = _from_first(id_, settings, search_path, limits)
    if ruleset is not None:
        return ruleset
    library = catalogue(search_path=search_path, limits=limits)
    for ruleset in library.rulesets:
        if ruleset.id == id_:
            return _with(ruleset, settings, search_folders(search_path), limits)
    if _is_file(Path(text)):
        return _from_rule_file(Path(text), search_path, limits)
    if _is_file(manifest_inside := Path(id_) / MANIFEST_NAME) and not members_of(id_, library.ids):
        return _from_manifest(manifest_inside, "", settings, search_path, limits)
    if settings is not None and Path(id_).suffix.lower() in RULE_SUFFIXES:
        raise _no_parameters(id_, settings)
    raise _unknown(id_, library)


def _no_parameters(path: str, settings: str) -> ParameterError:
    return ParameterError(
        path,
        "",
        f"{path} is a rule file, which has no parameters",
        expected=f"{path} without {'?' + settings!r}",
        help="a manifest gives rules parameters: see docs/rulesets.md",
    )


def _with(
    ruleset: Ruleset, settings: str | None, folders: Sequence[Path], limits: Limits
) -> Ruleset:
    """Return a ruleset with parameters: its manifest is read once more, for this one."""
    if settings is None or ruleset.manifest is None:
        return ruleset
    given = ruleset.id, settings
    listed = read_among(folders, ruleset.manifest, settings=given, limits=limits)
    return _of_id(listed, ruleset.id)


def _of_id(listed: Iterable[Ruleset], id_: str) -> Ruleset:
    """Return the ruleset of an id, whatever its parameters."""
    return next(ruleset for ruleset in listed if split_name(ruleset.id)[0] == id_)


def _from_first(
    id_: str, settings: str | None, search_path: Sequence[PathLike], limits: Limits
) -> Ruleset | None:
    """Return the ruleset of an id from the first manifest in which the id is written.

    The others need not be read for it, and of a shipped one nothing that people see: whether
    that is right was found out before it was shipped. None where that manifest is broken, or
    has no such ruleset after all: the whole catalogue then says more.
    """
    folders = search_folders(search_path)
    for manifest in _manifests(folders):
        try:
            if id_.encode("utf-8", "surrogatepass") not in manifest.read_bytes():
                continue
            later = _later(manifest, folders)
            given = None if settings is None else (id_, settings)
            listed = read_among(folders, manifest, later=later, settings=given, limits=limits)
        except ParameterError:
            raise
        except (GdlError, OSError):
            return None
        for ruleset in listed:
            if split_name(ruleset.id)[0] == id_:
                return ruleset
    return None


def _later(manifest: Path, folders: Sequence[Path]) -> FindPresentation | None:
    """Return what reads the presentation of a shipped manifest when it is asked for, else None."""
    return (
        partial(_presentation, manifest, folders) if shipped_folder() in manifest.parents else None
    )


def _presentation(manifest: Path, folders: Sequence[Path], id_: str) -> Presentation:
    plain, settings = split_name(id_)
    given = None if settings is None else (plain, settings)
    return _of_id(read_among(folders, manifest, settings=given), plain).presentation


def split_name(name: str) -> tuple[str, str | None]:
    """Return id and settings of a name: ``hex?size=7`` is ``hex`` and ``size=7``."""
    id_, mark, settings = name.partition("?")
    return id_, settings if mark else None


def rulesets(*, search_path: Sequence[PathLike] = ()) -> tuple[Ruleset, ...]:
    """Return every ruleset that `find` knows by id; those of broken manifests are missing."""
    return catalogue(search_path=search_path).rulesets


def catalogue(
    *, search_path: Sequence[PathLike] = (), limits: Limits = DEFAULT_LIMITS
) -> Catalogue:
    """Return all rulesets on the search path, and the errors of manifests that are broken."""
    folders = search_folders(search_path)
    ruleset_of: dict[str, Ruleset] = {}
    broken: list[GdlError] = []
    for manifest in _manifests(folders):
        try:
            listed = read_among(folders, manifest, limits=limits)
        except GdlError as error:
            broken.append(error)
        except OSError as error:
            broken.append(GdlError(f"{manifest}: error[unreadable]: {error.strerror}"))
        else:
            for ruleset in listed:
                ruleset_of.setdefault(ruleset.id, ruleset)
    return Catalogue(tuple(ruleset_of.values()), tuple(broken))


def search_folders(search_path: Sequence[PathLike] = ()) -> tuple[Path, ...]:
    """Return the folders that are searched, in order, whether they exist or not."""
    variable = os.environ.get(SEARCH_PATH_VARIABLE, "")
    if isinstance(search_path, str | bytes) or not isinstance(search_path, Iterable):
        raise ArgumentTypeError("search_path", search_path, "a list of folders")
    given = [Path(require_path("a folder of search_path", folder)) for folder in search_path]
    own = [Path(folder) for folder in variable.split(os.pathsep) if folder]
    return (*given, *own, user_folder(), shipped_folder())


def shipped_folder() -> Path:
    """Return where the rulesets lie that come with this package.

    An installed package carries them as ``_rulesets``; in a checkout they lie beside it.
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "_rulesets"
    return installed if installed.is_dir() else package.parent / "rulesets"


def user_folder() -> Path:
    """Return where a user's own rulesets lie, whether it exists or not."""
    environ = os.environ
    match sys.platform:
        case "win32":
            base = environ.get("APPDATA") or "~/AppData/Roaming"
        case "darwin":
            base = "~/Library/Application Support"
        case _:
            base = environ.get("XDG_CONFIG_HOME") or "~/.config"
    # os.path leaves the ~ of a user without a home as it is, where pathlib raises.
    return Path(os.path.expanduser(base)) / "gdl" / "rulesets"  # noqa: PTH111


def read_among(
    folders: Sequence[Path],
    manifest: Path,
    *,
    later: FindPresentation | None = None,
    settings: tuple[str, str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Ruleset, ...]:
    """Return the rulesets of a manifest that refers to other families in folders.

    See `read_manifest`, also for what it raises.
    """
    return read_manifest(
        manifest,
        find_family=lambda family: find_family(family, folders),
        later=later,
        settings=settings,
        limits=limits,
    )


def find_family(family: str, folders: Sequence[Path]) -> Path | None:
    """Return the folder of the first family of that name, None if there is none."""
    if not family or Path(family).name != family:
        return None
    for manifest in _manifests(folders):
        if manifest.parent.name == family:
            return manifest.parent
    return None


def _manifests(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        if _is_file(folder / MANIFEST_NAME):
            yield folder / MANIFEST_NAME
        try:
            families = sorted(folder.glob(f"*/{MANIFEST_NAME}"))
        except OSError:  # no folder, or one that may not be listed
            continue
        yield from filter(_is_file, families)


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    """Return whether there is such a folder; a name that none can have is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _from_manifest(
    path: Path, id_: str, settings: str | None, search_path: Sequence[PathLike], limits: Limits
) -> Ruleset:
    if not _is_file(path):
        raise _no_file(path, search_path, limits)
    folders = search_folders(search_path)
    listed = read_among(folders, path, limits=limits)
    ids = [ruleset.id for ruleset in listed]
    if not id_ and len(listed) == 1:
        return _with(listed[0], settings, folders, limits)
    for ruleset in listed:
        if ruleset.id == id_:
            return _with(ruleset, settings, folders, limits)
    what = f"has no ruleset {id_}" if id_ else f"holds {len(listed)} rulesets"
    hint = did_you_mean(id_, ids)
    raise UnknownRulesetError(
        f"{path}#{id_}",
        ids,
        f"{path} {what}",
        expected=one_of((f"{path}#{id_}" for id_ in ids), most=20),
        help=hint,
    )


def _from_rule_file(path: Path, search_path: Sequence[PathLike], limits: Limits) -> Ruleset:
    if not _is_file(path):
        raise _no_file(path, search_path, limits)
    return Ruleset(
        id=str(path),
        paths=(path,),
        title=path.stem,
        game_id=path.stem,
        limits=limits,
    )


def _no_file(path: Path, search_path: Sequence[PathLike], limits: Limits) -> UnknownRulesetError:
    folder = path.parent
    there = sorted(file.name for file in folder.glob("*")) if _is_folder(folder) else []
    hint = did_you_mean(path.name, there)
    ids = catalogue(search_path=search_path, limits=limits).ids
    notes = [] if _is_folder(folder) else [f"there is no folder {folder} either"]
    if _is_folder(path):
        hint, notes = None, [f"{path} is a folder"]
    return UnknownRulesetError(str(path), ids, f"there is no file {path}", help=hint, notes=notes)


def _unknown(name: str, catalogue: Catalogue) -> UnknownRulesetError:
    if family := members_of(name, catalogue.ids):
        said = f"{name} is a family of rulesets, none of which has that name alone"
        return UnknownRulesetError(name, catalogue.ids, said, expected=one_of(family, most=20))
    if "?" not in name and os.path.isdir(name):  # noqa: PTH112  # a name that no path can have is none
        return _folder(name, catalogue)
    kin = _kin(name, catalogue.ids)
    ids = (
        catalogue.ids
        if len(catalogue.ids) <= _MAX_LISTED
        else kin or ["one that gdl rulesets lists"]
    )
    return UnknownRulesetError(
        name,
        catalogue.ids,
        f"there is no ruleset {name or 'without a name'}",
        expected=f"{one_of(ids, most=20)}, a manifest, or a .kif or .hrf file",
        help=did_you_mean(name, kin or catalogue.ids),
        notes=[f"a manifest could not be read\n{error}" for error in catalogue.broken],
    )


def members_of(name: str, ids: Iterable[str]) -> list[str]:
    """Return the rulesets of which a name is the family."""
    return [id_ for id_ in ids if id_.startswith(f"{name}/")]


def _kin(name: str, ids: Iterable[str]) -> list[str]:
    """Return the rulesets whose ids begin as a name does before its stroke: the game is known."""
    game, stroke, _ = name.partition("/")
    return [id_ for id_ in ids if stroke and id_.partition("/")[0] == game]


def _folder(name: str, catalogue: Catalogue) -> UnknownRulesetError:
    return UnknownRulesetError(
        name,
        catalogue.ids,
        f"{name} is a folder, and no ruleset has that name",
        expected="a ruleset id, a manifest or the folder of one, or a .kif or .hrf file",
    )
