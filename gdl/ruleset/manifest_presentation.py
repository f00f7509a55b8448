"""What people see of the rulesets of one manifest: players, notation and picture.

In: the ``[[ruleset]]`` table, which refers to shared tables by name. Out: a `Presentation`;
problems are noted in the manifest's file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.language.terms import Constant
from gdl.ruleset.arithmetic import Sizes
from gdl.ruleset.manifest_notation import read_notation
from gdl.ruleset.manifest_picture import read_mark, read_picture
from gdl.ruleset.manifest_sections import Sections
from gdl.ruleset.manifest_short_notation import read_short_notation
from gdl.ruleset.notation import Notation
from gdl.ruleset.parameters import Parameter, sizes_of
from gdl.ruleset.presentation import Player, Presentation
from gdl.ruleset.short_notation import ShortNotation
from gdl.ruleset.toml_table import Table
from gdl.view.mark import Mark
from gdl.view.picture import Picture


@dataclass(frozen=True, slots=True)
class PresentationReader:
    """Reads the presentations of one manifest.

    Attributes:
        sections: The tables that rulesets may refer to.
    """

    sections: Sections

    def presentation(self, table: Table, parameters: Iterable[Parameter] = ()) -> Presentation:
        """Return what a ``[[ruleset]]`` table refers to, for some values of its parameters."""
        players, sizes = self._players(table), sizes_of(parameters)
        is_usual = all(parameter.value == parameter.default for parameter in parameters)
        notation = self._notation(table, sizes, is_usual=is_usual)
        picture = self._picture(table, players, sizes)
        return Presentation(players, notation, picture, self._short_notation(table, sizes))

    def check_unused(self, sizes: Sizes) -> None:
        """Read what no ruleset here refers to, since another family may; problems are noted."""
        root = self.sections.root
        for section in _tables(root.table("notation")):
            read_notation(section, sizes)
        for section in _tables(root.table("short-notation")):
            read_short_notation(section, sizes)
        for section in _tables(root.table("picture")):
            read_picture(section, (), sizes)

    def _players(self, table: Table) -> tuple[Player, ...]:
        section = self.sections.named(table, "players", "players")
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
        self.sections.pass_on(section)
        return tuple(players)

    def _notation(self, table: Table, sizes: Sizes, *, is_usual: bool) -> Notation:
        section = self.sections.named(table, "notation", "notation")
        if section is None:
            return Notation()
        notation = read_notation(section, sizes, is_usual=is_usual)
        self.sections.pass_on(section)
        return notation

    def _short_notation(self, table: Table, sizes: Sizes) -> ShortNotation | None:
        section = self.sections.named(table, "short-notation", "short-notation")
        if section is None:
            return None
        notation = read_short_notation(section, sizes)
        self.sections.pass_on(section)
        return notation

    def _picture(self, table: Table, players: tuple[Player, ...], sizes: Sizes) -> Picture | None:
        section = self.sections.named(table, "picture", "picture")
        if section is None:
            return None
        marks = tuple(Mark(str(p.role), p.title, p.symbol, p.ascii, p.colour) for p in players)
        picture = read_picture(section, marks, sizes)
        self.sections.pass_on(section)
        return picture


def _tables(section: Table | None) -> list[Table]:
    names = [] if section is None else list(section.values)
    return [table for name in names if section and (table := section.table(name))]
