"""A renaming written down, so that others can check it.

In: the clauses of two descriptions, and how the words of one are those of the other. Out: the
clauses as KIF, each once, and what stands for what, as plain values (`gdl.certify.renaming`).
Variables get new names, ``?0``, ``?1``: those of rules that were written out are no plain words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gdl.language.clauses import Clause, sentence_of
from gdl.language.syntax import Distinct, Literal, Not, Sentence, Term, Variable
from gdl.language.terms import fold_term, kif_symbol
from gdl.verify.correspondence.isomorphism import Renaming, Symbol, distinct_rules
from gdl.verify.proving.evidence import SameRules

ODD: Final = frozenset('|";')


def same_rules(
    left: Sequence[Clause], right: Sequence[Clause], renaming: Renaming
) -> SameRules | None:
    """Return the evidence that two lists of clauses are the same up to names.

    None where a name has to stand between bars or quotes: of those the checker knows nothing.
    """
    mine, its = _Written(left), _Written(right)
    if any(ODD.intersection(line) for line in (*mine.lines, *its.lines)):
        return None
    orders: dict[Symbol, dict[int, int]] = {}
    for place, to in renaming.places.items():
        orders.setdefault(place.word, {})[place.number] = to.number
    variables: list[dict[str, str]] = [{} for _ in mine.lines]
    for variable, to_variable in renaming.variables.items():
        name = mine.names[variable.clause][variable.name]
        variables[variable.clause][name] = its.names[to_variable.clause][to_variable.name]
    return SameRules(
        (tuple(mine.lines), tuple(its.lines)),
        tuple((_word(word), _word(to)) for word, to in renaming.words.items() if word != to),
        tuple(
            (_word(word), tuple(order[number] for number in sorted(order)))
            for word, order in orders.items()
            if any(number != to for number, to in order.items())
        ),
        tuple(variables),
    )


def written_rules(rules: Sequence[Clause]) -> tuple[str, ...]:
    """Return clauses as KIF, a line each, as `same_rules` writes them."""
    return tuple(_Written(rules).lines)


class _Written:
    """Clauses as KIF, a line each, and what the variables of each are called there."""

    def __init__(self, rules: Sequence[Clause]) -> None:
        self.lines: list[str] = []
        self.names: list[dict[str, str]] = []
        for head, body in distinct_rules(rules):
            names: dict[str, str] = {}
            parts = [
                _kif(head, names),
                *sorted(_literal(part, names) for part in sorted(body, key=repr)),
            ]
            self.lines.append(f"(<= {' '.join(parts)})")
            self.names.append(names)


def _literal(part: Literal, names: dict[str, str]) -> str:
    if isinstance(part, Distinct):
        return f"(distinct {_kif(part.left, names)} {_kif(part.right, names)})"
    text = _kif(sentence_of(part), names)
    return f"(not {text})" if isinstance(part, Not) else text


def _kif(term: Term | Sentence, names: dict[str, str]) -> str:
    return fold_term(
        term,
        lambda leaf: (
            names.setdefault(leaf.name, f"?{len(names)}")
            if isinstance(leaf, Variable)
            else kif_symbol(leaf.name)
        ),
        lambda name, args: f"({kif_symbol(name)} {' '.join(args)})",
    )


def _word(symbol: Symbol) -> tuple[str, int, str]:
    return symbol.name, symbol.arity, "relation" if symbol.is_relation else "term"
