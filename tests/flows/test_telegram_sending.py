"""What we send: long answers, flood waits, lost answers, signs of work."""

import asyncio

from tests.fakes.model.script import Call, Reply, Rule, calls
from tests.fakes.telegram.protocol import Shown
from tests.flows.groups import TROUPE, Story, in_a_story

pytest_plugins = [TROUPE]

MARK = "This may be a repeat"
PARTS = tuple(f"Part {number}. " + f"w{number} " * 1_250 for number in range(3))
LONG = "\n\n".join(PARTS)
"""Three parts of about 3,800 characters, so that each is a message."""


def numbered(shown: list[Shown]) -> list[str]:
    """Which part each message holds, marked ones with a star."""
    found = [(part, each.text) for each in shown for part in "012" if f"Part {part}." in each.text]
    return [part + ("*" if MARK in text else "") for part, text in found]


@in_a_story
async def test_a_long_answer_comes_whole_in_parts_and_its_buttons_stand_last(story: Story) -> None:
    """B061, B063: 12,000 characters with a fence of one long line and a table; nothing is lost, each part is formatted."""
    code = "x" * 6_000
    table = "| name | count |\n|---|---|\n" + "\n".join(f"| item {number} | {number} |" for number in range(120))
    text = f"Begin.\n\n```python\n{code}\n```\n\n{table}\n\n" + "word " * 600 + "\n\nEnd."
    assert len(text) > 11_000
    asking = Reply(text=text, calls=(Call(name="add_note", arguments={"text": "milk"}),))
    await story.hears("epic", first=asking, then="Noted.")
    await story.say("epic")
    card = await story.card()
    parts = [each for each in await story.ours(story.chat) if each.id < card.id]
    assert len(parts) >= 3
    assert [each.buttons for each in parts] == [()] * len(parts)
    whole = "\n".join(each.text for each in parts)
    assert whole.startswith("Begin.")
    assert whole.rstrip().endswith("End.")
    assert whole.count("x" * 100) >= 58
    assert sum(each.text.count("x") for each in parts) >= 6_000
    assert [number for number in range(120) if f"item {number}" not in whole] == []
    fences = [entity for each in parts for entity in each.entities if entity["type"] == "pre"]
    assert sum(entity.get("language") == "python" for entity in fences) >= 2
    await story.press(card, "Reject")
    await story.reads("Noted.", after=card.id)


@in_a_story
async def test_a_part_that_got_lost_is_repeated_once_with_its_mark_and_the_rest_still_comes(story: Story) -> None:
    """B014: nobody knows whether the second part arrived. Here it did; then here it did not."""
    await story.model.otherwise(LONG)
    await story.telegram.drop("sendMessage", chat=story.chat, skip=1, when="after")
    said = await story.say("epic")
    await story.reads("Part 2.", after=said)
    assert numbered(await story.ours(story.chat)) == ["0", "1", "1*", "2"]
    await story.telegram.drop("sendMessage", chat=story.chat, skip=1)
    said = await story.say("epic")
    await story.reads("Part 2.", after=said)
    assert numbered(await story.ours(story.chat, after=said)) == ["0", "1*", "2"]


@in_a_story
async def test_a_part_that_gets_lost_twice_is_given_up_with_a_line_in_the_log(story: Story) -> None:
    """B014: never a third time; what comes after it is not held up."""
    await story.model.otherwise(LONG)
    await story.telegram.drop("sendMessage", chat=story.chat, skip=1, times=2)
    await story.say("epic")
    await story.reads("Part 2.")
    assert numbered(await story.ours(story.chat)) == ["0", "2"]
    assert [line for line in story.house.logged() if line["event"] == "a message was not shown"][-1]["key"].endswith(
        ":1"
    )


@in_a_story
async def test_a_full_part_that_is_repeated_still_fits_with_its_mark(story: Story) -> None:
    """A part may be as long as Telegram takes; the mark must not make it too long."""
    await story.model.otherwise("y" * 9_000)
    await story.telegram.drop("sendMessage", chat=story.chat, skip=1)
    await story.say("epic")
    await story.reads(MARK)
    await story.model.otherwise("The end.")
    await story.say("and then?")
    await story.reads("The end.")
    assert sum(each.text.count("y") for each in await story.ours(story.chat)) >= 9_000


@in_a_story
async def test_a_flood_wait_delays_its_chat_alone_and_for_exactly_that_long(story: Story) -> None:
    """B096: `retry_after` is kept to, no sooner and not much later; other chats go on meanwhile."""
    bob, other = await story.someone("Bob")
    await story.telegram.fail("sendMessage", status=429, retry_after=3, chat=story.chat)
    await story.say("one")
    [refused] = await story.telegram.wait_calls("sendMessage", chat=story.chat)
    await story.say("two", chat=other, who=bob)
    await story.reads("two", chat=other, timeout=2)
    await story.reads("one")
    again = (await story.telegram.calls("sendMessage", chat=story.chat))[1]
    assert 3.0 <= again.at - refused.ended < 3.6
    assert len(await story.ours(story.chat)) == 1


