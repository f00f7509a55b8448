"""What may be sent: each request as a model.

Requests are read into these (`gdl.web.validation`), and the OpenAPI document is made of them
(`gdl.web.openapi`), so that it cannot say anything else than what is checked.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    Tag,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError

from gdl.match.actions import ID, LARGEST, LAST_SEQ, LONGEST_MOVE, LONGEST_ROLE, SENT, Kind
from gdl.match.clock import LONGEST
from gdl.web.storable import is_storable

LONGEST_RULES: Final = 256_000
MOST_MOVES: Final = 2_000
_SHOWN: Final = 40
"""Characters of a name or value that an error repeats."""


def _storable(text: str) -> str:
    if not is_storable(text):
        raise _wrong("has a character that no text has", "Unicode without NUL")
    return text


def _wrong(what: str, expected: str) -> PydanticCustomError:
    return PydanticCustomError("wrong", "{what}", {"what": what, "expected": expected})


def _sent(text: str) -> str:
    if text not in SENT:
        raise _wrong(f"is {text[:_SHOWN]!r}", ", ".join(SENT))
    return text


Text = Annotated[str, AfterValidator(_storable)]
Some = Annotated[Text, Field(min_length=1)]
Short = Annotated[Some, Field(max_length=200)]
Name = Annotated[Text, Field(max_length=100)]
Seconds = Annotated[float, Field(ge=0.01, le=60, allow_inf_nan=False)]
Seq = Annotated[int, Field(ge=0, le=LAST_SEQ)]
Move = Annotated[Some, Field(max_length=LONGEST_MOVE, description="In the notation, or KIF.")]
Role = Annotated[Text, Field(max_length=LONGEST_ROLE)]
RuleText = Annotated[Text, Field(max_length=LONGEST_RULES)]
_NULL: Final = object()
"""What null in a request becomes: a value of no type that a field has."""


class Model(BaseModel):
    """A JSON object; no field but those that are named, none of another type."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
    )

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_null(cls, value: object) -> object:
        """Let null be of the wrong type: None stands for what was left out."""
        return _NULL if value is None else value


class Source(Model):
    """Which rules: a shipped ruleset, or a text."""

    ruleset: (
        Annotated[Short, Field(examples=["pentago/strict", "gomoku/freestyle", "tictactoe"])] | None
    ) = None
    """Id of a shipped ruleset."""
    rules: Annotated[RuleText, Field(min_length=1)] | None = None
    """A rule text, KIF or HRF."""
    title: Name | None = None
    """What uploaded rules are called."""
    like: Short | None = None
    """Shipped ruleset whose notation and picture the rules have."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        names = self._sources()
        if sum(getattr(self, name) is not None for name in names) != 1:
            expected = f"exactly one of {', '.join(names)}"
            raise _wrong("has none or several of these", expected)
        return self

    @classmethod
    def _sources(cls) -> list[str]:
        """Return the fields of which exactly one must be there."""
        return [name for name in ("ruleset", "rules", "match") if name in cls.model_fields]

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Say the same in JSON Schema."""
        written = handler.resolve_ref_schema(handler(schema))
        return {**written, "oneOf": [{"required": [name]} for name in cls._sources()]}


class Sitter(Model):
    """Who takes a seat: a person, or a program."""

    name: Name | None = None
    """What others see."""
    agent: Short | None = None
    """A program: name:option=value,..."""
    seconds: Seconds | None = None


class NewSeat(Sitter):
    """A seat of a new match that is taken, or kept for somebody."""

    invite: bool = False
    """Keep the seat for whoever shows the invitation; stands alone."""


class Seat(Sitter):
    """A seat that somebody takes."""

    invitation: Short | None = None
    """What the creator was given for it."""


class TimeControl(Model):
    """Time of each player, in milliseconds."""

    initial_ms: Annotated[int, Field(ge=1, le=LONGEST)]
    increment_ms: Annotated[int, Field(ge=0, le=LONGEST)] = 0


class Table(Model):
    """Who may sit at a new match, and who may see it."""

    seats: Annotated[dict[Role, NewSeat], Field(max_length=64)] = {}
    listed: bool = True
    """Whether lists of matches name it."""
    spectators: bool = True
    """Whether those may see it who have no seat."""


class NewMatch(Source, Table):
    """A match that is to begin."""

    clock: TimeControl | None = None


