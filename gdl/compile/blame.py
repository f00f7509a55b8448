"""Which rule made grounding explode.

In: the clauses, when their grounding was stopped. Out: an error that names the rule with
the most instances. The grounder does not say what it is at, so it runs once more, for a
short time, with a mark in the body of every clause: the marks in its output are counted.

Source: ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from gdl.compile.grounder import run_grounder
from gdl.compile.limits import CompileLimits, GroundingLimitError
from gdl.compile.program import GLUE, clause_text
from gdl.compile.vocabulary import Vocabulary
from gdl.language.clauses import Clause
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.syntax import signature

_SECONDS: Final = 5.0
_RULES: Final = 3_000_000
_MARK: Final = re.compile(rb"[;-]k\((\d+)\)")
_UNITS: Final = {
    "seconds": "{:g} seconds",
    "bytes": "{:,} bytes",
    "ground_rules": "{:,} ground rules",
}


def explosion(clauses: Sequence[Clause], limit: str, limits: CompileLimits) -> GroundingLimitError:
    """Return the error for a grounding that met a limit. Takes up to five seconds.

    Args:
        clauses: What was grounded.
        limit: The name of the limit that was met.
        limits: All limits.
    """
    counts = _instances(clauses, min(_SECONDS, limits.seconds), limits)
    most = _UNITS[limit].format(getattr(limits, limit))
    head = f"the rules have too many instances: grounding was stopped after {most}"
    mend = f"raise the limit with CompileLimits({limit}=...), or let the reasoner play this game"
    if not counts:
        return GroundingLimitError(f"{head}\n  help: {mend}")
    index, instances = counts.most_common(1)[0]
    rule = clauses[index].rule
    place = rule.head.place or rule.place
    diagnostic = Diagnostic(
        slug="limit-grounding",
        severity=Severity.ERROR,
        message=f"this rule for {signature(rule.head.sentence)} has most instances: "
        f"{instances:,} after the first {min(_SECONDS, limits.seconds):g} seconds",
        span=None if place is None else place.span,
        help=mend,
    )
    return GroundingLimitError(f"{head}\n{diagnostic}", rule=rule, instances=instances)


def _instances(clauses: Sequence[Clause], seconds: float, limits: CompileLimits) -> Counter[int]:
    words = Vocabulary()
    marks = "".join(f"{{k({index})}}.\n" for index in range(len(clauses)))
    lines = [clause_text(clause, words, f"k({index})") for index, clause in enumerate(clauses)]
    output = run_grounder(
        GLUE + marks + "\n".join(lines) + "\n",
        seconds=seconds,
        memory=limits.bytes,
        ground_rules=_RULES,
        form="text",
    )
    return Counter(int(mark) for mark in _MARK.findall(output.text))
