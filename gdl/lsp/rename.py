"""Another name for something, and nothing else changed.

In: a reading, a position, a name. Out: edits; or a `RenameError` that says why it cannot be. The
new name must be free: then the renaming is one-to-one, and the rules before and after isomorphic.
That the edited text says exactly the renamed rules is not taken on trust: it is parsed, compared
rule by rule, and its clauses must be isomorphic to those of before, as `gdl diff` finds out.
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
from gdl.lsp.navigation import same
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


def rename(reading: Reading, position: types.Position, text: str) -> list[types.TextEdit]:
    """Return the edits that give the name at a position another one.

    Raises:
        RenameError: It cannot be.
    """
    name = renamable(reading, position)
    new = _read_name(name, text, reading)
    if new == name.signature.name:
        return []
    _refuse_taken(name, new, reading)
    if name.kind is not Kind.VARIABLE:
        _refuse_neighbours(name, new, reading)
    written = written_name(name.kind, new, reading)
    spans = [mention.span for mention in same(reading.names, name)]
    _check(reading, name.key, new, spans, written)
    return [types.TextEdit(reading.range(span), written) for span in spans]


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


def _refuse_taken(name: Name, new: str, reading: Reading) -> None:
    """Refuse a name that means something already.

    Raises:
        RenameError: It does.
    """
    if name.kind is not Kind.VARIABLE and (new.lower() in KEYWORDS or new == RANDOM):
        raise RenameError(f"{new} is a word of the language")
    if name.kind is Kind.CONSTANT and _NUMBER.fullmatch(new):
        raise RenameError(f"{new} is a number, and goals are numbers")
    taken = next(
        (
            other
            for other in reading.names
            if other.signature.name == new
            and (other.kind is Kind.VARIABLE) is (name.kind is Kind.VARIABLE)
            and (name.kind is not Kind.VARIABLE or other.rule == name.rule)
        ),
        None,
    )
    if taken is not None:
        where = reading.source.position(taken.span.start)[0]
        raise RenameError(f"{new} is the name of a {taken.kind.value} already, in line {where}")


def _refuse_neighbours(name: Name, new: str, reading: Reading) -> None:
    """Refuse to rename in one file what other files beside it may speak of.

    Raises:
        RenameError: A manifest, a file of tests or another part of a ruleset has the word.
    """
    if not reading.is_saved:
        return
    here = Path(reading.path)
    manifests = {file for file in here.parent.glob("*.toml") if here.name in _text(file)}
    if not manifests:
        return
    own = sorted(manifests.union(here.parent.glob("*.test.toml")))  # tests name the manifest
    rules = [file for file in here.parent.iterdir() if file.suffix in {".kif", ".gdl", ".hrf"}]
    old = name.signature.name
    for other in (*own, *(file for file in rules if file != here)):
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


def are_isomorphic(one: Description, other: Description) -> bool:
    """Return whether rules are the same up to their names, as far as their clauses are known.

    Rules without clauses, since they have errors, and those for which time runs out are not
    denied: whoever asks has compared them rule by rule. Cost a few seconds of 1,000 lines of chess.
    """
    budget = Budget(SECONDS, clock=time.process_time)
    try:
        return isomorphism(checked(one).played, checked(other).played, budget) is not None
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
