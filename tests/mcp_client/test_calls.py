"""A call under way: limits, progress, questions to the person, and what is said of one that brings no answer."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bot.mcp_client.spoken import Accepted, Answer, CallFailed, Cancelled, Declined
from tests.fakes.mcp.kit import ECHO, Kit, tool
from tests.mcp_client.conftest import Watched

Make = Callable[..., Kit]
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


class Person:
    """Answers what is asked after a while."""

    def __init__(self, answer: Answer, after_s: float = 0.0) -> None:
        self._answer = answer
        self._after_s = after_s
        self.asked: list[tuple[str, Any]] = []

    async def form(self, message: str, schema: Mapping[str, Any]) -> Answer:
        self.asked.append((message, schema))
        await asyncio.sleep(self._after_s)
        return self._answer

    async def url(self, message: str, url: str) -> Answer:
        self.asked.append((message, url))
        return self._answer


class Broken(Person):
    async def form(self, message: str, schema: Mapping[str, Any]) -> Answer:
        raise ValueError("the form could not be shown")


FORM = {
    "do": "ask",
    "method": "elicitation/create",
    "params": {
        "message": "Which co\u200blour?",
        "requestedSchema": {"type": "object", "properties": {"c": {"type": "string"}}},
    },
}


def url(address: str) -> dict[str, Any]:
    return {**FORM, "params": {"mode": "url", "message": "Sign in", "url": address, "elicitationId": "1"}}


def asking(make: Make, era: str, act: Mapping[str, Any], **plan: Any) -> Kit:
    return make(era=era, tools=[ECHO, tool("ask")], acts={"ask": act}, **plan)


@ERAS
async def test_a_form_is_answered_by_the_person(fleet: Watched, make: Make, era: str) -> None:
    person = Person(Accepted({"c": "blue"}))
    await fleet.connected("one", **asking(make, era, FORM).spec)
    result = await fleet.call("one", "ask", {}, ask=person)
    assert "'c': 'blue'" in result.text
    assert "'action': 'accept'" in result.text
    [(message, schema)] = person.asked
    assert message == "Which colour?"
    assert schema["properties"] == {"c": {"type": "string"}}


@ERAS
@pytest.mark.parametrize(("answer", "action"), [(Declined(), "decline"), (Cancelled(), "cancel")])
async def test_a_refusal_is_passed_on(fleet: Watched, make: Make, era: str, answer: Answer, action: str) -> None:
    await fleet.connected("one", **asking(make, era, FORM).spec)
    assert f"'action': '{action}'" in (await fleet.call("one", "ask", {}, ask=Person(answer))).text


@ERAS
async def test_without_a_person_a_form_is_declined(fleet: Watched, make: Make, era: str) -> None:
    await fleet.connected("one", **asking(make, era, FORM).spec)
    assert "'action': 'decline'" in (await fleet.call("one", "ask", {})).text


@ERAS
async def test_a_form_that_cannot_be_shown_is_cancelled_and_the_server_stays_usable(
    fleet: Watched, make: Make, era: str
) -> None:
    await fleet.connected("one", **asking(make, era, FORM).spec)
    assert "'action': 'cancel'" in (await fleet.call("one", "ask", {}, ask=Broken(Declined()))).text
    assert "'a'" in (await fleet.call("one", "echo", {"a": 1})).text


@ERAS
async def test_the_time_that_a_person_takes_does_not_count(fleet: Watched, make: Make, era: str) -> None:
    spec = asking(make, era, FORM).spec
    await fleet.connected("one", **spec, timeouts={"idle_s": 0.5, "call_s": 0.8})
    result = await fleet.call("one", "ask", {}, ask=Person(Accepted({"c": "blue"}), after_s=1.2))
    assert "blue" in result.text


@ERAS
async def test_an_address_is_shown_whole(fleet: Watched, make: Make, era: str) -> None:
    person = Person(Accepted({}))
    await fleet.connected("one", **asking(make, era, url("https://example.org/in?a=b")).spec)
    assert "'action': 'accept'" in (await fleet.call("one", "ask", {}, ask=person)).text
    assert person.asked == [("Sign in", "https://example.org/in?a=b")]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "https://a@b.example/", "https://еxample.org/"]
)
async def test_an_address_that_cannot_be_trusted_is_not_shown(fleet: Watched, make: Make, address: str) -> None:
    person = Person(Accepted({}))
    await fleet.connected("one", **asking(make, "legacy", url(address)).spec)
    assert "accept" not in (await fleet.call("one", "ask", {}, ask=person)).text
    assert person.asked == []


async def test_a_form_is_put_to_nobody_when_it_could_be_for_two(fleet: Watched, make: Make) -> None:
    """Over stdio the older protocol does not say in which call a server asks."""
    kit = make(
        era="legacy",
        tools=[tool("ask"), tool("slow")],
        acts={"ask": FORM, "slow": {"do": "slow", "seconds": 0.5}},
    )
    await fleet.connected("one", **kit.spec)
    one, other = Person(Accepted({"c": "x"})), Person(Accepted({"c": "y"}))
    slow = asyncio.create_task(fleet.call("one", "slow", {}, ask=other))
    while not kit.calls():  # noqa: ASYNC110  a file of another process tells of nothing
        await asyncio.sleep(0.02)
    assert "decline" in (await fleet.call("one", "ask", {}, ask=one)).text
    await slow
    assert one.asked == other.asked == []


async def test_over_http_a_form_belongs_to_the_call_in_whose_answer_it_comes(fleet: Watched, make: Make) -> None:
    kit = make(
        era="legacy", tools=[tool("ask"), tool("slow")], acts={"ask": FORM, "slow": {"do": "slow", "seconds": 0.5}}
    )
    one, other = Person(Accepted({"c": "x"})), Person(Accepted({"c": "y"}))
    async with kit.serving() as root:
        await fleet.connected("one", url=f"{root}/mcp", allow_private=True)
        slow = asyncio.create_task(fleet.call("one", "slow", {}, ask=other))
        while not kit.calls():  # noqa: ASYNC110  as above
            await asyncio.sleep(0.02)
        assert "'c': 'x'" in (await fleet.call("one", "ask", {}, ask=one)).text
        await slow
    assert other.asked == []


@pytest.mark.parametrize("method", ["sampling/createMessage", "roots/list", "something/else"])
async def test_what_else_a_server_asks_is_refused_and_nothing_hangs(fleet: Watched, make: Make, method: str) -> None:
    params = {"messages": [], "maxTokens": 1} if method.startswith("sampling") else {}
    await fleet.connected("one", **asking(make, "legacy", {"do": "ask", "method": method, "params": params}).spec)
    assert "'code': -32" in (await fleet.call("one", "ask", {})).text


CHATTER = [
    {"method": "notifications/unheard-of", "params": {"a": [1]}},
    {"method": "notifications/unheard-of"},
    {"method": "notifications/progress", "params": {"progressToken": "nobody's", "progress": 1}},
    {"method": "notifications/progress", "params": {"progress": "much"}},
    {"method": "notifications/cancelled", "params": {"requestId": 1}},
    {"method": "notifications/message", "params": {"level": "loud", "data": None}},
    {"id": 99_999, "result": {}},
    {"id": "x", "error": {"code": -1, "message": "no"}},
    {"id": None, "error": {"code": -1, "message": "no"}},
]


@ERAS
async def test_what_belongs_to_nothing_is_passed_over(fleet: Watched, make: Make, era: str) -> None:
    kit = make(era=era, tools=[tool("chat")], acts={"chat": {"do": "chatter", "said": CHATTER}})
    await fleet.connected("one", **kit.spec)
    for _ in range(2):
        assert "said" in (await fleet.call("one", "chat", {})).text
    assert fleet.state("one") == "connected"


async def test_a_server_is_told_of_nothing_that_it_cannot_ask_for(fleet: Watched, make: Make) -> None:
    kit = make(era="legacy")
    await fleet.connected("one", **kit.spec)
    [begun] = kit.received("initialize")
    assert set(begun["params"]["capabilities"]) == {"elicitation"}
    assert begun["params"]["clientInfo"]["name"] == "askfirst"


@ERAS
async def test_progress_is_told_and_extends_the_idle_limit(fleet: Watched, make: Make, era: str) -> None:
    kit = make(era=era, tools=[tool("work")], acts={"work": {"do": "progress", "steps": 8, "every": 0.2}})
    await fleet.connected("one", **kit.spec, timeouts={"idle_s": 0.8, "call_s": 20})
    told: list[tuple[float, float | None, str]] = []

    async def progress(done: float, total: float | None, words: str) -> None:
        told.append((done, total, words))

    assert "made" in (await fleet.call("one", "work", {}, progress=progress)).text
    assert told[0] == (1.0, 8.0, "step 1")


async def test_progress_does_not_extend_the_limit_of_the_whole_call(fleet: Watched, make: Make) -> None:
    act = {"do": "progress", "steps": 100, "every": 0.1}
    await fleet.connected(
        "one", **make(tools=[tool("work")], acts={"work": act}).spec, timeouts={"idle_s": 1, "call_s": 1.5}
    )
    with pytest.raises(CallFailed, match=r"did not finish within 1\.5 seconds") as caught:
        await fleet.call("one", "work", {})
    assert caught.value.code == "timeout"


async def test_a_silent_call_is_given_up_and_cancelled_at_the_server(fleet: Watched, make: Make) -> None:
    kit = make(tools=[ECHO, tool("hang")], acts={"hang": {"do": "hang"}})
    await fleet.connected("one", **kit.spec, timeouts={"idle_s": 0.3})
    with pytest.raises(CallFailed, match="nor report progress") as caught:
        await fleet.call("one", "hang", {})
    assert caught.value.code == "timeout"
    assert "'a'" in (await fleet.call("one", "echo", {"a": 1})).text
    assert len(kit.received("notifications/cancelled")) == 1


async def test_a_server_that_stops_reading_holds_up_its_caller_only_for_so_long(fleet: Watched, make: Make) -> None:
    kit = make(faults=["deaf"])
    await fleet.connected("one", **kit.spec, timeouts={"idle_s": 0.5})
    with pytest.raises(CallFailed) as caught:
        await fleet.call("one", "echo", {"a": "x" * 1_000_000})
    assert caught.value.code == "timeout"
    await fleet.until(lambda: fleet.state("one") == "error")


async def test_a_caller_that_goes_away_cancels_the_call(fleet: Watched, make: Make) -> None:
    kit = make(tools=[ECHO, tool("hang")], acts={"hang": {"do": "hang"}})
    await fleet.connected("one", **kit.spec)
    calling = asyncio.create_task(fleet.call("one", "hang", {}))
    while not kit.calls():  # noqa: ASYNC110  a file of another process tells of nothing
        await asyncio.sleep(0.02)
    calling.cancel()
    await asyncio.wait([calling])
    assert calling.cancelled()
    assert "'a'" in (await fleet.call("one", "echo", {"a": 1})).text
    assert len(kit.received("notifications/cancelled")) == 1


async def test_a_server_that_is_not_known_is_not_connected(fleet: Watched) -> None:
    with pytest.raises(CallFailed) as caught:
        await fleet.call("nobody", "echo", {})
    assert caught.value.code == "not_connected"


async def test_a_result_holds_no_secret_of_the_servers_configuration(fleet: Watched, make: Make) -> None:
    """A server that is at odds with a key likes to repeat it. What is no secret by its name is the result's own."""
    kit = make(acts={"echo": {"do": "environ"}})
    spec = {**kit.spec, "env": {"API_TOKEN": "made-up-for-this", "PLACE": "/srv/made-up"}}
    await fleet.connected("one", **spec)
    result = await fleet.call("one", "echo", {})
    assert "API_TOKEN=********" in result.text
    assert "made-up-for-this" not in result.whole
    assert "PLACE=/srv/made-up" in result.text


async def test_an_error_of_the_protocol_is_an_answer(fleet: Watched, make: Make) -> None:
    act = {"do": "error", "error": {"code": -32602, "message": "no such city"}}
    await fleet.connected("one", **make(tools=[tool("work")], acts={"work": act}).spec)
    result = await fleet.call("one", "work", {})
    assert result.failed
    assert "no such city" in result.text


async def test_an_error_with_the_number_of_a_broken_connection_is_an_answer_too(fleet: Watched, make: Make) -> None:
    act = {"do": "error", "error": {"code": -32000, "message": "database is locked"}}
    await fleet.connected("one", **make(tools=[tool("work")], acts={"work": act}).spec)
    assert "database is locked" in (await fleet.call("one", "work", {})).text


async def test_a_result_of_20_mb_comes_whole(fleet: Watched, make: Make) -> None:
    await fleet.connected("one", **make(tools=[tool("big")], acts={"big": {"do": "big", "bytes": 20_000_000}}).spec)
    result = await fleet.call("one", "big", {})
    assert len(result.text) < 60_000
    assert "characters left out here" in result.text
    assert len(result.whole) > 20_000_000
