"""The Web API without any SDK in between, and a socket that does what a test says."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.fakes.slack.client import Slack
from tests.fakes.slack.errors import Json


class Api:
    """Calls with a JSON body and the bot's token."""

    def __init__(self, http: aiohttp.ClientSession, slack: Slack) -> None:
        self.http = http
        self.slack = slack

    async def __call__(self, method: str, arguments: Json | None = None, *, token: str | None = None) -> Json:
        headers = {"Authorization": f"Bearer {token or self.slack.bot_token}"}
        url = f"{self.slack.api_url}{method}"
        async with self.http.post(url, json=arguments or {}, headers=headers) as response:
            answer: Json = await response.json()
            return answer

    async def ask(self, method: str, arguments: Json | None = None, *, token: str | None = None) -> Json:
        """As the SDK asks what it only reads: by GET, with a query."""
        headers = {"Authorization": f"Bearer {token or self.slack.bot_token}"}
        url = f"{self.slack.api_url}{method}"
        async with self.http.get(url, params=arguments or {}, headers=headers) as response:
            answer: Json = await response.json()
            return answer

    async def ok(self, method: str, arguments: Json | None = None) -> Json:
        answer = await self(method, arguments)
        assert answer["ok"] is True, answer
        return answer

    async def refused(self, method: str, arguments: Json | None = None) -> str:
        """The code of the refusal."""
        answer = await self(method, arguments)
        assert answer["ok"] is False, answer
        return str(answer["error"])

    async def breach(self, method: str, arguments: Json | None = None) -> str:
        """The code of a refusal that counts as a violation, which is hereby taken."""
        code = await self.refused(method, arguments)
        broken = await self.slack.violations(forget=True)
        assert [entry.method for entry in broken] == [method], broken
        assert broken[0].reason.startswith(code), broken
        return code

    async def fetch(self, address: str) -> bytes:
        """The bytes of a file."""
        headers = {"Authorization": f"Bearer {self.slack.bot_token}"}
        async with self.http.get(address, headers=headers) as response:
            assert (response.status, response.content_type) == (200, "application/octet-stream")
            return await response.read()


class Line:
    """One socket. `hello` is its first frame."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse, hello: Json) -> None:
        self.ws = ws
        self.hello = hello

    async def frame(self, timeout: float = 5.0) -> Json:
        found: Json = await self.ws.receive_json(timeout=timeout)
        return found

    async def envelope(self, kind: str = "", *, ack: bool = True) -> Json:
        """The next one (of this kind of event), acknowledged unless told otherwise."""
        while True:
            frame = await self.frame()
            if ack:
                await self.ack(frame)
            if not kind or frame["payload"].get("event", frame["payload"])["type"] == kind:
                return frame

    async def event(self, kind: str = "", *, ack: bool = True) -> Json:
        event: Json = (await self.envelope(kind, ack=ack))["payload"]["event"]
        return event

    async def interaction(self, kind: str, answer: object = None) -> Json:
        """What the next press (block_actions), command or view_… tells, acknowledged with `answer`; events on the way too."""
        while True:
            frame = await self.envelope(ack=False)
            fits = frame["type"] != "events_api" and frame["payload"].get("type", "command") == kind
            await self.ack(frame, answer if fits else None)
            if fits:
                found: Json = frame["payload"]
                return found

    async def ack(self, frame: Json, payload: object = None) -> None:
        answer: dict[str, Any] = {"envelope_id": frame["envelope_id"]}
        if payload is not None:
            answer["payload"] = payload
        await self.ws.send_str(json.dumps(answer))


@asynccontextmanager
async def raw_api(slack: Slack) -> AsyncIterator[Api]:
    async with aiohttp.ClientSession() as http:
        yield Api(http, slack)


async def socket_url(api: Api) -> str:
    answer = await api("apps.connections.open", token=api.slack.app_token)
    return str(answer["url"])


@asynccontextmanager
async def socket(api: Api) -> AsyncIterator[Line]:
    async with api.http.ws_connect(await socket_url(api), autoping=False) as ws:
        yield Line(ws, await ws.receive_json(timeout=5.0))
