"""What a tool of an MCP server gives as a file, or gives too much of, arrives in the chat as a file."""

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model.script import calls
from tests.fakes.telegram.raw import raw_api
from tests.flows.scene import Scene
from tests.flows.servers import Shelf, shelf
from tests.flows.test_granting import confirm

pytestmark = pytest.mark.asyncio(loop_scope="session")

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50
LONG = "".join(f"line {number}\n" for number in range(20_000))
"""200 kB."""


def gives(*content: dict[str, Any]) -> dict[str, Any]:
    return {"look": {"do": "result", "result": {"content": list(content)}}}


IMAGE = {"type": "image", "data": base64.b64encode(PICTURE).decode(), "mimeType": "image/png"}


async def able(scene: Scene, server: Shelf) -> None:
    await scene.order(f"/grant guide mcp/{server.name}/*", f"guide may then write with {server.name}")
    await confirm(scene)
    await scene.hears("look", first=calls(server.alias("look"), {}), then="Seen.")


async def looked(scene: Scene, server: Shelf) -> str:
    """What the model is told when it has looked."""
    await able(scene, server)
    await scene.type("look around", "Seen.")
    return (await scene.heard())[-1]


async def sent(scene: Scene, name: str) -> bytes:
    """The bytes of the file in the chat whose caption begins with this name; it came before the answer."""
    shown = await scene.reads(name)
    assert shown.id < (await scene.reads("Seen.")).id
    assert shown.body["document"]["file_name"] == name
    async with raw_api(scene.telegram) as api:
        return await api.fetch(shown.body["document"]["file_id"])


async def test_a_picture_arrives_in_the_chat_and_the_model_gets_its_name(scene: Scene, tmp_path: Path) -> None:
    async with shelf(scene.house, tmp_path, acts=gives(IMAGE, IMAGE | {"type": "audio", "mimeType": "x"})) as server:
        told = await looked(scene, server)
        assert await sent(scene, "image-1.png") == PICTURE
        assert await sent(scene, "audio-2.bin") == PICTURE
        assert "[“image-1.png”, 13 kB, is sent to the chat as a file]" in told
        assert IMAGE["data"][:100] not in told


async def test_a_text_that_is_cut_for_the_model_arrives_whole(scene: Scene, tmp_path: Path) -> None:
    async with shelf(scene.house, tmp_path, acts=gives({"type": "text", "text": LONG})) as server:
        told = await looked(scene, server)
        assert await sent(scene, "look-result.txt") == LONG.encode()
        assert "characters left out here" in told
        assert "[“look-result.txt”, 204 kB, is sent to the chat as a file]" in told
        assert len(told) < 60_000


async def test_files_that_are_too_many_are_told_of_in_the_chat(scene: Scene, tmp_path: Path) -> None:
    async with shelf(scene.house, tmp_path, acts=gives(*[IMAGE] * 11)) as server:
        told = await looked(scene, server)
        said = await scene.reads("too large or too many to be sent here")
        assert "image-11.png (13 kB)" in said.text
        assert "not sent to the chat, since too large or too many: “image-11.png (13 kB)" in told


async def test_in_the_browser_chat_it_is_a_link_that_saves_it(scene: Scene, tmp_path: Path) -> None:
    page = IMAGE | {"mimeType": "text/html", "data": base64.b64encode(b"<script>alert(1)</script>").decode()}
    async with shelf(scene.house, tmp_path, acts=gives(page)) as server:
        await able(scene, server)
        await scene.house.web_says("look around")
        shown = await scene.house.web_reads("image-1.html")
        content, headers = await scene.house.web_fetch(shown)
        assert content == b"<script>alert(1)</script>"
        assert headers["Content-Disposition"] == "attachment; filename=\"file\"; filename*=UTF-8''image-1.html"
        assert headers["Content-Type"] == "application/octet-stream"
        await scene.house.web_reads("Seen.")
