"""Checks that two lists of rules are the same up to their names.

In: two lists of clauses in KIF, and what stands for what: words, places of arguments, and the
variables of each clause. Out: how many clauses were renamed and found again; both lists, as sets of
clauses that are sets of literals, are then the same.

Names may change one to one; what has a meaning of its own may not: words of the language, `random`,
and numbers, which goals are. Where goals have no other values than constants in heads, and no rule
asks for a goal, these constants are apart from all others, and other numbers are names.

Source: rule graphs as in Kuhlmann, Stone, "Graph-Based Domain Mapping for Transfer Learning in
General Games", ECML 2007.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from gdl.certify.aiger_file import CertificateError

RENAMING: Final = "renaming"
RULES: Final = "a.kif"
OTHER_RULES: Final = "b.kif"
KEYWORDS: Final = frozenset(
    {
        "role",
        "init",
        "true",
        "does",
        "next",
        "legal",
        "goal",
        "terminal",
        "sees",
        "base",
        "input",
    }
)
WORDS: Final = re.compile(r"[()]|[^\s()]+")
VALUE: Final = re.compile(r"-?[0-9]{1,18}")
"""A number that a goal can pay; one with more digits pays nothing, and is a name like others."""

Expression: TypeAlias = "str | list[Expression]"
"""What stands in brackets, or a word."""


class Word(NamedTuple):
    """A name where it stands: of a relation, or of a function or constant.

    Attributes:
        name: The name.
        arity: Arguments it takes.
        kind: ``relation``, ``term``, or ``goal`` for a value of a goal that is apart.
    """

    name: str
    arity: int
    kind: str


class Map(NamedTuple):
    """What stands for what.

    Attributes:
        words: Of each word of the first list that of the second.
        places: Of each word of the first list where each argument goes.
        variables: Of each clause of the first list, what its variables are called in the second.
    """

    words: Mapping[Word, Word]
    places: Mapping[Word, tuple[int, ...]]
    variables: Sequence[Mapping[str, str]]


def check_renaming(left: str, right: str, written: str) -> int:
    """Return how many clauses of one list are those of another, and none is left over.

    Args:
        left: A clause a line, ``(<= head literal...)``.
        right: Likewise.
        written: What stands for what: a `Map` as JSON.

    Raises:
        CertificateError: They are not, or it is no map.
    """
    lists = [[_read(line) for line in text.splitlines()] for text in (left, right)]
    is_apart = all(map(_is_apart, (*lists[0], *lists[1])))
    renaming = _map_of(written, lists[0], is_apart=is_apart)
    identity = Map({}, {}, [])
    theirs = {_clause(clause, identity, {}, is_apart=is_apart) for clause in lists[1]}
    mine = set()
    for number, (clause, variables) in enumerate(zip(lists[0], renaming.variables, strict=True), 1):
        used = set(_variables(clause))
        if len({variables.get(name, name) for name in used}) < len(used):
            raise CertificateError(f"two variables of clause {number} get one name")
        mine.add(_clause(clause, renaming, variables, is_apart=is_apart))
    if mine != theirs:
        what = f"{len(mine - theirs)} of one and {len(theirs - mine)} of the other"
        raise CertificateError(f"the rules are not the same: {what} are left over")
    return len(mine)


def _read(line: str) -> list[Expression]:
    if {"|", '"', ";"}.intersection(line):
        raise CertificateError(f"a clause with names between bars or quotes: {line[:40]}")
    stack: list[list[Expression]] = [[]]
    for word in WORDS.findall(line):
        if word == "(":
            stack.append([])
        elif word != ")":
            stack[-1].append(word)
        elif len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        else:
            raise CertificateError(f"this is no clause: {line[:40]}")
    if len(stack) > 1 or len(stack[0]) != 1 or not isinstance(stack[0][0], list):
        raise CertificateError(f"this is no clause: {line[:40]}")
    clause = stack[0][0]
    if len(clause) < 2 or clause[0] != "<=":  # noqa: PLR2004  # the arrow and a head
        raise CertificateError(f"this is no clause: {line[:40]}")
    return clause


def _parts(expression: Expression) -> tuple[str, list[Expression]]:
    """Return the name of a term and its arguments."""
    if isinstance(expression, str):
        return expression, []
    if len(expression) < 2 or not isinstance(expression[0], str):  # noqa: PLR2004  # a name, arguments
        raise CertificateError("a term has no name, or empty brackets")
    return expression[0], expression[1:]


def _is_apart(clause: list[Expression]) -> bool:
    """Return whether a clause has a goal in its head only, and that of a constant value."""
    name, args = _parts(clause[1])
    if name == "goal" and args and (isinstance(args[-1], list) or args[-1].startswith("?")):
        return False
    bodies = (_parts(part) for part in clause[2:])
    atoms = (_parts(args[0])[0] if name == "not" and args else name for name, args in bodies)
    return "goal" not in atoms


def _literals(clause: list[Expression]) -> Iterator[tuple[str, tuple[Expression, ...]]]:
    """Yield the sign of each literal and its terms, the head first."""
    yield "head", (clause[1],)
    for part in clause[2:]:
        name, args = _parts(part)
        if name == "distinct" and len(args) == 2:  # noqa: PLR2004  # two sides
            yield name, tuple(args)
        elif name == "not" and len(args) == 1:
            yield name, (args[0],)
        elif name in ("distinct", "not", "or"):
            raise CertificateError(f"this is no literal of a clause: {name}")
        else:
            yield "atom", (part,)


def _word(name: str, args: list[Expression], kind: str) -> Word:
    return Word(name, len(args), kind)


def _kinds(kind: str, word: Word, *, is_apart: bool) -> list[str]:
    """Return of which kinds the arguments of a word are."""
    kinds = ["term"] * word.arity
    if kind == "head" and is_apart and word.name == "goal" and kinds:
        kinds[-1] = "goal"
    return kinds


def _clause(
    clause: list[Expression], renaming: Map, variables: Mapping[str, str], *, is_apart: bool
) -> Hashable:
    """Return a renamed clause, in which neither order nor repetition of literals means anything."""

    def term(expression: Expression, kind: str) -> Hashable:
        name, args = _parts(expression)
        if name.startswith("?"):
            if args or kind not in ("term", "goal"):
                raise CertificateError(f"{name} stands where a name has to")
            return variables.get(name, name)
        word = _word(name, args, "relation" if kind in ("head", "atom", "not") else kind)
        order = renaming.places.get(word, tuple(range(word.arity)))
        kinds = _kinds(kind, word, is_apart=is_apart)
        inner: list[Hashable] = [None] * word.arity
        for place, arg, of_kind in zip(order, args, kinds, strict=True):
            inner[place] = term(arg, of_kind)
        return (renaming.words.get(word, word), *inner)

    literals = []
    for sign, terms in _literals(clause):
        kind = "term" if sign == "distinct" else sign
        literals.append((sign, frozenset(term(part, kind) for part in terms), len(terms)))
    return literals[0], frozenset(literals[1:])


def _variables(expression: Expression) -> Iterator[str]:
    if isinstance(expression, list):
        for part in expression:
            yield from _variables(part)
    elif expression.startswith("?"):
        yield expression


def _map_of(written: str, clauses: list[list[Expression]], *, is_apart: bool) -> Map:
    """Return a map as it is written, once it is one to one and keeps what has a meaning."""
    try:
        read = json.loads(written)
        words = {Word(*map(_same, mine)): Word(*map(_same, its)) for mine, its in read["words"]}
        places = {Word(*map(_same, mine)): tuple(order) for mine, order in read["places"]}
        variables = [{str(a): str(b) for a, b in row.items()} for row in read["variables"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CertificateError(f"there is no map that can be read: {error}") from error
    if len(variables) != len(clauses):
        raise CertificateError("the map is not of these clauses")
    used = sorted(set(_words(clauses, is_apart=is_apart)))
    for word in used:
        image = words.get(word, word)
        if image[1:] != word[1:]:
            raise CertificateError(f"{word.name} becomes something of another kind")
        order = places.get(word, tuple(range(word.arity)))
        if sorted(order) != list(range(word.arity)):
            raise CertificateError(f"the arguments of {word.name} do not keep their number")
        is_moved = image != word or list(order) != sorted(order)
        if is_moved and _is_fixed(word, is_apart=is_apart):
            raise CertificateError(f"{word.name} has a meaning of its own")
        if image != word and _is_fixed(image, is_apart=is_apart):
            raise CertificateError(f"{image.name} has a meaning of its own")
    if len({words.get(word, word) for word in used}) < len(used):
        raise CertificateError("two words get one name")
    if any(not name.startswith("?") for row in variables for pair in row.items() for name in pair):
        raise CertificateError("a variable becomes none")
    return Map(words, places, variables)


def _same(part: Any) -> Any:  # noqa: ANN401  # a name or a number, as it was read
    if not isinstance(part, str | int):
        raise TypeError("a word is a name, a number of arguments, and a kind")
    return part


def _words(clauses: list[list[Expression]], *, is_apart: bool) -> Iterator[Word]:
    """Yield the words of clauses as they stand there."""

    def of(expression: Expression, kind: str) -> Iterator[Word]:
        name, args = _parts(expression)
        if name.startswith("?"):
            return
        word = _word(name, args, "relation" if kind in ("head", "atom", "not") else kind)
        yield word
        for arg, of_kind in zip(args, _kinds(kind, word, is_apart=is_apart), strict=True):
            yield from of(arg, of_kind)

    for clause in clauses:
        for sign, terms in _literals(clause):
            for part in terms:
                yield from of(part, "term" if sign == "distinct" else sign)


def _is_fixed(word: Word, *, is_apart: bool) -> bool:
    """Return whether a word means the same in every list."""
    if word.kind == "goal":
        return True
    if word.kind == "relation":
        return word.name in KEYWORDS
    if word.arity:
        return False
    return word.name == "random" or (not is_apart and VALUE.fullmatch(word.name) is not None)
