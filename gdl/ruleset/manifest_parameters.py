"""The ``[parameter.NAME]`` and ``[[facts.NAME]]`` tables of a manifest.

In: the tables that a ruleset refers to, and what its name says of the parameters. Out:
`Parameter` and `FactPattern` values; problems are noted in the table's file.

    [parameter.size]
    default = 11
    values = "2..19"                   # or a list; may use parameters before it
    help = "cells along an edge"

    [parameter.heaps]
    default = [1, 3, 5, 7]             # a list of numbers
    values = "1..20"
    length = "1..6"
    help = "objects in each heap"

    [[facts.board]]
    fact = "(succ ?i ?j)"
    where.i = "1..size-1"
    where.j = "i+1"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gdl.language.template import TemplateError, holes, read_template
from gdl.language.terms import Compound, Constant, Sentence
from gdl.ruleset.arithmetic import (
    RESERVED,
    ExpressionError,
    Size,
    Sizes,
    check,
    interval,
    names,
)
from gdl.ruleset.errors import ParameterError, did_you_mean, one_of
from gdl.ruleset.fact_patterns import FactPattern
from gdl.ruleset.parameters import Allowed, Parameter, read_size, size_text
from gdl.ruleset.toml_table import Table

_NAME: Final = re.compile(r"[a-z][a-z0-9_]+")
_DEFAULT: Final = "a whole number, or a list of them"
_VALUES: Final = 'a range "2..19", or a list of whole numbers'
_LENGTH: Final = 'a range "1..6": how many numbers the list may have'
_FACT: Final = 'a sentence, for instance "(succ ?i ?j)"'
_WHERE: Final = 'for each variable a range or a number, for instance "1..size-1" or "i+1"'


def read_parameters(
    tables: Iterable[tuple[str, Table]],
    settings: Mapping[str, str],
    id_: str,
    *,
    before: Sizes | None = None,
) -> tuple[Parameter, ...]:
    """Return the parameters of a ruleset.

    Args:
        tables: Name and table of each, in order.
        settings: What the name of the ruleset says of them.
        id_: The id of the ruleset.
        before: Further parameters that ranges of values may name.

    Raises:
        ParameterError: A value is not allowed.
    """
    parameters: list[Parameter] = []
    sizes: dict[str, Size] = dict(before or {})
    for name, table in tables:
        parameter = _parameter(name, table, sizes, settings, id_)
        if parameter is not None:
            parameters.append(parameter)
            sizes[name] = parameter.value
    return tuple(parameters)


def _parameter(
    name: str, table: Table, sizes: Sizes, settings: Mapping[str, str], id_: str
) -> Parameter | None:
    table.only(("default", "values", "length", "help"))
    if not _NAME.fullmatch(name) or name in RESERVED:
        said = f"{name} is no name of a parameter"
        expected = (
            f"two or more small letters, digits and _, and none of {one_of(sorted(RESERVED))}"
        )
        table.problem("wrong-value", None, said, expected)
    help_ = table.text("help", 'what it means, for instance "cells along an edge"')
    default = _size(table)
    allowed = _allowed(table, default, sizes)
    if default is None or allowed is None:
        return None
    parameter = Parameter(name, default, default, allowed, help_)
    if name not in settings:
        if default in allowed:
            return parameter
        if settings:  # the parameters before it made the usual value impossible
            raise _refused(id_, parameter, size_text(default), settings)
        said = f"the default of {name} is {size_text(default)}"
        table.problem("wrong-value", "default", said, str(allowed))
        return parameter
    value = read_size(settings[name])
    if allowed.lengths is not None and isinstance(value, int):
        value = (value,)
    if value is None or value not in allowed:
        raise _refused(id_, parameter, settings[name], settings)
    return Parameter(name, value, default, allowed, help_)


def _refused(
    id_: str, parameter: Parameter, text: str, settings: Mapping[str, str]
) -> ParameterError:
    name = parameter.name
    others = "&".join(f"{key}={value}" for key, value in settings.items() if key != name)
    usual = "" if name in settings else " where nothing else is said"
    with_ = f" with {others}" if others else ""
    return ParameterError(
        id_,
        name,
        f"{name} of {id_} is {text}{usual}{with_}",
        expected=f"{parameter.allowed} ({parameter.help})",
        help=None if usual else f"{size_text(parameter.default)} is usual: {id_} alone",
    )


def _size(table: Table) -> Size | None:
    size = table.values.get("default")
    if isinstance(size, list):
        return tuple(table.list_of("default", int, _DEFAULT))
    value: int | None = table.value("default", int, _DEFAULT, required=True)
    return value


def _allowed(table: Table, default: Size | None, sizes: Sizes) -> Allowed | None:
    numbers = _numbers(table, "values", sizes, _VALUES)
    if not isinstance(default, tuple):
        return None if numbers is None else Allowed(numbers)
    lengths = _numbers(table, "length", sizes, _LENGTH)
    if numbers is None or not isinstance(lengths, range):
        return None
    return Allowed(numbers, lengths)


def _numbers(table: Table, key: str, sizes: Sizes, expected: str) -> Sequence[int] | None:
    """Return the numbers of a range or list, None (and a problem noted) if there are none."""
    value = table.values.get(key)
    numbers: Sequence[int]
    hint = None
    if isinstance(value, str):
        try:
            numbers = interval(value, sizes)
        except ExpressionError as error:
            numbers, hint = (), f"{error}; parameters before this one may be used"
    else:
        numbers = tuple(table.list_of(key, int, expected, required=True))
    if not numbers:
        if value is not None:
            table.problem("wrong-value", key, f"{key} holds no numbers", expected, hint=hint)
        return None
    return numbers


def read_facts(tables: Iterable[Table], sizes: Sizes) -> tuple[FactPattern, ...]:
    """Return the patterns of some ``[[facts.NAME]]`` tables, for some values of parameters."""
    patterns = (_pattern(table, sizes) for table in tables)
    return tuple(pattern for pattern in patterns if pattern is not None)


def _pattern(table: Table, sizes: Sizes) -> FactPattern | None:
    table.only(("fact", "where"))
    fact = _fact(table)
    where = _where(table, sizes)
    if fact is None or where is None:
        return None
    bound = dict(where)
    for name in holes(fact):
        if name not in bound and not isinstance(sizes.get(name), int):
            said = f"?{name} stands for nothing"
            table.problem("unknown-name", "fact", said, _WHERE, at=f"?{name}")
            return None
    asked = frozenset(holes(fact)).union(*(names(text) for text in bound.values()))
    used = tuple((name, size) for name, size in sizes.items() if name in asked)
    return FactPattern(fact, where, used, table.origin("fact", table.values["fact"]))


def _fact(table: Table) -> Sentence | None:
    text = table.text("fact", _FACT)
    if not text:
        return None
    try:
        fact = read_template(text)
    except TemplateError as error:
        table.problem("wrong-term", "fact", f"the fact is no term: {error}", _FACT, at=text)
        return None
    if isinstance(fact, Constant | Compound):
        return fact
    table.problem("wrong-term", "fact", f"{text} is no sentence", _FACT, at=text)
    return None


def _where(table: Table, sizes: Sizes) -> tuple[tuple[str, str], ...] | None:
    """Return each variable and its range, None (and problems noted) if one has none."""
    section = table.table("where")
    if section is None:
        return None if "where" in table.values else ()
    where: list[tuple[str, str]] = []
    for name in section.values:
        text = _range_text(section, name)
        parameters = [*sizes, *(name for name, _ in where)]
        if text is None:
            return None
        if name in sizes or name in RESERVED:
            said = f"{name} is a parameter, or a word of arithmetic"
            section.problem("wrong-value", name, said, "another name for the variable")
            return None
        try:
            check(text)
            unknown = sorted(names(text).difference(parameters))
        except ExpressionError as error:
            section.problem("wrong-value", name, f"{name} is no range: {error}", _WHERE, at=text)
            return None
        if unknown:
            section.problem(
                "unknown-name",
                name,
                f"{unknown[0]} stands for nothing here",
                one_of(parameters, most=20),
                hint=did_you_mean(unknown[0], parameters),
                at=unknown[0],
            )
            return None
        where.append((name, text))
    return tuple(where)


def _range_text(section: Table, name: str) -> str | None:
    value: Any = section.values.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return section.text(name, _WHERE) or None
