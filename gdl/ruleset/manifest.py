"""Manifests: a TOML file that names the rulesets of a family and all that belongs to them.

In: the path of a ``manifest.toml``. Out: its rulesets, or one `ManifestError` with every
problem. ``docs/rulesets.md`` says what a manifest may hold.

A ``[[ruleset]]`` refers to shared tables by name (``players = "black-white"``), and with
``@family/name`` to those and to the rule files of another family. Parameters have their usual
values, but for one ruleset that the reader names with others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from gdl.language.diagnostics import Diagnostic, LimitError, Severity
from gdl.language.files import read_source
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import Source
from gdl.language.terms import Variable
from gdl.ruleset.errors import did_you_mean
from gdl.ruleset.ruleset import Ruleset
from gdl.ruleset.toml_table import Table, TomlFile

if TYPE_CHECKING:
    from gdl.ruleset.arithmetic import Size
    from gdl.ruleset.fact_patterns import FactPattern
    from gdl.ruleset.manifest_sections import Sections
    from gdl.ruleset.parameters import Parameter
    from gdl.ruleset.presentation import Presentation
    from gdl.ruleset.variant import Selection, Way

MANIFEST_NAME: Final = "manifest.toml"
MAX_BYTES: Final = 1_000_000
"""Size of a manifest."""

_ID: Final = r"[a-z0-9]+(?:[-_.][a-z0-9]+)*(?:/[a-z0-9]+(?:[-_.][a-z0-9]+)*)*"
_RULESET_KEYS: Final = (
    "id", "title", "version", "source", "summary", "rules", "players", "notation", "short-notation",
    "picture", "replace", "leave-out", "parameters", "facts", "game-id", "ruleset-version",
)  # fmt: skip
_SECTIONS: Final = ("players", "notation", "short-notation", "picture", "parameter", "facts")

FindFamily: TypeAlias = "Callable[[str], Path | None]"
"""Returns the folder of another family by its name."""
FindPresentation: TypeAlias = "Callable[[str], Presentation]"
"""Returns what people see of a ruleset by its id."""


def read_manifest(
    path: Path,
    *,
    find_family: FindFamily = lambda _: None,
    later: FindPresentation | None = None,
    settings: tuple[str, str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Ruleset, ...]:
    """Return the rulesets of a manifest, in the order in which it names them.

    Rule files are not read, but they must be there.

    Args:
        path: The manifest.
        find_family: Where the families lie that ``@family/name`` refers to.
        later: Finds players, notation and picture when they are first asked for; by default
            they are read, and checked, at once. Costs less than half as much where nobody asks.
        settings: An id, and values of parameters for it: ``("hex", "size=7")``. The others have
            their usual ones.
        limits: What reading the rules may take later.

    Raises:
        FileError: The manifest cannot be read.
        ManifestError: With every problem of the manifest, sorted by place.
        ParameterError: The ruleset has no such parameters, or none with such values.
    """
    size = path.stat().st_size
    if size > MAX_BYTES:
        message = f"{path} has {size} bytes, more than the limit of {MAX_BYTES} for a manifest"
        raise LimitError(diagnostics=[Diagnostic("limit-bytes", Severity.ERROR, message, None)])
    manifest = _Manifest.of(TomlFile(read_source(path)), find_family, settings)
    return manifest.rulesets(limits, later)


def rulesets_of(source: Source, *, find_family: FindFamily) -> tuple[Ruleset, ...]:
    """Return the rulesets of the text of a manifest, whose name is the path of its file.

    Raises:
        ManifestError: With every problem of the manifest, sorted by place.
    """
    return rulesets_in(TomlFile(source, keeps=False), find_family=find_family)


def rulesets_in(file: TomlFile, *, find_family: FindFamily) -> tuple[Ruleset, ...]:
    """Return the rulesets of a manifest; see `rulesets_of`."""
    return _Manifest.of(file, find_family, None).rulesets(DEFAULT_LIMITS, None)


class _Manifest(NamedTuple):
    """One manifest that is being read."""

    path: Path
    file: TomlFile
    root: Table
    find_family: FindFamily
    settings: tuple[str, str] | None

    @classmethod
    def of(
        cls, file: TomlFile, find_family: FindFamily, settings: tuple[str, str] | None
    ) -> _Manifest:
        return cls(Path(file.source.name), file, file.root(), find_family, settings)

    def rulesets(self, limits: Limits, later: FindPresentation | None) -> tuple[Ruleset, ...]:
        self.root.only(("ruleset", *_SECTIONS))
        tables = self.root.tables("ruleset", "one or more [[ruleset]] tables", required=True)
        rulesets = [self._ruleset(table, limits) for table in tables]
        for number, ruleset in enumerate(rulesets):
            if any(ruleset.id == other.id for other in rulesets[:number]):
                tables[number].problem(
                    "duplicate-id", "id", f"the id {ruleset.id} is given twice", "an id of its own"
                )
        presentations: Sequence[Presentation | Callable[[], Presentation]]
        presentations = (
            [partial(later, ruleset.id) for ruleset in rulesets]
            if later
            else self._presentations(tables, rulesets)
        )
        self.file.finish()
        return tuple(
            replace(ruleset, presentation_source=presentation)
            for ruleset, presentation in zip(rulesets, presentations, strict=True)
        )

    def _presentations(self, tables: list[Table], rulesets: list[Ruleset]) -> list[Presentation]:
        from gdl.ruleset.manifest_presentation import PresentationReader

        reader = PresentationReader(self._sections)
        presentations = [
            reader.presentation(table, ruleset.parameters)
            for table, ruleset in zip(tables, rulesets, strict=True)
        ]
        reader.check_unused(self._usual_sizes(rulesets))
        return presentations

    @property
    def _sections(self) -> Sections:
        from gdl.ruleset.manifest_sections import Sections

        return Sections(self.root, self._manifest_of)

    def _manifest_of(self, family: str) -> Table | None:
        folder = self.find_family(family)
        if folder is None:
            return None
        return TomlFile(read_source(folder / MANIFEST_NAME)).root()

    def _usual_sizes(self, rulesets: list[Ruleset]) -> Mapping[str, Size]:
        """Return the usual values of all parameters here; what no ruleset uses is checked."""
        section, facts = self.root.table("parameter"), self.root.table("facts")
        if section is None and facts is None:
            return {}
        from gdl.ruleset.manifest_parameters import read_facts, read_parameters
        from gdl.ruleset.parameters import sizes_of

        used = {
            parameter.name: parameter.default
            for ruleset in rulesets
            for parameter in ruleset.parameters
        }
        others = [name for name in (section.values if section else ()) if name not in used]
        tables = [(name, section.table(name)) for name in others if section]
        held = [(name, table) for name, table in tables if table is not None]
        sizes = {**used, **sizes_of(read_parameters(held, {}, "", before=used))}
        for name in facts.values if facts else ():
            assert facts is not None
            read_facts(facts.tables(name, f"[[facts.{name}]] tables"), sizes)
        return sizes

    def _ruleset(self, table: Table, limits: Limits) -> Ruleset:
        table.only(_RULESET_KEYS)
        id_ = table.text("id", 'an id, for instance "chess/standard"')
        if id_ and not re.fullmatch(_ID, id_):
            table.problem(
                "wrong-value",
                "id",
                f"{id_!r} is no id",
                "small letters, digits, and - _ . between them; / between family and variant",
                at=id_,
            )
        version = table.text("version", 'a version in quotes, for instance "1.0.0"')
        title = table.text("title", 'a title, for instance "Chess"')
        game_id = table.text("game-id", 'a name, for instance "chess"', default=id_)
        parameters, facts = self._parameters(table, id_)
        if any(parameter.value != parameter.default for parameter in parameters):
            from gdl.ruleset.parameters import named, titled

            title = titled(title, parameters)
            id_, game_id = named(id_, parameters), named(game_id, parameters)
        return Ruleset(
            id=id_,
            paths=self._paths(table),
            title=title,
            version=version,
            source=table.text("source", 'the text that the rules follow, for instance "ours"'),
            summary=" ".join(
                table.text("summary", "a sentence or two in quotes", default="").split()
            ),
            manifest=self.path,
            game_id=game_id,
            ruleset_version=table.text(
                "ruleset-version", 'a version, for instance "v1"', default=version
            ),
            selections=self._selections(table, "replace") + self._selections(table, "leave-out"),
            parameters=parameters,
            facts=facts,
            limits=limits,
        )

    def _parameters(
        self, table: Table, id_: str
    ) -> tuple[tuple[Parameter, ...], tuple[FactPattern, ...]]:
        """Return the parameters of a ruleset, and the facts that are written out with them."""
        given = self.settings[1] if self.settings and self.settings[0] == id_ else None
        if given is None and not {"parameters", "facts"} & table.values.keys():
            return (), ()
        from gdl.ruleset.manifest_parameters import read_facts, read_parameters
        from gdl.ruleset.parameters import read_settings, sizes_of

        sections = self._sections
        expected = 'a list of the names of [parameter.NAME] tables, for instance ["size"]'
        names = table.list_of("parameters", str, expected)
        holders = [sections.find(table, "parameters", "parameter", name) for name in names]
        held = [(name, holder.table(name)) for holder, name in holders if holder]
        tables = [(name, section) for name, section in held if section is not None]
        settings = {} if given is None else read_settings(id_, given, [name for name, _ in tables])
        parameters = read_parameters(tables, settings, id_)
        name = table.value("facts", str, 'the name of [[facts.NAME]] tables, for instance "board"')
        holder, inner = sections.find(table, "facts", "facts", name) if name else (None, "")
        patterns = holder.tables(inner, f"[[facts.{inner}]] tables") if holder else []
        facts = read_facts(patterns, sizes_of(parameters))
        for section in filter(None, (holder, *(holder for holder, _ in holders))):
            sections.pass_on(section)
        return parameters, facts

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
            there = [file.name for file in path.parent.glob("*") if file.suffix in (".kif", ".hrf")]
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
