"""What the editor writes between the lines: what variables may be, and what the game is.

Domains are upper bounds, see `gdl.lsp.domains`: no value is missing, some may never occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from lsprotocol import types

from gdl.game import load
from gdl.language.diagnostics import GdlError, Severity
from gdl.language.limits import Limits
from gdl.language.syntax import Signature, Term, Variable
from gdl.language.words import cut
from gdl.lsp.documents import Reading
from gdl.lsp.domains import Domain
from gdl.lsp.names import Kind
from gdl.lsp.parts import Parts
from gdl.ruleset import Ruleset

MOST_LISTED: Final = 3
"""Values that are written out; of more there are first, last and number."""
SECONDS: Final = 2.0
"""What the first position may take; where that is too little, nothing is said of it."""
PLAY, VERIFY = "gdl.play", "gdl.verify"
"""Commands of the editor, which has terminals; the server only offers them."""
DIFF = "gdl.diffSaved"
"""A command of the server."""


def domain_text(domain: Domain) -> str:
    """Return a domain in a few characters: ``1..8``, ``o, x``, ``a .. z (26)``."""
    numbers = sorted(int(term.name) for term in domain if _is_number(term))
    if not domain:
        return "nothing"
    if len(numbers) == len(domain) > 1 and numbers[-1] - numbers[0] + 1 == len(numbers):
        return f"{numbers[0]}..{numbers[-1]}"
    listed = sorted(map(_text, domain))
    if len(listed) <= MOST_LISTED:
        return ", ".join(listed)
    return f"{listed[0]} .. {listed[-1]} ({len(listed)})"


def inlay_hints(parts: Parts, wanted: types.Range) -> list[types.InlayHint]:
    """Return what each variable may be, behind its first place in each rule of a range."""
    reading = parts.reading
    if not parts.domains:
        return []
    start, stop = reading.offset(wanted.start), reading.offset(wanted.end)
    hints: list[types.InlayHint] = []
    number, of_rule, seen = -1, dict[Variable, Domain](), set[str]()
    for name in reading.names:
        if name.kind is not Kind.VARIABLE or not start <= name.span.start <= stop:
            continue
        if name.rule != number:
            number, seen = name.rule, set()
            of_rule = parts.domains_of(reading.rules.rules[number])
        domain = of_rule.get(Variable(name.signature.name))
        if domain is None or name.signature.name in seen:
            continue
        seen.add(name.signature.name)
        hints.append(
            types.InlayHint(
                reading.position(name.span.stop),
                f": {domain_text(domain)}",
                types.InlayHintKind.Type,
            )
        )
    return hints


def first_position(reading: Reading) -> str:
    """Return how many moves are legal in the first position; empty where nobody can say quickly.

    The reasoner plays the rules as they are in the editor. Cost up to `SECONDS`.
    """
    if any(problem.severity is Severity.ERROR for problem in reading.problems):
        return ""
    name = Path(reading.path).name
    ruleset = Ruleset(name, (), text=reading.source.text, limits=Limits(seconds=SECONDS))
    try:
        state = load(ruleset, backend="reason", limits=Limits(seconds=SECONDS)).initial()
        if state.is_terminal:
            return "over in the first position"
        counts = [(role, len(state.legal(role))) for role in state.game.roles]
    except GdlError:
        return ""
    told = ", ".join(f"{role} {count:,}" for role, count in counts)
    return f"legal in the first position: {told}"


def lenses(
    reading: Reading, uri: str, said: str, offered: Sequence[tuple[str, str]]
) -> list[types.CodeLens]:
    """Return what stands above the first rule: the first position, and titles with commands."""
    first = next((rule.place for rule in reading.rules.rules if rule.place), None)
    if first is None:
        return []
    where = reading.range(first.span)
    where = types.Range(where.start, where.start)
    arguments: list[Any] = [uri]
    commands = [types.Command(said, "")] if said else []
    commands += [types.Command(title, name, arguments=arguments) for title, name in offered]
    return [types.CodeLens(where, command) for command in commands]


def _is_number(value: Term | Signature) -> bool:
    name = "" if isinstance(value, Signature) or not hasattr(value, "name") else value.name
    return not isinstance(value, Signature) and name.isdecimal() and not getattr(value, "args", ())


def _text(value: Term | Signature) -> str:
    return f"({value.name} ...)" if isinstance(value, Signature) else cut(str(value))
