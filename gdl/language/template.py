"""Terms with holes, as manifests write them: ``(turn ?column ?row ?quadrant ?direction)``.

In: the text of a template. Out: a term with variables, which `match` compares with a
ground term and `fill` turns into one. Manifests are read whenever a game is loaded, so
this reads its few symbols itself and does not wake the rule file parser.

Source: the form of terms is that of KIF (GDL specification 2008, section 4).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gdl.language import matching
from gdl.language.terms import Compound, Constant, Term, Variable, variables

_SYMBOL: Final = re.compile(r"\s*([()]|[^\s()|;\"]+)")
MAX_DEPTH: Final = 20
"""Levels of brackets in a template."""


class TemplateError(ValueError):
    """The text is not one term; the message says why."""


def read_template(text: str) -> Term:
    """Return the term that a text stands for.

    Raises:
        TemplateError: Not exactly one well-formed term.
    """
    stack: list[list[Term]] = [[]]
    for symbol in _symbols(text):
        if symbol == "(":
            stack.append([])
            if len(stack) > MAX_DEPTH:
                raise TemplateError(f"more than {MAX_DEPTH} levels of brackets")
        elif symbol == ")":
            if len(stack) == 1:
                raise TemplateError("a bracket is closed that was never opened")
            items = stack.pop()
            stack[-1].append(_compound(items))
        elif symbol.startswith("?"):
            stack[-1].append(Variable(symbol[1:]))
        else:
            stack[-1].append(Constant(symbol))
    if len(stack) > 1:
        raise TemplateError("a bracket is never closed")
    if len(stack[0]) != 1:
        raise TemplateError(f"{len(stack[0])} terms where one is wanted")
    return stack[0][0]


def _symbols(text: str) -> list[str]:
    symbols = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        symbol = _SYMBOL.match(text, position)
        if symbol is None:
            raise TemplateError(f"a term cannot hold {text[position:].strip()[0]}")
        symbols.append(symbol[1])
        position = symbol.end()
    return symbols


def _compound(items: list[Term]) -> Term:
    match items:
        case [Constant(name), first, *rest]:
            return Compound(name, (first, *rest))
        case [Constant(name)]:
            raise TemplateError(f"brackets around a single name: write {name}")
        case _:
            raise TemplateError("brackets without a name after the opening one")


def match(template: Term, term: Term) -> dict[str, Term] | None:
    """Return what each variable of a template stands for in a term, None if they differ.

    Cost linear in the template.
    """
    binding = matching.match(template, term, {})
    return None if binding is None else {hole.name: part for hole, part in binding.items()}


def fill(template: Term, binding: Mapping[str, Term]) -> Term:
    """Return a template with its variables replaced."""
    match template:
        case Variable(name):
            return binding[name]
        case Compound(name, args) if not template.is_ground:
            return Compound(name, tuple(fill(arg, binding) for arg in args))
        case _:
            return template


def holes(template: Term) -> tuple[str, ...]:
    """Return the names of the variables of a template, each once, in order."""
    return tuple(dict.fromkeys(variable.name for variable in variables(template)))
