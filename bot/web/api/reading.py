"""A request → the models of its endpoint, or why it does not fit them."""

from collections.abc import Mapping
from gettext import gettext as _
from typing import Any, TypeVar

from aiohttp import web
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.web.api.endpoint import AnyEndpoint, Given
from bot.web.errors import Detail, Refusal, Refused, refused

G = TypeVar("G", bound=Given)

MOST_DETAILS = 20

LONGEST_FIELD = 100


def in_path(request: web.Request, model: type[G]) -> G:
    """Raises Refused: an address that cannot exist does not exist."""
    try:
        return model.model_validate(dict(request.match_info))
    except ValidationError as error:
        raise refused(404, "not_found", _("There is nothing under this address.")) from error


def in_query(request: web.Request, model: type[G]) -> G:
    """Raises Refused."""
    twice = [name for name in request.query if len(request.query.getall(name)) > 1]
    if twice:
        raise _invalid([Detail(field=_cut(twice[0]), rule="repeated", message=_("may be said once"))])
    return _valid(model, dict(request.query))


async def in_body(request: web.Request, endpoint: AnyEndpoint) -> Any:
    """An empty body says nothing. Raises Refused, and what aiohttp raises for one that is too large."""
    try:
        raw = await request.read()
    except web.RequestPayloadError as error:
        raise refused(400, "bad_body", _("The body cannot be unpacked, so nothing was done.")) from error
    if not raw:
        return _valid(endpoint.in_body, {})
    if request.content_type != "application/json" or (request.charset or "utf-8").lower() != "utf-8":
        raise refused(415, "wrong_content_type", _("Send JSON in UTF-8, as application/json. Nothing was done."))
    try:
        return endpoint.in_body.model_validate_json(raw)
    except ValidationError as error:
        if any(fault["type"] == "json_invalid" for fault in _faults(error)):
            raise refused(400, "bad_json", _("The body is not JSON, so nothing was done.")) from error
        raise _invalid(_details(error)) from error


def _valid(model: type[G], said: Mapping[str, Any]) -> G:
    try:
        return model.model_validate(said)
    except ValidationError as error:
        raise _invalid(_details(error)) from error


def _invalid(details: list[Detail]) -> Refused:
    words = _("The request does not fit what is asked for here, so nothing was done. details names each place.")
    return Refused(Refusal(422, "invalid", words, tuple(details[:MOST_DETAILS])))


def invalid(field: str, rule: str, message: str) -> Refused:
    """A single thing is wrong, found out after the models were read."""
    return _invalid([Detail(field=field, rule=rule, message=message)])


def unfit(error: ValidationError) -> Refused:
    """What a model of another room found."""
    return _invalid(_details(error))


def _details(error: ValidationError) -> list[Detail]:
    """Where and how, without echoing a value: it may be a secret."""
    return [
        Detail(field=_cut(".".join(map(str, fault["loc"]))), rule=fault["type"], message=fault["msg"])
        for fault in _faults(error)
    ]


def _faults(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False, include_input=False, include_context=False)


def _cut(text: str) -> str:
    return text[:LONGEST_FIELD].encode("utf-8", "replace").decode()
