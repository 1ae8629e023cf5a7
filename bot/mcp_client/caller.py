"""Calls a tool of a kept connection, and says honestly what is known of a call that brought no answer."""

import asyncio
from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, PARSE_ERROR

from bot.mcp_client.calls import Call, running
from bot.mcp_client.connection import LAST_WORDS_S, Connection
from bot.mcp_client.results import failure, result
from bot.mcp_client.spoken import NOT_DONE, CallFailed, Definition, Elicit, Progress, Result
from bot.mcp_client.striking import struck
from bot.mcp_client.talk import Talk
from bot.mcp_client.words import FORESEEN, NOT_SENT, REFUSED, SESSION_LOST, UNCLEAR, worded

WAIT_S = 10.0
"""How long a call waits for a server that is being connected."""

NOT_KNOWN = "Whether the call was carried out is not known; it was not repeated."


class _Forgotten(Exception):
    """The server knows our session no more, and has not looked at the call."""


async def call(
    connection: Connection,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    progress: Progress | None,
    ask: Elicit | None,
    fingerprint: str | None = None,
) -> Result:
    """Raises CallFailed. The call is made once; twice only where the first was surely not looked at. `fingerprint`: of the
    definition that was looked at; a server that tells another one by now is not called."""
    for _ in range(2):
        talk, definition = await _ready(connection, tool)
        if fingerprint is not None and definition.fingerprint != fingerprint:
            raise CallFailed(
                "unavailable", f"{connection.name} tells something else of its tool {tool!r} by now. {NOT_DONE}"
            )
        one = Call(connection.spec.timeouts, progress, ask)
        try:
            return await _made(connection, talk, definition, one, arguments)
        except _Forgotten:
            await asyncio.wait([asyncio.ensure_future(talk.link.lost.wait())], timeout=WAIT_S)
    raise CallFailed("unavailable", f"{connection.name} forgets our session again and again. {NOT_DONE}")


async def _ready(connection: Connection, tool: str) -> tuple[Talk, Definition]:
    if connection.talk is None or connection.talk.link.lost.is_set():
        await _connected(connection)
    talk, definition = connection.talk, connection.definition(tool)
    if talk is None:
        raise CallFailed(
            "not_connected",
            f"{connection.name} is not connected. {connection.status.error} {NOT_DONE}".replace("  ", " "),
        )
    if definition is None:
        raise CallFailed("unavailable", f"{connection.name} offers no tool {tool!r} now. {NOT_DONE}")
    return talk, definition


async def _connected(connection: Connection) -> None:
    """At the latest a call brings a connection back, if that goes quickly."""
    connection.poke()
    loop = asyncio.get_running_loop()
    end = loop.time() + min(WAIT_S, connection.spec.timeouts.start_s)
    while loop.time() < end and not connection.dropped.is_set():
        talk = connection.talk
        if talk is not None and not talk.link.lost.is_set():
            return
        if connection.status.state in ("error", "disabled") and not connection.waits:
            return
        await asyncio.sleep(0.02)


async def _made(
    connection: Connection, talk: Talk, definition: Definition, one: Call, arguments: Mapping[str, Any]
) -> Result:
    request_id = talk.new_id()
    works = (
        talk.call(one, request_id, definition.name, arguments),
        one.expired(),
        talk.link.lost.wait(),
        connection.dropped.wait(),
        one.report(),
    )
    try:
        async with running(*works) as (answer, expired, lost, dropped, report):
            waiting = {answer, expired, lost, dropped}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() and lost.done() and not dropped.done():
                # An answer that came before the end is still on its way; so is what a server says that forgot our session.
                await asyncio.wait({answer}, timeout=LAST_WORDS_S if talk.link.forgotten else 0.1)
            del report
            if answer.done():
                return _read(connection, talk, definition, request_id, answer)
            sent = talk.link.sent(request_id)
            if dropped.done():
                raise CallFailed(
                    "cancelled",
                    f"{connection.name} was switched off during the call. {NOT_KNOWN if sent else NOT_DONE}",
                )
            if expired.done():
                if not sent or talk.link.stuck(request_id):
                    talk.link.fail("It takes no more input.")
                raise CallFailed(
                    "timeout" if sent else "unavailable",
                    f"{connection.name} {expired.result()}. {NOT_KNOWN if sent else NOT_DONE}",
                )
            raise _cut_off(connection, talk.link.reason, sent=sent)
    finally:
        talk.link.settled(request_id)


def _read(
    connection: Connection, talk: Talk, definition: Definition, request_id: int, answer: asyncio.Task[Any]
) -> Result:
    try:
        return struck(result(definition, answer.result()), connection.keys)
    except MCPError as error:
        known = talk.link.sent(request_id)
        if error.code == SESSION_LOST:
            raise _Forgotten from error
        if error.code in (NOT_SENT, REFUSED):
            raise CallFailed(
                "unavailable", f"{connection.name}: {connection.line(worded(error))} {NOT_DONE}"
            ) from error
        if _ours(error, talk):
            told = worded(error) if error.code == UNCLEAR else "Its answer broke off, or cannot be read."
            raise _cut_off(connection, talk.link.reason or told, sent=known) from error
        return failure(definition, connection.clean(error.message))
    except FORESEEN as error:
        raise _cut_off(connection, worded(error), sent=talk.link.sent(request_id)) from error


_SAID_BY_THE_SDK = {
    CONNECTION_CLOSED: ("Connection closed", "SSE stream"),
    PARSE_ERROR: ("Failed to parse", "Unexpected content type"),
    INVALID_REQUEST: ("server answered a request with 202", "Unexpected content type"),
}
"""What is no answer of the tool, though it looks like one: servers use the same numbers for what they like."""


def _ours(error: MCPError, talk: Talk) -> bool:
    """Whether it tells of the connection, rather than that the server has answered."""
    if error.code == UNCLEAR or (error.code == CONNECTION_CLOSED and talk.link.lost.is_set()):
        return True
    return error.message.startswith(_SAID_BY_THE_SDK.get(error.code, ("\0",)))


def _cut_off(connection: Connection, why: str, *, sent: bool) -> CallFailed:
    code = "unknown_outcome" if sent else "unavailable"
    why = connection.line(why or "The connection broke.")
    return CallFailed(code, f"{connection.name} was cut off during the call. {why} {NOT_KNOWN if sent else NOT_DONE}")  # type: ignore[arg-type]
