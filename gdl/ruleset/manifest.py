"""Manifests: a TOML file that names the rulesets of a family and all that belongs to them.

In: the path of a ``manifest.toml``. Out: its rulesets, or one `ManifestError` with every
problem. ``docs/rulesets.md`` says what a manifest may hold.

A ``[[ruleset]]`` refers to shared tables by name (``players = "black-white"``), and with
``@family/name`` to those and to the rule files of another family.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from gdl.language.diagnostics import Diagnostic, GdlError, LimitError, Severity
from gdl.language.files import read_source
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.terms import Variable
from gdl.ruleset.errors import ManifestError, did_you_mean
from gdl.ruleset.ruleset import Ruleset
from gdl.ruleset.toml_table import Table, TomlFile

if TYPE_CHECKING:
    from gdl.ruleset.presentation import Presentation
    from gdl.ruleset.variant import Selection, Way

MANIFEST_NAME: Final = "manifest.toml"
MAX_BYTES: Final = 1_000_000
"""Size of a manifest."""

_ID: Final = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*(?:/[a-z0-9]+(?:[-_.][a-z0-9]+)*)*")
_RULESET_KEYS: Final = (
    "id", "title", "version", "source", "summary", "rules", "players", "notation", "picture",
    "replace", "leave-out", "game-id", "ruleset-version",
)  # fmt: skip
_SECTIONS: Final = ("players", "notation", "picture")

FindFamily: TypeAlias = "Callable[[str], Path | None]"
"""Returns the folder of another family by its name."""
FindPresentation: TypeAlias = "Callable[[str], Presentation]"
"""Returns what people see of a ruleset by its id."""


def read_manifest(
    path: Path,
    *,
    find_family: FindFamily = lambda _: None,
    later: FindPresentation | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Ruleset, ...]:
    """Return the rulesets of a manifest, in the order in which it names them.

    Rule files are not read, but they must be there.

    Args:
        path: The manifest.
        find_family: Where the families lie that ``@family/name`` refers to.
        later: Finds players, notation and picture when they are first asked for; by default
            they are read, and checked, at once. Costs less than half as much where nobody asks.
        limits: What reading the rules may take later.

    Raises:
        FileError: The manifest cannot be read.
        ManifestError: With every problem of the manifest, sorted by place.
    """
    return _Manifest.read(path, find_family).rulesets(limits, later)


@dataclass(frozen=True, slots=True)
class _Manifest:
    """One manifest that is being read."""

    path: Path
    file: TomlFile
    root: Table
    find_family: FindFamily

    @classmethod
    def read(cls, path: Path, find_family: FindFamily) -> _Manifest:
        size = path.stat().st_size
        if size > MAX_BYTES:
            message = f"{path} has {size} bytes, more than the limit of {MAX_BYTES} for a manifest"
            raise LimitError(diagnostics=[Diagnostic("limit-bytes", Severity.ERROR, message, None)])
        file = TomlFile(read_source(path))
        return cls(path, file, file.root(), find_family)

    def rulesets(self, limits: Limits, later: FindPresentation | None) -> tuple[Ruleset, ...]:
        self.root.only(("ruleset", *_SECTIONS))
        tables = self.root.tables("ruleset", "one or more [[ruleset]] tables", required=True)
        found = [self._ruleset(table, limits) for table in tables]
        for number, ruleset in enumerate(found):
            if any(ruleset.id == other.id for other in found[:number]):
                tables[number].problem(
                    "duplicate-id", "id", f"the id {ruleset.id} is given twice", "an id of its own"
                )
        presentations: Sequence[Presentation | Callable[[], Presentation]]
        presentations = (
            [partial(later, each.id) for each in found] if later else self._presentations(tables)
        )
        self.file.finish()
        return tuple(
            replace(each, presentation_source=presentation)
            for each, presentation in zip(found, presentations, strict=True)
        )

    def _presentations(self, tables: list[Table]) -> list[Presentation]:
        from gdl.ruleset.manifest_presentation import PresentationReader

        reader = PresentationReader(self.root, self._manifest_of)
        presentations = [reader.presentation(table) for table in tables]
        reader.check_unused()
        return presentations

    def _manifest_of(self, family: str) -> Table | None:
        folder = self.find_family(family)
        if folder is None:
            return None
        return TomlFile(read_source(folder / MANIFEST_NAME)).root()

    def _ruleset(self, table: Table, limits: Limits) -> Ruleset:
        table.only(_RULESET_KEYS)
        id_ = table.text("id", 'an id, for instance "chess/standard"')
        if id_ and not _ID.fullmatch(id_):
            table.problem(
                "wrong-value",
                "id",
                f"{id_!r} is no id",
                "small letters, digits, and - _ . between them; / between family and variant",
                at=id_,
            )
        version = table.text("version", 'a version in quotes, for instance "1.0.0"')
        return Ruleset(
            id=id_,
            paths=self._paths(table),
            title=table.text("title", 'a title, for instance "Chess"'),
            version=version,
            source=table.text("source", 'the text that the rules follow, for instance "ours"'),
            summary=" ".join(
                table.text("summary", "a sentence or two in quotes", default="").split()
            ),
            manifest=self.path,
            game_id=table.text("game-id", 'a name, for instance "chess"', default=id_),
            ruleset_version=table.text(
                "ruleset-version", 'a version, for instance "v1"', default=version
            ),
            selections=self._selections(table, "replace") + self._selections(table, "leave-out"),
            limits=limits,
        )

    def _selections(self, table: Table, way: Way) -> tuple[Selection, ...]:
        expected = 'a list of relations, for instance ["goal", "(legal ?player (castle ?side))"]'
        if way not in table.values:
            return ()
        from gdl.language.template import TemplateError, read_template
        from gdl.ruleset.variant import Selection

        selections = []
        for text in table.list_of(way, str, expected):
            try:
                pattern = read_template(text)
            except TemplateError as error:
                said = f"{text!r} is no relation: {error}"
                table.problem("wrong-term", way, said, expected, at=text)
                continue
            if isinstance(pattern, Variable):
                said = f"{text} would be every rule"
                table.problem("wrong-term", way, said, expected, at=text)
                continue
            selections.append(Selection(way, pattern, table.origin(way, text)))
        return tuple(selections)

    def _paths(self, table: Table) -> tuple[Path, ...]:
        expected = 'a list of rule files, for instance ["board.kif", "ending.kif"]'
        names = table.list_of("rules", str, expected, required=True)
        if "rules" in table.values and table.values["rules"] == []:
            table.problem("wrong-value", "rules", "rules is empty", expected)
        return tuple(path for name in names if (path := self._rule_file(table, name)))

    def _rule_file(self, table: Table, name: str) -> Path | None:
        folder, inner = self.path.parent, name
        if name.startswith("@"):
            family, _, inner = name[1:].partition("/")
            other = self.find_family(family)
            if other is None:
                said, expected = f"there is no family {family}", "@family/file.kif"
                table.problem("unknown-family", "rules", said, expected, at=name)
                return None
            folder = other
        parts = Path(inner).parts
        if not parts or Path(inner).is_absolute() or ".." in parts:
            table.problem(
                "wrong-value",
                "rules",
                f"{name!r} leaves the folder of the family",
                "a file beside the manifest, or @family/file.kif",
                at=name,
            )
            return None
        path = folder / inner
        if not path.is_file():
            there = [each.name for each in path.parent.glob("*") if each.suffix in (".kif", ".hrf")]
            table.problem(
                "missing-file",
                "rules",
                f"there is no rule file {name}",
                "a file beside the manifest"
                if folder == self.path.parent
                else f"a file in {folder}",
                hint=did_you_mean(path.name, there),
                at=name,
            )
            return None
        return path


__all__ = ["MANIFEST_NAME", "FindFamily", "GdlError", "ManifestError", "read_manifest"]