@in_a_story
async def test_what_changes_during_a_flood_wait_is_shown_once_as_it_is_then(story: Story) -> None:
    """B098: a card decided while its chat must wait is not edited twice. B095: nor is "not modified" a trouble."""
    await story.hears("milk", first=calls("add_note", {"text": "milk"}), then="Noted.")
    await story.say("milk")
    card = await story.card()
    await story.telegram.fail("editMessageText", status=429, retry_after=2, chat=story.chat)
    assert await story.press(card, "Approve") == "Approved."
    await story.telegram.wait_calls("editMessageText", chat=story.chat)
    await story.settled(card, "Approved by Guest")
    await story.reads("Noted.")
    await story.telegram.fail(
        "editMessageText",
        status=400,
        description="Bad Request: message is not modified: specified new message content and reply markup are exactly"
        " the same as a current content and reply markup of the message",
        chat=story.chat,
    )
    said = await story.say("milk")
    second = await story.card(after=said)
    await story.press(second, "Reject")
    await story.reads("Noted.", after=said)
    assert len(await story.telegram.calls("editMessageText", chat=story.chat)) == 3
    assert len(await story.ours(story.chat)) == 4


@in_a_story
async def test_a_sign_of_work_within_a_second_and_a_line_that_follows_the_work(story: Story) -> None:
    """B229: typing begins at once and ends with the run; the line is edited into the answer, also after a flood wait.
    B098: a line that had to wait until its answer was there is never shown."""
    bob, other = await story.someone("Bob")
    await story.slow("dream", "Dreamt.")
    await story.slow("ponder", "Pondered.")
    await story.telegram.fail("sendMessage", status=429, retry_after=2, chat=other)
    await story.say("dream", chat=other, who=bob)
    await story.say("ponder")
    [typing] = await story.telegram.wait_calls("sendChatAction", chat=story.chat)
    latency = next(each for each in await story.telegram.latencies() if each.chat == story.chat.id)
    assert latency.seconds is not None
    assert latency.seconds < 1, typing
    line = await story.reads("… thinking")
    await story.telegram.fail("editMessageText", status=429, retry_after=2, chat=story.chat)
    await story.telegram.wait_calls("sendMessage", chat=other)
    await story.model.release("dream")
    await story.model.release("ponder")
    await story.telegram.wait_calls("editMessageText", chat=story.chat)
    signs = len(await story.telegram.actions(story.chat))
    assert (await story.reads("Pondered.")).id == line.id
    assert len(await story.ours(story.chat)) == 1
    assert len(await story.telegram.actions(story.chat)) == signs
    assert (await story.reads("Dreamt.", chat=other)).edits == 0
    assert len(await story.telegram.calls("sendMessage", chat=other)) == 2


@in_a_story
async def test_the_line_goes_however_the_run_ends(story: Story) -> None:
    """B227, B228: /stop, failure, an end without a word, a card in between; the last thing sent about it is its end."""
    ends = {
        "stopped": Reply(text="never", hold="stopped"),
        "failed": Reply(status=400, hold="failed"),
        "silent": Reply(calls=(Call(name="silent_exit"),), hold="silent"),
        "asking": Reply(calls=(Call(name="add_note", arguments={"text": "milk"}),), hold="asking"),
    }
    await story.model.rules(*(Rule(contains=words, reply=reply) for words, reply in ends.items()))
    groups = {words: await story.group(words) for words in ends}
    for words, chat in groups.items():
        await story.asks(chat, words)
    lines = await asyncio.gather(*(story.reads("… thinking", chat=chat) for chat in groups.values()))
    await story.say("/stop", chat=groups["stopped"])
    for words in ("failed", "silent", "asking"):
        await story.model.release(words)
    await story.card(chat=groups["asking"])
    await story.reads("refused this request", chat=groups["failed"], message=lines[1].id)
    for words, line in zip(ends, lines, strict=True):
        if words != "failed":
            await story.telegram.wait_message(groups[words], message=line.id, deleted=True)
    assert [len(await story.ours(chat)) for chat in groups.values()] == [1, 1, 0, 1]
    await story.say("/stop", chat=groups["asking"])
    await story.reads("Stopped.", chat=groups["asking"])


@in_a_story
async def test_an_answer_after_half_a_minute_is_a_new_message_and_the_line_goes(story: Story) -> None:
    """So that phones notify. The line says what is being done until then, and typing goes on."""
    await story.slow("ponder", "Pondered.")
    await story.say("ponder")
    line = await story.reads("… thinking")
    await story.telegram.wait_calls("sendChatAction", 10, chat=story.chat, timeout=60)  # one every four seconds
    await story.model.release("ponder")
    answer = await story.reads("Pondered.")
    assert answer.id > line.id
    await story.telegram.wait_message(story.chat, message=line.id, deleted=True)
