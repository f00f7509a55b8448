"""Another name for something, and nothing else changed.

In: a text with the other parts of its rulesets, a position, a name. Out: edits of all parts; or a
`RenameError` that says why it cannot be. The new name must be free: then the renaming is
one-to-one, and the rules before and after isomorphic. That an edited text says exactly the renamed
rules is not taken on trust: it is parsed, compared rule by rule, and its clauses must be isomorphic
to those of before, as `gdl diff` finds out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types

from gdl.language.checked import checked
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import KEYWORDS, RANDOM
from gdl.language.parse import parse, parse_term
from gdl.language.source import Source, Span
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
    fold_formula,
    fold_term,
    signature,
)
from gdl.lsp.documents import Reading
from gdl.lsp.names import Key, Kind, Name
from gdl.lsp.parts import Parts
from gdl.lsp.problems import written_name
from gdl.verify.correspondence.isomorphism import isomorphism
from gdl.verify.solvers.budget import Budget, OutOfBudgetError

_NUMBER: Final = re.compile(r"[+-]?[0-9]+")


SECONDS: Final = 5.0
"""Of processor time that looking for an isomorphism may take: one-to-one names are one anyway."""


class RenameError(GdlError):
    """A name that cannot be changed, or not to that; says why."""


def renamable(reading: Reading, position: types.Position) -> Name:
    """Return the name at a position.

    Raises:
        RenameError: There is none, or its meaning is not the rules' to give.
    """
    name = reading.name_at(position)
    if name is None:
        raise RenameError("there is no name here")
    text = name.signature.name
    if not reading.is_whole:
        raise RenameError("the text has syntax errors", help="mend them first")
    if name.kind is Kind.VARIABLE:
        if name.span.text == "_":
            raise RenameError("_ is a variable without a name")
        return name
    if text in KEYWORDS or (name.kind is Kind.CONSTANT and text == RANDOM):
        raise RenameError(f"{text} is a word of the language")
    if name.kind is Kind.CONSTANT and _NUMBER.fullmatch(text):
        raise RenameError(f"{text} is a number, and goals are numbers")
    return name


def rename(
    parts: Parts, position: types.Position, text: str
) -> dict[str, Sequence[types.TextEdit]]:
    """Return the edits, by address, that give the name at a position another one.

    Raises:
        RenameError: It cannot be.
    """
    reading = parts.reading
    name = renamable(reading, position)
    new = _read_name(name, text, reading)
    if new == name.signature.name:
        return {}
    _refuse_taken(name, new, parts)
    if name.kind is not Kind.VARIABLE:
        _refuse_neighbours(name, new, parts)
    edits: dict[str, Sequence[types.TextEdit]] = {}
    for part in parts.all if name.kind is not Kind.VARIABLE else [reading]:
        spans = [mention.span for mention in part.names if mention.key == name.key]
        if not spans:
            continue
        if not part.is_whole:
            here = Path(part.path).name
            raise RenameError(f"{here} has the name too, and syntax errors", help="mend them first")
        written = written_name(name.kind, new, part)
        _check(part, name.key, new, spans, written)
        edits[part.uri] = [types.TextEdit(part.range(span), written) for span in spans]
    return edits


def _read_name(name: Name, text: str, reading: Reading) -> str:
    """Return the name that somebody typed."""
    is_variable = name.kind is Kind.VARIABLE
    typed = text.strip()
    if is_variable and reading.syntax == "kif" and not typed.startswith("?"):
        typed = f"?{typed}"
    try:
        term = parse_term(typed, syntax=reading.syntax)
    except GdlError as error:
        raise RenameError(f"{typed} is no name", expected=_expected(name)) from error
    if isinstance(term, Compound) or isinstance(term, Variable) is not is_variable:
        raise RenameError(f"{typed} is no name for this", expected=_expected(name))
    return term.name


def _expected(name: Name) -> str:
    return f"a name of a {name.kind.value}"


def _refuse_taken(name: Name, new: str, parts: Parts) -> None:
    """Refuse a name that means something already.

    Raises:
        RenameError: It does.
    """
    if name.kind is not Kind.VARIABLE and (new.lower() in KEYWORDS or new == RANDOM):
        raise RenameError(f"{new} is a word of the language")
    if name.kind is Kind.CONSTANT and _NUMBER.fullmatch(new):
        raise RenameError(f"{new} is a number, and goals are numbers")
    is_variable = name.kind is Kind.VARIABLE
    names = parts.reading.names if is_variable else parts.names
    taken = next(
        (
            other
            for other in names
            if other.signature.name == new
            and (other.kind is Kind.VARIABLE) is is_variable
            and (not is_variable or other.rule == name.rule)
        ),
        None,
    )
    if taken is not None:
        source = taken.span.source
        line = source.position(taken.span.start)[0]
        where = "" if source is parts.reading.source else f" of {Path(source.name).name}"
        raise RenameError(
            f"{new} is the name of a {taken.kind.value} already, in line {line}{where}"
        )


def _refuse_neighbours(name: Name, new: str, parts: Parts) -> None:
    """Refuse to rename what files may speak of that are not renamed with this one.

    Raises:
        RenameError: A manifest, a file of tests or a part of another ruleset has the word.
    """
    if not parts.reading.is_saved:
        return
    here = Path(parts.reading.path)
    manifests = {file for file in here.parent.glob("*.toml") if here.name in _text(file)}
    if not manifests:
        return
    own = sorted(manifests.union(here.parent.glob("*.test.toml")))  # tests name the manifest
    rules = [file for file in here.parent.iterdir() if file.suffix in {".kif", ".gdl", ".hrf"}]
    renamed_too = {Path(part.path) for part in parts.all}
    old = name.signature.name
    for other in (*own, *(file for file in rules if file not in renamed_too)):
        for word in (old, new):
            if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", _text(other)):
                raise RenameError(
                    f"{other.name} has the word {word} too",
                    help="rename it there by hand, or write the name that it has there",
                )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _check(reading: Reading, key: Key, new: str, spans: Sequence[Span], written: str) -> None:
    """Check that the edited text says exactly the renamed rules.

    Raises:
        RenameError: It does not.
    """
    before, parts, last = reading.source.text, [], 0
    for span in spans:
        parts += [before[last : span.start], written]
        last = span.stop
    after = Source(reading.path, "".join([*parts, before[last:]]))
    try:
        rules = parse(after, syntax=reading.syntax)
    except GdlError as error:
        raise RenameError(f"with {written} the text could not be read") from error
    if rules.rules != renamed(reading.rules, key, new):
        raise RenameError(f"with {written} the rules would mean something else")
    if not are_isomorphic(reading.rules, rules):
        raise RenameError(
            f"with {written} the rules would be those of another game",
            expected="rules that are the same but for their names",
        )


def are_isomorphic(left: Description, right: Description) -> bool:
    """Return whether rules are the same up to their names, as far as their clauses are known.

    Rules without clauses, since they have errors, and those for which time runs out are not
    denied: whoever asks has compared them rule by rule. Cost a few seconds of 1,000 lines of chess.
    """
    budget = Budget(SECONDS, clock=time.process_time)
    try:
        return isomorphism(checked(left).played, checked(right).played, budget) is not None
    except (GdlError, OutOfBudgetError):
        return True


def renamed(description: Description, key: Key, new: str) -> tuple[Rule, ...]:
    """Return rules in which something has another name."""

    def term(old: Term) -> Term:
        return fold_term(old, leaf, compound)

    def leaf(inner: Constant | Variable) -> Term:
        if isinstance(inner, Variable):
            is_it = key.kind is Kind.VARIABLE and inner.name == key.name
            return Variable(new) if is_it else inner
        is_it = (key.kind, key.name, key.arity) == (Kind.FUNCTION, inner.name, 0)
        return Constant(new) if is_it else inner

    def compound(name: str, args: tuple[Term, ...]) -> Term:
        is_it = (key.kind, key.name, key.arity) == (Kind.FUNCTION, name, len(args))
        return Compound(new if is_it else name, args)

    def sentence(old: Sentence) -> Sentence:
        is_it = key.kind is Kind.RELATION and signature(old) == (key.name, key.arity)
        name = new if is_it else old.name
        if isinstance(old, Constant):
            return Constant(name)
        return Compound(name, tuple(term(argument) for argument in old.args))

    def condition(old: Atom | Distinct) -> Formula:
        if isinstance(old, Atom):
            return Atom(sentence(old.sentence))
        return Distinct(term(old.left), term(old.right))

    def connective(old: Not | And | Or, parts: tuple[Formula, ...]) -> Formula:
        return Not(parts[0]) if isinstance(old, Not) else type(old)(parts)

    return tuple(
        Rule(
            Atom(sentence(rule.head.sentence)),
            tuple(fold_formula(formula, condition, connective) for formula in rule.body),
        )
        if key.kind is not Kind.VARIABLE or number == key.rule
        else rule
        for number, rule in enumerate(description.rules)
    )
