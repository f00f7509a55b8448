"""Whether a manifest fits its rules: players are roles, moves and marks are in the rules.

In: a ruleset. Out: diagnostics, placed in the manifest, none when all is well. A manifest that
does not fit still loads and plays; its picture stays empty, or its notation never applies, and
nobody would say why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.files import read_source
from gdl.language.source import Span
from gdl.language.terms import Compound, Term, Variable, signature
from gdl.ruleset.errors import did_you_mean, one_of
from gdl.ruleset.ruleset import Ruleset

if TYPE_CHECKING:  # see `gdl.ruleset.ruleset`
    from gdl.language.syntax import Description


def check_manifest(ruleset: Ruleset) -> list[Diagnostic]:
    """Return what a ruleset's manifest says that its rules do not know.

    Names and numbers of arguments are compared, values are not. Cost linear in the rules.
    Rules without a manifest have nothing that could not fit.

    Raises:
        FileError: A rule file cannot be read.
        GdlSyntaxError: A rule file cannot be parsed.
    """
    rules = ruleset.description
    if ruleset.manifest is None:
        return []
    cells = ruleset.picture.cells if ruleset.picture else ()
    places = ruleset.picture.moves if ruleset.picture else ()
    claims: list[tuple[str, list[str], list[str] | None]] = [
        ("role", [str(player.role) for player in ruleset.players], _roles(rules)),
        ("move", _shapes(f.move for f in ruleset.notation.forms), _moves(rules)),
        ("move", _shapes(place.move for place in places), _moves(rules)),
        ("role", [place.role for place in places if place.role], _roles(rules)),
        ("fact", _shapes(cell.fact for cell in cells), _facts(rules)),
    ]
    return [
        _unknown(ruleset, what, name, allowed)
        for what, names, allowed in claims
        if allowed is not None
        for name in names
        if name not in allowed
    ]


def _unknown(ruleset: Ruleset, what: str, name: str, allowed: list[str]) -> Diagnostic:
    said = f"the rules of {ruleset.id} have no {what} {name}"
    place = _place(ruleset, what, name.partition("/")[0])
    return Diagnostic(
        f"manifest-{what}",
        Severity.WARNING,
        said if place is not None else f"{ruleset.manifest}: {said}",
        place,
        expected=one_of(allowed, most=20),
        help=did_you_mean(name, allowed),
    )


def _place(ruleset: Ruleset, what: str, name: str) -> Span | None:
    """Return where the manifest first names it; None where another manifest does, or none."""
    assert ruleset.manifest is not None
    try:
        source = read_source(ruleset.manifest)
    except GdlError:
        return None
    word = re.escape(name)
    shapes = [rf'^\s*{what}\s*=\s*"\(?({word})(?![\w-])']
    if what == "role":
        shapes.append(rf'^\s*"?({word})"?\s*=\s*\{{')
    for shape in shapes:
        if match := re.search(shape, source.text, re.MULTILINE):
            return Span(source, *match.span(1))
    return None


def _roles(rules: Description) -> list[str] | None:
    roles = _arguments(rules, {"role"}, 0)
    return None if roles is None else list(map(str, roles))


def _moves(rules: Description) -> list[str] | None:
    moves = _arguments(rules, {"legal", "input"}, 1)
    return None if moves is None else _shapes(moves)


def _facts(rules: Description) -> list[str] | None:
    facts = _arguments(rules, {"init", "next", "base"}, 0)
    return None if facts is None else _shapes(facts)


def _arguments(rules: Description, names: set[str], index: int) -> list[Term] | None:
    """Return an argument of every head with one of the names, None if one is a variable."""
    terms = list(_head_arguments(rules, names, index))
    return None if any(isinstance(term, Variable) for term in terms) else terms


def _head_arguments(rules: Description, names: set[str], index: int) -> Iterator[Term]:
    for rule in rules.rules:
        head = rule.head.sentence
        if isinstance(head, Compound) and head.name in names and index < len(head.args):
            yield head.args[index]


def _shapes(terms: Iterable[Term]) -> list[str]:
    """Return name and arity of each term, each once; a bare variable has neither."""
    shapes = (str(signature(term)) for term in terms if not isinstance(term, Variable))
    return list(dict.fromkeys(shapes))
