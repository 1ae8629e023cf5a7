"""What of all that Slack delivers is taken up, once, and what is passed over."""

from typing import Any

import pytest

from tests.fakes.model.script import Reply, Rule
from tests.fakes.slack.answers import Place
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import by_http, by_socket, in_the_long_play

pytestmark = in_the_long_play

ECHO = "Heard: {user}"


async def only(scene: Scene, *heard: str) -> None:
    """Nothing but this reached the model."""
    await scene.slack.wait_confirmed()
    await scene.house.at_rest()
    assert await scene.heard() == list(heard)


@pytest.mark.parametrize("gap", [0.0, 0.05])
@pytest.mark.parametrize("mention_first", [False, True], ids=["message first", "app_mention first"])
async def test_a_mention_that_comes_as_two_events_is_one(scene: Scene, mention_first: bool, gap: float) -> None:
    """B005: `message` and `app_mention` have ids of their own, and come in either order."""
    await scene.model.otherwise(ECHO)
    await scene.slack.settings(mention_first=mention_first, mention_gap=gap)
    try:
        thread = await scene.asks("hello")
        await scene.reads("Heard: Guest: hello", thread=thread)
        await only(scene, "Guest: hello")
    finally:
        await scene.slack.settings(mention_first=False, mention_gap=0.0)
    assert len(await scene.ours(thread=thread)) == 1


@by_socket
async def test_an_app_that_is_only_told_of_mentions_answers_them(scene: Scene) -> None:
    """B006."""
    await scene.model.otherwise(ECHO)
    await scene.slack.settings(unsubscribed=["message.channels"])
    try:
        thread = await scene.asks("hello")
        await scene.reads("Heard: Guest: hello", thread=thread)
    finally:
        await scene.slack.settings(unsubscribed=[])
    await only(scene, "Guest: hello")


async def test_a_delivery_that_comes_again_and_again_is_one_run(scene: Scene) -> None:
    """B001: each repeat is acknowledged too."""
    await scene.model.otherwise(ECHO)
    sent = await scene.slack.write(scene.direct, scene.person, "hello")
    assert sent.event_id is not None
    for _ in range(3):
        await scene.slack.repeat(sent.event_id)
    await scene.reads("Heard: hello", chat=scene.direct)
    await scene.slack.repeat(sent.event_id)
    await only(scene, "hello")
    [delivered] = [each for each in await scene.slack.deliveries() if each.event_id == sent.event_id]
    assert (delivered.state, delivered.tries) == ("taken", 1)


async def test_names_that_take_their_time_hold_no_acknowledgement_up(scene: Scene) -> None:
    """B018: the acknowledgement comes in time whatever else is asked of Slack, so nothing comes twice."""
    await scene.model.otherwise(ECHO)
    bob = await scene.joins("Bob")
    await scene.slack.delay("users.info", seconds=2.5, times=2)
    sent = await scene.slack.write(scene.chat, scene.person, f"{scene.mention} ask {bob.mention}")
    await scene.reads("Heard: Guest: ask @Bob", thread=sent.message_id)
    await only(scene, f"Guest: ask @Bob ({bob.id})")
    mine = [each for each in await scene.slack.deliveries() if each.event_id in sent.event_ids]
    assert [(each.state, each.tries) for each in mine] == [("taken", 1), ("taken", 1)]


@by_http
async def test_a_repeat_that_says_so_in_its_headers_is_known_by_its_id(scene: Scene) -> None:
    """B001: the first answer got lost on its way, so that Slack repeats at once with X-Slack-Retry-Num."""
    await scene.model.otherwise(ECHO)
    await scene.slack.settings(ack_within=0.001)
    sent = await scene.slack.write(scene.direct, scene.person, "hello")
    await scene.reads("Heard: hello", chat=scene.direct)
    await scene.slack.settings(ack_within=3.0)
    for _ in range(3):
        await scene.slack.advance(300)
    await scene.slack.wait_confirmed()
    [delivered] = [each for each in await scene.slack.deliveries() if each.event_id == sent.event_id]
    assert delivered.tries > 1
    await only(scene, "hello")


