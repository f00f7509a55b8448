"""Where a name is defined, and where else it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from gdl.lsp.documents import Reading
from gdl.lsp.names import Name, defining


def definition(reading: Reading, uri: str, position: types.Position) -> list[types.Location]:
    """Return where what stands at a position is defined; see `gdl.lsp.names.defining`."""
    name = reading.name_at(position)
    found = defining(reading.names, name.key) if name else ()
    return [types.Location(uri, reading.range(each.span)) for each in found]


def references(
    reading: Reading, uri: str, position: types.Position, *, with_definition: bool
) -> list[types.Location]:
    """Return where else the name at a position stands."""
    name = reading.name_at(position)
    if name is None:
        return []
    left_out = set() if with_definition else set(defining(reading.names, name.key))
    found = (each for each in same(reading.names, name) if each not in left_out)
    return [types.Location(uri, reading.range(each.span)) for each in found]


def highlights(reading: Reading, position: types.Position) -> list[types.DocumentHighlight]:
    """Return the places to mark while the cursor stands in a name."""
    name = reading.name_at(position)
    found: Iterable[Name] = same(reading.names, name) if name else ()
    return [
        types.DocumentHighlight(
            reading.range(each.span),
            types.DocumentHighlightKind.Write if each.is_head else types.DocumentHighlightKind.Read,
        )
        for each in found
    ]


def same(names: Sequence[Name], name: Name) -> list[Name]:
    """Return every place of a name, its own included."""
    return [each for each in names if each.key == name.key]
