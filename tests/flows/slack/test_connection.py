"""The socket: it breaks, falls silent, is replaced, shared and switched off, and what people say is heard all the same."""

import pytest

from tests.fakes.slack.raw import raw_api, socket
from tests.fakes.slack.sockets import Reason
from tests.flows.slack.scene import Scene
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_socket, in_the_long_play

pytestmark = by_socket

ECHO = "Heard: {user}"


@in_the_long_play
async def test_a_socket_that_is_cut_is_opened_anew(scene: Scene) -> None:
    """B109: nothing is lost over it, and nothing doubled."""
    await scene.model.otherwise(ECHO)
    [before] = await scene.slack.sockets()
    await scene.slack.cut()
    await scene.say("one", chat=scene.direct)
    await scene.reads("Heard: one", chat=scene.direct)
    [after] = await scene.slack.wait_sockets(1)
    assert after.number != before.number
    await scene.house.ready()
    assert await scene.heard() == ["one"]


@in_the_long_play
@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "too_many_websockets"])
async def test_a_socket_that_is_to_be_replaced_is_without_a_gap(scene: Scene, reason: Reason) -> None:
    """Slack replaces each after some hours: the next is there before the old one goes."""
    await scene.model.otherwise(ECHO)
    [before] = await scene.slack.sockets()
    await scene.slack.disconnect(reason)
    for number in range(4):
        await scene.tells(f"number {number}", f"Heard: number {number}")
    await scene.slack.advance(11)
    [after] = await scene.slack.wait_sockets(1, newer_than=before.number)
    await scene.tells("and now", "Heard: and now")
    assert after.number != before.number
    assert await scene.heard() == [*(f"number {number}" for number in range(4)), "and now"]


@in_the_long_play
async def test_another_program_on_the_same_app_is_told_of(scene: Scene) -> None:
    """B110: it gets its share of the events, and nobody else would notice."""
    [ours] = await scene.slack.sockets()
    async with raw_api(scene.slack) as api, socket(api):
        await scene.slack.disconnect("refresh_requested", socket=ours.number)
        await scene.house.until(lambda parts: "Slack counts 3 sockets" in parts["channel:team"]["detail"])
        assert "another program" in (await scene.house.parts())["channel:team"]["detail"]
    await scene.slack.cut()
    await scene.slack.wait_sockets(1, newer_than=ours.number + 2)
    await scene.house.until(lambda parts: parts["channel:team"]["detail"].endswith(scene.slack.team_id))


@in_the_long_play
async def test_a_half_open_socket_is_found_out_by_its_silence(scene: Scene) -> None:
    """B109: no pong comes, so another takes over, and what the dead one swallowed is delivered again."""
    await scene.model.otherwise(ECHO)
    [before] = await scene.slack.sockets()
    await scene.slack.deafen(pings=False, swallow=True)
    await scene.slack.settings(ack_within=0.5)
    sent = await scene.slack.write(scene.direct, scene.person, "hello")
    await scene.slack.wait_tries(sent.event_id or "", 2)
    await scene.slack.wait_sockets(1, newer_than=before.number, timeout=25)
    await scene.slack.settings(ack_within=3.0)
    await scene.slack.advance(60)
    await scene.reads("Heard: hello", chat=scene.direct)
    assert await scene.heard() == ["hello"]


async def test_where_sockets_are_switched_off_nobody_goes_on_trying(stage: Stage) -> None:
    """B109: it is said, with what to do; an admin may connect again."""
    await stage.model.otherwise(ECHO)
    async with stage.service(admins=(*stage.plan.admins, "web:admin")) as house:
        await stage.slack.disconnect("link_disabled")
        await house.until(lambda parts: parts["channel:team"]["state"] == "error")
        assert "Socket Mode is switched off" in (await house.parts())["channel:team"]["detail"]
        opened = len(await stage.slack.calls("apps.connections.open"))
        assert not await stage.slack.sockets()
        await stage.say("hello", chat=stage.direct)
        await house.web_says("/connect team")
        await stage.reads("Heard: hello", chat=stage.direct)
        assert len(await stage.slack.calls("apps.connections.open")) == opened + 1


async def test_an_app_token_that_is_refused_is_told_and_not_tried_again(stage: Stage) -> None:
    """B206."""
    async with stage.service(until_ready=False, app_token="xapp-1-made-up") as house:
        await house.until(lambda parts: parts["channel:team"]["state"] == "error")
        assert "Slack does not take the app token" in (await house.parts())["channel:team"]["detail"]
        assert (await house.parts())["channel:web"]["state"] == "connected"
        assert len(await stage.slack.calls("apps.connections.open")) == 1
        assert "xapp-" not in house.log.read_text()
