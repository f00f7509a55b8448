"""HRF text to syntax tree.

In: a source. Out: its description. A scan finds the rules (`hrf_scan`), lark reads them
(``hrf.lark``) into the same forms that KIF has, and `forms` makes rules of those. Each stage
goes on after an error.

Names. A lower-case word is a constant, a capital one a variable: ``Player`` is the variable
``player`` of KIF, ``_x`` the variable ``_x``. Every other constant stands in single
quotes (``'map+'``), every other variable behind a question mark (``?X``, ``?'x++'``). A lone
``_`` is a new variable at each place, ``_1``, ``_2`` and so on. The words ``not``, ``or`` and
``and`` are signs, in lower case only, since a word in capitals is a variable.

Source: Genesereth, Thielscher, "General Game Playing", 2014; the names are ours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Final, cast

from gdl.language.keywords import fold_keyword
from gdl.language.limits import Limits
from gdl.language.parse.budget import Budget
from gdl.language.parse.forms import Form, FormReader, Node, all_of, extent
from gdl.language.parse.hrf_scan import HEAD_TYPES, NAME_TYPES, SIGNS, scan_hrf
from gdl.language.parse.problems import Problems
from gdl.language.parse.scan import Extent, batches, token_pattern, unescape
from gdl.language.source import Source
from gdl.language.syntax import Constant, Description, Term, Variable

if TYPE_CHECKING:
    from lark import Lark, UnexpectedToken

EXAMPLES: Final = {
    "not": "~true(control(white))",
    "or": "(line(x) | line(o))",
    "and": "(line(x) & line(o))",
    "distinct": "distinct(X,Y)",
}
"""How each connective is used."""

_DESCRIBED: Final = {
    "NAME": "a name",
    "NUMBER": "a number",
    "VARIABLE": "a variable",
    "NOT": "~",
    "OPEN": "(",
    "CLOSE": ")",
    "COMMA": ",",
    "AND": "&",
    "OR": "|",
    "ARROW": ":-",
    "PERIOD": "a period",
    "$END": "the end of the rule",
}
VARIABLE_TYPES: Final = NAME_TYPES - HEAD_TYPES - {"NUMBER"}
MAX_SHOWN: Final = 40
_USED_NUMBER: Final = re.compile(r"_[0-9]+")


def parse_hrf(source: Source, limits: Limits) -> Description:
    """Return the description that an HRF source holds.

    Raises:
        GdlSyntaxError: With all syntax errors.
        LimitError: When the text is larger than a limit.
    """
    problems = Problems(source)
    budget = Budget(source, limits)
    scan = scan_hrf(source, _token_pattern(), budget, problems)
    anonymous = _Anonymous(source)
    reader = FormReader(problems, LEAVES | {"ANONYMOUS": anonymous}, EXAMPLES)
    parts = (
        (batch, anonymous.anew(nodes)) for batch, nodes in _parsed(source, scan.extents, problems)
    )
    return reader.description(scan, parts, budget)


def parse_hrf_term(source: Source, limits: Limits) -> Term:
    """Return the one term that an HRF source is."""
    problems = Problems(source)
    scan_hrf(source, _token_pattern(), Budget(source, limits), problems)
    problems.raise_if_any()
    anonymous = _Anonymous(source)
    reader = FormReader(problems, LEAVES | {"ANONYMOUS": anonymous}, EXAMPLES)
    match _attempt(source.text, "term"):
        case [node]:
            return reader.term(node)[0]
        case _:
            expected = "a constant, a variable, or name(argument, ...)"
            message = "one term is expected here"
            problems.add("not-one-term", 0, len(source.text), message, expected=expected)
            raise problems.error()


class _Anonymous:
    """Names for the variables that are written ``_``: new in each rule, and nowhere used."""

    def __init__(self, source: Source) -> None:
        used = frozenset(_USED_NUMBER.findall(source.text))
        self._unused = (name for name in map("_{}".format, count(1)) if name not in used)
        self._names: list[str] = []  # those found so far, which every rule may use anew
        self._next = 0

    def anew(self, rules: Iterable[Node]) -> Iterator[Node]:
        """Yield rules, and begin with the first name in each."""
        for rule in rules:
            self._next = 0
            yield rule

    def __call__(self, text: str) -> Variable:
        """Return the next variable."""
        del text  # always the same
        if self._next == len(self._names):
            self._names.append(next(self._unused))
        self._next += 1
        return Variable(self._names[self._next - 1])


LEAVES: Final[dict[str, Callable[[str], Constant | Variable]]] = {
    "NAME": lambda text: Constant(fold_keyword(text)),
    "NUMBER": Constant,
    "QUOTED": lambda text: Constant(unescape(text[1:-1])),
    "VARIABLE": lambda text: Variable(text[0].lower() + text[1:]),
    "KIF_VARIABLE": lambda text: Variable(text[1:]),
    "QUOTED_VARIABLE": lambda text: Variable(unescape(text[2:-1])),
}
"""The term that each kind of token is, but for the lone ``_``."""


def _parsed(
    source: Source, extents: Sequence[Extent], problems: Problems
) -> Iterator[tuple[Extent, list[Node]]]:
    """Yield the forms of each part of the source, and report parts that are not in the grammar."""
    for batch in batches(extents, apart=len(problems) > 0):
        outcome = _attempt(source.text[batch.start : batch.stop])
        if isinstance(outcome, list):
            yield batch, outcome
            continue
        for extent_ in extents[bisect_left(extents, (batch.start,)) :]:
            if extent_.start >= batch.stop or problems.is_full:
                break
            outcome = _attempt(source.text[extent_.start : extent_.stop])
            if isinstance(outcome, list):
                yield extent_, outcome
            else:
                _report(outcome, extent_, problems)


def _attempt(text: str, start: str = "start") -> list[Node] | UnexpectedToken:
    """Return the forms of a text, or where and how it leaves the grammar."""
    from lark import UnexpectedToken

    try:
        parsed = cast("list[Node] | Node", _parser().parse(text, start=start))
    except UnexpectedToken as error:
        return error
    return parsed if isinstance(parsed, list) else [parsed]


def _report(error: UnexpectedToken, rule: Extent, problems: Problems) -> None:
    kinds = set(error.accepts or error.expected)
    kinds -= _left_unsaid(kinds, is_first=error.token.start_pos == 0)
    described = [text for kind, text in _DESCRIBED.items() if kind in kinds]
    expected = " or ".join(
        [", ".join(described[:-1]), described[-1]] if described[1:] else described
    )
    if error.token.type == "$END":
        message = "the rule ends here, but is not complete"
        start, stop = rule.stop - 1, rule.stop
        problems.add("unfinished-rule", start, stop, message, expected=expected)
        return
    start, stop = extent(error.token)
    shown = (
        error.token.value if stop - start <= MAX_SHOWN else f"{error.token.value[:MAX_SHOWN]}..."
    )
    is_variable = error.token.type in VARIABLE_TYPES
    help_ = None
    if "NAME" in kinds and is_variable:
        help_ = "names begin with a lower-case letter; quote others: 'Name'"
    elif (
        error.token.type == "OPEN"
        and error.token_history
        and (error.token_history[-1].type in VARIABLE_TYPES)
    ):
        help_ = "a variable has no arguments; a name begins with a lower-case letter, or is quoted"
    problems.add(
        "unexpected-token",
        start + rule.start,
        stop + rule.start,
        f"{shown} cannot stand here",
        expected=expected,
        help=help_,
    )


def _left_unsaid(kinds: set[str], *, is_first: bool) -> set[str]:
    """Return which of the allowed kinds of token would be no help in a message."""
    unsaid: set[str] = {"$END"} if is_first else set()
    if "NOT" in kinds:  # a literal is wanted; an empty body is allowed, but nobody's wish
        unsaid |= {"PERIOD"}
    elif "PERIOD" in kinds:  # a name would begin the next rule
        unsaid |= HEAD_TYPES
    if "AND" in kinds:
        unsaid |= {"COMMA"}
    return unsaid


@cache
def _parser() -> Lark:
    """Return the parser. Built once: 40 ms, and 50 ms for the import."""
    from importlib.resources import files

    from lark import Lark, Transformer

    class Forms(Transformer[Node, list[Node]]):
        start = staticmethod(all_of)
        rule = staticmethod(_rule)
        disjunction = staticmethod(_infix("or"))
        conjunction = staticmethod(_infix("and"))
        negation = staticmethod(_negation)
        bracketed = staticmethod(_bracketed)
        prefix = staticmethod(_prefix)
        compound = staticmethod(_compound)

    grammar = files("gdl.language.parse").joinpath("hrf.lark").read_text("utf-8")
    starts = ["start", "term"]
    return Lark(grammar, parser="lalr", lexer="basic", start=starts, transformer=Forms())


@cache
def _token_pattern() -> re.Pattern[str]:
    names = ("SPACE", "COMMENT", *SIGNS[:4], *sorted(NAME_TYPES), *SIGNS[4:])
    odd = r"'|\?|[^\s(),.&|~%'?]+"
    regexps = {terminal.name: terminal.pattern.to_regexp() for terminal in _parser().terminals}
    return token_pattern({name: regexps[name] for name in names}, odd=odd)


def _compound(children: list[Node]) -> Form:
    """``name ( term , term )``."""
    name = children[0]
    assert not isinstance(name, Form)
    is_distinct = name.type == "NAME" and name.value == "distinct"
    return _spanning(children, [name, *children[2:-1:2]], "distinct" if is_distinct else None)


def _rule(children: list[Node]) -> Form:
    """``head [arrow [body]] [period]``."""
    signs = [child.type if not isinstance(child, Form) else "" for child in children]
    if "ARROW" not in signs:
        return _spanning(children, [children[-1], children[0]], ".")
    body = children[2:-1] if signs[-1] == "PERIOD" else children[2:]
    if body and isinstance(body[0], Form) and body[0].word == "and" and not body[0].is_bracketed:
        body = list(body[0].items[1:])
    return _spanning(children, [children[1], children[0], *body], "<=")


def _infix(word: str) -> Callable[[list[Node]], Form]:
    """Return a callback for ``operand sign operand sign operand``."""
    return lambda children: _spanning(children, [children[1], *children[::2]], word)


def _negation(children: list[Node]) -> Form:
    """``~ literal``."""
    return _spanning(children, children, "not")


def _bracketed(children: list[Node]) -> Form:
    """``( formula )``: the form within, with its brackets."""
    inner = children[1]
    if not isinstance(inner, Form):
        return _spanning(children, [inner], None)
    (inner.start, _), (_, inner.stop) = extent(children[0]), extent(children[2])
    inner.is_bracketed = True
    return inner


def _prefix(children: list[Node]) -> Form:
    """``or ( formula , formula )``."""
    word = children[0]
    assert not isinstance(word, Form)
    form = _spanning(children, [word, *children[2:-1:2]], word.value)
    form.is_bracketed = True
    return form


def _spanning(children: Sequence[Node], items: Sequence[Node], word: str | None) -> Form:
    return Form(items, extent(children[0])[0], extent(children[-1])[1], word)