class Action(Model):
    """What somebody wants to do."""

    id: Annotated[str, Field(pattern=f"^{ID.pattern}$", max_length=64)]
    """Chosen by the sender."""
    seq: Seq
    """The place in the log that it is meant for."""
    type: Annotated[str, AfterValidator(_sent), Field(json_schema_extra={"enum": list(SENT)})]
    move: Move | None = None
    role: Role | None = None
    """If given, the role of the seat."""

    @model_validator(mode="after")
    def _has_a_move(self) -> Self:
        if (self.type == Kind.MOVE) != (self.move is not None):
            what = "has a move" if self.move is not None else "has no move"
            raise _wrong(f"of type {self.type} {what}", "a move with MOVE, and only there")
        return self


class Nothing(Model):
    """An empty object: all is said by the address and the token."""


class Rules(Model):
    """Rules that are to be looked at."""

    rules: RuleText


def _kind_of_move(value: object) -> str | None:
    return _TEXT if isinstance(value, str) else _BY_ROLE if isinstance(value, dict) else None


_TEXT: Final = "(text)"
_BY_ROLE: Final = "(by role)"
TAGS: Final = frozenset({_TEXT, _BY_ROLE, "[key]"})
"""Tags of the two ways to say a move; pydantic puts them into the place of an error, as it does
with the last for names of fields."""
_OTHER_TYPE: Final = {"what": "is of another type", "expected": "string or object"}
MoveOfTurn = Annotated[
    Annotated[Move, Tag(_TEXT)] | Annotated[dict[Role, Move], Field(min_length=1), Tag(_BY_ROLE)],
    Discriminator(
        _kind_of_move,
        custom_error_type="wrong",
        custom_error_message="{what}",
        custom_error_context=_OTHER_TYPE,
    ),
]


class Position(Source):
    """A state: of a match after some of its log, or of rules, and after moves of one's own."""

    match: Annotated[Some, Field(max_length=64)] | None = None
    """Name of a match."""
    seq: Seq | None = None
    """So many entries of the match's log; all, if left out."""
    moves: Annotated[list[MoveOfTurn], Field(max_length=MOST_MOVES)] = []
    """Each the move of the one role to move, or an object of moves by role."""


class Look(Position):
    """A state, and what it is a state of."""

    about: bool = False
    """Whether to tell the ruleset as well: its rules, players and boards."""


class Carried(Position):
    """What becomes of the moves that led to a state under other rules?"""

    other: Annotated[Short, Field(examples=["pentago/phased"])]
    """Id of the other ruleset, a shipped one."""


class Question(Position):
    """Why does something hold in a state, or why not?"""

    query: Annotated[Some, Field(max_length=2_000)] | None = None
    cell: Annotated[list[Annotated[int, Field(ge=0, le=10_000)]], Field(max_length=2)] | None = None
    """Row and column: why can nobody move there? In place of a query."""
    site: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Number of a site of the picture, in place of row and column."""
    sites: Annotated[list[Annotated[int, Field(ge=0, le=100_000)]], Field(max_length=8)] | None = (
        None
    )
    """Sites that are touched one after the other, in place of one."""


class Evaluation(Position):
    """What does a program think of a state?"""

    agent: Short | None = None
    seconds: Seconds | None = None


class Values(Position):
    """What is a state worth exactly?"""

    seconds: Seconds | None = None
    """Processor time for solving it, where no table has it."""


class Known(Position):
    """What does a role know for certain of a match that hides facts?"""

    seconds: Seconds | None = None


class Hello(Model):
    """The first message on a socket."""

    type: Literal["hello"]
    since: Seq = 0
    token: Annotated[Text, Field(max_length=200)] = ""


class Message(Model):
    """Every further one."""

    type: Literal["action", "ping"]
    action: Action | None = None

    @model_validator(mode="after")
    def _has_an_action(self) -> Self:
        if (self.type == "action") != (self.action is not None):
            what = "has no action" if self.action is None else "has an action"
            raise _wrong(f"of type {self.type} {what}", "an action with action, and only there")
        return self


class Query(Model):
    """The query of an address, where numbers are texts and further names mean nothing."""

    model_config = ConfigDict(title="query", extra="ignore", strict=False)


class Listing(Query):
    """Which matches to list."""

    limit: Annotated[int, Field(ge=0, le=100)] = 50
    before: Annotated[int, Field(ge=0, le=LARGEST)] = LARGEST
    status: Literal["active", "open", "finished"] | None = None
    """Open: those that go on and have a seat that anybody may take."""


class Since(Query):
    """From which entry of the log on."""

    since: Annotated[int, Field(ge=0, le=LARGEST)] = 0


MESSAGES: Final = (Hello, Message)
"""What may be sent on a socket."""
