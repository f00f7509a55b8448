"""TOML tables that know where they stood, and collect what is wrong with them.

In: a source. Out: a root `Table` whose methods take typed values out, note a problem
where one is missing, mistyped or unknown, and go on; `TomlFile.finish` raises all
problems as one `ManifestError`.

``tomllib`` gives no places, so `_key_places` finds keys line by line; a
key inside an inline table is placed at the key that holds the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from gdl._cache import cache_folder, cached, digest
from gdl.language.diagnostics import Diagnostic, GdlError, Severity, sort_diagnostics
from gdl.language.source import Source, Span
from gdl.ruleset.errors import ManifestError, did_you_mean, one_of

KeyPath: TypeAlias = tuple[str | int, ...]

_HEADER: Final = r"\s*(\[\[?)([^\[\]]+)(\]\]?)\s*(?:#.*)?$"
_WORD: Final = r"(?:[\w-]+|\"[^\"]*\"|'[^']*')"
_KEY: Final = rf"\s*({_WORD}(?:\s*\.\s*{_WORD})*)\s*="
_TOML_PLACE: Final = r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$"
_KINDS: Final = {str: "text", int: "a whole number", list: "a list", dict: "a table", bool: "bool"}


@dataclass
class TomlFile:
    """A TOML text, the places of its keys, and the problems found so far.

    Attributes:
        source: The text.
        problems: What is wrong with it.
        what: How messages call the file.
        error: What is raised.
        keeps: Whether what was parsed is kept on disk for the next time.
        keys: Of each table that was read so far the keys that mean something there.
        wanted: Of each key that was asked for so far the kind of its value, and what is expected.
    """

    source: Source
    problems: list[Diagnostic] = field(default_factory=list)
    what: str = "the manifest"
    error: type[GdlError] = ManifestError
    keeps: bool = True
    keys: dict[KeyPath, tuple[str, ...]] = field(default_factory=dict)
    wanted: dict[KeyPath, tuple[type, str]] = field(default_factory=dict)

    @cached_property
    def places(self) -> dict[KeyPath, Span]:
        """Where each key stands; only who has a problem asks."""
        return _key_places(self.source)

    def root(self) -> Table:
        """Return the whole file as a table.

        Raises:
            ManifestError: The text is not TOML.
        """
        name = f"{digest(['toml', self.source.text])}.toml"
        try:
            folder = cache_folder() if self.keeps else None
            values = cached(name, dict, self._parsed, folder=folder)
        except RecursionError:
            raise self.error(
                f"{self.source.name}: error[toml-syntax]: brackets are nested too deeply"
            ) from None
        return Table(self, (), values)

    def _parsed(self) -> dict[str, Any]:
        import tomllib  # with what it reads, a sixth of a warm start

        try:
            return tomllib.loads(self.source.text)
        except tomllib.TOMLDecodeError as error:
            raise self.error(diagnostics=[self._syntax_problem(str(error))]) from None
        except ValueError:  # of `int`, which tells no place
            raise self.error(
                f"{self.source.name}: error[toml-syntax]: a number has too many digits"
            ) from None

    def _syntax_problem(self, message: str) -> Diagnostic:
        place = re.search(_TOML_PLACE, message)
        said = message[: place.start()] if place else message
        offset = len(self.source.text.rstrip())
        if place and place[1]:
            lines = self.source.text.split("\n")[: int(place[1]) - 1]
            offset = sum(len(line) + 1 for line in lines) + int(place[2]) - 1
        span = Span(self.source, offset, offset + 1)
        return Diagnostic("toml-syntax", Severity.ERROR, said[:1].lower() + said[1:], span)

    def place(self, path: KeyPath) -> Span | None:
        """Return where the key at a path, or the nearest one that holds it, stands."""
        for stop in range(len(path), 0, -1):
            for key in (path[:stop], (*path[:stop], 0)):  # a list of tables: its first
                if key in self.places:
                    return self.places[key]
        return None

    def table_at(self, offset: int) -> KeyPath:
        """Return the path of the table that a line at an offset belongs to."""
        headers = [
            (place.start, path)
            for path, place in self.places.items()
            if place.start < offset and place.text.startswith("[")
        ]
        return max(headers, default=(0, ()))[1]

    def value_place(self, path: KeyPath, value: str) -> Span | None:
        """Return where a text stands in the value of a key; the key's place if it is not seen."""
        key = self.place(path)
        if key is None:
            return None
        later = (place.start for place in self.places.values() if place.start > key.start)
        stop = min(later, default=len(self.source.text))
        start = self.source.text.find(value, key.stop, stop) if value else -1
        return key if start < 0 else Span(self.source, start, start + len(value))

    def add(self, problem: Diagnostic) -> None:
        """Note a problem."""
        self.problems.append(problem)

    def finish(self) -> None:
        """Raise all problems as one error, if there are any.

        Raises:
            ManifestError: With every problem, sorted by place.
        """
        if self.problems:
            raise self.error(diagnostics=sort_diagnostics(self.problems))


class Origin(NamedTuple):
    """Where a text stands in a TOML file; the place is worked out when somebody asks for it.

    Attributes:
        source: The file.
        path: Of the key.
        text: A part of its value.
    """

    source: Source
    path: KeyPath
    text: str

    def span(self) -> Span:
        """Return the place. Cost linear in the file."""
        return TomlFile(self.source).value_place(self.path, self.text) or Span(self.source, 0, 0)


