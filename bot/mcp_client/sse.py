"""The older transport by url: a stream of events that says where to post, and brings every answer.

The SDK's own takes no event over 1 MB, and falls silent for good after one POST that fails.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from urllib.parse import urljoin

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from bot.mcp_client.addresses import origin
from bot.mcp_client.characters import AS_IT_CAME
from bot.mcp_client.pump import LONGEST
from bot.mcp_client.rejections import Rejections
from bot.mcp_client.words import Unusable

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]


@contextlib.asynccontextmanager
async def sse_streams(
    client: httpx2.AsyncClient, url: str, rejections: Rejections
) -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
]:
    """Raises Unusable, httpx2.HTTPError."""
    headers = {"accept": "text/event-stream", "cache-control": "no-store"}
    async with client.stream("GET", url, headers=headers) as response:
        if response.status_code != 200:
            raise Unusable(f"It answered with HTTP {response.status_code} where a stream of events was expected.")
        events = httpx2.EventSource(response, max_event_size=2 * LONGEST).__aiter__()
        endpoint = await _endpoint(events, url)
        to_us, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, from_us = anyio.create_memory_object_stream[SessionMessage](0)
        pumps = [
            asyncio.create_task(_in(events, to_us, rejections)),
            asyncio.create_task(_out(client, endpoint, from_us, to_us)),
        ]
        try:
            yield read, write
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.wait(pumps)
            for stream in (to_us, read, write, from_us):
                stream.close()


async def _endpoint(events: AsyncIterator[httpx2.ServerSentEvent], url: str) -> str:
    """Where it wants its messages: on its own origin, or nowhere."""
    async for event in events:
        if event.event == "endpoint":
            endpoint = urljoin(url, event.data)
            if origin(endpoint) != origin(url):
                raise Unusable("It wants its messages sent to another server, where nothing was sent.")
            return endpoint
    raise Unusable("Its stream ended before it said where to send messages.")


async def _in(events: AsyncIterator[httpx2.ServerSentEvent], to_us: Incoming, rejections: Rejections) -> None:
    try:
        async for event in events:
            if event.event != "message" or not event.data:
                continue
            try:
                message = jsonrpc_message_adapter.validate_json(event.data, by_name=False)
            except ValidationError:
                rejections.add(f"It sent something that is no message: {event.data[:AS_IT_CAME]}")
                continue
            await to_us.send(SessionMessage(message))
    except (
        httpx2.HTTPError,
        httpx2.StreamError,
        httpx2.SSEError,
        anyio.BrokenResourceError,
        anyio.ClosedResourceError,
    ):
        return
    finally:
        to_us.close()


async def _out(client: httpx2.AsyncClient, endpoint: str, from_us: Outgoing, to_us: Incoming) -> None:
    """Each message by itself, so that one slow POST holds up no other; in the order in which they were begun."""
    posts: set[asyncio.Task[None]] = set()
    try:
        async for item in from_us:
            post = asyncio.create_task(_post(client, endpoint, item, to_us))
            posts.add(post)
            post.add_done_callback(posts.discard)
            await asyncio.wait({post}, timeout=1)
    except anyio.ClosedResourceError:
        return
    finally:
        for post in posts:
            post.cancel()
        from_us.close()


async def _post(client: httpx2.AsyncClient, endpoint: str, item: SessionMessage, to_us: Incoming) -> None:
    body = item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
    answer = await client.post(endpoint, json=body, headers={"content-type": "application/json"})
    with contextlib.suppress(ValidationError, ValueError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        said = json.loads(answer.content) if answer.content else None
        if isinstance(said, dict) and "error" in said:  # what became of the POST itself: see Wire
            await to_us.send(SessionMessage(jsonrpc_message_adapter.validate_python(said, by_name=False)))
