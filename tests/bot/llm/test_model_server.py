"""The scripted model server is as strict as what it stands in for, and does what it is told."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from tests.fakes.model.client import ModelServer
from tests.fakes.model.script import Call, Reply, Rule, fails

CALL = {"id": "c1", "type": "function", "function": {"name": "add_note", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "add_note", "parameters": {"type": "object"}}}
HI = {"role": "user", "content": "hi"}
USE = {"type": "tool_use", "id": "t1", "name": "add_note", "input": {}}
GIVEN = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}


def tool(name: str = "add_note", parameters: Any = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


OPENAI_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no messages": ({"messages": []}, "messages are empty"),
    "only instructions": ({"messages": [{"role": "system", "content": "be kind"}]}, "nothing but instructions"),
    "empty words": ({"messages": [{"role": "user", "content": ""}]}, "content is empty"),
    "wrong role": ({"messages": [{"role": "robot", "content": "hi"}]}, "unknown role"),
    "call without answer": ({"messages": [HI, {"role": "assistant", "tool_calls": [CALL]}, HI]}, "without an answer"),
    "answer without call": ({"messages": [HI, {"role": "tool", "tool_call_id": "c9", "content": "x"}]}, "not called"),
    "two calls, one id": ({"messages": [HI, {"role": "assistant", "tool_calls": [CALL, CALL]}]}, "with one id"),
    "broken arguments": (
        {"messages": [HI, {"role": "assistant", "tool_calls": [CALL | {"function": {"name": "a", "arguments": "{"}}]}]},
        "not a JSON object",
    ),
    "ends with an answer": ({"messages": [HI, {"role": "assistant", "content": "ho"}]}, "last message is an answer"),
    "bad tool name": ({"messages": [HI], "tools": [tool("mcp/desk", {"type": "object"})]}, "bad tool name"),
    "long tool name": ({"messages": [HI], "tools": [tool("x" * 65, {"type": "object"})]}, "bad tool name"),
    "schema no object": ({"messages": [HI], "tools": [tool(parameters={"type": "string"})]}, "not an object schema"),
    "twin tools": ({"messages": [HI], "tools": [TOOL, TOOL]}, "two tools with one name"),
}

ANTHROPIC_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no limit": ({"messages": [HI], "max_tokens": None}, "max_tokens is missing"),
    "no messages": ({"messages": []}, "messages are empty"),
    "wrong role": ({"messages": [{"role": "system", "content": "x"}]}, "neither user nor assistant"),
    "answer first": ({"messages": [{"role": "assistant", "content": "x"}, HI]}, "first message is not a user's"),
    "empty words": ({"messages": [{"role": "user", "content": " "}]}, "an empty text block"),
    "call without answer": (
        {"messages": [HI, {"role": "assistant", "content": [USE]}, HI]},
        "called ['t1'], answered []",
    ),
    "answer without call": ({"messages": [{"role": "user", "content": [GIVEN]}]}, "called [], answered ['t1']"),
    "words before result": (
        {
            "messages": [
                HI,
                {"role": "assistant", "content": [USE]},
                {"role": "user", "content": [{"type": "text", "text": "x"}, GIVEN]},
            ]
        },
        "behind other content",
    ),
    "unsigned thinking": (
        {"messages": [HI, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}, HI]},
        "without its signature",
    ),
    "bad tool name": (
        {"messages": [HI], "tools": [{"name": "a.b", "input_schema": {"type": "object"}}]},
        "bad tool name",
    ),
    "schema no object": ({"messages": [HI], "tools": [{"name": "a", "input_schema": {}}]}, "not an object schema"),
}


async def post(url: str, body: Any, headers: dict[str, str]) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.post(url, json=body, headers=headers) as response:
        return response.status, await response.json()


async def openai(server: ModelServer, body: dict[str, Any]) -> tuple[int, Any]:
    url = f"{server.openai_url}/chat/completions"
    return await post(url, {"model": "scripted-1"} | body, {"Authorization": "Bearer k"})


async def anthropic(server: ModelServer, body: dict[str, Any]) -> tuple[int, Any]:
    url = f"{server.anthropic_url}/v1/messages"
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    return await post(url, {"model": "scripted-1", "max_tokens": 9} | body, headers)


async def test_every_breach_of_the_openai_wire_is_refused_and_counted(server: ModelServer) -> None:
    await server.otherwise("never said")
    for name, (body, fault) in OPENAI_FAULTS.items():
        status, answer = await openai(server, body)
        assert status == 400, name
        assert fault in answer["error"]["message"], name
    assert len({line.partition(":")[0] for line in await server.violations()}) == len(OPENAI_FAULTS)


async def test_every_breach_of_the_anthropic_wire_is_refused_and_counted(server: ModelServer) -> None:
    await server.otherwise("never said")
    for name, (body, fault) in ANTHROPIC_FAULTS.items():
        status, answer = await anthropic(server, body)
        assert status == 400, name
        assert fault in answer["error"]["message"], name
    assert len({line.partition(":")[0] for line in await server.violations()}) == len(ANTHROPIC_FAULTS)


async def test_unknown_models_and_missing_keys_are_refused_and_counted(server: ModelServer) -> None:
    assert (await openai(server, {"model": "nope", "messages": [HI]}))[0] == 404
    assert (await post(f"{server.openai_url}/chat/completions", {"messages": [HI]}, {}))[0] == 401
    assert (await post(f"{server.anthropic_url}/v1/messages", {"messages": [HI]}, {}))[0] == 401
    assert len(await server.violations()) == 3


async def test_a_request_that_nothing_was_scripted_for_fails(server: ModelServer) -> None:
    status, answer = await openai(server, {"messages": [HI]})
    assert status == 500
    assert "nothing is scripted" in answer["error"]["message"]


async def test_rules_come_before_the_queue_and_the_queue_before_the_standing_reply(server: ModelServer) -> None:
    await server.rules(
        Rule(contains="Note", after="words", times=1, reply=Reply(calls=(Call(name="add_note"),))),
        Rule(contains="note", after="results", reply=Reply(text="Got: {result}")),
    )
    await server.answer("queued")
    await server.otherwise("You said: {user}")
    first = (await openai(server, {"messages": [{"role": "user", "content": "a note"}]}))[1]["choices"][0]
    assert first["finish_reason"] == "tool_calls"
    call = first["message"]["tool_calls"][0]
    history = [{"role": "user", "content": "a note"}, first["message"]]
    result = {"role": "tool", "tool_call_id": call["id"], "content": "stored"}
    second = (await openai(server, {"messages": [*history, result]}))[1]["choices"][0]
    assert second["message"]["content"] == "Got: stored"
    texts = [(await openai(server, {"messages": [HI]}))[1]["choices"][0]["message"]["content"] for _ in range(2)]
    assert texts == ["queued", "You said: hi"]


async def test_failures_carry_their_status_code_and_waiting_time(server: ModelServer) -> None:
    await server.answer(fails(429, "rate_limit_exceeded", retry_after=7))
    url = f"{server.openai_url}/chat/completions"
    body = {"model": "scripted-1", "messages": [HI]}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json=body, headers={"Authorization": "Bearer k"}) as got,
    ):
        assert got.status == 429
        assert got.headers["Retry-After"] == "7"
        assert (await got.json())["error"]["code"] == "rate_limit_exceeded"


async def test_stream_pieces_are_cut_where_the_script_says(server: ModelServer) -> None:
    await server.answer(Reply(pieces=("no_re", "ply")))
    url = f"{server.openai_url}/chat/completions"
    body = {"model": "scripted-1", "messages": [HI], "stream": True}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json=body, headers={"Authorization": "Bearer k"}) as got,
    ):
        lines = [line[6:] for line in (await got.text()).splitlines() if line.startswith("data: {")]
    deltas = [json.loads(line)["choices"][0]["delta"].get("content") for line in lines]
    assert [delta for delta in deltas if delta] == ["no_re", "ply"]


async def test_a_held_request_is_seen_and_answers_when_released(server: ModelServer) -> None:
    await server.answer(Reply(text="late", hold="gate"))
    asking = asyncio.create_task(openai(server, {"messages": [HI]}))
    asked = await server.wait_request(1)
    assert asked.ended is None
    assert not asking.done()
    await server.release("gate")
    assert (await asking)[1]["choices"][0]["message"]["content"] == "late"
    assert (await server.wait_ended(1)).how == "answered"


async def test_a_client_that_leaves_is_noticed(server: ModelServer) -> None:
    await server.answer(Reply(text="late", hold="gate"))
    asking = asyncio.create_task(openai(server, {"messages": [HI]}))
    await server.wait_request(1)
    asking.cancel()
    assert (await server.wait_ended(1)).how == "left"


async def test_a_dropped_connection_is_dropped(server: ModelServer) -> None:
    await server.answer(Reply(hang_up=True))
    with pytest.raises(aiohttp.ClientError):
        await openai(server, {"messages": [HI]})
    assert (await server.wait_ended(1)).how == "cut"


async def test_anthropic_streams_thinking_with_its_signature(server: ModelServer) -> None:
    await server.answer(
        Reply(thinking="hm", text="ho", calls=(Call(name="add_note", arguments={"text": "x"}, id="t1"),))
    )
    status, answer = await anthropic(server, {"messages": [HI]})
    assert status == 200
    assert [block["type"] for block in answer["content"]] == ["thinking", "text", "tool_use"]
    assert answer["stop_reason"] == "tool_use"
