"""A skill from its upload to its use and its end, through the whole service."""

import io
import json
import zipfile
from typing import Any

import aiohttp

from tests.fakes.model.script import calls
from tests.flows.stage import Stage
from tests.flows.test_api import HTTP, TOKEN

BODY = "Begin each answer with the number of its words."

SKILL_MD = f"---\nname: word-count\ndescription: Counts the words of a text.\n---\n\n{BODY}\n"

SCRIPT = "import sys\nprint('words:', len(' '.join(sys.argv[1:]).split()))\n"


def zipped(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"word-count/{name}", content)
    return packed.getvalue()


class Program:
    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self._url = url.rstrip("/")
        self._session = session

    async def upload(self, content: bytes, status: int = 200) -> Any:
        form = aiohttp.FormData()
        form.add_field("file", content, filename="skill.zip", content_type="application/zip")
        async with self._session.post(f"{self._url}/api/skills/upload", data=form) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json()

    async def call(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        async with self._session.request(method, self._url + path, json=body) as answer:
            text = await answer.text()
            assert answer.status == status, text
            return json.loads(text) if text else None


def told(request: Any) -> str:
    """What the model was instructed."""
    return "\n".join(
        str(each["content"]) for each in request.body["messages"] if each["role"] in ("system", "developer")
    )


async def test_a_skill_is_uploaded_granted_used_run_and_taken_back(stage: Stage, database: str) -> None:
    """M191, M193: nothing of it is told before an admin let it in, and its script runs only when somebody agrees."""
    (stage.directory / ".env").write_text(f"ASKFIRST_ADMIN_TOKEN={TOKEN}\n")
    run = calls("run_skill_script", {"skill": "word-count", "script": "scripts/count.py", "arguments": ["one two"]})
    await stage.model.answer("First.", "Second.", run, "It says two.", run, "It was not run.")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        stage.service(database=database, extra=HTTP) as house,
        aiohttp.ClientSession(headers=headers) as session,
    ):
        program = Program(house.url, session)
        done = await program.upload(zipped(**{"SKILL.md": SKILL_MD, "scripts/count.py": SCRIPT}))
        assert done["installed"] == ["word-count"]
        await stage.say("hello")
        await stage.reads("First.")
        said = await stage.say("/skill use word")
        assert "not enabled" in (await stage.reads("word-count", after=said)).text
        said = await stage.say("/skill enable word-count")
        await stage.reads("/skill trust word-count", after=said)
        said = await stage.say("/skill trust word-count")
        await stage.reads("/grant guide skill/word-count", after=said)
        await stage.say("/grant guide skill/word-count")
        await stage.reads("Granted")
        said = await stage.say("/skill use word-count")
        await stage.reads("goes by word-count here", after=said)
        said = await stage.say("hello again")
        await stage.reads("Second.", after=said)
        await program.call("PATCH", "/api/skills/word-count", {"scripts_enabled": True})
        said = await stage.say("count: one two")
        card = await stage.card(after=said)
        assert "Run the script scripts/count.py of the skill word-count" in card.text
        assert "“one two”" in card.text
        await stage.press(card, "Approve")
        await stage.reads("It says two.", after=said)
        said = await stage.say("count it again")
        waiting = await stage.card(after=said)
        said = await stage.say("/skill untrust word-count")
        await stage.reads("not trusted", after=said)
        await stage.settled(waiting, "Cancelled")
        await stage.reads("It was not run.")
        await program.call("DELETE", "/api/skills/word-count", status=204)
        assert "word-count" not in str(await program.call("GET", "/api/skills"))
    asked = await stage.model.requests()
    assert "word-count" not in told(asked[0])
    assert "word-count" in told(asked[1])
    assert BODY in told(asked[1])
    assert "words: 2" in str(asked[3].body["messages"][-1])
    assert "word-count" not in told(asked[-1])
