"""Is it alive, is it ready, what has it counted."""

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.errors import StoreUnavailable
from bot.health import Health
from bot.metrics import Metrics
from bot.store.database import Store, beat

STORE_PATIENCE_S = 3.0


class Probes:
    def __init__(self, store: Store, health: Health, metrics: Metrics, count: Callable[[], Awaitable[None]]) -> None:
        """`count` brings the gauges up to date."""
        self._store = store
        self._health = health
        self._metrics = metrics
        self._count = count

    async def health(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"ok": True})

    async def ready(self, _request: web.Request) -> web.StreamResponse:
        """200 only when the store and every enabled channel work; the same body either way."""
        await self._ask_store()
        parts = {
            name: {"state": part.state, "detail": part.detail, "since": part.since}
            for name, part in self._health.parts.items()
        }
        ready = self._health.ready
        return web.json_response({"ready": ready, "parts": parts}, status=200 if ready else 503)

    async def metrics(self, _request: web.Request) -> web.StreamResponse:
        try:
            await asyncio.wait_for(self._count(), STORE_PATIENCE_S)
        except (TimeoutError, StoreUnavailable):
            self._health.note("store", "error", "The database does not answer.", ok=False)
        return web.Response(body=self._metrics.exposition(), content_type="text/plain", charset="utf-8")

    async def _ask_store(self) -> None:
        try:
            await asyncio.wait_for(self._store.tx(beat), STORE_PATIENCE_S)
        except (TimeoutError, StoreUnavailable):
            self._health.note("store", "error", "The database does not answer.", ok=False)
        else:
            self._health.note("store", "connected", ok=True)
