"""What people see of the rulesets of one manifest: players, notation and picture.

In: the ``[[ruleset]]`` table, which refers to shared tables by name. Out: a `Presentation`;
problems are noted in the manifest's file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gdl.language.terms import Constant
from gdl.ruleset.errors import did_you_mean, one_of
from gdl.ruleset.manifest_notation import read_notation
from gdl.ruleset.manifest_picture import read_mark, read_picture
from gdl.ruleset.notation import Notation
from gdl.ruleset.presentation import Player, Presentation
from gdl.ruleset.toml_table import Table
from gdl.view.mark import Mark
from gdl.view.picture import Picture


@dataclass(frozen=True, slots=True)
class PresentationReader:
    """Reads the presentations of one manifest.

    Attributes:
        root: The whole manifest.
        manifest_of: Returns another family's manifest; None if there is no such family.
    """

    root: Table
    manifest_of: Callable[[str], Table | None]

    def presentation(self, table: Table) -> Presentation:
        """Return what a ``[[ruleset]]`` table refers to."""
        players = self._players(table)
        return Presentation(players, self._notation(table), self._picture(table, players))

    def check_unused(self) -> None:
        """Read what no ruleset here refers to, since another family may; problems are noted."""
        notations, pictures = self.root.table("notation"), self.root.table("picture")
        for section in _tables(notations):
            read_notation(section)
        for section in _tables(pictures):
            read_picture(section, ())

    def _section(self, table: Table, key: str) -> Table | None:
        """Return the table that ``key = "name"`` or ``key = "@family/name"`` refers to."""
        expected = f'the name of a [{key}.NAME] table, for instance "standard"'
        name = table.value(key, str, expected)
        if name is None:
            return None
        root, inner = self.root, name
        if name.startswith("@"):
            family, _, inner = name[1:].partition("/")
            other = self.manifest_of(family)
            if other is None:
                said = f"there is no family {family}"
                table.problem("unknown-family", key, said, expected, at=name)
                return None
            root = other
        sections = root.table(key)
        known = list(sections.values) if sections else []
        found = sections.table(inner) if sections and inner in known else None
        if found is None:
            table.problem(
                "unknown-name",
                key,
                f"there is no table [{key}.{inner}]",
                one_of(known) if known else f"a table [{key}.{inner}]",
                hint=did_you_mean(inner, known),
                at=name,
            )
        return found

    def _players(self, table: Table) -> tuple[Player, ...]:
        section = self._section(table, "players")
        if section is None:
            return ()
        players = []
        for role in section.values:
            player = section.table(role)
            if player is not None:
                mark = read_mark(player, role)
                players.append(
                    Player(Constant(role), mark.title, mark.symbol, mark.ascii, mark.colour)
                )
        self._pass_on(section)
        return tuple(players)

    def _notation(self, table: Table) -> Notation:
        section = self._section(table, "notation")
        if section is None:
            return Notation()
        notation = read_notation(section)
        self._pass_on(section)
        return notation

    def _picture(self, table: Table, players: tuple[Player, ...]) -> Picture | None:
        section = self._section(table, "picture")
        if section is None:
            return None
        marks = tuple(Mark(str(p.role), p.title, p.symbol, p.ascii, p.colour) for p in players)
        picture = read_picture(section, marks)
        self._pass_on(section)
        return picture

    def _pass_on(self, section: Table) -> None:
        """Let the problems of another family's table count as this manifest's."""
        if section.file is not self.root.file:
            self.root.file.problems += section.file.problems


def _tables(section: Table | None) -> list[Table]:
    names = [] if section is None else list(section.values)
    return [table for name in names if section and (table := section.table(name))]


__all__ = ["PresentationReader"]
