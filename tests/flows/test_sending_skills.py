"""Archives of skills that come through a chat, told in Telegram."""

import pytest

from tests.fakes.model.script import Reply
from tests.flows.scene import Scene
from tests.skills.zips import Written, named, packed, zipped

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_admin_sends_a_skill_and_is_told_what_came_of_it(scene: Scene) -> None:
    """The way of an upload: it is there, it is off, and a name that is taken is refused."""
    archive = packed({"tea-making/SKILL.md": named("tea-making"), "tea-making/references/leaves.md": b"Green."})
    await scene.telegram.send_file(scene.desk, scene.admin, name="tea.zip", mime="application/zip", content=archive)
    told = await scene.reads("Installed: tea-making.", chat=scene.desk)
    assert "its switches are off" in told.text
    await scene.order("/skill show tea-making", "not trusted")
    await scene.telegram.send_file(scene.desk, scene.admin, name="tea.zip", mime="application/zip", content=archive)
    await scene.reads("There is a skill tea-making already.", chat=scene.desk, after=told.id)


async def test_a_bad_archive_is_refused_by_place_and_rule(scene: Scene) -> None:
    archive = zipped([Written("good-one/SKILL.md", named("good-one")), Written("good-one/../../evil.sh", b"#!/bin/sh")])
    await scene.telegram.send_file(scene.desk, scene.admin, name="bad.zip", content=archive)
    told = await scene.reads("bad.zip was not taken, and nothing was written.", chat=scene.desk)
    assert "evil.sh" in told.text
    assert "(parent_path)" in told.text
    await scene.order("/skill show good-one", "There is no skill called good-one")
    await scene.telegram.fail("getFile", status=400, description="Bad Request: file is too big")
    await scene.telegram.send_file(scene.desk, scene.admin, name="big.zip", content=archive)
    await scene.reads("Telegram hands files of up to 20 MB to a bot.", chat=scene.desk)


async def test_nobody_else_and_nowhere_else(scene: Scene) -> None:
    """Nothing is fetched; and a file that is no archive is talk as before."""
    before = len(await scene.telegram.calls("getFile"))
    await scene.telegram.send_file(scene.chat, scene.person, name="tea.zip", caption="install this")
    await scene.reads("only an admin may bring those. Nothing was fetched.")
    group = await scene.group("Kitchen", scene.admin)
    await scene.telegram.send_file(group, scene.admin, name="tea.zip", caption=f"{scene.mention} install this")
    await scene.reads("in our private chat. Nothing was fetched.", chat=group)
    await scene.model.otherwise(Reply(text="Read."))
    await scene.telegram.send_file(scene.desk, scene.admin, name="plan.pdf", caption="please read this")
    await scene.reads("Read.", chat=scene.desk)
    assert "please read this" in await scene.model_read(1)
    await scene.telegram.send_file(scene.desk, scene.admin, name="plan.pdf")
    await scene.reads("I can read text.", chat=scene.desk)
    assert len(await scene.telegram.calls("getFile")) == before
