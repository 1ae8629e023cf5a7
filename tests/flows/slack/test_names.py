"""Who is meant: names are looked up, in time or later, and neither order nor a message is lost over it."""

from tests.fakes.model.script import calls
from tests.flows.slack.scene import Scene
from tests.flows.slack.stage import Stage
from tests.flows.slack.ways import by_http, by_socket, in_the_long_play

ECHO = "Heard: {user}"


@in_the_long_play
@by_socket
async def test_who_and_what_is_mentioned_is_named_beside_its_id(scene: Scene) -> None:
    """B090: by Slack's name, never by a label; an id alone where nobody is behind it."""
    await scene.model.otherwise(ECHO)
    bob = await scene.joins("Bob")
    gone = await scene.slack.user("Gone")
    away = await scene.slack.change_user(gone, deleted=True)
    there = f"#general ({scene.chat.id})"
    thread = await scene.asks(f"ask {bob.mention} about #general")
    await scene.reads(f"Heard: Guest: ask @Bob ({bob.id}) about {there}", thread=thread)
    text = f"<@{scene.slack.bot_user_id}> ask <@{away.id}|Bob> or <@U0NOBODY|Ann> &amp;lt;@{bob.id}&amp;gt;"
    event = {"type": "message", "channel": scene.chat.id, "channel_type": "channel", "user": scene.person.id}
    await scene.slack.inject_event({**event, "text": text, "ts": "1700000000.000100"})
    await scene.model.wait_request(2)
    assert await scene.model_read(2) == f"Guest: ask @{away.id} or @U0NOBODY &lt;@{bob.id}&gt;"


@in_the_long_play
@by_socket
async def test_whom_slack_does_not_know_is_asked_for_once(scene: Scene) -> None:
    """B092: for good; what Slack did not say because it had trouble is asked again."""
    await scene.model.otherwise(ECHO)
    await scene.tells("hello", "Heard: hello")
    zoe = await scene.slack.user("Zoe")
    event = {"type": "message", "channel": scene.direct.id, "channel_type": "im", "user": scene.person.id}
    for number, (user, name) in enumerate(
        [("U0NOONE", "@U0NOONE"), ("U0NOONE", "@U0NOONE"), (zoe.id, f"@{zoe.id}"), (zoe.id, f"@Zoe ({zoe.id})")]
    ):
        if name == f"@{zoe.id}":
            await scene.slack.fail("users.info", error="internal_error")
        await scene.slack.inject_event({**event, "text": f"<@{user}>!", "ts": f"1700000000.00{number}100"})
        assert await scene.model_read(number + 2) == f"{name}!"
    asked = [call.args["user"] for call in await scene.slack.calls("users.info")]
    assert asked == [scene.person.id, "U0NOONE", zoe.id, zoe.id]


@in_the_long_play
async def test_a_slow_name_lets_no_later_message_overtake(scene: Scene) -> None:
    """B091: in one chat they are taken in the order in which they came, each acknowledged in time."""
    await scene.model.otherwise(ECHO)
    await scene.tells("hello", "Heard: hello")
    tim = await scene.slack.user("Tim")
    await scene.slack.delay("users.info", seconds=1.0)
    first = await scene.slack.write(scene.direct, scene.person, f"ask {tim.mention}")
    if scene.transport == "http":
        await scene.slack.wait_calls("users.info", 2, arrived=True)  # posts are not delivered in order by themselves
    second = await scene.slack.write(scene.direct, scene.person, "at once")
    await scene.reads("Heard: at once", chat=scene.direct)
    assert await scene.heard() == ["hello", f"ask @Tim ({tim.id})", "at once"]
    told = {each.event_id: (each.state, each.tries) for each in await scene.slack.deliveries()}
    assert [told[sent.event_id or ""] for sent in (first, second)] == [("taken", 1), ("taken", 1)]


@in_the_long_play
async def test_whoever_cannot_be_looked_up_for_long_is_heard_later_and_in_order(scene: Scene) -> None:
    """B091: their words are acknowledged and kept; others are not held up."""
    await scene.model.otherwise(ECHO)
    carl = await scene.slack.user("Carl")
    chat = await scene.slack.private_chat(carl)
    await scene.tells("hello", "Heard: hello")
    await scene.slack.fail("users.info", error="internal_error", times=2)
    await scene.say("one", chat=chat, who=carl)
    await scene.slack.wait_confirmed()
    await scene.say("two", chat=chat, who=carl)
    await scene.slack.wait_confirmed()
    await scene.tells("and me?", "Heard: and me?")
    await scene.reads("Heard: two", chat=chat)
    assert await scene.there(chat=chat) == ["Heard: one", "Heard: two"]


@in_the_long_play
async def test_a_press_of_someone_who_cannot_be_looked_up_fails_and_may_be_pressed_again(scene: Scene) -> None:
    """B154: nothing is shown as done, the card stays, and the next press counts."""
    await scene.hears("milk", first=calls("add_note", {"text": "milk"}), then="Noted.")
    carl = await scene.joins("Carl")
    await scene.asks("milk")
    card = await scene.card()
    await scene.slack.fail("users.info", error="internal_error")
    pressed = await scene.slack.press(scene.chat, carl, card.id, "Approve")
    assert (await scene.slack.wait_answer(pressed, expect_notice=False)).failed
    assert "You may not decide this" in await scene.press(card, "Approve", who=carl)
    assert await scene.press(card, "Approve") == "Approved."
    await scene.settled(card, "Approved by Guest")


@by_http
async def test_what_was_kept_is_answered_after_a_restart(stage: Stage) -> None:
    """B091: acknowledged is acknowledged; Slack does not deliver it again."""
    await stage.model.otherwise(ECHO)
    bob = await stage.slack.user("Bob")
    chat = await stage.slack.private_chat(bob)
    await stage.slack.fail("users.info", error="internal_error", times=None)
    async with stage.service():
        await stage.say("one", chat=chat, who=bob)
        await stage.say("two", chat=chat, who=bob)
        await stage.slack.wait_confirmed()
    assert await stage.heard() == []
    await stage.slack.clear_faults()
    async with stage.service():
        await stage.reads("Heard: two", chat=chat)
        assert await stage.there(chat=chat) == ["Heard: one", "Heard: two"]
    assert all(each.tries == 1 for each in await stage.slack.deliveries())
