"""Providers behind the model port, on both wires, against the scripted server."""

import asyncio
import logging
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Literal

import pytest

from bot.llm.port import Answer, ModelFailure, Offer, Request, Said, Usage
from bot.llm.providers import ModelConfig, ProviderModel, build
from bot.mcp_client.schemas import portable
from tests.bot.llm.offers import TOOLS, tool
from tests.fakes.model.client import ModelServer
from tests.fakes.model.script import Call, Reply, Rule, calls, fails

Wire = Literal["openai", "anthropic"]
KEY = "sk-made-up-secret"
HI = Request("You are a guide.", (Said("hi"),), TOOLS)
LONG = "one two three four five six seven"

FAILURES: dict[str, tuple[Reply, str]] = {
    "400": (fails(400), "rejected"),
    "400 too long": (fails(400, "context_length_exceeded"), "context"),
    "401": (fails(401), "auth"),
    "402 quota": (fails(402, "insufficient_quota"), "quota"),
    "403": (fails(403), "auth"),
    "404": (fails(404, "model_not_found"), "missing"),
    "429": (fails(429, "rate_limit_exceeded"), "rate"),
    "500": (fails(500), "down"),
    "502": (fails(502), "down"),
    "503": (fails(503), "down"),
    "529": (fails(529), "down"),
    "connection dropped": (Reply(hang_up=True), "down"),
    "cut in the stream": (Reply(text=LONG, cut_after=3), "down"),
    "error in the stream": (Reply(text=LONG, error_after=3, code="overloaded_error"), "down"),
    "nothing said": (Reply(), "broken"),
    "only spaces": (Reply(text="  "), "broken"),
    "no choices": (Reply(no_choices=True), "broken"),
    "no JSON": (Reply(raw_body="<html>bad gateway</html>"), "broken"),
    "empty body": (Reply(raw_body=""), "broken"),
    "filtered": (Reply(finish="content_filter"), "rejected"),
    "silent": (Reply(text="late", hold="never"), "timeout"),
    "silent in the stream": (Reply(text=LONG, hold="never", hold_after=3), "timeout"),
}


def config(server: ModelServer, wire: Wire, model: str = "scripted-1", timeout_s: float = 10) -> ModelConfig:
    url = server.openai_url if wire == "openai" else server.anthropic_url
    return ModelConfig(wire, model, url, KEY, timeout_s=timeout_s)


@pytest.fixture(params=["openai", "anthropic"])
def wire(request: pytest.FixtureRequest) -> Wire:
    return "openai" if request.param == "openai" else "anthropic"


@pytest.fixture
async def model(server: ModelServer, wire: Wire) -> AsyncIterator[ProviderModel]:
    built = build(config(server, wire))
    yield built
    await built.aclose()


async def ignore(_piece: str) -> None:
    pass


async def ask(model: ProviderModel, request: Request = HI) -> Answer:
    return await model.turn(request, ignore)


async def test_text_is_streamed_as_it_comes_and_returned_whole(server: ModelServer, model: ProviderModel) -> None:
    pieces: list[str] = []

    async def keep(piece: str) -> None:
        pieces.append(piece)

    await server.answer(Reply(pieces=("silent_", "exit", " or not")))
    answer = await model.turn(HI, keep)
    assert pieces == ["silent_", "exit", " or not"]
    assert answer.text == "silent_exit or not"
    assert (answer.calls, answer.cut) == ((), False)
    assert await server.violations() == []


async def test_a_piece_is_shown_before_the_answer_is_complete(server: ModelServer, model: ProviderModel) -> None:
    first = asyncio.Event()

    async def keep(_piece: str) -> None:
        first.set()

    await server.answer(Reply(text=LONG, hold="rest", hold_after=4))
    turn = asyncio.create_task(model.turn(HI, keep))
    await asyncio.wait_for(first.wait(), 10)
    assert not turn.done()
    await server.release("rest")
    assert (await turn).text == LONG


