"""The Bot API by plain HTTP, for the tests of the fake itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.fakes.telegram.client import Telegram


class Api:
    def __init__(self, telegram: Telegram, http: aiohttp.ClientSession) -> None:
        self.base = f"{telegram.api_url}/bot{telegram.token}"
        self.http = http

    async def __call__(self, method: str, arguments: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Status and body."""
        async with self.http.post(f"{self.base}/{method}", json=arguments or {}) as response:
            return response.status, await response.json()

    async def ok(self, method: str, arguments: dict[str, Any] | None = None) -> Any:
        """The result of a call that has to succeed."""
        status, body = await self(method, arguments)
        assert status == 200, body
        return body["result"]

    async def refused(self, method: str, arguments: dict[str, Any] | None = None) -> str:
        """The description of a call that has to fail."""
        status, body = await self(method, arguments)
        assert status >= 400, body
        assert body["ok"] is False
        assert body["error_code"] == status
        return str(body["description"])

    async def fetch(self, file_id: str) -> bytes:
        """The bytes of a file."""
        path = (await self.ok("getFile", {"file_id": file_id}))["file_path"]
        async with self.http.get(f"{self.base.replace('/bot', '/file/bot', 1)}/{path}") as response:
            assert response.status == 200
            return await response.read()


@asynccontextmanager
async def raw_api(telegram: Telegram) -> AsyncIterator[Api]:
    async with aiohttp.ClientSession() as http:
        yield Api(telegram, http)
