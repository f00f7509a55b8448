"""Incremental parsing of a KIF text that is edited: what no edit touched is not read again.

In: version after version of one text. Out: its rules in pieces, where a piece that stands in the
last version too is the same object with the same rules; and every syntax error.

A ``(<=`` that is first on its line ends whatever is open before it (see `kif_scan`), and no token
goes over the end of a line. So a text can be cut there: what is read of a piece depends on nothing
outside of it, as long as there is no fault in it. Pieces with a fault are scanned in every version,
one after the other as parts of the whole text.

An edit shifts all that follows. Rules are not made anew for that: their places are offsets in a
text that is stretched, with room between neighbouring pieces, where new ones find theirs. The order
of any two places is that of the text; `real` says where a place is in the last version.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from typing import Final

from gdl.language.diagnostics import Diagnostic, GdlError, LimitError, Note, sort_diagnostics
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import is_text, parse
from gdl.language.parse.budget import Budget
from gdl.language.parse.forms import FormReader
from gdl.language.parse.kif import EXAMPLES, LEAVES, kif_pattern, nodes_of
from gdl.language.parse.kif_scan import KifScan
from gdl.language.parse.problems import MAX_ERRORS, Problems
from gdl.language.parse.scan import Extent
from gdl.language.source import Source, Span
from gdl.language.syntax import Description, GdlSyntaxError, Rule

_BEGINNING: Final = re.compile(r"[\r\n]\s*+(?:(\()(?=\s*+<=[\s()]))?")
ROOM: Final = 1 << 40
"""Characters of the stretched text between pieces that were read together."""


class NotInPiecesError(Exception):
    """A text that has to be read as a whole: a limit is near, or too much is wrong."""


@dataclass(eq=False, slots=True)
class Piece:
    """A part of a text that is read for itself.

    Attributes:
        text: Its characters; all but the first begin with the end of a line.
        base: Where it begins in the stretched text.
        rules: Its rules; of a piece with a fault those that can be read and judged.
        is_sound: Whether there is no fault in it.
        is_careless: Whether conditions stand in the first column; see `KifScan`.
    """

    text: str
    base: int
    rules: tuple[Rule, ...] = ()
    is_sound: bool = False
    is_careless: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Stretched(Source):
    """The text with room between its pieces; it knows characters, and no lines.

    Attributes:
        pieces: Those of the last version.
        bases: Where they begin.
        starts: Where they begin in the last version.
        last: That version alone.
    """

    pieces: list[Piece] = field(default_factory=list, init=False, repr=False)
    bases: list[int] = field(default_factory=list, init=False, repr=False)
    starts: list[int] = field(default_factory=list, init=False, repr=False)
    last: list[Source] = field(default_factory=list, init=False, repr=False)

    def hold(self, pieces: Sequence[Piece], source: Source) -> None:
        """Take the pieces of another version."""
        self.pieces[:] = pieces
        self.bases[:] = [piece.base for piece in pieces]
        self.starts[:] = [0, *accumulate(len(piece.text) for piece in pieces)]
        self.last[:] = [source]

    def index(self, offset: int) -> int:
        """Return the number of the piece in which a place is."""
        return bisect_right(self.bases, offset) - 1

    def cut(self, start: int, stop: int) -> str:
        """Return the characters of a range, which lies in one piece."""
        piece = self.pieces[self.index(start)]
        return piece.text[start - piece.base : stop - piece.base]

    def real(self, span: Span) -> Span:
        """Return a span of it as one of the last version."""
        index = self.index(span.start)
        shift = self.starts[index] - self.bases[index]
        return Span(self.last[0], span.start + shift, span.stop + shift)


def real(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic with its places in the last versions of texts that are stretched."""
    notes = tuple([Note(note.message, _real(note.span)) for note in diagnostic.notes])
    return replace(diagnostic, span=_real(diagnostic.span), notes=notes)


def _real(span: Span | None) -> Span | None:
    return span.source.real(span) if span and isinstance(span.source, Stretched) else span


