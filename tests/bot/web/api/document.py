"""Holds answers against the OpenAPI document, as whoever reads it would."""

import re
from typing import Any

from jsonschema import Draft202012Validator

from bot.web.api.openapi import document
from bot.web.api.table import TABLE

DOCUMENT = document(TABLE, "0")

FOR_ALL = (404, 405, 500)
"""What may be said of every address, also of those that the document does not name."""


def template(path: str) -> str | None:
    """The address of the document that this one is under."""
    bare = path.partition("?")[0]
    for known in DOCUMENT["paths"]:
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", known), bare):
            return str(known)
    return None


def faults(method: str, path: str, status: int, said: Any) -> list[str]:
    """What about this answer the document does not say."""
    operation = DOCUMENT["paths"].get(template(path), {}).get(method.lower())
    described = None if operation is None else operation["responses"].get(str(status))
    if described is None:
        if status < 400 or (operation is not None and status not in FOR_ALL):
            return [f"{method} {path} answers {status}, which the document does not say"]
        return _unlike({"$ref": "#/components/schemas/ErrorAnswer"}, said)
    if "content" not in described:
        return [] if said is None else [f"{method} {path} answers with a body"]
    return _unlike(described["content"]["application/json"]["schema"], said)


def _unlike(schema: dict[str, Any], said: Any) -> list[str]:
    whole = schema | {"components": DOCUMENT["components"]}
    return [error.message for error in Draft202012Validator(whole).iter_errors(said)]
