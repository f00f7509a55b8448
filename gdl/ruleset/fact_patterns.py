"""Facts that a manifest writes out from ranges: ``(succ ?i ?j)`` for i = 1 to size - 1, j = i + 1.

In: patterns, and the parameters of a ruleset. Out: the facts as rules, each at the place of
its pattern in the manifest; or as KIF text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.source import Span
from gdl.language.template import fill
from gdl.language.terms import Compound, Constant, Sentence, Term, kif_text
from gdl.ruleset.arithmetic import ExpressionError, Size, interval
from gdl.ruleset.errors import ManifestError
from gdl.ruleset.toml_table import Origin

if TYPE_CHECKING:  # a game that was compiled before needs no syntax tree
    from gdl.language.syntax import Description, Place

_SYMBOL: Final = re.compile(r"[()]|[^\s()]+")
MAX_FACTS: Final = 100_000
"""Facts that one pattern may stand for."""
WIDTH: Final = 100
"""Characters of a line of facts."""


@dataclass(frozen=True, slots=True)
class FactPattern:
    """Facts of one form.

    Attributes:
        fact: A sentence with variables.
        where: For each variable, in order, the numbers that it stands for: ``1..size``, or an
            expression. Later ones may use the variables before them.
        sizes: What the names of parameters stand for.
        origin: Where the manifest has it.
    """

    fact: Sentence
    where: tuple[tuple[str, str], ...]
    sizes: tuple[tuple[str, Size], ...]
    origin: Origin = field(compare=False, repr=False)

    def facts(self) -> tuple[Sentence, ...]:
        """Return the facts, each once. Cost O(facts * variables).

        Raises:
            ManifestError: An expression has no value, or there are too many facts.
        """
        try:
            facts = list(islice(self._facts(dict(self.sizes), 0), MAX_FACTS + 1))
        except ExpressionError as error:
            raise ManifestError(diagnostics=[self._problem(str(error))]) from None
        if len(facts) > MAX_FACTS:
            said = f"it stands for more than {MAX_FACTS:,} facts"
            raise ManifestError(diagnostics=[self._problem(said)])
        return tuple(dict.fromkeys(facts))

    def _facts(self, sizes: dict[str, Size], bound: int) -> Iterator[Sentence]:
        """Yield the facts for all values of the variables after the first ``bound`` ones."""
        if bound == len(self.where):
            values: dict[str, Term] = {
                name: Constant(str(size)) for name, size in sizes.items() if isinstance(size, int)
            }
            fact = fill(self.fact, values)
            assert isinstance(fact, Constant | Compound), "a sentence with its variables replaced"
            yield fact
            return
        name, text = self.where[bound]
        for number in interval(text, sizes):
            sizes[name] = number
            yield from self._facts(sizes, bound + 1)
        sizes.pop(name, None)

    def _problem(self, said: str) -> Diagnostic:
        return Diagnostic(
            "wrong-fact",
            Severity.ERROR,
            f"{kif_text(self.fact)} cannot be written out: {said}",
            self.origin.span(),
            expected="ranges with values for " + (_settings(self.sizes) or "every variable"),
        )

    def __str__(self) -> str:
        """Return all that its facts depend on."""
        return f"{kif_text(self.fact)} {self.where} {self.sizes}"


def _settings(sizes: Iterable[tuple[str, Size]]) -> str:
    from gdl.ruleset.parameters import size_text

    return ", ".join(f"{name} = {size_text(size)}" for name, size in sizes)


def fact_rules(patterns: Iterable[FactPattern]) -> Description:
    """Return the facts of all patterns as rules.

    Raises:
        ManifestError: As `FactPattern.facts`.
    """
    from gdl.language.syntax import Atom, Description, Rule

    rules = []
    for pattern in patterns:
        place = _place(pattern.origin.span())
        rules += [Rule(Atom(fact, place), place=place) for fact in pattern.facts()]
    return Description(tuple(dict.fromkeys(rules)))


def _place(span: Span) -> Place:
    """Return the place of a pattern and of its parts, which all its facts share."""
    from gdl.language.syntax import Place

    start = span.start
    parts: list[list[Place]] = [[]]
    opened: list[int] = []
    for symbol in _SYMBOL.finditer(span.text):
        if symbol[0] == "(":
            opened.append(start + symbol.start())
            parts.append([])
        elif symbol[0] == ")" and opened:
            inside = parts.pop()
            whole = Span(span.source, opened.pop(), start + symbol.end())
            parts[-1].append(Place(whole, tuple(inside[1:])))  # the first is the name
        else:
            leaf = Span(span.source, start + symbol.start(), start + symbol.end())
            parts[-1].append(Place(leaf))
    return parts[0][0] if len(parts[0]) == 1 else Place(span)


def facts_text(patterns: Iterable[FactPattern]) -> str:
    """Return the facts of all patterns as KIF text, several a line, with a remark at the top.

    Raises:
        ManifestError: As `FactPattern.facts`.
    """
    lines = []
    for pattern in patterns:
        settings = _settings(pattern.sizes)
        remark = f"; {kif_text(pattern.fact)}{f' for {settings}' if settings else ''}"
        lines += ["", remark, ""]
        for text in map(kif_text, pattern.facts()):
            if len(lines[-1]) + len(text) >= WIDTH:
                lines.append("")
            lines[-1] += f" {text}" if lines[-1] else text
    return "\n".join(lines).strip("\n")
