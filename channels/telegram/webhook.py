"""Updates by HTTP: `POST /channels/<name>/telegram`. 2xx only when an update is stored; Telegram offers it again else."""

import hashlib
import hmac
import json

from aiohttp import web

from channels.errors import NotStored
from channels.fields import Json
from channels.requests import body_of
from channels.telegram.intake import Intake
from channels.telegram.limits import BODY

_HEADER = "X-Telegram-Bot-Api-Secret-Token"
_LATER = {"Retry-After": "2"}


class Webhook:
    """`intake` is None until the bot is known; until then Telegram is asked to come again."""

    def __init__(self, secret: str) -> None:
        if not secret:
            raise ValueError("a webhook without a secret takes updates from anyone")
        self._secret = secret.encode()
        self.intake: Intake | None = None

    async def handle(self, request: web.Request) -> web.Response:
        """The secret is compared before a byte of the body is read."""
        given = request.headers.get(_HEADER, "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=403, text="The secret token is missing or wrong.\n")
        if self.intake is None:
            return web.Response(status=503, text="The channel is not ready yet.\n", headers=_LATER)
        body = await body_of(request, BODY)
        if body is None:
            return web.Response(status=413, text="The update is too large.\n")
        try:
            await _take(self.intake, body)
        except NotStored:
            return web.Response(status=503, text="The update could not be stored; send it again.\n", headers=_LATER)
        return web.Response()


async def _take(intake: Intake, body: bytes) -> None:
    try:
        update: Json = json.loads(body)
    except ValueError:
        # No id to know it by; a repeat of it is the same bytes.
        event_id = hashlib.sha256(body).hexdigest()[:16]
        await intake.take_unparsed(event_id, body.decode("utf-8", "replace"), "it is not JSON")
        return
    await intake.take(update)
