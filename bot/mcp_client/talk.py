"""Speaks the protocol over a link, of either era, through the SDK."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from typing import Any, Literal

import mcp_types as types
from mcp import MCPError
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from bot.mcp_client.calls import Call
from bot.mcp_client.characters import cleaned
from bot.mcp_client.link import Link
from bot.mcp_client.spoken import Accepted, Answer, Cancelled, Declined
from bot.mcp_client.tap import CALL, RAW, Tap
from bot.mcp_client.words import Unusable
from bot.supervisor import Crash, attempt

Mode = Literal["auto", "legacy"]

ROUNDS = 10
"""So many times a call of the newer protocol may come back with questions; what the SDK allows."""

_CALLING: ContextVar[Call | None] = ContextVar("askfirst_mcp_call", default=None)
"""The call in whose answer a server's question came, where its transport tells: over HTTP, and in the newer protocol."""


class Talk:
    """One connected server."""

    def __init__(self, session: ClientSession, tap: Tap, link: Link, dirty: asyncio.Event, calls: set[Call]) -> None:
        self._session = session
        self._tap = tap
        self._calls = calls
        self._idle = asyncio.Event()
        self._idle.set()
        self.link = link
        self.dirty = dirty
        self.heard = False
        """Whether the server has agreed to tell of changes."""

    @property
    def modern(self) -> bool:
        return self._session.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def page(self, cursor: str | None) -> tuple[dict[str, Any], frozenset[str]]:
        """One page of tools as it came, and the names on it that the SDK lets be called."""
        params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
        listed = await self._session.list_tools(params=params)
        raw: dict[str, Any] = (listed.meta or {})[RAW]
        return raw, frozenset(tool.name for tool in listed.tools)

    async def listen(self) -> None:
        """Hears of changes in the newer protocol, until the server ends that. Raises SubscriptionLost, MCPError."""
        async with listen(self._session, tools_list_changed=True) as changes:
            self.heard = True
            async for _ in changes:
                self.dirty.set()

    async def emptied(self) -> None:
        """Returns once no call is under way."""
        await self._idle.wait()

    def new_id(self) -> int:
        return self._tap.new_id()

    async def call(self, call: Call, request_id: int, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result as it came. Raises MCPError, and what the SDK raises for what does not fit."""
        token = _CALLING.set(call)
        self._calls.add(call)
        self._idle.clear()
        try:
            return await self._rounds(call, request_id, tool, dict(arguments))
        finally:
            self._calls.discard(call)
            if not self._calls:
                self._idle.set()
            _CALLING.reset(token)

    async def _rounds(self, call: Call, request_id: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answers: types.InputResponses | None = None
        state: str | None = None
        for _ in range(ROUNDS):
            meta: Any = {CALL: request_id}
            result = await self._session.call_tool(
                tool,
                arguments,
                progress_callback=call.progressed,
                input_responses=answers,
                request_state=state,
                meta=meta,
                allow_input_required=True,
            )
            if isinstance(result, types.CallToolResult):
                raw: dict[str, Any] = (result.meta or {})[RAW]
                return raw
            answers = await self._answers(result, request_id)
            state = result.request_state
            if not answers:
                await asyncio.sleep(0.25)
            request_id = self.new_id()
        raise Unusable(f"It asked for more {ROUNDS} times, and gave no result.")

    async def _answers(self, result: types.InputRequiredResult, request_id: int) -> types.InputResponses:
        context = ClientRequestContext(session=self._session, request_id=request_id)
        answers: types.InputResponses = {}
        for key, request in (result.input_requests or {}).items():
            answer = await self._session.dispatch_input_request(context, request)
            if isinstance(answer, types.ErrorData):
                raise MCPError.from_error_data(answer)
            answers[key] = answer
        return answers


@contextlib.asynccontextmanager
async def talking(link: Link, mode: Mode, *, sse: bool) -> AsyncIterator[Talk]:
    """Open the link and agree on a protocol. To be entered and left by one task."""
    dirty = asyncio.Event()
    calls: set[Call] = set()

    async def elicit(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        answer = await attempt("a question of an MCP server", _put(_asked_in(calls), params))
        return _result(Cancelled() if isinstance(answer, Crash) else answer)

    async with link.streams(sse=sse) as (read, write):
        tap = Tap(JSONRPCDispatcher(read, write), dirty)
        info = types.Implementation(name="askfirst", version="1")
        async with ClientSession(dispatcher=tap, elicitation_callback=elicit, client_info=info) as session:
            await _agree(session, mode)
            yield Talk(session, tap, link, dirty, calls)


async def _agree(session: ClientSession, mode: Mode) -> None:
    if mode == "auto":
        try:
            await session.discover()
        except MCPError as error:
            if error.code == UNSUPPORTED_PROTOCOL_VERSION and _only_newer(error.data):
                raise
        except (ValidationError, RuntimeError):
            pass  # it answers, and speaks none of the newer versions
        else:
            return
    try:
        await session.initialize()
    except MCPError as error:
        if mode != "auto" or error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        await session.discover()  # it was slow to begin, and has understood our first question by now


def _only_newer(data: Any) -> bool:
    supported = data.get("supported") if isinstance(data, dict) else None
    return isinstance(supported, list) and not any(str(one) < "2026" for one in supported)


def _asked_in(calls: set[Call]) -> Call | None:
    """The call that a question belongs to. Where that is not told, it is clear only if there is a single one: another
    person's form would be the wrong one to show."""
    known = _CALLING.get()
    if known is not None:
        return known
    return next(iter(calls)) if len(calls) == 1 else None


async def _put(call: Call | None, params: types.ElicitRequestParams) -> Answer:
    if call is None:
        return Declined()
    message = cleaned(params.message)[0]
    if isinstance(params, types.ElicitRequestURLParams):
        return await call.url(message, params.url)
    return await call.form(message, params.requested_schema)


def _result(answer: Answer) -> types.ElicitResult:
    match answer:
        case Accepted(content=content):
            return types.ElicitResult(action="accept", content=dict(content) or None)
        case Declined():
            return types.ElicitResult(action="decline")
        case Cancelled():
            return types.ElicitResult(action="cancel")


__all__ = ["Mode", "SubscriptionLost", "Talk", "talking"]
