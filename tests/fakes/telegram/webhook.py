"""setWebhook and its kin, and the delivery of updates to the address that the bot named."""

import asyncio
import json
import math
import re
from collections import deque
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import aiohttp

from tests.fakes.telegram.arguments import Args
from tests.fakes.telegram.clock import Clock
from tests.fakes.telegram.errors import ApiError, Json, too_many, wrong
from tests.fakes.telegram.polling import WEBHOOK_SET, Polling, set_allowed
from tests.fakes.telegram.updates import Update, Updates

_LONGEST_WAIT = 64.0
_LONGEST_RETRY_AFTER = 3600.0
_ANSWER_WITHIN = 60.0
_NOT_IN_REPLIES = ("get", "setwebhook", "deletewebhook", "close", "logout")

Caller = Callable[[str, Args], Awaitable[Json]]


class Webhook:
    """One lane per chat (and one per presser); each keeps its order and has one request under way."""

    def __init__(self, clock: Clock, updates: Updates, polling: Polling, caller: Caller) -> None:
        self._clock = clock
        self._updates = updates
        self._polling = polling
        self._caller = caller
        self._url = ""
        self._secret = ""
        self._connections = 40
        self._slots = asyncio.Semaphore(40)
        self._lanes: dict[str, deque[Update]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._session: aiohttp.ClientSession | None = None
        self._last_set = -math.inf
        self._last_error: tuple[int, str] | None = None
        self.wrong_secret_once = False
        updates.listen(self._sort)

    async def answer(self, name: str, args: Args) -> Json:
        """The whole answer of setWebhook, deleteWebhook or getWebhookInfo. Raises ApiError."""
        if name == "getWebhookInfo":
            return {"ok": True, "result": self._info()}
        if name == "setWebhook" and args.text("url"):
            return await self._set(args)
        if args.flag("drop_pending_updates"):
            self._updates.clear()
            self._lanes.clear()
        was = bool(self._url)
        await self._stop()
        return {"ok": True, "result": True, "description": f"Webhook {'was' if was else 'is already'} deleted"}

    async def _set(self, args: Args) -> Json:
        url, secret = args.text("url"), args.text("secret_token")
        _check(url, secret)
        now = self._clock.now()
        if self._polling.throttle and now < self._last_set + 1.0:
            raise too_many(1)
        self._last_set = now
        if args.flag("drop_pending_updates"):
            self._updates.clear()
            self._lanes.clear()
        set_allowed(self._updates, args)
        if (url, secret) == (self._url, self._secret):
            return {"ok": True, "result": True, "description": "Webhook is already set"}
        await self._stop()
        self._url, self._secret = url, secret
        self._connections = min(100, max(1, args.integer("max_connections", 40)))
        self._slots = asyncio.Semaphore(self._connections)
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_ANSWER_WITHIN))
        self._polling.webhook_active = True
        self._polling.abort(WEBHOOK_SET)
        self._sort()
        return {"ok": True, "result": True, "description": "Webhook was set"}

    async def _stop(self) -> None:
        """What was not delivered goes back into the queue."""
        self._url = self._secret = ""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()
        self._updates.give_back(update for lane in self._lanes.values() for update in lane)
        self._lanes.clear()
        if self._session is not None:
            await self._session.close()
            self._session = None
        self._last_error = None
        self._polling.webhook_active = False

    async def close(self) -> None:
        await self._stop()

    def pending(self) -> int:
        """Updates that were neither confirmed nor taken."""
        return len(self._updates) + sum(map(len, self._lanes.values()))

    def _sort(self) -> None:
        """Put what has come into its lane; each lane has a task while it holds anything."""
        if not self._url:
            return
        for update in self._updates.take():
            self._lanes.setdefault(update.queue, deque()).append(update)
            if update.queue not in self._tasks:
                self._tasks[update.queue] = asyncio.create_task(self._drain(update.queue))

    async def _drain(self, name: str) -> None:
        lane = self._lanes[name]
        failures = 0
        while lane:
            update = lane[0]
            if update.expires <= self._clock.now():
                lane.popleft()
                continue
            async with self._slots:
                wait = await self._deliver(update)
            if wait is None:
                lane.popleft()
                self._updates.taken()
                failures = 0
                continue
            await self._clock.sleep(wait if wait > 0 else _backoff(failures))
            failures += 1
        self._lanes.pop(name, None)
        self._tasks.pop(name, None)

    async def _deliver(self, update: Update) -> float | None:
        """None when it was taken; else how long the other side asks to wait (0: it does not say)."""
        assert self._session is not None
        headers = {"Content-Type": "application/json"}
        if self._secret:
            headers["X-Telegram-Bot-Api-Secret-Token"] = "wrong" if self.wrong_secret_once else self._secret
            self.wrong_secret_once = False
        try:
            async with self._session.post(
                self._url, data=update.body, headers=headers, allow_redirects=False
            ) as response:
                body = await response.read()
                if 200 <= response.status < 300:
                    await self._reply(body)
                    return None
                self._fail(f"Wrong response from the webhook: {response.status} {response.reason}")
                return _retry_after(response.headers.get("Retry-After", ""))
        except TimeoutError:
            self._fail("Read timeout expired")
        except aiohttp.ClientError:
            self._fail("Connection refused")
        return 0.0

    async def _reply(self, body: bytes) -> None:
        """A taken update's answer may hold a call of a method; its result is not told to anyone."""
        try:
            wanted = json.loads(body)
        except ValueError:
            return
        if not isinstance(wanted, dict) or not isinstance(wanted.get("method"), str):
            return
        name = wanted.pop("method")
        if name.lower().startswith(_NOT_IN_REPLIES):
            return
        try:
            await self._caller(name, Args(wanted, {}))
        except ApiError as error:
            self._fail(error.description)

    def _fail(self, message: str) -> None:
        self._last_error = (int(self._clock.now()), message)

    def _info(self) -> Json:
        info: Json = {
            "url": self._url,
            "has_custom_certificate": False,
            "pending_update_count": self.pending(),
        }
        if self._url:
            info["max_connections"] = self._connections
            info["ip_address"] = "127.0.0.1"
        if self._last_error is not None:
            info["last_error_date"], info["last_error_message"] = self._last_error
        info["allowed_updates"] = sorted(self._updates.allowed)
        return info


def _check(url: str, secret: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong("invalid webhook URL specified")
    loopback = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if not loopback and parts.scheme != "https":
        raise wrong("bad webhook: An HTTPS URL must be provided for webhook")
    if not loopback and (parts.port or 443) not in (443, 80, 88, 8443):
        raise wrong("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
    if len(secret) > 256:
        raise wrong("secret token is too long")
    if secret and not re.fullmatch(r"[A-Za-z0-9_-]+", secret):
        raise wrong("secret token contains unallowed characters")


def _backoff(failures: int) -> float:
    """At once, then 2, 4, 8 … seconds."""
    return 0.0 if failures == 0 else min(_LONGEST_WAIT, 2.0**failures)


def _retry_after(header: str) -> float:
    return min(_LONGEST_RETRY_AFTER, float(header)) if header.isdigit() else 0.0