async def test_calls_come_with_text_arguments_and_ids(server: ModelServer, model: ProviderModel) -> None:
    asked = (Call(name="add_note", arguments={"text": "買 milk"}, id="c1"), Call(name="list_notes", id="c2"))
    await server.answer(Reply(text="Right away.", calls=asked))
    answer = await ask(model)
    assert answer.text == "Right away."
    assert [(call.id, call.name, call.arguments) for call in answer.calls] == [
        ("c1", "add_note", {"text": "買 milk"}),
        ("c2", "list_notes", {}),
    ]


async def test_arguments_that_are_no_object_are_not_guessed(server: ModelServer, model: ProviderModel) -> None:
    raws = ['{"text": "\\ud83d"}', '{"text": "\\u0000"}', '{"text": "mil', '["milk"]', '"milk"', "null", "{} {}"]
    await server.answer(
        Reply(calls=tuple(Call(name="add_note", arguments=raw, id=f"c{n}") for n, raw in enumerate(raws)))
    )
    answer = await ask(model)
    assert [call.arguments for call in answer.calls] == [None] * len(raws)
    assert [call.raw for call in answer.calls] == raws


async def test_repeated_and_missing_call_ids_are_made_unique(server: ModelServer, model: ProviderModel) -> None:
    await server.answer(Reply(calls=tuple(Call(name="list_notes", id=one) for one in ("a", "a", "a_1", "", ""))))
    ids = [call.id for call in (await ask(model)).calls]
    assert ids[0] == "a"
    assert all(ids)
    assert len(set(ids)) == 5


async def test_an_answer_at_the_length_limit_is_marked_as_cut(server: ModelServer, model: ProviderModel) -> None:
    await server.answer(Reply(text="half a", finish="length"))
    answer = await ask(model)
    assert (answer.text, answer.cut) == ("half a", True)


async def test_a_stream_that_ends_without_an_end_is_marked_as_cut(server: ModelServer, model: ProviderModel) -> None:
    await server.answer(Reply(text=LONG, end_after=4))
    answer = await ask(model)
    assert answer.cut
    assert LONG.startswith(answer.text)


@pytest.mark.parametrize("name", FAILURES)
async def test_every_failure_has_its_kind_and_is_not_tried_again(server: ModelServer, wire: Wire, name: str) -> None:
    reply, kind = FAILURES[name]
    model = build(config(server, wire, timeout_s=0.5 if "silent" in name else 10))
    await server.answer(reply, "never asked for")
    with pytest.raises(ModelFailure) as failed:
        await ask(model)
    assert failed.value.kind == kind
    assert len(await server.requests()) == 1
    for secret in (KEY, "scripted failure", "overloaded_error", server.anthropic_url):
        assert secret not in str(failed.value)
        assert secret not in repr(failed.value)
    await model.aclose()


async def test_a_quota_that_is_used_up_is_told_from_a_rate_limit(server: ModelServer) -> None:
    model = build(config(server, "openai"))
    await server.answer(fails(429, "insufficient_quota"))
    with pytest.raises(ModelFailure) as failed:
        await ask(model)
    assert failed.value.kind == "quota"
    await model.aclose()


@pytest.mark.parametrize("status", [429, 503])
async def test_the_time_to_wait_is_kept(server: ModelServer, model: ProviderModel, status: int) -> None:
    await server.answer(fails(status, retry_after=7))
    with pytest.raises(ModelFailure) as failed:
        await ask(model)
    assert failed.value.retry_after == 7


async def test_a_refused_connection_is_down(wire: Wire) -> None:
    model = build(ModelConfig(wire, "scripted-1", "http://127.0.0.1:9/v1", KEY))
    with pytest.raises(ModelFailure) as failed:
        await ask(model)
    assert failed.value.kind == "down"
    await model.aclose()


async def test_a_turn_after_a_failure_works(server: ModelServer, model: ProviderModel) -> None:
    await server.answer(Reply(text=LONG, cut_after=3), fails(500), "back")
    for _ in range(2):
        with pytest.raises(ModelFailure):
            await ask(model)
    assert (await ask(model)).text == "back"