@by_socket
async def test_what_comes_first_as_a_repeat_is_processed(scene: Scene) -> None:
    """B002: nobody listened at the first try; a repeat is not thrown away for being one."""
    await scene.model.otherwise(ECHO)
    await scene.slack.deafen(swallow=True)
    await scene.slack.settings(ack_within=0.05)
    sent = await scene.slack.write(scene.direct, scene.person, "hello")
    await scene.slack.wait_tries(sent.event_id or "", 2)
    await scene.slack.undeafen()
    await scene.slack.settings(ack_within=3.0)
    await scene.slack.advance(60)
    await scene.reads("Heard: hello", chat=scene.direct)
    await only(scene, "hello")


@by_socket
async def test_the_words_beside_a_file_are_read_and_the_file_is_named(scene: Scene) -> None:
    """B019: `file_share` is a message like any other."""
    await scene.model.otherwise(ECHO)
    await scene.slack.send_file(scene.direct, scene.person, name="plan.pdf", caption="please read this")
    await scene.reads("please read this", chat=scene.direct)
    [told] = await scene.heard()
    assert "plan.pdf" in told
    await scene.slack.send_file(scene.direct, scene.person, name="plan.pdf")
    await scene.reads("I can read text.", chat=scene.direct)
    await only(scene, told)


@by_socket
async def test_a_reply_that_is_sent_to_the_channel_too_is_answered_in_its_thread(scene: Scene) -> None:
    """B020."""
    await scene.model.otherwise(ECHO)
    thread = await scene.asks("hello")
    await scene.reads("hello", thread=thread)
    await scene.say("to all of you", thread=thread, broadcast=True)
    await scene.reads("Heard: Guest: to all of you", thread=thread)
    await only(scene, "Guest: hello", "Guest: to all of you")
    assert "Guest: hello" in await scene.history(2)


@by_socket
@pytest.mark.parametrize("subtype", ["me_message", None])
async def test_me_is_talk(scene: Scene, subtype: str | None) -> None:
    """B024: what a person says is a message."""
    await scene.model.otherwise(ECHO)
    await scene.say("waves", chat=scene.direct, subtype=subtype)
    await scene.reads("Heard: waves", chat=scene.direct)


@by_socket
async def test_what_is_no_talk_starts_nothing(scene: Scene) -> None:
    """B024: joins, topics, pins, deletions come as messages with a user and a text."""
    await scene.model.otherwise(ECHO)
    said = await scene.tells("hello", "Heard: hello")
    await scene.slack.pin(scene.direct, scene.person, said.id)
    await scene.slack.react(scene.direct, scene.person, said.id, "thumbsup")
    for subtype in ("channel_join", "channel_topic", "reminder_add", "tombstone", "bot_message"):
        await scene.slack.inject_event(spoken(scene, scene.direct, "hello", subtype=subtype))
    await scene.slack.set_topic(scene.chat, scene.person, "what we plan")
    await scene.slack.set_topic(scene.direct, scene.person, "what we plan")
    await scene.joins("Bob")
    await scene.slack.delete(scene.direct, (await scene.slack.messages(scene.direct))[0].id)
    await only(scene, "hello")


