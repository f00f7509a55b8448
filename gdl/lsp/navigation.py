"""Where a name is defined, and where else it stands, in all parts of a ruleset."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from gdl.language.source import Span
from gdl.language.syntax import signature
from gdl.lsp.documents import Reading
from gdl.lsp.names import Kind, Name, defining
from gdl.lsp.parts import Parts


def definition(parts: Parts, position: types.Position) -> list[types.Location]:
    """Return where what stands at a position is defined; see `gdl.lsp.names.defining`.

    Of facts that the manifest writes out that is where it says so.
    """
    name = parts.reading.name_at(position)
    if name is None:
        return []
    spans = [place.span for place in defining(parts.same(name.key), name.key)]
    return _locations(parts, [*spans, *_written_out(parts, name)])


def references(
    parts: Parts, position: types.Position, *, with_definition: bool
) -> list[types.Location]:
    """Return where else the name at a position stands."""
    name = parts.reading.name_at(position)
    if name is None:
        return []
    same = parts.same(name.key)
    left_out = set() if with_definition else set(defining(same, name.key))
    return _locations(parts, [mention.span for mention in same if mention not in left_out])


def highlights(reading: Reading, position: types.Position) -> list[types.DocumentHighlight]:
    """Return the places in a text to mark while the cursor stands in a name."""
    name = reading.name_at(position)
    return [
        types.DocumentHighlight(
            reading.range(mention.span),
            types.DocumentHighlightKind.Write
            if mention.is_head
            else types.DocumentHighlightKind.Read,
        )
        for mention in reading.names
        if name is not None and mention.key == name.key
    ]


def _locations(parts: Parts, spans: Iterable[Span]) -> list[types.Location]:
    locations = map(parts.location, dict.fromkeys(spans))
    return [location for location in locations if location is not None]


def _written_out(parts: Parts, name: Name) -> list[Span]:
    """Return where the manifest writes facts of a relation out."""
    if name.kind is not Kind.RELATION:
        return []
    own = {id(reading.source) for reading in parts.all}
    places = [
        rule.place or rule.head.place
        for checked in (parts.checked if parts.rulesets else ())
        for rule in checked.description.rules
        if signature(rule.head.sentence) == name.signature
    ]
    return [place.span for place in places if place and id(place.span.source) not in own]
