"""Stands between a connection and the SDK: keeps the JSON as it came, and hands the SDK only what it cannot stumble over.

The SDK gives up a whole list for one broken tool, coerces "yes" to true, and raises after a call has run when its result
does not fit. Decisions are made on what a server said, so what it said comes out here untouched.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import anyio.abc
import anyio.lowlevel
from mcp.shared.dispatcher import CallOptions, Dispatcher, OnNotify, OnNotifyIntercept, OnRequest
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext

RAW = "askfirst/raw"
"""Where, in `_meta` of what the SDK gets, the whole result lies as it came."""

CALL = "askfirst/call"
"""Where, in `_meta` of a call, the id lies that its request is to have."""

FIRST_CALL = 1_000_000
"""Ids of our calls; the SDK counts its own requests from 1, and could not get there."""

ASKED_AT_ONCE = 16
"""Requests of a server that are looked at at the same time; the next ones wait."""

_HEARD = frozenset(
    ("notifications/tools/list_changed", "notifications/progress", "notifications/cancelled",
     "notifications/subscriptions/acknowledged")
)  # fmt: skip


class Tap(Dispatcher[TransportContext]):
    """`dirty` is set when the server says that its tools have changed."""

    def __init__(self, inner: JSONRPCDispatcher[TransportContext], dirty: asyncio.Event) -> None:
        self._inner = inner
        self._dirty = dirty
        self._next = FIRST_CALL
        self._asked = asyncio.Semaphore(ASKED_AT_ONCE)

    def new_id(self) -> int:
        """For a call: to be put into its `_meta` under CALL, from where it becomes the id of the request."""
        self._next += 1
        return self._next

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        if method == "tools/list":
            return harmless_page(await self._inner.send_raw_request(method, params, opts))
        if method == "tools/call":
            numbered, request_id = _unwrapped(params)
            options: CallOptions = {**(opts or {}), "request_id": request_id or self.new_id()}
            return harmless_result(await self._inner.send_raw_request(method, numbered, options))
        return await self._inner.send_raw_request(method, params, opts)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        await self._inner.notify(method, params, opts)

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        async def asked(context: Any, method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
            async with self._asked:
                return await on_request(context, method, params)

        def heard(method: str, params: Mapping[str, Any] | None) -> bool:
            if method == "notifications/tools/list_changed":
                self._dirty.set()
            consumed = on_notify_intercept is not None and on_notify_intercept(method, params)
            return consumed or method not in _HEARD

        await self._inner.run(asked, on_notify, heard, task_status=task_status)


def _unwrapped(params: Mapping[str, Any] | None) -> tuple[dict[str, Any], int]:
    """Without our own mark, which no server sees, and what it said."""
    plain = dict(params or {})
    meta = dict(plain.get("_meta") or {})
    request_id = meta.pop(CALL, 0)
    return {**plain, "_meta": meta}, request_id if isinstance(request_id, int) else 0


def harmless_page(raw: dict[str, Any]) -> dict[str, Any]:
    """A page of tools in which each has a name and a schema. The names and schemas are what the SDK needs of them: it sends
    arguments as headers where a schema asks for that."""
    listed = raw.get("tools")
    tools = [harmless_tool(tool) for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
    page: dict[str, Any] = {"tools": [tool for tool in tools if tool["name"]], "_meta": {RAW: raw}}
    if isinstance(raw.get("nextCursor"), str):
        page["nextCursor"] = raw["nextCursor"]
    return {**page, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def harmless_tool(tool: dict[str, Any]) -> dict[str, Any]:
    name, schema = tool.get("name"), tool.get("inputSchema")
    plain = schema if isinstance(schema, dict) else {}
    return {"name": name if isinstance(name, str) else "", "inputSchema": {**plain, "type": "object"}}


def harmless_result(raw: dict[str, Any]) -> dict[str, Any]:
    """A result without content. It counts as an error for the SDK, which then holds it against no schema."""
    if raw.get("resultType") == "input_required":
        return raw
    return {"content": [], "isError": True, "resultType": "complete", "_meta": {RAW: raw}}