async def test_cancelling_stops_the_request_at_once(server: ModelServer, model: ProviderModel) -> None:
    started = asyncio.Event()

    async def keep(_piece: str) -> None:
        started.set()

    await server.answer(Reply(text=LONG * 100, drip=0.05))
    turn = asyncio.create_task(model.turn(HI, keep))
    await asyncio.wait_for(started.wait(), 10)
    begin = time.perf_counter()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert time.perf_counter() - begin < 0.25
    assert (await server.wait_ended(1, seconds=5)).how == "left"


async def test_cancelling_before_the_first_byte_stops_the_request(server: ModelServer, model: ProviderModel) -> None:
    await server.answer(Reply(text="late", hold="never"))
    turn = asyncio.create_task(ask(model))
    await server.wait_request(1)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert (await server.wait_ended(1, seconds=5)).how == "left"


async def test_an_error_of_the_listener_is_not_the_models_failure(server: ModelServer, model: ProviderModel) -> None:
    class Gone(Exception):
        pass

    async def refuse(_piece: str) -> None:
        raise Gone

    await server.answer(Reply(text=LONG * 100, drip=0.02))
    with pytest.raises(Gone):
        await model.turn(HI, refuse)
    assert (await server.wait_ended(1, seconds=5)).how == "left"


async def test_a_slow_answer_is_no_timeout_while_it_goes_on(server: ModelServer, wire: Wire) -> None:
    model = build(config(server, wire, timeout_s=1))
    await server.answer(Reply(text=LONG, piece=3, drip=0.1))
    assert (await ask(model)).text == LONG
    await model.aclose()


async def test_usage_is_the_providers_and_the_cost_of_an_unknown_model_is_unknown(
    server: ModelServer, model: ProviderModel
) -> None:
    await server.answer(Reply(text="ho", usage=(120, 30)))
    answer = await ask(model)
    assert answer.usage == Usage(120, 30)
    assert answer.cost is None


@pytest.mark.parametrize(("provider", "name"), [("openai", "gpt-4o-mini"), ("anthropic", "claude-haiku-4-5")])
async def test_a_known_model_has_a_price(server: ModelServer, provider: Wire, name: str) -> None:
    model = build(config(server, provider, name))
    await server.answer(Reply(text="ho", usage=(1000, 1000)))
    cost = (await ask(model)).cost
    assert cost is not None
    assert Decimal(0) < cost < Decimal(1)
    await model.aclose()


async def test_usage_that_was_not_said_is_guessed_and_flagged(server: ModelServer, model: ProviderModel) -> None:
    await server.answer(Reply(text="ho", usage=None))
    answer = await ask(model)
    assert answer.usage.estimated
    assert answer.usage.input > 0
    assert answer.usage.output > 0
    assert answer.cost is None


async def test_tool_names_and_schemas_are_sent_as_they_are(
    server: ModelServer, wire: Wire, model: ProviderModel
) -> None:
    await server.answer("ho")
    await ask(model, Request("", (Said("hi"),), (tool("current_time"),)))
    (sent,) = (await server.requests())[0].body["tools"]
    function = sent["function"] if wire == "openai" else sent
    assert function["name"] == "current_time"
    assert function["description"] == tool("current_time").description
    assert function["parameters" if wire == "openai" else "input_schema"] == tool("current_time").schema


async def test_where_nothing_is_offered_no_list_of_tools_is_sent(server: ModelServer, model: ProviderModel) -> None:
    await server.answer("ho")
    await ask(model, Request("", (Said("hi"),), ()))
    [sent] = await server.requests()
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(sent.body)
    assert await server.violations() == []


async def test_an_open_schema_of_a_stranger_is_sent_open(server: ModelServer, model: ProviderModel, wire: Wire) -> None:
    made = portable({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"const": "x"}}}).schema
    await server.answer("ho")
    await ask(model, Request("", (Said("hi"),), (Offer("mcp__s__t", "Does it.", made),)))
    [sent] = await server.requests()
    [listed] = sent.body["tools"]
    schema = listed["function"]["parameters"] if wire == "openai" else listed["input_schema"]
    assert schema == made
    assert "additionalProperties" not in schema
    assert await server.violations() == []


