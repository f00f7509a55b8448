"""What may be typed in a manifest or a file of tests: headers, keys of a table, values.

No key is listed here. The text is read by who reads such files, without the line in which somebody
types, and what that reader knew and asked for is what can stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from lsprotocol import types

from gdl.language.diagnostics import GdlError
from gdl.language.source import Source
from gdl.lsp.completion import Item, offers
from gdl.lsp.documents import Reading
from gdl.lsp.manifests import folders_of
from gdl.ruleset import rulesets
from gdl.ruleset.manifest import rulesets_in
from gdl.ruleset.search import RULE_SUFFIXES, find_family
from gdl.ruleset.toml_table import KeyPath, TomlFile
from gdl.testing.suite import OUTCOMES, suite_file, suite_in

SECTION_OF: Final = {
    "players": "players",
    "notation": "notation",
    "short-notation": "short-notation",
    "picture": "picture",
    "parameters": "parameter",
    "facts": "facts",
}
"""Of a key of a ruleset the section whose tables it names."""
GAMES: Final = frozenset({"game", "games", "with"})
_HEADER: Final = re.compile(r"\s*(\[\[?[^\[\]]*)$")
_KEY: Final = re.compile(r"\s*([\w.-]*)$")
_LINE: Final = re.compile(r"\s*([\w-]+(?:\.[\w-]+)*)\s*=(.*)$")
_INLINE: Final = re.compile(r"[{,]\s*([\w-]*)$")
_INLINE_VALUE: Final = re.compile(r"[{,]\s*([\w-]+)\s*=\s*([^{},]*)$")
_STRING: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_PIECE: Final = re.compile(r'[^\s,=\["]*$')


class _Typed(NamedTuple):
    """What is typed at a place.

    Attributes:
        table: The path of the table, or of the key that holds an inline one.
        key: The key whose value is typed; None where a key is, or a header.
        word: What of it is there.
        instead: What stands for the line while the others are read.
        is_header: Whether a header is typed.
    """

    table: KeyPath
    key: str | None
    word: str
    instead: str = ""
    is_header: bool = False


def toml_completions(reading: Reading, position: types.Position) -> list[types.CompletionItem]:
    """Return what may be typed at a position, in the order in which the readers name it."""
    if not (reading.is_manifest or reading.is_suite):
        return []
    text, offset = reading.source.text, reading.offset(position)
    begin = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    typed = _typed(_file(reading, text), text[begin:offset], begin)
    if typed is None:
        return []
    rest = "" if end < 0 else text[end:]
    file = _read(reading, f"{text[:begin]}{typed.instead}{rest}")
    start = reading.position(offset - len(typed.word))
    return offers(_items(reading, file, typed), start, position)


def _typed(file: TomlFile, before: str, begin: int) -> _Typed | None:
    """Return what is typed at the end of a line's beginning; None in a comment, or what is none."""
    if "#" in _STRING.sub("", before):
        return None
    table = file.table_at(begin)
    above = max(
        ((span.start, path) for path, span in file.places.items() if span.start < begin),
        default=(0, ()),
    )
    if _is_in_list(file.source.text[above[0] : begin]):  # a further line of the value above
        return _Typed(above[1][:-1], str(above[1][-1]), _piece(before))
    if header := _HEADER.match(before):
        return _Typed((), None, header[1], is_header=True)
    if key := _KEY.match(before):
        return _Typed(table, None, key[1])
    line = _LINE.match(before)
    if line is None:
        return None
    path = (*table, *line[1].split("."))
    if line[2].count("{") > line[2].count("}"):
        instead = f"{line[1]} = {{}}"
        if inner := _INLINE.search(line[2]):
            return _Typed(path, None, inner[1], instead)
        value = _INLINE_VALUE.search(line[2])
        return value and _Typed(path, value[1], _piece(value[2]), instead)
    return _Typed(path[:-1], str(path[-1]), _piece(line[2]))


def _is_in_list(text: str) -> bool:
    """Return whether a list that began after a key goes on at the end of a text."""
    value = _STRING.sub("", text).partition("=")[2]
    return value.count("[") > value.count("]")


