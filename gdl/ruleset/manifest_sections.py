"""Shared tables of manifests, which rulesets refer to by name: ``players = "black-white"``.

In: a name, or ``@family/name`` for a table of another family. Out: the table; a name that
stands for nothing is noted where it is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gdl.ruleset.errors import did_you_mean, one_of
from gdl.ruleset.toml_table import Table


class Sections(NamedTuple):
    """The shared tables that the rulesets of one manifest may refer to.

    Attributes:
        root: The whole manifest.
        manifest_of: Returns another family's manifest; None if there is no such family.
    """

    root: Table
    manifest_of: Callable[[str], Table | None]

    def named(self, table: Table, key: str, section: str) -> Table | None:
        """Return the table of a section that ``key = "name"`` refers to, None if none does."""
        name = table.value(key, str, expected(section))
        if name is None:
            return None
        holder, inner = self.find(table, key, section, name)
        return None if holder is None else holder.table(inner)

    def find(self, table: Table, key: str, section: str, name: str) -> tuple[Table | None, str]:
        """Return what holds the table that a name in the value of a key refers to, and its key.

        Nothing holds it, and a problem is noted, where there is no such table.
        """
        root, inner = self.root, name
        if name.startswith("@"):
            family, _, inner = name[1:].partition("/")
            other = self.manifest_of(family)
            if other is None:
                said = f"there is no family {family}"
                table.problem("unknown-family", key, said, expected(section), at=name)
                return None, inner
            root = other
        sections = root.table(section)
        present = list(sections.values) if sections else []
        if sections and inner in present:
            return sections, inner
        table.problem(
            "unknown-name",
            key,
            f"there is no table [{section}.{inner}]",
            one_of(present) if present else f"a table [{section}.{inner}]",
            hint=did_you_mean(inner, present),
            at=name,
        )
        return None, inner

    def pass_on(self, section: Table) -> None:
        """Let the problems of another family's table count as this manifest's."""
        if section.file is not self.root.file:
            self.root.file.problems += section.file.problems


def expected(section: str) -> str:
    """Return what a key that refers to a section may hold."""
    return f'the name of a [{section}.NAME] table, for instance "standard"'
