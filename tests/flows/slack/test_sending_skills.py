"""Archives of skills that come through a direct chat on Slack."""

from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import by_http, by_socket, in_the_long_play
from tests.skills.zips import named, packed

pytestmark = in_the_long_play

ZIP = "application/zip"


def archive(name: str) -> bytes:
    return packed({f"{name}/SKILL.md": named(name)})


@by_socket
async def test_an_admin_sends_a_skill_and_is_told_what_came_of_it(scene: Scene) -> None:
    sent = await scene.slack.send_file(
        scene.desk, scene.admin, name="tea.zip", mime=ZIP, content=archive("tea-making"), caption="look"
    )
    told = await scene.reads("Installed: tea-making.", chat=scene.desk, after=sent.message_id)
    assert "!skill enable tea-making" in told.text
    await scene.order("!skill show tea-making", "not trusted")


@by_http
async def test_an_app_that_may_read_no_files_says_so(scene: Scene) -> None:
    await scene.slack.set_scopes(remove=["files:read"])
    try:
        await scene.slack.send_file(scene.desk, scene.admin, name="cake.zip", mime=ZIP, content=archive("cake"))
        told = await scene.reads("cake.zip was not taken", chat=scene.desk)
        assert "the app lacks the scope files:read" in told.text
    finally:
        await scene.slack.set_scopes(add=["files:read"])
    await scene.slack.send_file(scene.desk, scene.admin, name="no.zip", mime=ZIP, content=b"PK but not really")
    told = await scene.reads("no.zip was not taken", chat=scene.desk)
    assert "(damaged)" in told.text


@by_socket
async def test_nobody_else_and_nowhere_else(scene: Scene) -> None:
    await scene.slack.send_file(scene.direct, scene.person, name="tea.zip", mime=ZIP)
    await scene.reads("only an admin may bring those. Nothing was fetched.", chat=scene.direct)
    await scene.slack.send_file(scene.chat, scene.admin, name="tea.zip", mime=ZIP, caption=f"{scene.mention} this")
    await scene.reads("in our private chat. Nothing was fetched.")
    assert not await scene.slack.calls("files.info")
