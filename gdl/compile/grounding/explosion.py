"""Which rule made grounding explode.

In: the clauses, when their grounding was stopped. Out: an error that names the rule that
the grounder was at, and how many instances it had. The grounder does not say what it is
at, so it runs once more, for a shorter time, and writes names instead of numbers: the
relation that most of its last rules are about is the one that grows, however many
instances those before it had.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from gdl.compile.grounding.grounder import run_grounder
from gdl.compile.limits import CompileLimits, GroundingLimitError
from gdl.compile.rules.grounder_names import GrounderNames, split_arguments
from gdl.compile.rules.literals import asked_sentence
from gdl.compile.rules.logic_program import logic_program
from gdl.language.clauses import Clause
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.syntax import Not, signature

_SECONDS: Final = 20.0
_RULES: Final = 1 << 40
"""No limit: what is written is counted and let go."""
_LAST: Final = 4
"""The part of the output that is looked at for what grows: the last quarter."""
_SAMPLE: Final = 400
"""Rules of one relation that are looked at for the clause that they come from."""
_HEAD: Final = re.compile(rb"^([a-z]+\d*)[.(:]", re.MULTILINE)
_ATOM: Final = re.compile(r"(not )?([a-z]+\d*)(?:\(|,|;|\.|$)")
_UNITS: Final = {
    "seconds": "{:g} seconds",
    "bytes": "{:,} bytes",
    "ground_rules": "{:,} ground rules",
}


def explosion(clauses: Sequence[Clause], limit: str, limits: CompileLimits) -> GroundingLimitError:
    """Return the error for a grounding that met a limit; to explain it may take twenty seconds.

    Args:
        clauses: What was grounded.
        limit: The name of the limit that was met.
        limits: All limits.
    """
    seconds = min(_SECONDS, limits.seconds)
    most = _UNITS[limit].format(getattr(limits, limit))
    head = f"the rules have too many instances: grounding was stopped after {most}"
    mend = f"raise the limit with CompileLimits({limit}=...), or let the reasoner play this game"
    growing = _growing(clauses, seconds, limits) if limits.explain else None
    if growing is None:
        return GroundingLimitError(head, help=mend)
    clause, instances = growing
    rule = clause.rule
    place = rule.head.place or rule.place
    diagnostic = Diagnostic(
        slug="limit-grounding",
        severity=Severity.ERROR,
        message=f"this rule for {signature(rule.head.sentence)} has too many: "
        f"{instances:,} after the first {seconds:g} seconds, and growing",
        span=None if place is None else place.span,
        help=mend,
    )
    return GroundingLimitError(head, diagnostic=diagnostic, rule=rule, instances=instances)


def _growing(
    clauses: Sequence[Clause], seconds: float, limits: CompileLimits
) -> tuple[Clause, int] | None:
    """Return the clause that the grounder is at when it is stopped, and its instances."""
    program = logic_program(clauses)
    instance_counts = _InstanceCounts()
    run_grounder(
        program.text,
        seconds=seconds,
        memory=limits.bytes,
        ground_rules=_RULES,
        of_processor=limits.of_processor,
        form="text",
        sink=instance_counts.add,
    )
    by_name: dict[str, list[Clause]] = {}
    for clause in clauses:
        if clause.body:
            by_name.setdefault(program.words.relation(signature(clause.head)), []).append(clause)
    for name, _ in instance_counts.last.most_common():
        of_relation = by_name.get(name.decode())
        if of_relation:
            return _most_frequent(of_relation, name, instance_counts, program.words)
    return None


class _InstanceCounts:
    """Counts the ground rules of each relation as they are written."""

    def __init__(self) -> None:
        self.all: Counter[bytes] = Counter()
        self.tail = b""
        self._parts: list[Counter[bytes]] = []
        self._rest = b""

    def add(self, chunk: bytes) -> None:
        """Count the rules of a piece of text."""
        block, newline, self._rest = (self._rest + chunk).rpartition(b"\n")
        if newline:
            part = Counter(_HEAD.findall(block))
            self._parts.append(part)
            self.all += part
            self.tail = block

    @property
    def last(self) -> Counter[bytes]:
        """The counts of the last part of the text."""
        total: Counter[bytes] = Counter()
        for part in self._parts[-(-len(self._parts) * (_LAST - 1) // _LAST) :]:
            total += part
        return total


def _most_frequent(
    clauses: Sequence[Clause], name: bytes, instance_counts: _InstanceCounts, words: GrounderNames
) -> tuple[Clause, int]:
    """Return the clause that most of the last instances come from; and how many it has.

    Where a relation has several clauses, their shares are those of the last instances.
    """
    instances = instance_counts.all[name]
    if len(clauses) == 1:
        return clauses[0], instances
    pattern = re.compile(rb"^" + name + rb"[.(:].*$", re.MULTILINE)
    lines = [line.decode() for line in pattern.findall(instance_counts.tail)[-_SAMPLE:]]
    counts: Counter[int] = Counter()
    for line in lines:
        counts.update(
            index for index, clause in enumerate(clauses) if _comes_from(line, clause, words)
        )
    if not counts:
        return clauses[0], instances
    index, count = counts.most_common(1)[0]
    return clauses[index], instances * count // len(lines)


def _comes_from(line: str, clause: Clause, words: GrounderNames) -> bool:
    """Return whether a ground rule, of which the grounder left out facts, fits a clause."""
    head, _, body = line.rstrip(".").partition(":-")
    if not _fits(words.sentence(clause.head, {}), head, {}):
        return False
    there = {
        (isinstance(literal, Not), words.relation(signature(asked)))
        for literal in clause.body
        if (asked := asked_sentence(literal)) is not None
    }
    matches = [_ATOM.match(part) for part in split_arguments(body)] if body else []
    return all(m is not None and (m[1] is not None, m[2]) in there for m in matches)


def _fits(pattern: str, ground: str, binding: dict[str, str]) -> bool:
    """Return whether a text is an instance of another; the same terms have the same text."""
    if pattern.startswith("V"):
        return binding.setdefault(pattern, ground) == ground
    name, bracket, inner = pattern.partition("(")
    other, other_bracket, other_inner = ground.partition("(")
    if (name, bracket) != (other, other_bracket):
        return False
    if not bracket:
        return True
    ours, theirs = split_arguments(inner[:-1]), split_arguments(other_inner[:-1])
    return len(ours) == len(theirs) and all(
        _fits(part, counterpart, binding) for part, counterpart in zip(ours, theirs, strict=True)
    )