class Table(NamedTuple):
    """One table: its values, and where it is in the file.

    Attributes:
        file: The file it belongs to.
        path: Keys and list indices that lead to it.
        values: What ``tomllib`` read.
    """

    file: TomlFile
    path: KeyPath
    values: dict[str, Any]

    def only(self, keys: Iterable[str]) -> None:
        """Note every key that is not known."""
        names = self.file.keys[self.path] = tuple(keys)
        for key in [key for key in self.values if key not in names]:
            said, hint = f"{key} means nothing here", did_you_mean(key, names)
            self.problem("unknown-key", key, said, one_of(names, most=99), hint=hint)

    def problem(  # noqa: PLR0913  # each word of a diagnostic
        self,
        slug: str,
        key: str | None,
        message: str,
        expected: str,
        *,
        hint: str | None = None,
        at: str = "",
    ) -> None:
        """Note a problem at a key of this table, at a text ``at`` in its value, or at the table."""
        path = self.path if key is None else (*self.path, key)
        span = self.file.value_place(path, at) or Span(self.file.source, 0, 0)
        self.file.add(Diagnostic(slug, Severity.ERROR, message, span, expected=expected, help=hint))

    def value(self, key: str, kind: type, expected: str, *, required: bool = False) -> Any:  # noqa: ANN401  # kind says
        """Return a value of a kind, None (and a problem noted) where there is none."""
        self.file.wanted[*self.path, key] = kind, expected
        value = self.values.get(key)
        if value is None:
            if required:
                where = self.name or self.file.what
                self.problem("missing-key", None, f"{where} has no {key}", expected)
            return None
        if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
            said = f"{key} is {_KINDS.get(type(value), 'a date or a fraction')}"
            self.problem("wrong-type", key, said, expected)
            return None
        return value

    def text(self, key: str, expected: str, *, default: str | None = None) -> str:
        """Return a text that is not empty; without a default it must be there."""
        text = self.value(key, str, expected, required=default is None)
        if text is not None and not text.strip() and default != "":
            self.problem("wrong-value", key, f"{key} is empty", expected)
        return str(text) if text is not None else default or ""

    def list_of(self, key: str, kind: type, expected: str, *, required: bool = False) -> list[Any]:
        """Return a list whose items have one kind; what has another is left out and noted."""
        values = self.value(key, list, expected, required=required) or []
        good = [value for value in values if type(value) is kind]
        if len(good) < len(values):
            odd = next(value for value in values if type(value) is not kind)
            said = f"{key} holds {_KINDS.get(type(odd), 'a date or a fraction')}"
            self.problem("wrong-type", key, said, expected)
        return good

    def table(self, key: str) -> Table | None:
        """Return the table at a key, None (and a problem noted) if something else is there."""
        values = self.value(key, dict, "a table")
        return None if values is None else Table(self.file, (*self.path, key), values)

    def tables(self, key: str, expected: str, *, required: bool = False) -> list[Table]:
        """Return the tables in the list at a key."""
        entries = self.value(key, list, expected, required=required) or []
        tables = []
        for index, entry in enumerate(entries):
            if isinstance(entry, dict):
                tables.append(Table(self.file, (*self.path, key, index), entry))
            else:
                self.problem("wrong-type", key, f"{key} holds {_KINDS.get(type(entry))}", expected)
        return tables

    def origin(self, key: str, text: str) -> Origin:
        """Return where a text in the value of a key stands."""
        return Origin(self.file.source, (*self.path, key), text)

    @property
    def name(self) -> str:
        """How messages call the table: its path without indices."""
        return ".".join(part for part in self.path if isinstance(part, str))


def _key_places(source: Source) -> dict[KeyPath, Span]:
    """Return where each key that begins a line, and each table header, stands."""
    places: dict[KeyPath, Span] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    start = 0
    quote = ""
    for line in source.text.splitlines(keepends=True):
        header = None if quote else re.match(_HEADER, line)
        key = None if quote or header else re.match(_KEY, line)
        if header:
            table = _indexed(_split(header[2]), counts)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            places.setdefault(table, Span(source, start + header.start(1), start + header.end(3)))
        elif key:
            path: KeyPath = table
            for part in _split(key[1]):
                path = (*path, part)
                places.setdefault(path, Span(source, start + key.start(1), start + key.end(1)))
        quote = _open_quote(line, quote)
        start += len(line)
    return places


def _split(dotted: str) -> KeyPath:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _indexed(path: KeyPath, counts: dict[KeyPath, int]) -> KeyPath:
    """Return a header's path with the current index after each outer list of tables."""
    full: KeyPath = ()
    for number, part in enumerate(path):
        full = (*full, part)
        if full in counts and number + 1 < len(path):
            full = (*full, counts[full])
    return full


def _open_quote(line: str, quote: str) -> str:
    """Return the triple quote that is open after a line, empty if none is."""
    for quote_found in re.findall(r'"""|\'\'\'', line):
        if not quote:
            quote = quote_found
        elif quote == quote_found:
            quote = ""
    return quote
