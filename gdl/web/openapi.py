"""The OpenAPI document of the interface, made of its operations and of what may be sent.

In: the operations that the routes are made of. Out: the document.

Source: OpenAPI Specification 3.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from gdl.web.models import MESSAGES, Model, Query

JSON: Final = "application/json"
Body: TypeAlias = type[Model] | type[str]
_MEANINGS: Final = {200: "Done, or done before.", 201: "Done."}
_ERROR: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
            "required": ["code", "message"],
        }
    },
    "required": ["error"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What can be asked of the server at one address with one method.

    Attributes:
        path: The address; what varies stands in braces.
        method: As HTTP calls it.
        name: Its name among all operations.
        summary: A sentence.
        body: What is sent: a model, text (``str``), or nothing.
        query: What may stand in the query.
        media: What is answered.
        statuses: Those of answers that are no refusals.
    """

    path: str = ""
    method: str = "GET"
    name: str = ""
    summary: str = ""
    body: Body | None = None
    query: type[Query] | None = None
    media: str = JSON
    statuses: tuple[int, ...] = (200,)


class _Schema(GenerateJsonSchema):
    """JSON Schema in which a field that may be left out is not null, as requests are read."""

    def field_title_should_be_set(self, _schema: object) -> bool:
        return False  # it would be the name once more

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the OpenAPI document."""
    told = list(operations)
    models = {op.body for op in told if isinstance(op.body, type) and op.body is not str}
    named = sorted({*models, *MESSAGES}, key=lambda model: model.__name__)
    _, schemas = models_json_schema(
        [(model, "validation") for model in named if issubclass(model, Model)],
        ref_template="#/components/schemas/{model}",
        schema_generator=_Schema,
    )
    paths: dict[str, Any] = {}
    for operation in told:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _written(operation)
    match = "/api/matches/{match}"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "gdl serve",
            "version": "1",
            "description": "Matches of any ruleset. Server-sent events: GET "
            f"{match}/events. Socket: {match}/socket. docs/serve.md tells all.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR, **schemas["$defs"]},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _written(operation: Operation) -> dict[str, Any]:
    schema = {"type": "object" if operation.media == JSON else "string"}
    error = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    answer = {operation.media: {"schema": schema}}
    written: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {
            **{
                str(status): {"description": _MEANINGS[status], "content": answer}
                for status in operation.statuses
            },
            "4XX": {"description": "Refused.", "content": error},
            "503": {"description": "Not now.", "content": error},
        },
    }
    if params := _params(operation):
        written["parameters"] = params
    if operation.body is not None:
        written["requestBody"] = {"required": True, "content": _body(operation.body)}
    return written


def _body(body: Body) -> dict[str, Any]:
    if issubclass(body, str):
        return {"text/plain": {"schema": {"type": "string"}}}
    return {JSON: {"schema": {"$ref": f"#/components/schemas/{body.__name__}"}}}


def _params(operation: Operation) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    if operation.query is None:
        return in_path
    fields = operation.query.model_json_schema(schema_generator=_Schema)["properties"]
    return in_path + [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in fields.items()
    ]
