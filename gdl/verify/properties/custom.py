"""A user's own properties: formulas of the rules.

In: formulas, on the command line or one a line in a file. Out: `CustomProperty` values, and the
bodies of rules that they are, or errors that point into what the user wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gdl.certify.names import DENYING, DIFFER, NEVER, NEVER_SO, NOT, OF_EACH, WINNABLE
from gdl.circuit.aig import Lit
from gdl.compile.rules.fresh_names import apart
from gdl.language.checks.check import check
from gdl.language.clauses import clauses
from gdl.language.dependencies import dependency_graph
from gdl.language.diagnostics import Diagnostic, GdlError, InvalidDescriptionError, Severity
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import parse
from gdl.language.preconditions import require
from gdl.language.source import Source, Span
from gdl.language.spelling import Suggester
from gdl.language.syntax import Atom, Constant, Description, GdlSyntaxError, Place, Rule, Term
from gdl.language.walk import leaf_terms, leaves, subterms
from gdl.verify.properties.monitors import Body, Monitored
from gdl.verify.properties.well_formed import Check, Property

WRAPPER: Final = "(<= watched "
EXAMPLE: Final = "a formula of the rules, for instance (and (line black) (line white))"
IGNORED: Final = frozenset({"unused-relation", "capitalisation"})
"""What `check` says of any rule that only watches."""


@dataclass(frozen=True, slots=True)
class CustomProperty:
    """A formula that must never hold, or that must be possible.

    Attributes:
        name: What to call it.
        formula: A formula of the rules, as KIF text; variables mean "for some".
        is_possible: It must be possible, instead of never hold.
        place: Where it stands in what the user wrote, None for the formula alone.
    """

    name: str
    formula: str
    is_possible: bool = False
    place: Span | None = None

    @property
    def span(self) -> Span:
        """Where it stands."""
        if self.place is not None:
            return self.place
        return Span(Source(self.name, self.formula), 0, len(self.formula))


Probe = CustomProperty
"""The same, as `gdl.verify.verify` calls what its argument ``probes`` takes."""


def require_probes(probes: Sequence[CustomProperty]) -> tuple[CustomProperty, ...]:
    """Return what the argument ``probes`` of a question holds.

    Raises:
        ArgumentTypeError: It is no list of them.
    """
    for probe in require("probes", probes, Sequence, "a list of probes"):
        require("a probe", probe, CustomProperty, "a gdl.verify.properties.custom.Probe")
    return tuple(probes)


def check_names(custom: Sequence[CustomProperty], taken: Collection[str]) -> None:
    """Refuse names that say something else than the formula, in answers and on certificates.

    Args:
        custom: What the user asks.
        taken: What is asked of every game.

    Raises:
        GdlError: A property is called like one of these, like what is said of properties, or like
            another of the user's.
    """
    names: set[str] = set()
    for wanted in custom:
        name = wanted.name
        # That something never is, is what a formula says which must not hold: so far that is one
        # thing under its name, unless something else is called so.
        is_denied = name.startswith(NEVER) and not wanted.is_possible
        said = name.removeprefix(NEVER) if is_denied else name
        is_taken = said in (*taken, *OF_EACH) or NEVER_SO.fullmatch(said)
        if is_taken or said.startswith(WINNABLE):
            why = "is what gdl verify asks of every game"
        elif said.startswith((NOT, DIFFER, *DENYING)):
            why = "reads like an answer about something else"
        elif {name, said} & names or (NEVER + name in names and wanted.is_possible):
            why = "is the name of two"
        else:
            names.add(name)
            continue
        raise GdlError(
            f"no property can be called {name}: that {why}",
            expected="a name of its own for each formula",
            help=f"{'possible' if wanted.is_possible else 'never'} my property: {wanted.formula}",
        )


def bodies(
    description: Description, custom: Sequence[CustomProperty], *, limits: Limits = DEFAULT_LIMITS
) -> list[Body]:
    """Return what each property watches.

    Args:
        description: The rules that the formulas speak of.
        custom: The formulas.
        limits: How large a formula may be.

    Raises:
        GdlSyntaxError: A formula cannot be read; shows where.
        InvalidDescriptionError: A formula can never mean anything in these rules: a relation or
            a name that they do not know, a variable that nothing binds. All such are shown.
    """
    rules: list[Rule] = []
    relations = dependency_graph(clauses(description, limits=limits)).relations
    head = Atom(Constant(f"watched{apart(relations, 'watched')}"))  # which these may have, too
    written: dict[str, CustomProperty] = {}
    for index, wanted in enumerate(custom):
        source = f"property {index}"
        written[source] = wanted
        rules.append(replace(_rule(wanted, source, limits), head=head))
    problems = [
        problem
        for problem in check(description + Description(tuple(rules)), limits=limits)
        if problem.path in written
        and problem.severity >= Severity.WARNING
        and problem.slug not in IGNORED
    ]
    problems += _unknown_names(description, rules)
    if problems:
        raise InvalidDescriptionError(diagnostics=_pointed(problems, written))
    return [rule.body for rule in rules]


def _rule(wanted: CustomProperty, source: str, limits: Limits) -> Rule:
    if not wanted.formula.strip():
        raise GdlError(f"the property {wanted.name} has no formula", expected=EXAMPLE)
    try:
        read = parse(Source(source, f"{WRAPPER}{wanted.formula})"), syntax="kif", limits=limits)
    except GdlError as error:
        if not error.diagnostics:
            raise
        raise type(error)(diagnostics=_pointed(error.diagnostics, {source: wanted})) from None
    if len(read.rules) != 1 or not read.rules[0].body:
        text = f"{wanted.formula.strip()} is not one formula"
        raise GdlError(f"the property {wanted.name}: {text}", expected=EXAMPLE)
    return read.rules[0]


def _pointed(
    problems: Iterable[Diagnostic], written: dict[str, CustomProperty]
) -> list[Diagnostic]:
    """Return problems that point at what the user wrote, not at the rule made of it."""

    def moved(span: Span | None) -> Span | None:
        if span is None or span.source.name not in written:
            return span
        whole = written[span.source.name].span
        shift = whole.start - len(WRAPPER)
        start = min(max(span.start + shift, whole.start), whole.stop)
        return Span(whole.source, start, min(max(span.stop + shift, start), whole.stop))

    return [
        replace(
            problem,
            severity=Severity.ERROR,  # whoever writes a formula wants it to mean something
            span=moved(problem.span),
            notes=tuple(replace(note, span=moved(note.span)) for note in problem.notes),
        )
        for problem in problems
    ]


def _unknown_names(description: Description, rules: Iterable[Rule]) -> Iterator[Diagnostic]:
    """Yield a problem for each constant that the rules never use."""
    names = {name for rule in description.rules for name, _ in _constants(rule)}
    suggester = Suggester(sorted(names))
    for rule in rules:
        for name, place in _constants(rule):
            if name in names or name.isdigit() or place is None:
                continue
            yield Diagnostic(
                "unknown-name",
                Severity.ERROR,
                f"the rules know no {name}, so this never holds",
                place.span,
                expected="a name that the rules use",
                help=f"did you mean {near}?" if (near := suggester.closest(name)) else None,
            )


def _constants(rule: Rule) -> Iterator[tuple[str, Place | None]]:
    """Yield the constants in the arguments of a rule."""
    for leaf in leaves(rule):
        for outer in leaf_terms(leaf):
            for term, place in subterms(*outer):
                if isinstance(term, Constant):
                    yield term.name, place


def claim_of(wanted: CustomProperty) -> str:
    """Return what a property says."""
    return f"{'possible' if wanted.is_possible else 'never'}: {wanted.formula}"


def own_properties(
    custom: Sequence[CustomProperty], edges: Sequence[Lit], monitored: Monitored, role: Term
) -> list[Property]:
    """Return the properties that a user asks for, given when each formula holds.

    What is seen of a formula is seen by a `WatchingReasoner`.
    """
    return [
        Property(
            wanted.name,
            claim_of(wanted),
            edge,
            _seen_in_moves(role, value) if moves else _seen_in_state(role, value),
            is_possible=wanted.is_possible,
            of_moves=moves,
        )
        for wanted, edge, moves, value in zip(
            custom, edges, monitored.of_moves, monitored.values, strict=True
        )
    ]


def _seen_in_state(role: Term, value: int) -> Check:
    def shows(machine: Any, state: Any, last: Any) -> bool:  # noqa: ANN401  # any back end
        del last
        return bool(machine.tells(state, role, value))

    return shows


def _seen_in_moves(role: Term, value: int) -> Check:
    def shows(machine: Any, state: Any, last: Any) -> bool:  # noqa: ANN401  # any back end
        del state
        return last is not None and Constant(str(value)) in machine.percepts(*last, role)

    return shows


def read_properties(text: str, *, name: str = "properties") -> list[CustomProperty]:
    """Read properties, one a line: ``never NAME: FORMULA`` or ``possible NAME: FORMULA``.

    Empty lines and lines that begin with ``;`` are left out.

    Raises:
        GdlError: A line is neither; says which and what is expected.
    """
    source = Source(name, text)
    properties = []
    start = 0
    for line in text.splitlines(keepends=True):
        begin, start = start, start + len(line)
        stripped = line.strip()
        if not stripped or stripped.startswith(";"):
            continue
        head, colon, formula = line.partition(":")
        word, _, called = head.strip().partition(" ")
        if not colon or word not in ("never", "possible") or not formula.strip():
            raise GdlSyntaxError(diagnostics=[_no_property(source, begin, line)])
        offset = begin + len(head) + 1 + len(formula) - len(formula.lstrip())
        place = Span(source, offset, offset + len(formula.strip()))
        label = called.strip() or formula.strip()
        properties.append(
            CustomProperty(label, formula.strip(), is_possible=word == "possible", place=place)
        )
    return properties


def _no_property(source: Source, begin: int, line: str) -> Diagnostic:
    first = begin + len(line) - len(line.lstrip())
    return Diagnostic(
        "no-property",
        Severity.ERROR,
        "this line is no property",
        Span(source, first, first + len(line.strip())),
        expected="never NAME: FORMULA, or possible NAME: FORMULA",
        help="never both lines: (and (line black) (line white))",
    )
