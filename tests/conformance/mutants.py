"""Rulesets broken on purpose, as data: what a comparison has to notice.

Each file in the folder ``mutants`` names a ``ruleset`` and lists ``[[mutant]]`` tables:

    id       unique in the file; says how the rules are wrong
    file     the rule file that is changed
    find     text that occurs in it exactly once
    replace  what stands there instead
    why      what the mutant plays, in words

A mutant is a valid description: nothing but its play tells it from the ruleset.
"""

import dataclasses
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gdl.language.syntax import Description
from gdl.ruleset import Ruleset, find

FOLDER = Path(__file__).parent / "mutants"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One way to break a ruleset."""

    ruleset: str
    id: str
    file: str
    find: str
    replace: str
    why: str

    @property
    def name(self) -> str:
        """Unique among all mutants."""
        return f"{self.ruleset}:{self.id}"

    def change(self, text: str) -> str:
        """Return a rule file's text with the fault in it.

        Raises:
            ValueError: The text to be replaced does not occur exactly once.
        """
        if text.count(self.find) != 1 or self.find == self.replace:
            raise ValueError(
                f"{self.name}: this has to occur once in {self.file}, not "
                f"{text.count(self.find)} times, and to be replaced by another text\n{self.find}"
            )
        return text.replace(self.find, self.replace)

    def write(self, folder: Path) -> Ruleset:
        """Return the broken ruleset; its rule files are written to a folder of its own there."""
        original = find(self.ruleset)
        own = folder / self.ruleset.replace("/", "-") / self.id
        own.mkdir(parents=True, exist_ok=True)
        paths = []
        for path in original.paths:
            text = path.read_text(encoding="utf-8")
            paths.append(own / path.name)
            paths[-1].write_text(
                self.change(text) if path.name == self.file else text, encoding="utf-8"
            )
        return dataclasses.replace(original, id=self.name, paths=tuple(paths))

    def description(self, folder: Path) -> Description:
        """Return the broken rules alone; see `write`."""
        return self.write(folder).description


def read_mutants(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of a file.

    Raises:
        TypeError: A field is missing or not known.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    for fields in table["mutant"]:
        yield Mutant(ruleset=table["ruleset"], **fields)


def all_mutants() -> tuple[Mutant, ...]:
    """Return every mutant, by ruleset, in the order of the files."""
    return tuple(mutant for path in sorted(FOLDER.glob("*.toml")) for mutant in read_mutants(path))


def broken_rulesets(folder: Path) -> Iterator[tuple[str, Ruleset]]:
    """Yield the name and the ruleset of every mutant, written to a folder."""
    for mutant in all_mutants():
        yield mutant.name, mutant.write(folder)
