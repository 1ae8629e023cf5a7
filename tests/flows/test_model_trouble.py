"""What a model does wrong, and what people are told of it: a sentence of ours, never the provider's words."""

import pytest

from tests.fakes.model.script import Call, Reply, Rule, calls, fails
from tests.flows.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

TROUBLE = (
    ("a refused key", fails(401, "invalid_api_key", message="Incorrect API key provided: sk-abc"), "refused our key"),
    ("no quota", fails(429, "insufficient_quota", message="You exceeded your current quota"), "quota is used up"),
    ("a refused request", fails(400, "invalid_value", message="Invalid value for 'x'"), "refused this request"),
    ("an unknown model", fails(404, "model_not_found", message="The model does not exist"), "does not exist or its"),
    ("an answer that is no JSON", Reply(raw_body="<html>Bad gateway</html>"), "cannot be used"),
    ("no choices", Reply(no_choices=True), "cannot be used"),
    ("an empty answer", Reply(text=""), "cannot be used"),
    ("white space only", Reply(text=" \n "), "cannot be used"),
)


@pytest.mark.parametrize(("reply", "words"), [row[1:] for row in TROUBLE], ids=[row[0] for row in TROUBLE])
async def test_trouble_is_told_in_our_own_words_and_the_chat_goes_on(scene: Scene, reply: Reply, words: str) -> None:
    """B224: the real cause is kept apart, and nothing of the history is thrown away for it."""
    await scene.hears("first", first=Reply(text="Yes."))
    await scene.hears("riddle", first=reply)
    await scene.hears("again", first=Reply(text="Better."))
    await scene.type("first", "Yes.")
    told = await scene.type("riddle", words)
    for theirs in ("sk-abc", "Incorrect", "exceeded", "Invalid value", "html", "scripted", "Traceback", "Error"):
        assert theirs not in told.text
    await scene.type("again", "Better.")
    history = str((await scene.model.requests())[-1].body["messages"])
    assert "first" in history


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (fails(503, message="overloaded"), "cannot be reached just now"),
        (fails(429, retry_after=0.1, message="slow down"), "asked too often just now"),
        (Reply(hang_up=True), "cannot be reached just now"),
    ],
    ids=["down", "rate", "hung up"],
)
async def test_trouble_that_stays_is_given_up_after_four_tries(scene: Scene, reply: Reply, words: str) -> None:
    await scene.hears("riddle", first=reply)
    told = await scene.type("riddle", words)
    assert "overloaded" not in told.text
    assert len(await scene.model.requests()) == 4


async def test_trouble_that_passes_is_waited_out_unseen(scene: Scene) -> None:
    await scene.model.rules(Rule(contains="riddle", times=2, reply=fails(503)))
    await scene.hears("riddle", first=Reply(text="Solved."))
    await scene.type("riddle", "Solved.")
    assert await scene.there() == ["Solved."]


async def test_an_answer_that_was_cut_says_so(scene: Scene) -> None:
    await scene.hears("story", first=Reply(text="Once upon a", finish="length"))
    told = await scene.type("a story", "Once upon a")
    assert "it reached the length limit.)" in told.text


async def test_a_connection_lost_within_an_answer_is_asked_again_and_one_answer_shown(scene: Scene) -> None:
    await scene.model.rules(Rule(contains="story", times=1, reply=Reply(text="Once upon a time", cut_after=2)))
    await scene.hears("story", first=Reply(text="The whole story."))
    await scene.type("a story", "The whole story.")
    assert await scene.there() == ["The whole story."]


async def test_a_model_that_goes_round_in_circles_is_stopped_after_the_steps(scene: Scene) -> None:
    await scene.hears("time", first=calls("current_time"), then=calls("current_time"))
    await scene.type("the time", "I stopped after 6 steps without a result.")
    asked = await scene.model.requests()
    assert len(asked) == 6
    assert "near the limit of steps" not in asked[3].body["messages"][0]["content"]
    assert "near the limit of steps" in asked[4].body["messages"][0]["content"]


async def test_a_run_that_uses_up_its_tokens_is_stopped(scene: Scene) -> None:
    await scene.hears("time", first=Reply(calls=(Call(name="current_time"),), usage=(25_000, 100)), then="Late.")
    await scene.type("the time", "this message used up its budget of tokens")
    assert len(await scene.model.requests()) == 1


async def test_a_history_that_is_too_long_is_cut_once_and_then_told(scene: Scene) -> None:
    """B223: a request that overflows does not poison the session: the next short message works."""
    overflow = fails(400, "context_length_exceeded", message="This model's maximum context length is 8192 tokens")
    await scene.hears("long", first=overflow)
    await scene.hears("short", first=Reply(text="Fine."))
    await scene.type("long", "This conversation has become too long for the model. Send /new to start afresh")
    assert len(await scene.model.requests()) == 2
    await scene.type("short", "Fine.")


