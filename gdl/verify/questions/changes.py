"""What may be changed in a rule: a literal left out, put in, turned round, said of other things.

In: a description. Out: `Change`s, each of one rule, as an edit of the text it was read from; and
the description that some of them make. A change is a text first: what it means is what parsing
the changed text says, so a difference that is shown is the one that was tried.

Source: the edits are the repair operations of Hu, Thielscher and others on minimal repair of game
descriptions (KR 2025), and those of mutation analysis (DeMillo, Lipton, Sayward, 1978).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, combinations, islice, product
from typing import Final

from gdl.compile.limits import CompileError
from gdl.compile.rules.safety import check_safe
from gdl.language.clauses import clauses
from gdl.language.dependencies import DOES, dependency_graph
from gdl.language.diagnostics import GdlError
from gdl.language.parse import detect_syntax, parse
from gdl.language.render import render_rule
from gdl.language.source import Source, Span
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Formula,
    Not,
    Or,
    Place,
    Rule,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    kif_text,
    operands,
    sentence,
    signature,
)
from gdl.language.walk import conditions, located_arguments
from gdl.verify.questions.argument_sorts import FACT, OF_LANGUAGE, Spot, Vocabulary, vocabulary

MAX_CONSTANTS: Final = 40
"""Constants of a sort that one is changed for another of."""
FEW_CONSTANTS: Final = 4
"""Constants of a sort that a new literal may name, or a variable be changed for."""
MAX_LITERALS: Final = 300
"""New literals that are tried in a rule, at most."""
UNTOUCHED: Final = frozenset({"role", "base", "input"})
"""Relations whose rules stay as they are: who plays is no fault, and the others mean nothing."""


class Kind(IntEnum):
    """How a rule is changed, the plainest way first."""

    ADDED = 0
    WITHOUT = 1
    RELATION = 2
    TERM = 3
    TURNED = 4
    REMOVED = 5
    COPIED = 6
    WITH = 9


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a text and what stands there instead."""

    start: int
    stop: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one rule, or rules put in behind it.

    Attributes:
        at: Number of the rule in the description.
        kind: In what way.
        edit: What to write into the source of the rule.
        words: The change in words.
        also: Further edits that belong to it, each with the number of its rule.
    """

    at: int
    kind: Kind
    edit: Edit
    words: str
    also: tuple[tuple[int, Edit], ...] = ()

    @property
    def edits(self) -> tuple[tuple[int, Edit], ...]:
        """All edits, each with the number of its rule."""
        return ((self.at, self.edit), *self.also)


def changed(description: Description, changes: Sequence[Change]) -> Description | None:
    """Return the rules after some changes; None where they get in each other's way.

    Places of changed rules are those in a text of their own: only their line is meant.
    """
    by_rule: dict[int, list[Edit]] = {}
    for at, edit in (pair for change in changes for pair in change.edits):
        by_rule.setdefault(at, []).append(edit)
    rules: list[Rule] = []
    for index, rule in enumerate(description.rules):
        edits = by_rule.get(index)
        if edits is None:
            rules.append(rule)
            continue
        span = span_of_rule(rule)
        text = edited(
            span.text, [Edit(e.start - span.start, e.stop - span.start, e.text) for e in edits]
        )
        if text is None:
            return None
        try:
            rules += parse(Source(span.source.name, text), syntax=detect_syntax(span.source)).rules
        except GdlError:  # two edits that are right alone need not be together
            return None
    return Description(tuple(rules))


def edited(text: str, edits: Sequence[Edit]) -> str | None:
    """Return a text with edits made; None where two of them overlap."""
    pieces: list[str] = []
    last = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        if edit.start < last:
            return None
        pieces += [text[last : edit.start], edit.text]
        last = edit.stop
    return "".join([*pieces, text[last:]])


def span_of_rule(rule: Rule) -> Span:
    """Return where a rule stands."""
    assert rule.place is not None, "only rules of a text are changed"
    return rule.place.span


class Changes:
    """All changes of the rules of one description."""

    def __init__(self, description: Description, also: Description | None = None) -> None:
        """Find out what stands for what in it; names of another description may be put in too."""
        self.description = description
        self.words: Vocabulary = vocabulary(description if also is None else description + also)
        graph = dependency_graph(clauses(description))
        self._of_moves = graph.dependents({DOES})
        self._heads = {signature(rule.head.sentence) for rule in description.rules}

    def of(self, at: int) -> Iterator[Change]:
        """Yield the changes of one rule, the plainest first. Each parses, and differs from it."""
        rule = self.description.rules[at]
        if rule.place is None or rule.head.sentence.name in UNTOUCHED:
            return
        span = span_of_rule(rule)
        if detect_syntax(span.source) == "kif":
            whole, again = rule, None
        else:  # edited in prefix notation, and written back whole
            again = render_rule(rule, syntax="kif")
            whole = parse(Source(span.source.name, again), syntax="kif").rules[0]
        met, is_safe = {rule}, _is_safe(Description((rule,)))
        for change in sorted(self._of(at, whole), key=lambda change: change.kind):
            new = change if again is None else _in_infix(change, again, span)
            rules = None if new is None else changed(Description((rule,)), [_first(new)])
            if new is None or rules is None or (len(rules.rules) == 1 and rules.rules[0] in met):
                continue
            if is_safe and not _is_safe(rules):
                continue
            met.update(rules.rules)
            yield new

    def _of(self, at: int, rule: Rule) -> Iterator[Change]:
        span = span_of_rule(rule)
        text = span.source.text
        where = f"rule for {signature(rule.head.sentence)}"
        yield Change(at, Kind.REMOVED, Edit(span.start, span.stop, ""), f"without the {where}")
        bound = self.words.variables(rule)
        for part in _parts(rule.body):
            yield from self._of_part(at, part, text)
        for condition in conditions(rule):
            if isinstance(condition.leaf, Atom):
                yield from self._other_relations(at, condition.leaf)
                yield from self._other_terms(at, condition.leaf, bound)
        yield from self._other_terms(at, rule.head, bound)
        if rule.body or rule.head.sentence.name != "init":
            yield from self._with(at, rule, bound)
        if rule.head.sentence.name == "goal":
            yield from self._copied(at, rule)

    def _of_part(self, at: int, part: Formula, text: str) -> Iterator[Change]:
        if part.place is None:
            return
        span = part.place.span
        said = _short(span.text)
        start, stop = _with_space(text, span.start, span.stop)
        yield Change(at, Kind.WITHOUT, Edit(start, stop, ""), f"without {said}")
        match part:
            case Atom():
                turned = f"(not {span.text})"
            case Not(Atom(place=Place() as inner)):
                turned = inner.span.text
            case _:
                return
        edit = Edit(span.start, span.stop, turned)
        yield Change(at, Kind.TURNED, edit, f"{_short(turned)} in place of {said}")

    def _other_relations(self, at: int, atom: Atom) -> Iterator[Change]:
        own = signature(atom.sentence)
        args = arguments(atom.sentence)
        for other in self.words.relations:
            if (
                other.arity == own.arity
                and other != own
                and other in self._heads
                and self.words.alike(atom.sentence, other.name)
            ):
                new = sentence(other.name, args)
                yield from self._put(at, Kind.RELATION, atom.sentence, atom.place, new)

    def _other_terms(
        self, at: int, atom: Atom, bound: Mapping[Spot, Sequence[Variable]]
    ) -> Iterator[Change]:
        """Yield changes of one argument, however deep, and of two for each other."""
        stack: list[tuple[Sentence, Place | None]] = [(atom.sentence, atom.place)]
        while stack:
            term, place = stack.pop()
            located = located_arguments(term, place)
            own = OF_LANGUAGE.get((signature(term).name, len(located)))
            name = signature(term).name
            sorts = [
                self.words.sort((name, len(located), i) if own is None else own[i])
                for i in range(len(located))
            ]
            for (inner, where), sort in zip(located, sorts, strict=True):
                for other in self._instead(inner, sort, bound):
                    yield from self._put(at, Kind.TERM, inner, where, other)
                if isinstance(inner, Compound):
                    stack.append((inner, where))
            for i, j in combinations(range(len(located)), 2):
                if sorts[i] == sorts[j] and located[i].term != located[j].term:
                    args = [place.term for place in located]
                    args[i], args[j] = args[j], args[i]
                    yield from self._put(at, Kind.TERM, term, place, sentence(name, tuple(args)))

    def _instead(
        self, term: Term, sort: Spot, bound: Mapping[Spot, Sequence[Variable]]
    ) -> Iterator[Term]:
        """Yield what may stand where a term does."""
        constants = self.words.constants.get(sort, ())
        if sort == self.words.sort(FACT) and not isinstance(term, Variable):
            for fluent in self.words.fluents:
                if fluent.arity == signature(term).arity and self.words.alike(term, fluent.name):
                    yield sentence(fluent.name, arguments(term))
            return
        if isinstance(term, Compound):
            return
        yield from bound.get(sort, ())
        if len(constants) <= (MAX_CONSTANTS if isinstance(term, Constant) else FEW_CONSTANTS):
            yield from constants

    def _put(
        self, at: int, kind: Kind, old: Term, place: Place | None, new: Term
    ) -> Iterator[Change]:
        if place is not None and new != old:
            edit = Edit(place.span.start, place.span.stop, kif_text(new))
            yield Change(
                at, kind, edit, f"{_short(kif_text(new))} in place of {_short(kif_text(old))}"
            )

    def _with(
        self, at: int, rule: Rule, bound: Mapping[Spot, Sequence[Variable]]
    ) -> Iterator[Change]:
        """Yield the rule with one more literal."""
        span = span_of_rule(rule)
        for literal in islice(self._literals(rule, bound), MAX_LITERALS):
            for said in (
                (literal, f"(not {literal})") if not literal.startswith("(distinct") else (literal,)
            ):
                if not rule.body:
                    edit = Edit(span.start, span.stop, f"(<= {_head(rule)} {said})")
                else:
                    last = rule.body[-1].place
                    if last is None:
                        return
                    edit = Edit(last.span.stop, last.span.stop, _indented(last.span, said))
                yield Change(at, Kind.WITH, edit, f"with {said}")

    def _literals(self, rule: Rule, bound: Mapping[Spot, Sequence[Variable]]) -> Iterator[str]:
        may_ask_moves = signature(rule.head.sentence) in self._of_moves
        yield from self._asked_likewise(rule)
        for fluent in self.words.fluents:
            for filled in self._filled(fluent, bound):
                yield f"(true {filled})"
        for relation in self.words.relations:
            if relation in self._heads and (may_ask_moves or relation not in self._of_moves):
                yield from self._filled(relation, bound)
        for row in bound.values():
            for left, right in combinations(row, 2):
                yield f"(distinct {left} {right})"

    def _asked_likewise(self, rule: Rule) -> Iterator[str]:
        """Yield what other rules for the same, and ends of play, ask without a variable."""
        kind = signature(rule.head.sentence)
        rows = (
            conditions(other)
            for other in self.description.rules
            if signature(other.head.sentence) in {kind, Signature("terminal", 0)}
        )
        leaves = dict.fromkeys(c.leaf.sentence for c in chain(*rows) if isinstance(c.leaf, Atom))
        yield from (kif_text(leaf) for leaf in leaves if leaf.is_ground)

    def _filled(self, wanted: Signature, bound: Mapping[Spot, Sequence[Variable]]) -> Iterator[str]:
        """Yield a relation said of the variables of a rule, and of constants where they are few."""
        places: list[list[Term]] = []
        for index in range(wanted.arity):
            own = OF_LANGUAGE.get((wanted.name, wanted.arity))
            spot = (wanted.name, wanted.arity, index) if own is None else own[index]
            sort = self.words.sort(spot)
            constants = self.words.constants.get(sort, ())
            places.append(
                [*bound.get(sort, ()), *(constants if len(constants) <= FEW_CONSTANTS else ())]
            )
        for args in product(*places):
            yield kif_text(sentence(wanted.name, args))

    def _copied(self, at: int, rule: Rule) -> Iterator[Change]:
        """Yield a rule for a goal once more, for another role or another value."""
        span = span_of_rule(rule)
        head = rule.head.place
        role, value = arguments(rule.head.sentence)
        if head is None or not rule.body:
            return
        for other in self.words.constants.get(self.words.sort(("role", 1, 0)), ()):
            for worth in self.words.constants.get(("goal", 2, 1), ()):
                if isinstance(role, Constant) and other != role and isinstance(value, Constant):
                    said = f"(goal {kif_text(other)} {kif_text(worth)})"
                    text = span.text
                    new = (
                        text[: head.span.start - span.start]
                        + said
                        + text[head.span.stop - span.start :]
                    )
                    edit = Edit(span.stop, span.stop, f"\n{new}")
                    yield Change(
                        at, Kind.COPIED, edit, f"{said} too, by the rule for {_head(rule)}"
                    )


def _parts(formulas: Sequence[Formula]) -> Iterator[Formula]:
    """Yield what can be left out of a body: its literals, and what ``or`` and ``and`` join."""
    for formula in formulas:
        yield formula
        if isinstance(formula, And | Or):
            yield from _parts(operands(formula))


def _is_safe(rules: Description) -> bool:
    """Return whether a positive literal binds every variable (GDL specification, definition 6)."""
    try:
        check_safe(clauses(rules))
    except CompileError:
        return False
    return True


def _first(change: Change) -> Change:
    return Change(0, change.kind, change.edit, change.words)


def _in_infix(change: Change, text: str, span: Span) -> Change | None:
    """Return a change of a rule in prefix notation as one of the same rule in infix notation."""
    new = edited(text, [change.edit])
    assert new is not None
    try:
        rules = parse(Source("", new), syntax="kif").rules
    except GdlError:
        return None
    written = "\n".join(render_rule(rule, syntax="hrf") for rule in rules)
    return Change(change.at, change.kind, Edit(span.start, span.stop, written), change.words)


def _head(rule: Rule) -> str:
    return kif_text(rule.head.sentence)


def _short(text: str) -> str:
    return " ".join(text.split())


def _with_space(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return the extent of a literal with the blank space that goes with it.

    That is the space before it. Behind a comment it is the rest of its line instead, or nothing:
    what comes next must not become part of the comment.
    """
    before = text[:start].rstrip()
    if ";" not in before.rpartition("\n")[2] or "\n" not in text[len(before) : start]:
        return len(before), stop
    rest = text[stop:].partition("\n")[0]
    if rest.strip():
        return start, stop
    return text.rfind("\n", 0, start) + 1, min(len(text), stop + len(rest) + 1)


def _indented(last: Span, literal: str) -> str:
    """Return a literal as it is written behind the last one: on a line of its own where that is."""
    text = last.source.text
    line = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    return f"\n{line}{literal}" if not line.strip() else f" {literal}"
