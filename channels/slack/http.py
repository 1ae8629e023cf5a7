"""Deliveries by HTTP: `POST /channels/<name>/slack/events`, for events, interactions and commands alike. 2xx only when one
is stored; Slack offers an event again else."""

import hashlib
import hmac
import json
import time
from urllib.parse import parse_qs

from aiohttp import web

from channels.requests import body_of
from channels.slack.dispatch import Dispatch
from channels.slack.limits import BODY, SIGNATURE_S

_TIMESTAMP, _SIGNATURE = "X-Slack-Request-Timestamp", "X-Slack-Signature"
_LATER = {"Retry-After": "2"}


class Endpoint:
    """`dispatch` is None until the app is known; until then Slack is asked to come again."""

    def __init__(self, signing_secret: str) -> None:
        if not signing_secret:
            raise ValueError("an endpoint without a secret takes events from anyone")
        self._secret = signing_secret.encode()
        self.dispatch: Dispatch | None = None

    async def handle(self, request: web.Request) -> web.Response:
        body = await body_of(request, BODY)
        if body is None:
            return web.Response(status=413, text="The request is too large.\n")
        if body.startswith(b"ssl_check=1"):
            return web.Response()  # Slack looks at our certificate, and at nothing else
        if not self._is_signed(request, body):
            return web.Response(status=401, text="The signature is missing, wrong or too old.\n")
        if self.dispatch is None:
            return web.Response(status=503, text="The channel is not ready yet.\n", headers=_LATER)
        text = _readable(request, body)
        if text is None:
            return web.Response(status=400, text="The body is neither JSON nor a form.\n")
        said = await self.dispatch.by_http(text, request.query_string, dict(request.headers))
        content = said.first_headers_without_set_cookie().get("content-type", "text/plain").split(";")[0]
        headers = _LATER if said.status == 503 else None
        return web.Response(status=said.status, text=said.body, content_type=content, headers=headers)

    def _is_signed(self, request: web.Request, body: bytes) -> bool:
        """Over the raw bytes, and within five minutes (https://docs.slack.dev/authentication/verifying-requests-from-slack).

        The SDK's verifier decodes the body, and raises for a header that is not as it should be.
        """
        timestamp = request.headers.get(_TIMESTAMP, "")
        if not timestamp.isascii() or not timestamp.isdecimal() or len(timestamp) > 12:
            return False
        if abs(time.time() - int(timestamp)) > SIGNATURE_S:
            return False
        digest = hmac.new(self._secret, b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        given = request.headers.get(_SIGNATURE, "").encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, f"v0={digest}".encode())


def _readable(request: web.Request, body: bytes) -> str | None:
    """What Bolt can take apart; None for what would make it stumble."""
    try:
        text = body.decode()
        is_json = request.content_type == "application/json" or text.startswith("{")  # Bolt looks at either
        written = text if is_json else parse_qs(text, keep_blank_values=True).get("payload", ["{}"])[-1]
        return text if isinstance(json.loads(written), dict) else None
    except ValueError:
        return None
