"""Two services of ours on one host."""

from tests.fakes.telegram.client import running_telegram
from tests.flows.stage import Stage


async def test_two_bots_on_one_host_know_nothing_of_each_other(stage: Stage) -> None:
    """B105: what keeps a second process out is the data directory's, so a bot with its own starts beside the first,
    and neither ends the other, whichever goes first."""
    directory = stage.directory / "other"
    directory.mkdir()
    async with running_telegram() as telegram, stage.service(model_url="") as house:
        other = await Stage.set(telegram, stage.model, "", directory)
        assert telegram.token != stage.telegram.token
        async with other.service() as neighbour:
            for each in (stage, other):
                said = await each.say("what time is it")
                await each.reads("UTC", after=said)
            assert house.process.returncode is neighbour.process.returncode is None
        said = await stage.say("what time is it")
        await stage.reads("UTC", after=said)
        async with other.service():
            said = await other.say("what time is it")
            await other.reads("UTC", after=said)
            assert await house.stop() == 0
            said = await other.say("what time is it")
            await other.reads("UTC", after=said)
        assert len(await stage.there()) == 2
        assert len(await other.there()) == 3
