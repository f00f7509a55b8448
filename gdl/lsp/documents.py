"""Open texts, and what follows from each.

A `Document` is what the editor holds, edit by edit. A `Reading` is one version of it: the rules
that can be read, their names and problems, each computed when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types
from pygls.uris import to_fs_path

from gdl.language.checked import CheckedDescription
from gdl.language.checks.incremental import Recheck
from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.parse import Syntax, detect_syntax, parse
from gdl.language.parse.incremental import Pieces
from gdl.language.source import Source, Span
from gdl.language.syntax import Description, GdlSyntaxError
from gdl.lsp.domains import Domains, domains
from gdl.lsp.names import Name, name_at, names
from gdl.lsp.positions import Lines
from gdl.ruleset.manifest import MANIFEST_NAME
from gdl.testing.suite import SUFFIX

BYTE_ORDER_MARK = "\ufeff"


class Versions(NamedTuple):
    """What is kept from version to version of a text.

    Attributes:
        pieces: Its rules, where it is KIF.
        recheck: What is said of them, and of the rules that they are read with.
    """

    pieces: Pieces
    recheck: Recheck


class Reading:
    """One version of a text.

    Attributes:
        path: What messages call the text; a file need not be there.
        uri: Its address, as the editor writes it.
        lines: The text by its lines.
        source: The text as the rooms below take it, without a byte order mark.
    """

    def __init__(
        self,
        path: str,
        lines: Lines,
        language: str,
        versions: Versions | None = None,
        *,
        uri: str = "",
    ) -> None:
        """Begin with nothing read; ``versions`` knows those before."""
        self._versions = versions
        self.path = path
        self.uri = uri or Path(path).absolute().as_uri()
        self.lines = lines
        self.source = Source(path, lines.text.removeprefix(BYTE_ORDER_MARK))
        self._shift = len(lines.text) - len(self.source.text)
        self._language = language

    @cached_property
    def syntax(self) -> Syntax:
        """The notation: what the editor says of a text without a name, else as `parse` tells."""
        if not Path(self.path).suffix and self._language in {"kif", "hrf"}:
            return "kif" if self._language == "kif" else "hrf"
        return detect_syntax(self.source)

    @property
    def is_saved(self) -> bool:
        """Whether there is a file of that name."""
        try:
            return Path(self.path).is_file()
        except OSError:  # the address of what is no file may be longer than a name can be
            return False

    @property
    def is_manifest(self) -> bool:
        """Whether the text is a manifest."""
        return Path(self.path).name == MANIFEST_NAME

    @property
    def is_suite(self) -> bool:
        """Whether the text is a file of tests."""
        return self.path.endswith(SUFFIX)

    @property
    def is_rules(self) -> bool:
        """Whether the text is rules; so is what has no name yet."""
        return not self.is_toml

    @property
    def is_toml(self) -> bool:
        """Whether the text is a manifest, tests, or something else that is written in TOML."""
        return self.path.endswith(".toml") or self._language == "toml"

    def parsed(self) -> Description:
        """Return the rules.

        Raises:
            GdlSyntaxError: With all syntax errors.
            LimitError: The text is too large.
        """
        if isinstance(self._parsed, GdlError):
            raise self._parsed
        return self._parsed

    @cached_property
    def _parsed(self) -> Description | GdlError:
        try:
            return parse(self.source, syntax=self.syntax)
        except GdlError as error:
            return error

    @property
    def is_whole(self) -> bool:
        """Whether all rules can be read."""
        return self.is_rules and isinstance(self._parsed, Description)

    @cached_property
    def rules(self) -> Description:
        """The rules that can be read, all or some or none."""
        if not self.is_rules:
            return Description(())
        parsed = self._parsed
        if isinstance(parsed, GdlSyntaxError):
            return parsed.readable or Description(())
        return parsed if isinstance(parsed, Description) else Description(())

    @cached_property
    def problems(self) -> Sequence[Diagnostic]:
        """What ``gdl check`` says of the rules."""
        with self.recheck:
            return self.recheck.problems(self.in_pieces, self.parsed)

    @cached_property
    def recheck(self) -> Recheck:
        """What is known of the versions before, if anything is."""
        return self._versions.recheck if self._versions else Recheck()

    def in_pieces(self) -> Description:
        """Return the rules as `Pieces.rules` does, where somebody edits KIF; see `parsed`."""
        if self._versions is None or not self.is_rules or self.syntax != "kif":
            return self.parsed()
        return self._versions.pieces.rules(self.source)

    @cached_property
    def checked(self) -> CheckedDescription:
        """What follows from the text of the rules."""
        return CheckedDescription(self.rules)

    @cached_property
    def names(self) -> Sequence[Name]:
        """All names in the rules, sorted by place."""
        return names(self.rules, self.syntax)

    @cached_property
    def domains(self) -> Domains | None:
        """What each variable may be; None where that is not known, or an error must go first."""
        if not self.is_whole or any(
            problem.severity is Severity.ERROR for problem in self.problems
        ):
            return None
        return domains(self.checked)

    def name_at(self, position: types.Position) -> Name | None:
        """Return the name at a position."""
        return name_at(self.names, self.offset(position))

    def offset(self, position: types.Position) -> int:
        """Return the offset in `source` of a position."""
        return max(0, self.lines.offset(position) - self._shift)

    def range(self, span: Span) -> types.Range:
        """Return the range of a span of `source`."""
        return self.lines.range(span.start + self._shift, span.stop + self._shift)

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset in `source`."""
        return self.lines.position(offset + self._shift)


class Document:
    """A text that an editor holds.

    Attributes:
        uri: Its address.
        version: As the editor counts.
        cost: Seconds that finding its problems took the last time.
    """

    def __init__(
        self, item: types.TextDocumentItem, encoding: types.PositionEncodingKind | str
    ) -> None:
        """Take the text over from the editor."""
        self.uri = item.uri
        self.version = item.version
        self.cost = 0.0
        self._language = item.language_id
        self._path = to_fs_path(item.uri) or item.uri
        self._lines = Lines(item.text, encoding)
        self._reading: Reading | None = None
        self._versions = Versions(Pieces(self._path), Recheck())

    @property
    def path(self) -> str:
        """The name of the file, or the address of what is none."""
        return self._path

    @property
    def reading(self) -> Reading:
        """What follows from the text as it is now."""
        if self._reading is None:
            self._reading = Reading(
                self._path, self._lines, self._language, self._versions, uri=self.uri
            )
        return self._reading

    def change(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Apply edits, in order."""
        self._lines = self._lines.edited(changes)
        self.version = version
        self._reading = None
