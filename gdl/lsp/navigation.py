"""Where a name is defined, and where else it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from gdl.lsp.documents import Reading
from gdl.lsp.names import Name, defining


def definition(reading: Reading, uri: str, position: types.Position) -> list[types.Location]:
    """Return where what stands at a position is defined; see `gdl.lsp.names.defining`."""
    name = reading.name_at(position)
    defining_names = defining(reading.names, name.key) if name else ()
    return [types.Location(uri, reading.range(place.span)) for place in defining_names]


def references(
    reading: Reading, uri: str, position: types.Position, *, with_definition: bool
) -> list[types.Location]:
    """Return where else the name at a position stands."""
    name = reading.name_at(position)
    if name is None:
        return []
    left_out = set() if with_definition else set(defining(reading.names, name.key))
    mentions = (mention for mention in same(reading.names, name) if mention not in left_out)
    return [types.Location(uri, reading.range(mention.span)) for mention in mentions]


def highlights(reading: Reading, position: types.Position) -> list[types.DocumentHighlight]:
    """Return the places to mark while the cursor stands in a name."""
    name = reading.name_at(position)
    mentions: Iterable[Name] = same(reading.names, name) if name else ()
    return [
        types.DocumentHighlight(
            reading.range(mention.span),
            types.DocumentHighlightKind.Write
            if mention.is_head
            else types.DocumentHighlightKind.Read,
        )
        for mention in mentions
    ]


def same(names: Sequence[Name], name: Name) -> list[Name]:
    """Return every place of a name, its own included."""
    return [other for other in names if other.key == name.key]