async def test_sessions_at_the_same_time_get_their_own_answers(server: ModelServer, model: ProviderModel) -> None:
    await server.rules(
        *(Rule(contains=f"session {n}.", reply=Reply(text=f"answer {n}", delay=0.02)) for n in range(20))
    )
    answers = await asyncio.gather(*(ask(model, Request("", (Said(f"session {n}."),))) for n in range(20)))
    assert [answer.text for answer in answers] == [f"answer {n}" for n in range(20)]


async def test_an_endless_tool_loop_has_fresh_ids_each_time(server: ModelServer, model: ProviderModel) -> None:
    await server.rules(Rule(after="either", reply=calls("list_notes")))
    ids = {(await ask(model)).calls[0].id for _ in range(3)}
    assert len(ids) == 3


async def test_neither_key_nor_address_is_logged(
    server: ModelServer, model: ProviderModel, caplog: pytest.LogCaptureFixture
) -> None:
    await server.answer("ho", fails(401))
    with caplog.at_level(logging.DEBUG):
        await ask(model)
        with pytest.raises(ModelFailure):
            await ask(model)
    assert KEY not in caplog.text
    assert "/v1/" not in caplog.text
    assert KEY not in repr(config(server, "openai"))


async def test_closing_twice_and_asking_again_works(server: ModelServer, model: ProviderModel) -> None:
    await server.answer("one", "two")
    assert (await ask(model)).text == "one"
    await model.aclose()
    await model.aclose()
    assert (await ask(model)).text == "two"


@pytest.mark.parametrize(
    ("given", "window"),
    [
        (ModelConfig("openai", "gpt-4o-mini"), 128_000),
        (ModelConfig("anthropic", "claude-haiku-4-5"), 200_000),
        (ModelConfig("openai", "my-own", "http://127.0.0.1:9/v1"), 8_192),
        (ModelConfig("openai", "gpt-4o-mini", window=4_000), 4_000),
    ],
)
async def test_the_window_is_configured_or_looked_up_or_small(given: ModelConfig, window: int) -> None:
    assert build(given).window == window


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout


def test_importing_and_building_loads_no_providers_library() -> None:
    code = """
import asyncio, sys
from bot.llm.providers import ModelConfig, build
async def main():
    build(ModelConfig("openai", "x"))
asyncio.run(main())
print([name for name in ("openai", "anthropic", "pydantic_ai", "httpx2") if name in sys.modules])
"""
    assert run(code).strip() == "[]"


@pytest.mark.parametrize(
    ("provider", "library"), [("openai", "openai"), ("anthropic", "anthropic"), ("openai", "pydantic_ai")]
)
def test_a_library_that_is_not_installed_is_missing(provider: str, library: str) -> None:
    code = f"""
import asyncio, sys
from bot.llm.port import ModelFailure, Request, Said
from bot.llm.providers import ModelConfig, build
sys.modules[{library!r}] = None  # what Python itself takes for "cannot be imported"
async def show(piece): pass
async def main():
    try:
        await build(ModelConfig({provider!r}, "x")).turn(Request("", (Said("hi"),)), show)
    except ModelFailure as failure:
        print(failure.kind)
asyncio.run(main())
"""
    assert run(code).strip() == "missing"


async def test_text_that_no_store_can_keep_is_mended(server: ModelServer) -> None:
    model = build(config(server, "openai"))
    delta = r'{"role": "assistant", "content": "a\ud83d\u0000b"}'
    choice = f'{{"index": 0, "delta": {delta}, "finish_reason": "stop"}}'
    chunk = f'{{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{choice}]}}'
    await server.answer(Reply(raw_body=f"data: {chunk}\n\ndata: [DONE]\n\n"))
    answer = await ask(model)
    assert answer.text == "a?b"
    assert answer.native is None
    await model.aclose()
