"""Arguments as they arrive in any of the four forms, made into the values that a method declares."""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from tests.fakes.slack.errors import ApiError, Json, wrong
from tests.fakes.slack.schema import Kind

_FLAGS = {"true": True, "1": True, "false": False, "0": False}

NO_JSON = frozenset(
    {
        "auth.teams.list",
        "bots.info",
        "chat.getPermalink",
        "conversations.history",
        "conversations.info",
        "conversations.list",
        "conversations.members",
        "conversations.replies",
        "files.getUploadURLExternal",
        "files.info",
        "oauth.v2.access",
        "reactions.get",
        "team.info",
        "users.conversations",
        "users.info",
        "users.list",
        "users.lookupByEmail",
    }
)
"""Methods that read no JSON bodies: arguments sent so are not seen."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked, before any of it is believed. `loose_token`: the token stood in the address."""

    values: Json
    token: str
    loose_token: bool


async def read(request: web.BaseRequest, method: str, kinds: Mapping[str, Kind]) -> Request:
    """Raises ApiError for a body that cannot be read."""
    query = dict(request.query)
    loose = query.pop("token", "")
    values = {name: _value(text, kinds.get(name)) for name, text in query.items()}
    values.update(await _body(request, method, kinds))
    header = request.headers.get("Authorization", "")
    if header.startswith("Basic "):
        login = b64decode(header.removeprefix("Basic ")).decode()  # how the SDK sends these two to oauth.v2.access
        values["client_id"], _, values["client_secret"] = login.partition(":")
    token = header.removeprefix("Bearer ") if header.startswith("Bearer ") else ""
    written = values.pop("token", "")
    if not token:
        token = written if isinstance(written, str) and written else loose
    return Request(values, token, bool(loose))


async def _body(request: web.BaseRequest, method: str, kinds: Mapping[str, Kind]) -> Json:
    if request.content_type == "application/json" and request.can_read_body:
        return await _json(request, method)
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        form = await request.post()
        if any(not isinstance(value, str) for value in form.values()):
            raise wrong("invalid_form_data", "this method takes no files")
        return {name: _value(str(text), kinds.get(name)) for name, text in form.items()}
    if request.method == "POST" and request.can_read_body and await request.read():
        raise wrong("invalid_post_type", f"a body of type {request.content_type!r} is not read")
    return {}


async def _json(request: web.BaseRequest, method: str) -> Json:
    body = await request.read()
    if not body:
        return {}
    if method in NO_JSON:
        raise wrong("invalid_post_type", "this method reads no JSON: its arguments go into the query or a form")
    try:
        found = json.loads(body)
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeError:
        raise wrong("invalid_charset", "the body holds half of a surrogate pair") from None
    except ValueError:
        raise wrong("invalid_arguments", "the body is no JSON") from None
    if not isinstance(found, dict):
        raise wrong("invalid_arguments", "the body is no JSON object")
    return found


def _value(text: str, kind: Kind | None) -> object:
    """What cannot be read stays the text that it was; the schema then refuses it."""
    if kind == "flag":
        return _FLAGS.get(text.lower(), text)
    if kind == "number" and text.removeprefix("-").isascii() and text.removeprefix("-").isdigit():
        return int(text)
    if kind == "json":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def text(args: Json, name: str) -> str:
    """The argument, or "" where it is missing or no text."""
    value = args.get(name)
    return value if isinstance(value, str) else ""


def needed(args: Json, name: str) -> str:
    """Raises ApiError where it is missing."""
    if found := text(args, name):
        return found
    raise ApiError("invalid_arguments", breach=True, reason=f"{name} is missing")
