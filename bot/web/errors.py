"""What went wrong → a status and `{"error": {"code", "message", "details"?}}`: one table for the whole server."""

from dataclasses import dataclass
from gettext import gettext as _

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import BaseModel, Field

from bot.errors import AskfirstError, Impossible, InUse, Protected, StoreUnavailable, Taken, Unknown

API = "/api/"
"""What is below this is read by programs, whatever they say that they accept."""

_CONTENT = ("model", "preload_skills", "server_names", "allowed_persona_ids", "overrides")
"""Fields that name other things than the one which the request is about: the body is at fault then, not the address."""

_STATUS: tuple[tuple[type[Impossible], int], ...] = (
    (Unknown, 404),
    (Taken, 409),
    (InUse, 409),
    (Protected, 403),
    (Impossible, 422),
)


class Detail(BaseModel):
    """One thing that is wrong. `field`: where in the request, such as `display_name` or `preload_skills.0`, empty for all
    of it; `rule`: a stable word."""

    field: str
    rule: str
    message: str


class EntryDetail(BaseModel):
    """One thing that is wrong with what was sent packed. `entry`: its path in it, empty for all of it; `rule`: a stable
    word."""

    entry: str
    rule: str
    message: str


class Fault(BaseModel):
    """`code` is stable, `message` is for people."""

    code: str
    message: str
    details: list[Detail | EntryDetail] | None = Field(default=None, exclude_if=lambda details: not details)


class ErrorAnswer(BaseModel):
    error: Fault


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not done, as it is answered. `retry_after`: in seconds, when trying again may help."""

    status: int
    code: str
    message: str
    details: tuple[Detail | EntryDetail, ...] = ()
    retry_after: int | None = None


class Refused(AskfirstError):
    """The request is not carried out; whatever its transaction did is undone."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def refused(status: int, code: str, message: str) -> Refused:
    return Refused(Refusal(status, code, message))


def refuse(request: web.Request, refusal: Refusal) -> web.Response:
    """JSON; the bare sentence for a browser that wants a page."""
    headers = {"Cache-Control": "no-store"}
    if refusal.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if refusal.retry_after is not None:
        headers["Retry-After"] = str(refusal.retry_after)
    if "text/html" in request.headers.get("Accept", "") and not request.path.startswith(API):
        return web.Response(status=refusal.status, text=refusal.message, headers=headers)
    fault = Fault(code=refusal.code, message=refusal.message, details=list(refusal.details))
    text = ErrorAnswer(error=fault).model_dump_json()
    return web.Response(status=refusal.status, text=text, content_type="application/json", headers=headers)


def answer(request: web.Request, status: int, code: str, message: str) -> web.Response:
    return refuse(request, Refusal(status, code, message))


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Statuses raised below, and errors of ours, in one form. Anything else is a bug: aiohttp logs it and says 500."""
    try:
        return await handler(request)
    except web.HTTPRequestEntityTooLarge:
        return answer(request, 413, "too_long", _("This is larger than we take, so nothing was done."))
    except web.HTTPNotFound:
        return answer(request, 404, "not_found", _("There is nothing under this address."))
    except web.HTTPMethodNotAllowed as error:
        response = answer(request, 405, "method_not_allowed", _("This address is not used in this way."))
        response.headers["Allow"] = error.headers["Allow"]
        return response
    except AskfirstError as error:
        return refuse(request, refusal_of(error))


def refusal_of(error: AskfirstError) -> Refusal:
    if isinstance(error, Refused):
        return error.refusal
    if isinstance(error, Impossible):
        details = (Detail(field=error.field, rule=error.code, message=str(error)),) if error.field else ()
        return Refusal(_status(error), error.code, str(error), details)
    if isinstance(error, StoreUnavailable):
        return Refusal(503, "store_unavailable", str(error))
    return Refusal(500, "failed", str(error))


def _status(error: Impossible) -> int:
    if isinstance(error, Unknown) and error.field in _CONTENT:
        return 422
    return next(status for kind, status in _STATUS if isinstance(error, kind))
