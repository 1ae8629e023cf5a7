"""The process itself: how it starts, says how it is, fails, and ends."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import aiohttp
import pytest

from tests.fakes.model.script import Reply, fails
from tests.flows.house import House
from tests.flows.scene import Scene
from tests.flows.stage import Stage

in_the_long_play = pytest.mark.asyncio(loop_scope="session")


async def attempted(stage: Stage) -> tuple[int, str]:
    """A start that is expected to fail: its exit code and all that it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", str(stage.plan.write(stage.directory))),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **stage.plan.environment},
    )
    said, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode is not None
    return process.returncode, said.decode()


async def test_a_run_that_takes_its_process_down_again_and_again_is_failed_in_words(stage: Stage) -> None:
    """B198: after a crash the chat is not busy for ever, whatever the reason of the crash was."""
    module = "tests.flows.deadly_launcher"
    stage.change(model_url="")
    await stage.say("look_into_the_abyss")
    starts = 0
    while True:
        starts += 1
        house = await House.start(stage.plan, stage.directory, module=module, until_ready=False)
        over = asyncio.create_task(house.process.wait())
        told = asyncio.create_task(stage.reads("brought the service down 3 times, so I gave up on it"))
        await asyncio.wait([over, told], return_when=asyncio.FIRST_COMPLETED)
        if told.done():
            break
        told.cancel()
        assert await over == 9
        assert starts < 6
    assert starts == 4
    said = await stage.say("what time is it")
    await stage.reads("UTC", after=said)
    assert await house.stop() == 0


async def test_a_second_process_on_the_same_data_is_turned_away(stage: Stage) -> None:
    """B106: the lock is the operating system's, so a file left by a crash does not keep the next start out."""
    lock = stage.directory / "data" / "askfirst.lock"
    lock.parent.mkdir()
    lock.write_text(json.dumps({"pid": 1}))
    async with stage.service(model_url=""):
        code, said = await attempted(stage)
        assert code == 1
        assert "Another Askfirst uses this data directory, so this one was not started." in said
        assert "Traceback" not in said
        await stage.say("what time is it")
        await stage.reads("UTC")


@pytest.mark.parametrize("content", [b"this is no database at all, but a text file\n" * 100, None], ids=["no", "torn"])
async def test_a_damaged_database_is_told_in_a_sentence(stage: Stage, content: bytes | None) -> None:
    stage.change(model_url="")
    path = stage.directory / "data" / "askfirst.db"
    if content is None:
        async with stage.service():
            await stage.say("what time is it")
            await stage.reads("UTC")
        torn = bytearray(path.read_bytes())
        torn[100:] = b"\xff" * (len(torn) - 100)
        content = bytes(torn)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    code, said = await attempted(stage)
    assert code == 1
    assert "The database file is damaged" in said
    assert "Traceback" not in said


async def test_a_locked_database_loses_nothing_and_doubles_nothing(stage: Stage) -> None:
    """B154: a press that cannot be stored is offered again; it has one effect."""
    async with stage.service(model_url="") as house:
        await stage.say("add a note: milk")
        card = await stage.card()
        path = stage.directory / "data" / "askfirst.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            pressed = await stage.telegram.press(stage.chat, stage.ann, card.id, "Approve")
            await house.until(lambda parts: parts["store"]["state"] == "error")
            other.execute("ROLLBACK")
        answer = await stage.telegram.wait_answer(pressed, timeout=40)
        assert answer.text == "Approved."
        await stage.settled(card, "Approved by Ann")
        await house.ready()
        said = await stage.say("show my notes")
        assert "1 note" in (await stage.reads("milk", after=said)).text


@in_the_long_play
async def test_health_readiness_and_metrics_are_told(scene: Scene) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{scene.house.url}healthz") as answer:
            assert (answer.status, await answer.json()) == (200, {"ok": True})
        async with session.get(f"{scene.house.url}readyz") as answer:
            body = await answer.json()
            assert (answer.status, body["ready"]) == (200, True)
    assert set(body["parts"]) == {"store", "skills", "channel:tg", "channel:web"}
    assert all(part["state"] == "connected" for part in body["parts"].values())
    await scene.model.otherwise("Yes.")
    before = await scene.house.metrics()
    await scene.type("hello", "Yes.")
    await scene.type("/status", "idle")
    after = await scene.house.metrics()
    for name in (
        'askfirst_intake_total{channel="tg",outcome="message"}',
        'askfirst_model_turns_total{outcome="ok"}',
        'askfirst_runs_ended_total{state="completed"}',
        'askfirst_sends_total{channel="tg",outcome="ok"}',
    ):
        assert _value(after, name) > _value(before, name), name
    for name in ("askfirst_waiting_approvals", 'askfirst_runs{state="queued"}'):
        assert f"\n{name} " in after


@in_the_long_play
async def test_the_log_is_json_with_ids_and_without_secrets(scene: Scene) -> None:
    """B212 and its kin: neither the token nor the key stands anywhere in what was written."""
    await scene.hears("riddle", first=_refused(scene))
    await scene.type("riddle", "refused this request")
    await scene.order("/status", "store: connected")
    lines = scene.house.log.read_text().splitlines()
    entries = [json.loads(line) for line in lines if not line.startswith("Warning: ")]
    assert all({"event", "level", "timestamp"} <= set(entry) for entry in entries)
    written = "\n".join(lines)
    assert scene.telegram.token not in written
    assert "sk-made-up" not in written
    [failed] = [each for each in entries if each["event"] == "the model failed"][-1:]
    assert failed["run"].startswith("run_")
    assert failed["session"].startswith("ses_")


def _refused(scene: Scene) -> Reply:
    return fails(400, "invalid_value", message=f"bad key sk-made-up-for-the-test and bot{scene.telegram.token}")


def _value(exposition: str, name: str) -> float:
    return next((float(line.split()[-1]) for line in exposition.splitlines() if line.startswith(name)), 0.0)
