"""The table of endpoints → its OpenAPI 3.1 document. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bot.web.api.endpoint import AnyEndpoint, Given, Nothing
from bot.web.errors import ErrorAnswer

TITLE = "Askfirst"

ALWAYS = (401, 421, 429, 503)
"""Statuses that every endpoint may answer with."""

WITH_BODY = (400, 413, 415, 422)

Mode = Literal["validation", "serialization"]
Schemas = Mapping[Any, dict[str, Any]]
"""By model and mode."""

_FORM = {
    "type": "object",
    "properties": {"file": {"type": "string", "format": "binary"}},
    "required": ["file"],
    "additionalProperties": False,
}

_REF = "#/components/schemas/{model}"


def document(endpoints: Sequence[AnyEndpoint], version: str) -> dict[str, Any]:
    schemas, components = models_json_schema(list(dict.fromkeys(_models(endpoints))), ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": version,
            "description": "What admins and programs may look at and change. Times are seconds since the epoch.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components.get("$defs", {}),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _models(endpoints: Iterable[AnyEndpoint]) -> Iterator[tuple[type[BaseModel], Mode]]:
    yield ErrorAnswer, "serialization"
    for each in endpoints:
        for body in _bodies(each):
            yield body, "validation"
        if each.answer is not Nothing:
            yield each.answer, "serialization"


def _bodies(endpoint: AnyEndpoint) -> Iterator[type[Given]]:
    if endpoint.in_body is not Nothing:
        yield endpoint.in_body


def _operation(endpoint: AnyEndpoint, schemas: Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _operation_id(endpoint),
        "summary": endpoint.summary,
        "tags": [endpoint.path.split("/")[2].partition(".")[0]],
        "x-scope": endpoint.right,
        "responses": _responses(endpoint, schemas),
    }
    parameters = [*_parameters(endpoint.in_path, "path"), *_parameters(endpoint.in_query, "query")]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.uploads:
        operation["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}
    for body in _bodies(endpoint):
        operation["requestBody"] = {
            "required": any(field.is_required() for field in body.model_fields.values()),
            "content": {"application/json": {"schema": schemas[body, "validation"]}},
        }
    return operation


def _operation_id(endpoint: AnyEndpoint) -> str:
    words = re.findall(r"[a-z]+", endpoint.path.removeprefix("/api/"))
    return "_".join((endpoint.method.lower(), *words))


def _parameters(model: type[Given], where: Literal["path", "query"]) -> Iterator[dict[str, Any]]:
    """Each has its schema in place: they hold no references."""
    schema = model.model_json_schema()
    for name, about in schema.get("properties", {}).items():
        parameter: dict[str, Any] = {"name": name, "in": where, "required": name in schema.get("required", ())}
        described = {key: value for key, value in about.items() if key not in ("title", "default")}
        yield parameter | {"schema": _without_null(described) if where == "query" else described}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What a query leaves out is not there; nothing in it is null."""
    kinds: list[dict[str, Any]] = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return kinds[0] | rest


def _responses(endpoint: AnyEndpoint, schemas: Schemas) -> dict[str, Any]:
    found: dict[str, Any] = {str(endpoint.status): _success(endpoint, schemas)}
    for status in sorted(set(_refusals(endpoint))):
        found[str(status)] = {
            "description": HTTPStatus(status).phrase,
            "content": {"application/json": {"schema": schemas[ErrorAnswer, "serialization"]}},
        }
    return found


def _success(endpoint: AnyEndpoint, schemas: Schemas) -> dict[str, Any]:
    described: dict[str, Any] = {"description": HTTPStatus(endpoint.status).phrase}
    if endpoint.answer is Nothing:
        return described
    described["content"] = {"application/json": {"schema": schemas[endpoint.answer, "serialization"]}}
    if endpoint.streams:
        described["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    return described


def _refusals(endpoint: AnyEndpoint) -> Iterable[int]:
    yield from ALWAYS
    yield from endpoint.refusals
    if endpoint.changes:
        yield 403
        yield from WITH_BODY
    if endpoint.right == "admin":
        yield 403
    if endpoint.in_path is not Nothing:
        yield 404
    yield 422  # of the query: what is not known is refused everywhere
