"""The socket: one that is lost, deaf or asked to make room is followed by another, and nothing said meanwhile is lost."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
import pytest_asyncio

from channels.errors import Misconfigured
from channels.events import Message
from tests.channels.contract import RecordingInlet
from tests.channels.slack.house import QUICK, House, Visitor, made, running
from tests.fakes.slack.client import Slack

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALM = replace(QUICK, quiet=60.0)
"""It is not replaced for being silent."""


@pytest_asyncio.fixture(loop_scope="module")
async def calm(slack: Slack) -> AsyncIterator[House]:
    await slack.reset()
    await slack.settings(ack_within=0.5)
    async with running(slack, made(slack, pace=CALM)) as house:
        await slack.wait_sockets()
        yield house


async def latest(house: House) -> int:
    """The number of the one socket that is open."""
    return (await house.slack.wait_sockets())[0].number


async def heard(house: House, text: str) -> None:
    visitor = await Visitor.arrive(house.slack)
    await visitor.say(text)
    assert (await house.inlet.next(Message, visitor.where)).text == text


async def states_until(inlet: RecordingInlet, holds: Callable[[list[str]], bool]) -> list[str]:
    await inlet.until(lambda: holds([state for state, _ in inlet.states]))
    return [state for state, _ in inlet.states]


async def test_a_socket_that_is_cut_is_followed_by_another(calm: House) -> None:
    before = await latest(calm)
    await calm.slack.cut()
    await calm.slack.wait_sockets(newer_than=before, timeout=20)
    await heard(calm, "still there?")
    states = [state for state, _ in calm.inlet.states]
    assert states[-1] == "connected"
    assert "connecting" in states[1:], "it is not called healthy meanwhile"


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "too_many_websockets"])
async def test_one_that_is_asked_to_make_room_is_followed_before_it_ends(calm: House, reason: str) -> None:
    """B109: nothing that is said in between is lost, and it is healthy all the time."""
    before = await latest(calm)
    await calm.slack.disconnect(reason)  # type: ignore[arg-type]  # one of the reasons
    visitor = await Visitor.arrive(calm.slack)
    for number in range(10):
        await visitor.say(f"number {number}")
    await calm.slack.wait_sockets(newer_than=before, timeout=20)
    await calm.inlet.next(Message, visitor.where, count=10)
    assert len(calm.inlet.of(Message, visitor.where)) == 10
    if reason != "too_many_websockets":
        assert [state for state, _ in calm.inlet.states] == ["connecting", "connected", "connected"]


async def test_one_that_answers_no_pings_is_replaced(calm: House) -> None:
    """B109: half open, it looks alive for hours."""
    before = await latest(calm)
    await calm.slack.deafen(pings=False)
    await calm.slack.wait_sockets(newer_than=before, timeout=20)
    await heard(calm, "do you hear me?")


async def test_one_that_is_silent_for_long_is_replaced(slack: Slack) -> None:
    """B109: it answers pings and brings nothing."""
    await slack.reset()
    async with running(slack, made(slack, pace=replace(QUICK, quiet=0.5))) as house:
        before = await latest(house)
        await slack.deafen(swallow=True)
        await slack.wait_sockets(newer_than=before, timeout=20)
        await heard(house, "do you hear me now?")


async def test_a_switched_off_socket_mode_is_told_plainly(calm: House) -> None:
    await calm.slack.disconnect("link_disabled")
    with pytest.raises(Misconfigured, match="Socket Mode is switched off"):
        await calm.running
    assert calm.inlet.states[-1][0] == "error"


@pytest.mark.parametrize("error", ["invalid_auth", "token_revoked", "account_inactive"])
async def test_a_token_that_is_not_taken_ends_it_in_one_sentence(slack: Slack, error: str) -> None:
    """B206: no endless reconnecting."""
    await slack.reset()
    await slack.fail("apps.connections.open", error=error, times=None)
    async with running(slack, made(slack)) as house:
        with pytest.raises(Misconfigured, match="app token"):
            await house.running
    assert len(await slack.calls("apps.connections.open")) == 1
    await slack.clear_faults()


async def test_a_bot_token_that_is_not_taken_ends_it_in_one_sentence(slack: Slack) -> None:
    """B205: this account is bad; whoever runs it starts the others all the same."""
    await slack.reset()
    await slack.fail("auth.test", error="invalid_auth", times=None)
    async with running(slack, made(slack)) as house:
        with pytest.raises(Misconfigured, match="bot token"):
            await house.running
    await slack.clear_faults()


async def test_slack_that_is_away_is_tried_again(slack: Slack) -> None:
    await slack.reset()
    await slack.fail("apps.connections.open", status=503, times=3)
    async with running(slack, made(slack)) as house:
        await states_until(house.inlet, lambda states: states[-1] == "connected")
        assert len(await slack.calls("apps.connections.open")) == 4
        await heard(house, "back again")


async def test_another_program_on_the_same_app_is_told(slack: Slack) -> None:
    """B110: about half of the events would vanish into it."""
    await slack.reset()
    async with running(slack, made(slack, pace=CALM)), running(slack, made(slack, pace=CALM)) as second:
        state, detail = second.inlet.states[-1]
        assert state == "connected"
        assert "another program" in detail


async def test_what_is_being_taken_when_it_stops_comes_again(slack: Slack) -> None:
    """B002: an acknowledgement that was never sent is no loss."""
    await slack.reset()
    await slack.settings(ack_within=0.5)
    async with running(slack, made(slack)) as house:
        house.inlet.refuse = lambda event: True
        visitor = await Visitor.arrive(slack)
        await visitor.say("keep me")
        await house.inlet.until(lambda: len(house.inlet.attempts) >= 1)
    async with running(slack, made(slack)) as house:
        await slack.advance(60)
        assert (await house.inlet.next(Message, visitor.where)).text == "keep me"
