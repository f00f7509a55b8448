"""Requests to models, and what is wrong with those that are none.

In: a JSON value and a model. Out: the model with its values, or a `ProblemError` that names the
field, what is wrong with it, and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gdl.web.models import TAGS, Model
from gdl.web.storable import malformed

M = TypeVar("M", bound=Model)
SHOWN: Final = 40
"""Characters of a name or value that an error repeats."""


def read(value: object, model: type[M]) -> M:
    """Return what was sent.

    Raises:
        ProblemError: It is not as it should be; names the first field that is wrong.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        parts = [part for part in first["loc"] if part not in TAGS]
        path = model.model_config.get("title") or model.__name__
        for part in parts:
            path += f"[{part}]" if isinstance(part, int) else f".{part[:SHOWN]}"
        raise malformed(path, *_told(first, model, parts)) from error


_TYPES: Final[Mapping[str, str]] = {
    "string_type": "string",
    "int_type": "integer",
    "int_parsing": "integer",
    "int_parsing_size": "integer",
    "float_type": "number",
    "finite_number": "number",
    "bool_type": "boolean",
    "list_type": "array",
    "dict_type": "object",
    "model_type": "object",
}
"""What JSON Schema calls the types that errors of pydantic are about."""
_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "missing": ("is missing", "to be there"),
    "string_unicode": ("has a character that no text has", "Unicode without NUL"),
    "string_too_short": ("has {length}", "at least {min_length}"),
    "string_too_long": ("has {length}", "at most {max_length}"),
    "too_short": ("has {length}", "at least {min_length}"),
    "too_long": ("has {length}", "at most {max_length}"),
    "greater_than_equal": ("is {value:.40}", "at least {ge}"),
    "less_than_equal": ("is {value:.40}", "at most {le}"),
    "string_pattern_mismatch": ("is {value!r:.40}", "{pattern}"),
    "literal_error": ("is {value!r:.40}", "{expected}"),
}
"""What is said of further errors: what is wrong, and what was expected."""


def _told(error: ErrorDetails, model: type[Model], parts: list[int | str]) -> tuple[str, str]:
    """Return what is wrong, and what was expected."""
    kind, value, limits = error["type"], error["input"], error.get("ctx", {})
    if kind in _TYPES:
        return f"is no {_TYPES[kind]}", _TYPES[kind]
    if kind == "wrong":
        return limits["what"], limits["expected"]
    if kind == "extra_forbidden":
        return "is not known", ", ".join(_fields(model, parts[:-1]))
    if kind not in _TEXTS:
        return "is wrong", error["msg"]
    what, expected = _TEXTS[kind]
    shown = value if isinstance(value, str) else str(value)
    numbers = {name: f"{at:g}" if isinstance(at, float) else at for name, at in limits.items()}
    return what.format(value=shown, length=_length(value)), expected.format(**numbers)


def _length(value: object) -> str:
    match value:
        case str():
            return f"{len(value)} characters"
        case list():
            return f"{len(value)} items"
        case dict():
            return f"{len(value)} fields"
        case _:
            return "another size"


def _fields(model: type[BaseModel], parts: list[int | str]) -> list[str]:
    """Return the names of the fields that an object has, by its place in a model."""
    for part in parts:
        named = {field.alias: field for field in model.model_fields.values()}
        if part in named:
            model = _model_in(named[part].annotation)
    return [str(field.alias) for field in model.model_fields.values()]


def _model_in(annotation: Any) -> type[BaseModel]:  # noqa: ANN401  # a type
    """Return the model in an annotation such as ``dict[str, NewSeat]`` or ``Table | None``."""
    while not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        annotation = [arg for arg in get_args(annotation) if arg is not type(None)][-1]
    return annotation
