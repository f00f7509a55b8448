"""The shapes of what is sent: read once, here, and told to others as JSON Schema.

In: a JSON value and a `Shape`. Out: the value, as it was sent, or a `ProblemError` that names the
field. The same shapes make the OpenAPI document, so that it cannot say anything else.

Source: ours; JSON Schema 2020-12.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from gdl.match.actions import ID, LAST_SEQ, LONGEST_MOVE, SENT
from gdl.match.clock import LONGEST
from gdl.web.problems import ProblemError

Schema: TypeAlias = dict[str, Any]
LONGEST_RULES: Final = 256_000
MOST_MOVES: Final = 2_000
DEEPEST: Final = 50
"""Levels of a JSON value that is kept as it is."""
_UNTEXT: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Shape:
    """A JSON object.

    Attributes:
        name: What the OpenAPI document calls it.
        fields: Schema of each field.
        required: Fields that must be there.
        one_of: Of these fields exactly one must be there.
    """

    name: str
    fields: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()

    def schema(self) -> Schema:
        """Return the shape as JSON Schema."""
        made: Schema = {
            "type": "object",
            "properties": dict(self.fields),
            "required": list(self.required),
            "additionalProperties": False,
        }
        if self.one_of:
            made["oneOf"] = [{"required": [name]} for name in self.one_of]
        return made


def _text(most: int, *, least: int = 0, about: str = "", pattern: str = "") -> Schema:
    made: Schema = {"type": "string", "maxLength": most}
    if least:
        made["minLength"] = least
    if pattern:
        made["pattern"] = pattern
    if about:
        made["description"] = about
    return made


def _flag(about: str) -> Schema:
    return {"type": "boolean", "description": about}


NAME: Final = _text(100, about="What others see.")
AGENT: Final = _text(200, least=1, about="A program: name:option=value,...")
RULESET: Final = {
    **_text(200, least=1, about="Id of a shipped ruleset."),
    "examples": ["pentago/strict", "gomoku/freestyle", "tictactoe"],
}
RULES: Final = _text(LONGEST_RULES, least=1, about="A rule text, KIF or HRF.")
MATCH: Final = _text(64, least=1, about="Name of a match.")
SECONDS: Final[Schema] = {"type": "number", "minimum": 0.01, "maximum": 60}
SEQ: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": LAST_SEQ}
MOVE: Final = _text(LONGEST_MOVE, least=1, about="In the ruleset's notation, or KIF.")
MOVES: Final[Schema] = {
    "type": "array",
    "maxItems": MOST_MOVES,
    "description": "Each the move of the one role to move, or an object of moves by role.",
    "items": {
        "oneOf": [MOVE, {"type": "object", "minProperties": 1, "additionalProperties": MOVE}]
    },
}
_SITTER: Final[Mapping[str, Schema]] = {"name": NAME, "agent": AGENT, "seconds": SECONDS}
SEAT: Final = Shape(
    "NewSeat",
    {**_SITTER, "invite": _flag("Keep the seat for whoever shows the invitation; stands alone.")},
)
CLOCK: Final[Schema] = {
    "type": "object",
    "properties": {
        "initialMs": {"type": "integer", "minimum": 1, "maximum": LONGEST},
        "incrementMs": {"type": "integer", "minimum": 0, "maximum": LONGEST},
    },
    "required": ["initialMs"],
    "additionalProperties": False,
}
TITLE: Final = _text(100, about="What uploaded rules are called.")
LIKE: Final = _text(200, least=1, about="Shipped ruleset whose notation and picture rules have.")
CREATE: Final = Shape(
    "NewMatch",
    {
        "ruleset": RULESET,
        "rules": RULES,
        "title": TITLE,
        "like": LIKE,
        "clock": CLOCK,
        "seats": {"type": "object", "maxProperties": 64, "additionalProperties": SEAT.schema()},
        "listed": _flag("Whether lists of matches name it; true, if left out."),
        "spectators": _flag("Whether those may see it who have no seat; true, if left out."),
    },
    one_of=("ruleset", "rules"),
)
JOIN: Final = Shape(
    "Seat",
    {**_SITTER, "invitation": _text(200, least=1, about="What the creator was given for it.")},
)
ACTION: Final = Shape(
    "Action",
    {
        "id": _text(64, least=1, pattern=f"^{ID.pattern}$", about="Chosen by the sender."),
        "seq": {**SEQ, "description": "The place in the log that it is meant for."},
        "type": {"type": "string", "enum": [str(kind) for kind in SENT]},
        "move": MOVE,
        "role": _text(1000, about="If given, the role of the seat."),
    },
    required=("id", "seq", "type"),
)
CHECK: Final = Shape("Rules", {"rules": _text(LONGEST_RULES)}, required=("rules",))
_SOURCE: Final = ("ruleset", "rules", "match")
_OF_STATE: Final[Mapping[str, Schema]] = {
    "ruleset": RULESET,
    "rules": RULES,
    "title": TITLE,
    "like": LIKE,
    "match": MATCH,
    "seq": {**SEQ, "description": "So many entries of the match's log; all, if left out."},
    "moves": MOVES,
}
POSITION: Final = Shape("Position", _OF_STATE, one_of=_SOURCE)
CELL: Final[Schema] = {
    "type": "array",
    "maxItems": 2,
    "items": {"type": "integer", "minimum": 0, "maximum": 10_000},
    "description": "Row and column: why can nobody move there? In place of a query.",
}
WHY: Final = Shape(
    "Question", {**_OF_STATE, "query": _text(2000, least=1), "cell": CELL}, (), _SOURCE
)
EVALUATE: Final = Shape(
    "Evaluation", {**_OF_STATE, "agent": AGENT, "seconds": SECONDS}, (), _SOURCE
)
HELLO: Final = Shape(
    "Hello",
    {"type": {"type": "string", "enum": ["hello"]}, "since": SEQ, "token": _text(200)},
    required=("type",),
)
"""The first message on a socket."""
MESSAGE: Final = Shape(
    "Message",
    {"type": {"type": "string", "enum": ["action", "ping"]}, "action": {"type": "object"}},
    required=("type",),
)
"""Every further one."""
SHAPES: Final = (CREATE, JOIN, ACTION, CHECK, POSITION, WHY, EVALUATE, HELLO, MESSAGE)


def read_shape(value: object, shape: Shape) -> dict[str, Any]:
    """Return a JSON object of a shape.

    Raises:
        ProblemError: It has another shape; names the field.
    """
    _check(value, shape.schema(), shape.name)
    assert isinstance(value, dict)
    return value


def _check(value: object, schema: Schema, path: str) -> None:
    """Check a value by the keywords of JSON Schema that the shapes use."""
    if "oneOf" in schema and "type" not in schema:
        _check_any(value, schema["oneOf"], path)
        return
    kind = schema["type"]
    if not _is_of(value, kind):
        raise _bad(path, f"is no {kind}", kind)
    match value:
        case str():
            _check_text(value, schema, path)
        case bool():
            pass
        case int() | float():
            _check_number(value, schema, path)
        case list():
            _check_list(value, schema, path)
        case dict():
            _check_object(value, schema, path)
        case _:
            pass


def _check_number(value: float, schema: Schema, path: str) -> None:
    low, high = schema.get("minimum", value), schema.get("maximum", value)
    if not low <= value <= high:
        raise _bad(path, f"is {value}", f"{low} to {high}")


def _check_list(value: list[Any], schema: Schema, path: str) -> None:
    if len(value) > schema["maxItems"]:
        raise _bad(path, f"has {len(value)} items", f"at most {schema['maxItems']}")
    for number, each in enumerate(value):
        _check(each, schema["items"], f"{path}[{number}]")


def _check_any(value: object, schemas: list[Schema], path: str) -> None:
    for schema in schemas:
        if _is_of(value, schema["type"]):
            _check(value, schema, path)
            return
    raise _bad(path, "is of another type", " or ".join(each["type"] for each in schemas))


def _check_text(value: str, schema: Schema, path: str) -> None:
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(value))
    if not least <= len(value) <= most:
        raise _bad(path, f"has {len(value)} characters", f"{least} to {most}")
    require_text(value, path)
    if "enum" in schema and value not in schema["enum"]:
        raise _bad(path, f"is {value[:40]!r}", ", ".join(schema["enum"]))
    if "pattern" in schema and not ID.fullmatch(value):
        raise _bad(path, f"is {value[:40]!r}", schema["pattern"])


def require_text(value: object, path: str) -> None:
    """Refuse texts that a database cannot keep, with NUL or half a surrogate pair, and deep values.

    Raises:
        ProblemError: There is one, wherever in a JSON value.
    """
    level = [value]
    for _ in range(DEEPEST):
        for each in level:
            if isinstance(each, str) and _UNTEXT.search(each):
                raise _bad(path, "has a character that no text has", "Unicode without NUL")
        level = [part for each in level for part in _parts(each)]
        if not level:
            return
    raise _bad(path, "is too deep", f"at most {DEEPEST} levels")


def _parts(value: object) -> list[object]:
    match value:
        case list():
            return value
        case dict():
            return [*value, *value.values()]
        case _:
            return []


def _check_object(value: dict[str, Any], schema: Schema, path: str) -> None:
    fields: dict[str, Schema] = schema.get("properties", {})
    if not fields and "additionalProperties" not in schema:
        return
    other = schema.get("additionalProperties", True)
    count = len(value)
    if not schema.get("minProperties", 0) <= count <= schema.get("maxProperties", count):
        raise _bad(path, f"has {count} fields", "fewer, and at least one")
    for name in schema.get("required", ()):
        if name not in value:
            raise _bad(f"{path}.{name}", "is missing", "to be there")
    choices = [each["required"][0] for each in schema.get("oneOf", ())]
    if choices and sum(name in value for name in choices) != 1:
        raise _bad(path, "has none or several of these", f"exactly one of {', '.join(choices)}")
    for name, each in value.items():
        if name in fields:
            _check(each, fields[name], f"{path}.{name}")
        elif isinstance(other, dict):
            _check_text(name, {"maxLength": 1000}, path)
            _check(each, other, f"{path}.{name[:40]}")
        else:
            raise _bad(f"{path}.{name[:40]}", "is not known", ", ".join(fields))


def _is_of(value: object, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case _:
            return isinstance(value, dict)


def _bad(path: str, what: str, expected: str) -> ProblemError:
    return ProblemError(422, "malformed-request", f"{path} {what}\n  expected: {expected}")
