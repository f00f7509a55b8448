"""What a name is, in a few lines: what words of the language mean, and facts about the rest."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from gdl.language.checked import CheckedDescription
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import CONNECTIVES, KEYWORD_MEANINGS
from gdl.language.syntax import Atom, Place, Signature, Variable, signature
from gdl.language.walk import formulas
from gdl.language.words import counted
from gdl.lsp.documents import Reading
from gdl.lsp.hints import domain_text
from gdl.lsp.names import Kind, Name, name_span
from gdl.lsp.parts import Parts


def hover(parts: Parts, position: types.Position) -> types.Hover | None:
    """Return what there is to say of the name or word at a position.

    What rules and facts a relation has is told of the first of the rulesets, if there are more.
    """
    reading = parts.reading
    name = reading.name_at(position)
    if name is None:
        word = _connective(reading, reading.offset(position))
        return None if word is None else _shown([KEYWORD_MEANINGS[word]], None)
    match name.kind:
        case Kind.RELATION:
            lines = _relation(parts, name)
        case Kind.VARIABLE:
            lines = _variable(parts, name)
        case Kind.FUNCTION | Kind.CONSTANT:
            lines = _term(parts, name)
    return _shown(lines, reading.range(name.span))


def _shown(lines: Sequence[str], where: types.Range | None) -> types.Hover:
    text = "\n\n".join(lines)
    return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, text), where)


def _relation(parts: Parts, name: Name) -> list[str]:
    relation = name.signature
    meaning = KEYWORD_MEANINGS.get(relation.name)
    checked = parts.checked[0]
    heads = [r for r in checked.description.rules if signature(r.head.sentence) == relation]
    facts = sum(not rule.body for rule in heads)
    lines = [meaning] if meaning else [f"relation {_form(relation)}"]
    told = [f"{counted(facts, 'fact')} and {counted(len(heads) - facts, 'rule')}"]
    number = _stratum(checked, relation)
    if number is not None:
        told.append(f"stratum {number}")
    where = f"in {parts.rulesets[0].id}: " if len(parts.rulesets) > 1 else ""
    lines.append(where + ", ".join(told))
    return lines + _sizes(parts.sizes_of(lambda counts: counts.of_relation(relation)))


def _term(parts: Parts, name: Name) -> list[str]:
    kind = "function" if name.kind is Kind.FUNCTION else "constant"
    role = name.kind is Kind.CONSTANT and any(
        isinstance(head.place, Place)
        and signature(head.sentence) == ("role", 1)
        and str(head.sentence) == f"(role {name.signature.name})"
        for reading in parts.all
        for head in (rule.head for rule in reading.rules.rules)
    )
    times = len(parts.same(name.key))
    lines = [f"{'role' if role else kind} {_form(name.signature)}, in {counted(times, 'place')}"]
    return lines + _sizes(parts.sizes_of(lambda counts: counts.of_fluent(name.signature)))


def _variable(parts: Parts, name: Name) -> list[str]:
    domain = parts.domains_of(parts.reading.rules.rules[name.rule]).get(
        Variable(name.signature.name)
    )
    line = f"variable {name.span.text}"
    return [line if domain is None else f"{line}, at most {domain_text(domain)}"]


def _sizes(sizes: Sequence[int]) -> list[str]:
    return [f"values of its arguments, at most: {', '.join(map(str, sizes))}"] if sizes else []


def _stratum(checked: CheckedDescription, relation: Signature) -> int | None:
    """Return the layer in which a relation is evaluated last, from 1; None where there is none."""
    try:
        layers = checked.layers
    except GdlError:
        return None
    strata = [
        number
        for number, layer in enumerate(layers, 1)
        if any(signature(clause.head) == relation for clause in layer)
    ]
    return max(strata, default=None)


def _connective(reading: Reading, offset: int) -> str | None:
    """Return the sign that stands at an offset, in either notation only those with a word."""
    for rule in reading.rules.rules:
        if rule.place is None or not rule.place.span.start <= offset <= rule.place.span.stop:
            continue
        inner = [formula.place for formula in formulas(rule) if not isinstance(formula, Atom)]
        for place in [rule.place if rule.has_arrow else None, *inner]:
            if place is not None:
                span = name_span(place)
                if span.start <= offset <= span.stop and span.text.lower() in CONNECTIVES:
                    return span.text.lower()
    return None


def _form(named: Signature) -> str:
    return f"{named.name}/{named.arity}" if named.arity else named.name
