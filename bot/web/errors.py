"""What went wrong → a status and `{"error": {"code", "message"}}`: one table for the whole server."""

from gettext import gettext as _

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import BaseModel

from bot.errors import AskfirstError, StoreUnavailable


class _Fault(BaseModel):
    code: str
    message: str


class _Answer(BaseModel):
    error: _Fault


def answer(request: web.Request, status: int, code: str, message: str) -> web.Response:
    """JSON; the bare sentence for a browser that wants a page."""
    headers = {"Cache-Control": "no-store"}
    if "text/html" in request.headers.get("Accept", ""):
        return web.Response(status=status, text=message, headers=headers)
    text = _Answer(error=_Fault(code=code, message=message)).model_dump_json()
    return web.Response(status=status, text=text, content_type="application/json", headers=headers)


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
    except StoreUnavailable as error:
        return answer(request, 503, "store_unavailable", str(error))
    except AskfirstError as error:
        return answer(request, 500, "failed", str(error))
