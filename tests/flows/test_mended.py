"""A clean stop, seen from the chat: what is on its way arrives, and the next start knows that it did."""

import asyncio
import signal

from tests.flows.stage import Stage

REPEAT = "may be a repeat"


async def test_what_is_being_sent_at_a_stop_is_sent_once_and_known_to_have_been(stage: Stage) -> None:
    async with stage.service(model_url="") as house:
        await stage.telegram.hold("sendMessage", chat=stage.chat, when="after")
        await stage.say("what time is it")
        await stage.reads("UTC")
        house.process.send_signal(signal.SIGTERM)
        stopping = asyncio.create_task(house.process.wait())
        await asyncio.wait([stopping], timeout=0.5)
        assert not stopping.done(), "it waits for what is on its way"
        await stage.telegram.release()
        assert await asyncio.wait_for(stopping, 20) == 0
    async with stage.service():
        said = await stage.say("/status")
        await stage.reads("idle", after=said)
        told = [text for text in await stage.there() if "UTC" in text]
        assert len(told) == 1
        assert REPEAT not in told[0]