def _piece(value: str) -> str:
    """Return the last piece of a value that is being typed, with its opening quote."""
    if value.count('"') % 2:
        return value[value.rindex('"') :]
    match = _PIECE.search(value)
    return match[0] if match else ""


def _file(reading: Reading, text: str) -> TomlFile:
    source = Source(reading.source.name, text)
    return suite_file(source, keeps=False) if reading.is_suite else TomlFile(source, keeps=False)


def _read(reading: Reading, text: str) -> TomlFile:
    """Return a text after it was read, as far as it can be."""
    file = _file(reading, text)
    with suppress(GdlError, OSError):
        if reading.is_suite:
            suite_in(file)
        else:
            folders = folders_of(reading.path)
            rulesets_in(file, find_family=partial(find_family, folders=folders))
    return file


def _items(reading: Reading, file: TomlFile, typed: _Typed) -> Iterator[Item]:
    if typed.is_header:
        for header, detail in dict(_headers(file)).items():
            yield header, types.CompletionItemKind.Module, detail
    elif typed.key is None:
        there = {path[len(typed.table)] for path in file.places if _is_below(path, typed.table)}
        for key in file.keys.get(typed.table, ()):
            if key not in there:
                _, expected = file.wanted.get((*typed.table, key), (str, ""))
                yield key, types.CompletionItemKind.Property, expected
    else:
        is_quoted = typed.word.startswith('"')
        for value, detail in _values(reading, file, typed):
            is_plain = value in ("true", "false")
            text = value if is_plain else f'"{value}"'
            kind = types.CompletionItemKind.Value
            yield (text[:-1] if is_quoted and not is_plain else text), kind, detail


def _is_below(path: KeyPath, table: KeyPath) -> bool:
    return len(path) > len(table) and path[: len(table)] == table


def _headers(file: TomlFile) -> Iterator[tuple[str, str]]:
    """Yield tables that are known, or spoken of, and not there."""
    root = _values_of(file)
    for table in root.get("ruleset", ()):
        for key, section in SECTION_OF.items():
            named = table.get(key, ())
            for name in [named] if isinstance(named, str) else named:
                if not str(name).startswith("@") and name not in root.get(section, {}):
                    brackets = ("[[", "]]") if section == "facts" else ("[", "]")
                    yield f"{section}.{name}".join(brackets), f"{key} names it"
    for path, (kind, expected) in file.wanted.items():
        name = ".".join(part for part in path if isinstance(part, str))
        if kind is list and "table" in expected:
            yield f"[[{name}]]", expected
        elif kind is dict and path not in file.places and not any(map(_is_number, path)):
            yield f"[{name}]", expected


def _is_number(part: str | int) -> bool:
    return isinstance(part, int)


def _values_of(file: TomlFile) -> dict[str, Any]:
    try:
        return file.root().values
    except GdlError:
        return {}


def _values(reading: Reading, file: TomlFile, typed: _Typed) -> Iterator[tuple[str, str]]:
    """Yield what the value of a key may be, where that is known, and what it is."""
    key, table = str(typed.key), typed.table
    kind, expected = file.wanted.get((*table, key), (str, ""))
    beside = Path(reading.path).parent
    if kind is bool:
        yield from (("true", expected), ("false", expected))
    elif reading.is_suite and (key in GAMES or not table):
        if (beside / "manifest.toml").is_file():
            yield "manifest.toml", "the manifest beside this file"
        yield from ((ruleset.id, ruleset.title) for ruleset in rulesets())
    elif reading.is_suite and "expect" in (key, *table):
        yield from ((word, expected) for word in OUTCOMES)
    elif key == "rules":
        files = sorted(file.name for file in beside.glob("*") if file.suffix in RULE_SUFFIXES)
        yield from ((name, "a rule file beside this one") for name in files)
    elif table[:1] == ("ruleset",) and key in SECTION_OF:
        section = _values_of(file).get(SECTION_OF[key], {})
        yield from ((name, f"[{SECTION_OF[key]}.{name}]") for name in section)
