"""The other parts of the rulesets that a text is a part of.

In: a reading, and the texts that are open. Out: `Parts`: the readings of all files that the
manifest beside it puts together with it, open ones as they are in the editor and others as they lie
on the disk; and what follows from the rules of each ruleset. A text that no manifest beside it
names has itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Final

from lsprotocol import types

from gdl.language.checked import CheckedDescription
from gdl.language.checks.check import check_partial, check_syntax_error
from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.files import read_source
from gdl.language.parse import read
from gdl.language.source import Span
from gdl.language.syntax import Description, GdlSyntaxError, Rule, Variable
from gdl.lsp.documents import Reading
from gdl.lsp.domains import Domain, Domains, domains
from gdl.lsp.manifests import Stamp, rulesets_with, stamp_of, unread_manifest
from gdl.lsp.names import Key, Kind, Name
from gdl.lsp.positions import Lines
from gdl.ruleset import Ruleset
from gdl.ruleset.manifest import MANIFEST_NAME
from gdl.ruleset.reading import description_of

MOST_KEPT: Final = 128
"""Files on the disk of which the reading is kept."""


class Parts:
    """A text, and what is read together with it.

    Attributes:
        reading: The text.
        rulesets: Those of the manifest beside it that it is a part of; none of a text of its own.
        all: The readings of all parts of these that can be read, the text first.
    """

    def __init__(self, reading: Reading, open_texts: Mapping[str, Reading] | None = None) -> None:
        """Find the other parts; ``open_texts`` are those that count as in the editor, by path."""
        self.reading = reading
        self.rulesets = rulesets_with(reading.path) if reading.is_rules else []
        readings = {Path(reading.path): reading}
        for path in dict.fromkeys(path for ruleset in self.rulesets for path in ruleset.paths):
            other = (open_texts or {}).get(str(path)) or _saved(path, reading)
            if other is not None:
                readings.setdefault(path, other)
        self._by_path: Final = readings
        self._by_source: Final = {id(part.source): part for part in readings.values()}
        self.all: Final = tuple(readings.values())

    @cached_property
    def names(self) -> Sequence[Name]:
        """The names in all parts, those of the text first."""
        return [name for reading in self.all for name in reading.names]

    @cached_property
    def problems(self) -> Sequence[Diagnostic]:
        """What ``gdl check`` says of the rules, in every ruleset, each once."""
        if not self.rulesets:
            unread = unread_manifest(self.reading.path)
            return self.reading.problems if unread is None else [unread, *self._of_some_rules()]
        with self.reading.recheck:
            told = [problem for ruleset in self.rulesets for problem in self._problems_of(ruleset)]
        return list(dict.fromkeys(told))

    @cached_property
    def checked(self) -> Sequence[CheckedDescription]:
        """What follows from the rules of each ruleset, as far as they can be read."""
        if not self.rulesets:
            return [self.reading.checked]
        return [CheckedDescription(self._readable(ruleset)) for ruleset in self.rulesets]

    @cached_property
    def domains(self) -> Sequence[Domains]:
        """What each variable may be in each ruleset; none where that is not known in one of them.

        Nor are there any where an error must go first.
        """
        if not self.rulesets:
            return [self.reading.domains] if self.reading.domains else []
        if any(problem.severity is Severity.ERROR for problem in self.problems):
            return []
        inferred = [domains(checked) for checked in self.checked]
        present = [domain for domain in inferred if domain is not None]
        return present if len(present) == len(inferred) else []

    def domains_of(self, rule: Rule) -> dict[Variable, Domain]:
        """Return what each variable of a rule may be, in any of the rulesets."""
        first, *others = [domain.of_rule(rule) for domain in self.domains] or [{}]
        return {
            variable: domain.union(*(other[variable] for other in others))
            for variable, domain in first.items()
            if all(variable in other for other in others)
        }

    def sizes_of(self, sizes: Callable[[Domains], Sequence[int]]) -> Sequence[int]:
        """Return the most that the rulesets give for each argument; empty if not known."""
        return [max(column) for column in zip_longest(*map(sizes, self.domains), fillvalue=0)]

    def same(self, key: Key) -> list[Name]:
        """Return every place of a name, the text first; a variable is known in it alone."""
        names = self.reading.names if key.kind is Kind.VARIABLE else self.names
        return [name for name in names if name.key == key]

    def location(self, span: Span) -> types.Location | None:
        """Return where a span of one of the parts is; None of what is none of these."""
        reading = self._by_source.get(id(span.source))
        if reading is not None:
            return types.Location(reading.uri, reading.range(span))
        if Path(span.source.name).name != MANIFEST_NAME:
            return None
        lines = Lines(span.source.text, self.reading.lines.encoding)
        uri = Path(span.source.name).absolute().as_uri()
        return types.Location(uri, lines.range(span.start, span.stop))

    def rules_of(self, path: Path) -> Description:
        """Return the rules of one of the parts.

        Raises:
            GdlError: See `gdl.language.parse.read`.
        """
        reading = self._by_path.get(path)
        return read(path) if reading is None else reading.parsed()

    def _in_pieces(self, path: Path) -> Description:
        reading = self._by_path.get(path)
        return read(path) if reading is None else reading.in_pieces()

    def _readable(self, ruleset: Ruleset) -> Description:
        try:
            return description_of(ruleset, self.rules_of)
        except GdlSyntaxError as error:
            return error.readable or Description(())
        except (GdlError, OSError):
            return Description(())

    def _of_some_rules(self) -> Sequence[Diagnostic]:
        """Return those problems of the text that no other part can make wrong."""
        try:
            return check_partial(self.reading.parsed())
        except GdlSyntaxError as error:
            return check_syntax_error(error)
        except GdlError as error:
            return error.diagnostics

    def _problems_of(self, ruleset: Ruleset) -> list[Diagnostic]:
        problems: list[Diagnostic] = []
        told = raised(
            lambda: problems.extend(
                self.reading.recheck.problems(
                    lambda: description_of(ruleset, self._in_pieces),
                    lambda: description_of(ruleset, self.rules_of),
                )
            )
        )
        return [*told, *problems]


def raised(run: Callable[[], object]) -> list[Diagnostic]:
    """Return the problems that an error carries, or the error itself; none where there is none."""
    try:
        run()
    except GdlError as error:
        message = error.message or error.headline
        itself = Diagnostic("unusable", Severity.ERROR, message, None, error.expected, error.help)
        return list(error.diagnostics) or [itself]
    return []


def _saved(path: Path, beside: Reading) -> Reading | None:
    """Return the reading of a file on the disk; None of one that cannot be read."""
    try:
        return _kept(path, stamp_of(path), beside.lines.encoding)
    except (GdlError, OSError):
        return None


@lru_cache(MOST_KEPT)
def _kept(path: Path, stamp: Stamp | None, encoding: types.PositionEncodingKind | str) -> Reading:
    """Return the reading of a file as it was at some time."""
    del stamp
    return Reading(str(path), Lines(read_source(path).text, encoding), "")
