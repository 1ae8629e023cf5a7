"""How python-telegram-bot reaches the server: over one aiohttp session, several times as fast as its own way.

Nothing here may carry an address into an error or a log: it holds the token. So aiohttp's errors are named, not chained.
"""

import io
import json
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from telegram.error import TelegramError
from telegram.request import BaseRequest, RequestData

CONNECT_S = 10.0
READ_S = 30.0
# Shorter than the server's own: a kept connection that the server closes meanwhile makes a lost answer of a send.
_KEEP_S = 15.0

_PIECE = 1 << 16

_BEFORE_SENDING = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


class Unreached(TelegramError):
    """The request did not leave."""


class Unanswered(TelegramError):
    """The request left, and no answer that could be read came."""


class Answered(TelegramError):
    """The server said no. `description` is its own text, in its own case."""

    def __init__(self, code: int, description: str, parameters: dict[str, Any]) -> None:
        super().__init__(f"{code} {description}")
        self.code = code
        self.description = description
        self.parameters = parameters


class AiohttpRequest(BaseRequest):
    def __init__(self, api_url: str) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._api_url = api_url

    @property
    def read_timeout(self) -> float:
        return READ_S

    async def initialize(self) -> None:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=100, keepalive_timeout=_KEEP_S)
            self._session = aiohttp.ClientSession(connector=connector, proxy=_proxy(self._api_url))

    async def shutdown(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = BaseRequest.DEFAULT_NONE,
        write_timeout: object = BaseRequest.DEFAULT_NONE,
        connect_timeout: object = BaseRequest.DEFAULT_NONE,
        pool_timeout: object = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Raises Unreached, Unanswered or Answered; what it gives back is an answer with a result."""
        if self._session is None:
            raise Unreached("the channel is not connected")
        read = float(read_timeout) if isinstance(read_timeout, int | float) else READ_S
        try:
            async with self._session.request(
                method,
                url,
                data=_body(request_data),
                timeout=aiohttp.ClientTimeout(connect=CONNECT_S, sock_read=read),
                allow_redirects=False,
            ) as response:
                payload = await response.read()
        except _BEFORE_SENDING as error:
            raise Unreached(f"the server was not reached ({type(error).__name__})") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unanswered(f"the server did not answer ({type(error).__name__})") from None
        return response.status, _accepted(response.status, payload)

    async def fetch(self, url: str, at_most: int) -> bytes | None:
        """The bytes of a file; None if there are more than `at_most`. Raises Unreached, Unanswered or Answered."""
        if self._session is None:
            raise Unreached("the channel is not connected")
        content = bytearray()
        try:
            timeout = aiohttp.ClientTimeout(connect=CONNECT_S, sock_read=READ_S)
            async with self._session.get(url, timeout=timeout, allow_redirects=False) as response:
                if response.status != 200:
                    raise Answered(response.status, "the file is not given", {})
                async for piece in response.content.iter_chunked(_PIECE):
                    content += piece
                    if len(content) > at_most:
                        return None
        except _BEFORE_SENDING as error:
            raise Unreached(f"the server was not reached ({type(error).__name__})") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unanswered(f"the server did not answer ({type(error).__name__})") from None
        return bytes(content)

    @staticmethod
    def parse_json_payload(payload: bytes) -> Any:
        """The library's own logs what it cannot read."""
        return _json(payload)


def _body(data: RequestData | None) -> dict[str, str] | aiohttp.FormData | None:
    if data is None or not data.contains_files:
        return data.json_parameters if data else None
    form = aiohttp.FormData(quote_fields=False)  # Telegram shows a name as it comes, so not percent-encoded
    for name, value in data.json_parameters.items():
        form.add_field(name, value)
    for name, (file, content, mime) in (data.multipart_data or {}).items():
        held = io.BytesIO(content) if isinstance(content, bytes) else content
        form.add_field(name, held, filename=file, content_type=mime)
    return form


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address. Asked once: aiohttp's `trust_env` asks, and reads the
    netrc file, at every request."""
    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return getproxies().get(parts.scheme)


def _accepted(status: int, payload: bytes) -> bytes:
    """The payload, if it holds a result. Raises Answered or Unanswered."""
    if status == 200 and payload.startswith(b'{"ok":true'):
        return payload  # the usual case is not parsed twice
    answer = _json(payload)
    if isinstance(answer, dict):
        if answer.get("ok") is True and "result" in answer and status < 300:
            return payload
        if answer.get("ok") is False:
            code, parameters = answer.get("error_code"), answer.get("parameters")
            raise Answered(
                code if isinstance(code, int) else status,
                str(answer.get("description", "")),
                parameters if isinstance(parameters, dict) else {},
            )
    if 300 <= status < 500:
        raise Answered(status, "an answer that is not the Bot API's", {})
    raise Unanswered(f"the server's answer cannot be read (status {status})")


def _json(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except ValueError:
        return None