@by_socket
async def test_our_own_words_and_those_of_other_bots_are_not_heard(scene: Scene) -> None:
    """B030: ours are known by user and by bot, either alone. B026: a workflow has no user at all."""
    await scene.model.otherwise("See https://example.org, " + ECHO)
    await scene.tells("a link please", "See https://example.org")
    slack, link = scene.slack, "See https://example.org"
    await slack.inject_event(spoken(scene, scene.direct, link, user=slack.bot_user_id, bot_id=slack.bot_id))
    await slack.inject_event(spoken(scene, scene.direct, link, user=slack.bot_user_id))
    await slack.inject_event(spoken(scene, scene.direct, link, bot_id=slack.bot_id))
    robot = await slack.user("Robot", is_bot=True)
    await slack.join(scene.chat, robot)
    await scene.asks("hello", who=robot)
    workflow = spoken(scene, scene.chat, f"<@{slack.bot_user_id}> hello", bot_id="B0WORKFLOW", subtype="bot_message")
    del workflow["user"]
    await slack.inject_event(workflow)
    await slack.inject_event({**workflow, "type": "app_mention", "ts": "1700000009.000100"})
    await slack.inject_event(spoken(scene, scene.direct, "Reminder: hello", user="USLACKBOT"))
    await only(scene, "a link please")
    assert not await scene.ours()


@by_socket
async def test_the_text_counts_where_the_blocks_begin_with_nothing(scene: Scene) -> None:
    """B023."""
    await scene.model.otherwise(ECHO)
    nothing = [{"type": "text", "text": ""}, {"type": "text", "text": "what is up"}]
    section = {"type": "rich_text_section", "elements": nothing}
    blocks = [{"type": "rich_text", "block_id": "x", "elements": [section]}]
    await scene.slack.inject_event(spoken(scene, scene.direct, "what is up", blocks=blocks))
    await scene.reads("Heard: what is up", chat=scene.direct)


@by_socket
@pytest.mark.parametrize("after", ["", " ", "\u200b", " \u2060\ufeff"])
async def test_a_bare_mention_is_answered_without_a_model_and_leaves_no_sign(scene: Scene, after: str) -> None:
    """B025. B041: whoever goes on below that needs no second mention."""
    await scene.model.otherwise(ECHO)
    thread = await scene.say(f"{scene.mention}{after}")
    await scene.reads("Say what you need, or send !help.", thread=thread)
    assert await scene.heard() == []
    assert all(not each["status"] for each in (await scene.slack.statuses(scene.chat)).values())
    await scene.say("what is up", thread=thread)
    await scene.reads("Heard: Guest: what is up", thread=thread)


@by_socket
async def test_an_edit_never_makes_a_second_run_nor_a_command(scene: Scene) -> None:
    """B174: before its run begins the new words replace the old; while it runs the sender is told; later nothing."""
    await scene.model.rules(Rule(contains="slow", reply=Reply(text="At last.", hold="slow")))
    await scene.model.otherwise(ECHO)
    first = await scene.say("slow 1", chat=scene.direct)
    await scene.model.wait_request(1)
    second = await scene.say("number 2", chat=scene.direct)
    await scene.slack.edit(scene.direct, second, "number 3")
    await scene.slack.edit(scene.direct, first, "slow 4")
    await scene.reads("I had already begun with your earlier wording", chat=scene.direct)
    await scene.slack.edit(scene.direct, first, "!stop")
    await scene.slack.wait_confirmed()
    await scene.model.release("slow")
    await scene.reads("Heard: number 3", chat=scene.direct)
    await scene.slack.edit(scene.direct, first, "slow 5")
    await scene.slack.edit(scene.direct, second, f"{scene.mention} number 6")
    await only(scene, "slow 1", "number 3")


@by_socket
async def test_a_mention_that_is_edited_in_later_is_no_mention(scene: Scene) -> None:
    await scene.model.otherwise(ECHO)
    said = await scene.say("hello")
    await scene.slack.edit(scene.chat, said, f"{scene.mention} hello")
    await only(scene)


def spoken(scene: Scene, chat: Place, text: str, **more: Any) -> dict[str, Any]:
    """A message event as Slack makes it, with this instead."""
    ts = f"17000000{len(text):02}.{sum(map(ord, str(more))) % 10**6:06}"
    event = {"type": "message", "channel": chat.id, "channel_type": "im" if chat.kind == "im" else "channel"}
    return {**event, "user": scene.person.id, "text": text, "ts": ts, "event_ts": ts, **more}
