"""The OpenAPI document of the interface, made of the same shapes that check what is sent.

Source: OpenAPI Specification 3.1.
"""

from __future__ import annotations

from typing import Any, Final

from gdl.web.shape import ACTION, CHECK, CREATE, EVALUATE, JOIN, POSITION, SHAPES, WHY, Shape

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
_MATCH: Final = {"name": "match", "in": "path", "required": True, "schema": {"type": "string"}}
_ROLE: Final = {"name": "role", "in": "path", "required": True, "schema": {"type": "string"}}


def _query(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


_NUMBER: Final = {"type": "integer", "minimum": 0, "maximum": 1 << 53}


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    match = "/api/matches/{match}"
    paths: dict[str, Any] = {
        "/health": {"get": _operation("health", "Whether the server works.")},
        "/metrics": {"get": _operation("metrics", "Counts for Prometheus.", "text/plain")},
        "/openapi.json": {"get": _operation("openapi", "This document.")},
        "/api/rulesets": {"get": _operation("rulesets", "The shipped rulesets.")},
        "/api/rulesets/{family}": {
            "get": _operation(
                "rulesetOfOne",
                "The only ruleset of a family: rules, roles, notation, picture.",
                params=[{**_ROLE, "name": "family"}],
            )
        },
        "/api/rulesets/{family}/{variant}": {
            "get": _operation(
                "ruleset",
                "One of them: rules, roles, notation, picture.",
                params=[
                    {**_ROLE, "name": "family"},
                    {**_ROLE, "name": "variant"},
                ],
            )
        },
        "/api/agents": {"get": _operation("agents", "Programs that can take a seat.")},
        "/api/check": {
            "post": _operation("check", "What is wrong with rules, and their roles.", body=CHECK)
        },
        "/api/positions": {
            "post": _operation("position", "A state after moves of your own.", body=POSITION)
        },
        "/api/why": {"post": _operation("why", "Why something holds, or why not.", body=WHY)},
        "/api/evaluations": {
            "post": _operation("evaluate", "What a program thinks of a state.", body=EVALUATE)
        },
        "/api/matches": {
            "get": _operation(
                "matches",
                "The newest matches, but for those that are not to be listed.",
                params=[
                    _query("limit", {"type": "integer", "minimum": 0, "maximum": 100}),
                    _query("before", _NUMBER),
                    _query("status", {"type": "string", "enum": ["active", "finished"]}),
                ],
            ),
            "post": _operation("create", "Begin a match.", body=CREATE, status=201),
        },
        "/api/imports": {
            "post": {
                **_operation("import", "Begin a match with a log.", status=201),
                "requestBody": {
                    "required": True,
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                },
            }
        },
        match: {"get": _operation("match", "The state.", params=[_MATCH])},
        f"{match}/seats/{{role}}": {
            "post": _operation(
                "join",
                "Take a seat; one that is reserved takes its invitation.",
                body=JOIN,
                status=201,
                params=[_MATCH, _ROLE],
            )
        },
        f"{match}/actions": {
            "get": _operation(
                "actions", "The log from a number on.", params=[_MATCH, _query("since", _NUMBER)]
            ),
            "post": _operation("act", "Do an action.", body=ACTION, status=201, params=[_MATCH]),
        },
        f"{match}/legal/{{role}}": {
            "get": _operation("legal", "Legal moves of a role.", params=[_MATCH, _ROLE])
        },
        f"{match}/log": {
            "get": _operation("log", "The log.", "application/x-ndjson", params=[_MATCH])
        },
    }
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
            "schemas": {"Error": _ERROR, **{shape.name: shape.schema() for shape in SHAPES}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(  # noqa: PLR0913  # the parts of an operation
    name: str,
    summary: str,
    media: str = "application/json",
    *,
    body: Shape | None = None,
    status: int = 200,
    params: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    schema = {"type": "object"} if media == "application/json" else {"type": "string"}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    made: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": {
            str(status): {"description": "Done.", "content": {media: {"schema": schema}}},
            "4XX": {"description": "Refused.", "content": error},
            "503": {"description": "Not now.", "content": error},
        },
    }
    if name == "act":
        made["responses"]["200"] = {
            "description": "Done before; answered again.",
            "content": {media: {"schema": schema}},
        }
    if params:
        made["parameters"] = params
    if body is not None:
        made["requestBody"] = {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": f"#/components/schemas/{body.name}"}}
            },
        }
    return made
