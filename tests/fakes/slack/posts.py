"""Deliveries by HTTP: signed posts, as JSON for events and as forms for interactions and commands."""

import asyncio
import hashlib
import hmac
import json
import time
from urllib.parse import urlencode

import aiohttp

from tests.fakes.slack.deliveries import Delivery, Failed, Taken
from tests.fakes.slack.errors import Json
from tests.fakes.slack.world import App

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_TOO_MANY_REDIRECTS = 2


def signature(secret: str, timestamp: str, body: bytes) -> str:
    signed = hmac.new(secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256).hexdigest()
    return f"v0={signed}"


class Posts:
    """A transport. `ack_within` is real time: the other side is really asked to be that quick."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._session: aiohttp.ClientSession | None = None
        self.events_url = ""
        self.interactions_url = ""
        self.commands_url = ""
        self.ack_within = 3.0

    def ready(self) -> bool:
        return bool(self.events_url)

    async def attempt(self, delivery: Delivery) -> Taken | Failed:
        url, kind, body = self._request(delivery)
        headers = self.signed(kind, body)
        if delivery.tries:
            headers["X-Slack-Retry-Num"] = str(delivery.tries)
            headers["X-Slack-Retry-Reason"] = delivery.last_failure
        try:
            async with (
                asyncio.timeout(self.ack_within),
                self._http().post(url, data=body, headers=headers, max_redirects=_TOO_MANY_REDIRECTS) as response,
            ):
                said = await response.text()
                if not 200 <= response.status < 300:
                    return Failed("http_error", final=response.headers.get("X-Slack-No-Retry") == "1")
                return Taken(_body(response.content_type, said))
        except TimeoutError:
            return Failed("http_timeout")
        except aiohttp.TooManyRedirects:
            return Failed("too_many_redirects")
        except aiohttp.ClientSSLError:
            return Failed("ssl_error")
        except aiohttp.ClientConnectionError:
            return Failed("connection_failed")
        except aiohttp.ClientError:
            return Failed("unknown_error")

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        """Whatever a test wants to send; the status and the text of the answer."""
        async with self._http().post(url, data=body, headers=headers, allow_redirects=False) as response:
            return response.status, await response.text()

    def _request(self, delivery: Delivery) -> tuple[str, str, bytes]:
        if delivery.kind == "events_api":
            return self.events_url, _JSON, json.dumps(delivery.payload, ensure_ascii=False).encode()
        if delivery.kind == "interactive":
            form = urlencode({"payload": json.dumps(delivery.payload, ensure_ascii=False)})
            return self.interactions_url, _FORM, form.encode()
        return self.commands_url, _FORM, urlencode(delivery.payload).encode()

    def signed(self, kind: str, body: bytes) -> dict[str, str]:
        timestamp = str(int(time.time()))  # not this server's clock: the other side compares with its own
        return {
            "Content-Type": kind,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": signature(self._app.signing_secret, timestamp, body),
        }

    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60))
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _body(kind: str, said: str) -> Json | str | None:
    if not said:
        return None
    if kind != _JSON:
        return said
    try:
        found = json.loads(said)
    except ValueError:
        return said
    return found if isinstance(found, dict) else said
