"""How the browser chat says no: a status, a stable code and a sentence."""

from gettext import gettext as _

from aiohttp import web
from pydantic import BaseModel


class _Fault(BaseModel):
    code: str
    message: str


class _Refusal(BaseModel):
    error: _Fault


def refusal(status: int, code: str, message: str) -> web.Response:
    """`{"error": {"code", "message"}}`"""
    body = _Refusal(error=_Fault(code=code, message=message)).model_dump_json()
    headers = {"Cache-Control": "no-store"}
    return web.Response(status=status, text=body, content_type="application/json", headers=headers)


def sign_in_first() -> web.Response:
    return refusal(401, "sign_in_first", _("You are not signed in. Open a new sign-in link, then try again."))


def foreign() -> web.Response:
    sentence = _("This did not come from the chat page, so nothing was done. Load the page again and repeat it there.")
    return refusal(403, "foreign_page", sentence)


def away() -> web.Response:
    sentence = _("The chat is switched off or not ready just now. Nothing was sent; try again in a moment.")
    return refusal(503, "channel_off", sentence)


def not_stored() -> web.Response:
    sentence = _("The service cannot store anything just now. Nothing was sent; try again in a moment.")
    return refusal(503, "not_stored", sentence)


def no_file() -> web.Response:
    return refusal(404, "no_such_file", _("There is no such file in this chat. Files are kept for some days only."))


def too_long(sentence: str) -> web.Response:
    return refusal(413, "too_long", sentence)


def unreadable(sentence: str) -> web.Response:
    return refusal(422, "unreadable", sentence)


def not_taken(kind: str) -> web.Response:
    """`kind` is what is taken."""
    if kind == "application/json":
        return refusal(415, "not_json", _("Only JSON is taken here. Nothing was sent."))
    return refusal(415, "not_a_form", _("Only a form with a file is taken here. Nothing was sent."))
