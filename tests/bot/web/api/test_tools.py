"""What the house can do, as the definitions of its tools say."""

from bot.tools.registry import BUILT_IN
from tests.bot.web.api.house import House


async def test_every_worker_shows_its_tools(house: House) -> None:
    said = (await house.get("/api/workers/manifests"))["items"]
    assert [each["worker"] for each in said] == sorted({spec.specialist for spec in BUILT_IN})
    shown = {tool["name"]: tool for each in said for tool in each["tools"]}
    assert set(shown) == {spec.name for spec in BUILT_IN}
    for spec in BUILT_IN:
        tool = shown[spec.name]
        assert tool["input_schema"] == spec.schema()
        assert (tool["mutates_data"], tool["destructive"]) == (spec.mutates_data, spec.destructive)


async def test_one_worker_is_shown_as_among_the_others(house: House) -> None:
    [notes] = [
        each for each in (await house.get("/api/workers/manifests"))["items"] if each["worker"] == "notes_worker"
    ]
    assert await house.get("/api/workers/manifests/notes_worker") == notes
    assert (await house.call("GET", "/api/workers/manifests/cook")).code == "unknown_worker"


async def test_the_tools_that_a_skill_can_name_are_listed(house: House) -> None:
    said = (await house.get("/api/skills/tools"))["items"]
    assert {each["name"] for each in said} == {spec.name for spec in BUILT_IN}
    [add] = [each for each in said if each["name"] == "add_note"]
    assert {key: add[key] for key in ("capability_id", "source", "server", "specialist", "mutates_data")} == {
        "capability_id": "builtin/add_note",
        "source": "builtin",
        "server": "",
        "specialist": "notes_worker",
        "mutates_data": True,
    }