@dataclass
class Pieces:
    """The versions of one text.

    Attributes:
        name: What messages call the text.
        limits: How large it may be.
        pieces: Those of the last version, in order.
        errors: All syntax errors of the last version, sorted by place.
        is_judged: Whether its rules can be judged: not those of a text in another notation.
        stretched: What the places of the rules are in.
    """

    name: str
    limits: Limits = DEFAULT_LIMITS
    pieces: list[Piece] = field(default_factory=list)
    errors: Sequence[Diagnostic] = ()
    is_judged: bool = True

    def __post_init__(self) -> None:
        """Begin with nothing read."""
        self.stretched = Stretched(self.name, "")
        self._source = Source(self.name, "")
        self._rules: Description | GdlError | None = None

    def rules(self, source: Source) -> Description:
        """Return the rules of a version, with places in the stretched text where that can be.

        Raises:
            GdlSyntaxError: With all syntax errors of the version, sorted by place.
            LimitError: It is too large.
        """
        if self._rules is None or self._source is not source:
            try:
                self._rules = self._description(source)
            except GdlError as error:
                self._rules = error
            self._source = source
        if isinstance(self._rules, GdlError):
            raise self._rules
        return self._rules

    def _description(self, source: Source) -> Description:
        if is_text(source, self.limits):
            try:
                self.read(source)
            except (NotInPiecesError, LimitError):
                pass  # the whole says which limit, and where
            else:
                within = chain.from_iterable(piece.rules for piece in self.pieces)
                rules = Description(tuple(within) if self.is_judged else (), (self.stretched,))
                if self.errors:
                    raise GdlSyntaxError(diagnostics=self.errors, readable=rules)
                return rules
        self.pieces, self.stretched = [], Stretched(self.name, "")
        return parse(source, syntax="kif", limits=self.limits)

    def read(self, source: Source) -> None:
        """Read another version. Cost: that of the pieces that are new, and a look at the others.

        Raises:
            NotInPiecesError: It has to be read as a whole.
            LimitError: It is too large.
        """
        budget = Budget(source, self.limits)
        texts = list(_texts(source.text))
        self.pieces = self._matched(texts)
        self._source = source
        self.stretched.hold(self.pieces, source)
        for piece in self.pieces:
            if not piece.is_sound:
                self._read_alone(piece, budget)
        self.errors, self.is_judged = (), True
        if not all(piece.is_sound for piece in self.pieces):
            self.errors = sort_diagnostics(self._faults(budget))
            if not 0 < len(self.errors) < MAX_ERRORS:
                raise NotInPiecesError
        if sum(len(piece.rules) for piece in self.pieces) > self.limits.rules:
            raise NotInPiecesError

    def _matched(self, texts: list[str]) -> list[Piece]:
        """Return a piece a text: the old one where it is the same from the begin or the end."""
        old = self.pieces
        most = min(len(texts), len(old))
        same = next((n for n in range(most) if texts[n] != old[n].text), most)
        most -= same
        behind = next((n for n in range(most) if texts[~n] != old[~n].text), most)
        kept, after = old[:same], old[len(old) - behind :]
        fresh = texts[same : len(texts) - behind]
        left = kept[-1].base + len(kept[-1].text) if kept else 0
        right = after[0].base if after else left + ROOM * (len(fresh) + 1)
        step = (right - left) // (len(fresh) + 1)
        if (fresh and step <= max(map(len, fresh))) or (not same and behind and after[0].base == 0):
            self.pieces = []  # no room is left: all of them get new places
            return self._matched(texts)
        bases = [left + step * (number + bool(kept)) for number in range(len(fresh))]
        between = [Piece(text, base) for text, base in zip(fresh, bases, strict=True)]
        return [*kept, *between, *after]

    def _read_alone(self, piece: Piece, budget: Budget) -> None:
        """Read a piece as if there were nothing else; what has a fault stays unsound."""
        source = Source(self.name, piece.text + "\n")  # there is one, or the end of the text
        problems = Problems(source)
        scan = KifScan(source, kif_pattern(), budget, problems)
        scan.run(0, len(source.text))
        scan.end()
        piece.is_careless = scan.is_careless
        if len(problems):
            return
        problems = Problems(self.stretched)
        reader = FormReader(problems, LEAVES, EXAMPLES)
        reader.offset = piece.base
        rules = [reader.rule(node) for node in nodes_of(piece.text)]
        if not len(problems):
            piece.rules = tuple([rule for rule in rules if rule is not None])
            piece.is_sound = True

    def _faults(self, budget: Budget) -> list[Diagnostic]:
        """Read the pieces that are not sound, as parts of the text; return all errors.

        Of the others the scan is told no more than where they begin, which ends what is open, and
        whether they are careless.
        """
        source = self._source
        problems = Problems(source)
        scan = KifScan(source, kif_pattern(), budget, problems)
        for piece, start, stop in self._placed():
            if not piece.is_sound:
                scan.run(start, min(stop + 1, len(source.text)))
                continue
            if start:
                first = source.text.index("(", start)
                scan.begin(first, is_rule=True)
                scan.open = []
                scan.extents.append(Extent(first, first + 1))
            scan.is_careless = scan.is_careless or piece.is_careless
        scan.end()
        self.is_judged = not scan.has_infix
        extents, doubtful = scan.sound_extents(), scan.doubtful()
        starts = [form.start for form in extents]
        misread = Problems(self.stretched)
        reader = FormReader(misread, LEAVES, EXAMPLES)
        for piece, start, stop in self._placed():
            within = extents[bisect_right(starts, start - 1) : bisect_right(starts, stop - 1)]
            if piece.is_sound:
                if self.is_judged and not doubtful.isdisjoint(form.start for form in within):
                    raise NotInPiecesError
                continue
            rules: list[Rule] = []
            for form in within:
                reader.offset = piece.base + form.start - start
                read = map(reader.rule, nodes_of(source.text[form.start : form.stop]))
                sound = [rule for rule in read if rule is not None]
                rules += [] if form.start in doubtful else sound
            piece.rules = tuple(rules)
        return [*problems.all(), *map(real, misread.all())]

    def _placed(self) -> Iterator[tuple[Piece, int, int]]:
        starts = self.stretched.starts
        return zip(self.pieces, starts[:-1], starts[1:], strict=True)


def _texts(text: str) -> Iterator[str]:
    """Yield a text in parts, cut before each line that begins with a rule's ``(<=``."""
    start = 0
    for match in _BEGINNING.finditer(text):
        if match[1] is not None:
            yield text[start : match.start()]
            start = match.start()
    yield text[start:]
