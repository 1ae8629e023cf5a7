"""What a history becomes on either wire: sound for a strict server, whatever was stored."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import pytest

from bot.llm.port import Answer, Answered, Asked, Json, Request, Result, Said, Turn
from bot.llm.providers import ModelConfig, ProviderModel, build
from tests.bot.llm.offers import TOOLS
from tests.fakes.model.anthropic_wire import SIGNATURE
from tests.fakes.model.client import ModelServer
from tests.fakes.model.script import Call, Reply

Wire = Literal["openai", "anthropic"]
NATIVE: dict[str, Json] = json.loads((Path(__file__).parent / "golden" / "native_answers.json").read_text("utf-8"))
"""Answers as they were stored by the release that first wrote them; every later one must read them."""

GOLDEN_CALLS = (Asked("c1", "add_note", {"text": "milk"}), Asked("c2", "list_notes", None, '{"oops'))
GOLDEN_RESULTS = (Result("c1", "add_note", "stored"), Result("c2", "list_notes", "not JSON", failed=True))

ODD: dict[str, tuple[Turn, ...]] = {
    "nothing at all": (),
    "no words": (Said("  "),),
    "an answer first": (Answered("Hello."), Said("hi")),
    "an answer last": (Said("hi"), Answered("Hello.")),
    "half a surrogate pair": (Said("\ud83d hi"), Answered("\ud83d"), Said("well?")),
    "two in a row": (Said("hi"), Said("are you there?")),
    "an empty answer": (Said("hi"), Answered(""), Said("well?")),
    "a call without its result": (Said("hi"), Answered("", (Asked("c1", "list_notes", {}),)), Said("well?")),
    "a result without its call": (Said("hi"), Result("c9", "list_notes", "1. milk"), Said("well?")),
    "an empty result": (Said("hi"), Answered("", (Asked("c1", "list_notes", {}),)), Result("c1", "list_notes", "")),
    "a failed result": (
        Said("hi"),
        Answered("", (Asked("c1", "add_note", {}),)),
        Result("c1", "add_note", "no", failed=True),
    ),
    "unreadable arguments": (
        Said("hi"),
        Answered("", (Asked("c1", "add_note", None, "{"),)),
        Result("c1", "add_note", "no", True),
    ),
    "a tool that is gone": (Said("hi"), Answered("", (Asked("c1", "old_tool", {}),)), Result("c1", "old_tool", "x")),
    "text beside calls": (
        Said("hi"),
        Answered("Wait.", (Asked("c1", "list_notes", {}),)),
        Result("c1", "list_notes", "x"),
    ),
}


@pytest.fixture(params=["openai", "anthropic"])
def wire(request: pytest.FixtureRequest) -> Wire:
    return "openai" if request.param == "openai" else "anthropic"


@pytest.fixture
async def model(server: ModelServer, wire: Wire) -> AsyncIterator[ProviderModel]:
    url = server.openai_url if wire == "openai" else server.anthropic_url
    built = build(ModelConfig(wire, "scripted-1", url, "k"))
    yield built
    await built.aclose()


async def ask(model: ProviderModel, *history: Turn, instructions: str = "You are a guide.") -> Answer:
    async def ignore(_piece: str) -> None:
        pass

    return await model.turn(Request(instructions, history, TOOLS), ignore)


async def body_of(server: ModelServer, number: int) -> dict[str, Any]:
    body: dict[str, Any] = (await server.requests())[number - 1].body
    return body


async def test_a_talk_with_calls_goes_round_and_round_without_a_breach(
    server: ModelServer, model: ProviderModel
) -> None:
    asked = (Call(name="add_note", arguments={"text": "milk"}, id="a"), Call(name="list_notes", arguments="{", id="a"))
    await server.answer(Reply(text="Wait.", thinking="hm", calls=asked), "Done.", "You are welcome.")
    history: list[Turn] = [Said("note: milk")]
    first = await ask(model, *history)
    history += [Answered(first.text, first.calls, first.native)]
    history += [Result(call.id, call.name, "stored") for call in first.calls]
    second = await ask(model, *history)
    history += [Answered(second.text, second.calls, second.native), Said("thanks")]
    third = await ask(model, *history)
    assert (second.text, third.text) == ("Done.", "You are welcome.")
    assert await server.violations() == []


async def test_native_answers_are_json(server: ModelServer, model: ProviderModel) -> None:
    await server.answer(Reply(text="Wait.", thinking="hm", calls=(Call(name="list_notes"),)))
    answer = await ask(model, Said("hi"))
    stored = json.loads(json.dumps(answer.native))
    await server.answer("ho")
    history = (Said("hi"), Answered(answer.text, answer.calls, stored), Result(answer.calls[0].id, "list_notes", "x"))
    assert (await ask(model, *history)).text == "ho"
    assert await server.violations() == []


async def test_thinking_goes_back_to_its_provider_with_its_signature(server: ModelServer) -> None:
    model = build(ModelConfig("anthropic", "scripted-1", server.anthropic_url, "k"))
    await server.answer("ho")
    await ask(model, Said("hi"), Answered("Right away.", GOLDEN_CALLS, NATIVE["anthropic"]), *GOLDEN_RESULTS)
    blocks = (await body_of(server, 1))["messages"][1]["content"]
    assert {"type": "thinking", "thinking": "The user wants a note.", "signature": SIGNATURE} in blocks
    assert await server.violations() == []
    await model.aclose()


@pytest.mark.parametrize("stored", ["openai", "anthropic"])
async def test_stored_answers_of_both_providers_are_read_by_both(
    server: ModelServer, model: ProviderModel, stored: str
) -> None:
    await server.answer("ho")
    history = (Said("note: milk"), Answered("Right away.", GOLDEN_CALLS, NATIVE[stored]), *GOLDEN_RESULTS)
    assert (await ask(model, *history)).text == "ho"
    assert await server.violations() == []
    sent = json.dumps(await body_of(server, 1))
    assert "Right away." in sent
    assert '"c1"' in sent
    assert "milk" in sent


async def test_foreign_thinking_is_not_sent(server: ModelServer) -> None:
    model = build(ModelConfig("openai", "scripted-1", server.openai_url, "k"))
    await server.answer("ho")
    await ask(model, Said("hi"), Answered("Right away.", GOLDEN_CALLS, NATIVE["anthropic"]), *GOLDEN_RESULTS)
    assert "The user wants" not in json.dumps(await body_of(server, 1))
    await model.aclose()


@pytest.mark.parametrize(
    "native",
    [
        {},
        [],
        "text",
        7,
        {"kind": "response"},
        {"kind": "request", "parts": []},
        {"kind": "response", "parts": [{"part_kind": "new"}]},
    ],
    ids=str,
)
async def test_a_native_answer_that_cannot_be_read_is_rebuilt(
    server: ModelServer, model: ProviderModel, native: Json
) -> None:
    await server.answer("ho")
    await ask(model, Said("hi"), Answered("Right away.", GOLDEN_CALLS, native), *GOLDEN_RESULTS)
    assert "Right away." in json.dumps(await body_of(server, 1))
    assert await server.violations() == []


async def test_a_native_answer_that_tells_of_other_calls_is_rebuilt(
    server: ModelServer, wire: Wire, model: ProviderModel
) -> None:
    await server.answer("ho")
    other = (Asked("z9", "list_notes", {}),)
    await ask(model, Said("hi"), Answered("Other.", other, NATIVE[wire]), Result("z9", "list_notes", "x"))
    sent = json.dumps(await body_of(server, 1))
    assert "z9" in sent
    assert '"c1"' not in sent
    assert await server.violations() == []


@pytest.mark.parametrize("name", ODD)
async def test_odd_histories_are_sent_soundly(server: ModelServer, model: ProviderModel, name: str) -> None:
    await server.answer("ho")
    assert (await ask(model, *ODD[name])).text == "ho", await server.violations()


async def test_instructions_are_sent_once_and_apart(server: ModelServer, wire: Wire, model: ProviderModel) -> None:
    await server.answer("ho")
    await ask(model, Said("one"), Answered("two"), Said("three"), instructions="Be very kind.")
    body = await body_of(server, 1)
    assert json.dumps(body).count("Be very kind.") == 1
    if wire == "openai":
        assert body["messages"][0] == {"role": "system", "content": "Be very kind."}
