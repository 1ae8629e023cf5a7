"""A supervisor hands work to specialists; what a worker wants to do asks like anything else."""

import pytest

from tests.fakes.model.script import Call, Reply, Rule, calls
from tests.flows.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORKER = "You are the notes_worker of Boss"
NOTE = calls("add_note", {"text": "milk"})


def hand_off(task: str) -> Reply:
    return calls("delegate_to_notes_worker", {"task": task})


async def with_boss(scene: Scene) -> None:
    await scene.type("/persona boss", "Boss talks here")


async def test_a_workers_write_suspends_the_whole_run_and_resumes_it(scene: Scene) -> None:
    await with_boss(scene)
    await scene.model.rules(
        Rule(contains="milk", system=WORKER, reply=NOTE),
        Rule(contains="milk", system=WORKER, after="results", reply=Reply(text="The worker noted it.")),
    )
    await scene.hears("milk", first=hand_off("Note: milk"), then="Boss says: done.")
    await scene.say("please note milk")
    card = await scene.card()
    assert "Boss asks first" in card.text
    assert (await scene.type("/status", "waiting_approval")).text
    assert await scene.press(card, "Approve") == "Approved."
    await scene.reads("Boss says: done.")
    first, worker, resumed, last = [each.body for each in await scene.model.requests()]
    names = {tool["function"]["name"] for tool in first["tools"]}
    assert "delegate_to_notes_worker" in names
    assert all(name.startswith("delegate_to_") for name in names)
    assert {tool["function"]["name"] for tool in worker["tools"]} == {"add_note", "delete_note", "list_notes"}
    assert worker["messages"][1]["content"] == "Note: milk"
    assert "please note milk" not in str(worker["messages"])
    assert "was added" in resumed["messages"][-1]["content"]
    assert last["messages"][-1]["content"] == "The worker noted it."
    assert await scene.there(after=card.id) == ["Boss says: done."] or "The worker" not in str(await scene.there())


async def test_a_workers_rejected_write_comes_back_to_the_boss(scene: Scene) -> None:
    await with_boss(scene)
    await scene.model.rules(
        Rule(contains="milk", system=WORKER, reply=NOTE),
        Rule(contains="milk", system=WORKER, after="results", reply=Reply(text="It was refused.")),
    )
    await scene.hears("milk", first=hand_off("Note: milk"), then="{result}")
    await scene.say("please note milk")
    card = await scene.card()
    await scene.press(card, "Reject")
    await scene.reads("It was refused.", after=card.id)


async def test_stop_ends_a_worker_and_its_card(scene: Scene) -> None:
    await with_boss(scene)
    await scene.model.rules(Rule(contains="milk", system=WORKER, reply=NOTE))
    await scene.hears("milk", first=hand_off("Note: milk"), then="never")
    await scene.hears("hello", first=Reply(text="Hello."))
    await scene.say("please note milk")
    card = await scene.card()
    await scene.type("/stop", "Stopped.")
    await scene.settled(card, "Cancelled")
    await scene.type("hello", "Hello.")


async def test_hand_offs_are_limited_and_the_model_is_told(scene: Scene) -> None:
    await with_boss(scene)
    await scene.model.rules(
        Rule(contains="chore", system=WORKER, reply=Reply(text="done")),
        Rule(contains="chore", after="results", result="limit of 2 hand-offs", reply=Reply(text="Enough.")),
        Rule(contains="chore", after="either", reply=hand_off("a chore")),
    )
    await scene.type("chore", "Enough.")
    told = str((await scene.model.requests())[-1].body["messages"][-1])
    assert "Not handed over: the limit of 2 hand-offs for one message is reached" in told


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (calls("add_note", {"text": "x"}), "There is no such hand-off here"),
        (calls("delegate_to_nobody", {"task": "x"}), "There is no such hand-off here"),
        (calls("delegate_to_notes_worker", {"task": ""}), "A hand-off takes one argument"),
        (calls("delegate_to_notes_worker", {"task": "x", "tool": "y"}), "A hand-off takes one argument"),
        (calls("delegate_to_notes_worker", '{"task'), "A hand-off takes one argument"),
    ],
    ids=["a tool itself", "an unknown specialist", "no task", "an extra field", "no JSON"],
)
async def test_a_wrong_hand_off_is_not_made(scene: Scene, wrong: Reply, told: str) -> None:
    await with_boss(scene)
    await scene.hears("please", first=wrong, then="My mistake.")
    await scene.type("please", "My mistake.")
    assert told in await scene.model_read(2)


async def test_a_worker_has_only_the_tools_of_its_specialist(scene: Scene) -> None:
    await with_boss(scene)
    await scene.model.rules(
        Rule(contains="time", system=WORKER, reply=calls("current_time")),
        Rule(contains="time", system=WORKER, after="results", reply=Reply(text="{result}")),
    )
    await scene.hears("time", first=hand_off("the time"), then="{result}")
    await scene.type("time", "There is no tool current_time here.")


async def test_two_hand_offs_of_one_answer_are_done_one_after_the_other(scene: Scene) -> None:
    await with_boss(scene)
    pair = Reply(calls=tuple(Call(name="delegate_to_notes_worker", arguments={"task": f"job {n}"}) for n in "ab"))
    await scene.model.rules(
        Rule(contains="job a", system=WORKER, reply=Reply(text="a is done")),
        Rule(contains="job b", system=WORKER, reply=Reply(text="b is done")),
    )
    await scene.hears("jobs", first=pair, then="Both.")
    await scene.type("jobs", "Both.")
    results = [each["content"] for each in (await scene.model.requests())[-1].body["messages"][-2:]]
    assert results == ["a is done", "b is done"]