async def test_an_overflow_that_fits_when_halved_is_not_noticed(scene: Scene) -> None:
    overflow = fails(400, "context_length_exceeded", message="This model's maximum context length is 8192 tokens")
    await scene.model.rules(Rule(contains="long", times=1, reply=overflow))
    await scene.hears("long", first=Reply(text="It fits."))
    await scene.type("long", "It fits.")
    assert await scene.there() == ["It fits."]


WRONG = (
    ("an extra field", calls("add_note", {"text": "milk", "colour": "red"}), "colour: Extra inputs are not permitted"),
    ("a leave of its own", calls("add_note", {"text": "milk", "approved": True}), "approved: Extra inputs are not"),
    ("a wrong type", calls("add_note", {"text": 7}), "text: Input should be a valid string"),
    ("a missing field", calls("add_note", {}), "text: Field required"),
    ("an empty text", calls("add_note", {"text": ""}), "text: "),
    ("no JSON", calls("add_note", '{"text": "milk'), "not a JSON object"),
    ("a list", calls("add_note", '["milk"]'), "not a JSON object"),
    ("no number", calls("delete_note", {"note_id": "1; DROP TABLE notes"}), "note_id: Input should be a valid integer"),
    ("an unknown tool", calls("format_disk", {}), "There is no tool format_disk here"),
    ("a hand-off in direct mode", calls("delegate_to_notes_worker", {"task": "x"}), "There is no tool delegate_to"),
    ("a note that is not there", calls("delete_note", {"note_id": 999_999}), "There is no note 999999 here"),
)


@pytest.mark.parametrize(("wrong", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
async def test_a_wrong_call_is_not_asked_nor_made_and_the_model_is_told_why(
    scene: Scene, wrong: Reply, told: str
) -> None:
    await scene.hears("please", first=wrong, then="My mistake.")
    await scene.type("please", "My mistake.")
    assert told in await scene.model_read(2)
    assert not any(each.buttons for each in await scene.telegram.messages(scene.chat))


async def test_of_too_many_calls_only_the_first_are_made(scene: Scene) -> None:
    many = Reply(calls=tuple(Call(name="current_time") for _ in range(20)))
    await scene.hears("times", first=many, then="Enough.")
    await scene.type("times", "Enough.")
    results = [each["content"] for each in (await scene.model.requests())[1].body["messages"] if each["role"] == "tool"]
    assert len(results) == 20
    assert sum("Too many calls" in each for each in results) == 4


async def test_ids_that_come_twice_or_not_at_all_do_not_mix_results_up(scene: Scene) -> None:
    twice = Reply(
        calls=(
            Call(name="current_time", arguments={"timezone": "Asia/Tokyo"}, id="same"),
            Call(name="list_notes", id="same"),
            Call(name="current_time", arguments={"timezone": "Nowhere/At_All"}, id=""),
        )
    )
    await scene.hears("three", first=twice, then="Done.")
    await scene.type("three", "Done.")
    results = [each for each in (await scene.model.requests())[1].body["messages"] if each["role"] == "tool"]
    assert len({each["tool_call_id"] for each in results}) == 3
    assert "There are no notes." in results[1]["content"]


async def test_silence_is_an_answer(scene: Scene) -> None:
    """B225: what means "no reply" is never shown, and no sign of work stays behind."""
    await scene.hears("nothing", first=calls("silent_exit", {"reason": "not for me"}, text="NO_REPLY"))
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.say("nothing")
    await scene.model.wait_ended(1)
    await scene.type("hello", "Hello.")
    assert await scene.there() == ["Hello."]


async def test_a_slow_model_shows_a_line_that_becomes_the_answer(scene: Scene) -> None:
    await scene.hears("slow", first=Reply(text="At last.", hold="slow"))
    await scene.say("slow")
    line = await scene.reads("… thinking")
    await scene.model.release("slow")
    await scene.reads("At last.", message=line.id)
    assert await scene.there() == ["At last."]


async def test_a_line_of_work_does_not_stay_while_a_person_is_waited_for(scene: Scene) -> None:
    """B227, B229: signs of work end with the work."""
    await scene.hears(
        "slow", first=Reply(calls=(Call(name="add_note", arguments={"text": "x"}),), hold="slow"), then="Ok."
    )
    await scene.say("slow")
    line = await scene.reads("… thinking")
    await scene.model.release("slow")
    card = await scene.card()
    await scene.telegram.wait_message(scene.chat, message=line.id, deleted=True, timeout=20)
    actions = len(await scene.telegram.actions(scene.chat))
    await scene.press(card, "Approve")
    await scene.reads("Ok.")
    assert len(await scene.telegram.actions(scene.chat)) <= actions + 1


async def test_signs_of_work_end_with_stop(scene: Scene) -> None:
    """B227: the line goes, typing ends."""
    await scene.hears("slow", first=Reply(text="At last.", hold="slow"))
    await scene.say("slow")
    line = await scene.reads("… thinking")
    await scene.type("/stop", "Stopped.")
    await scene.telegram.wait_message(scene.chat, message=line.id, deleted=True, timeout=20)
