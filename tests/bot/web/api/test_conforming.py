"""The API against its own document, by a program that makes requests up: none is answered with a fault of ours, and every
answer is as the document says."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from bot.store.database import Tx
from bot.web.api.table import TABLE
from tests.bot.parts import begin
from tests.bot.web.api.house import ADMIN, House
from tests.databases import ON_POSTGRES

EXAMPLES = 4
"""Requests of each kind that are made up at random, beside those at the bounds of every value."""

TIME_S = 240

UNFIT = "positive_data_acceptance"
"""The check that whatever fits its schema is taken: a cursor, a model or a skill may be well-formed and unknown."""


@pytest.mark.timeout(TIME_S + 20)
@ON_POSTGRES
async def test_made_up_requests_are_answered_as_the_document_says(each_house: House, tmp_path: Path) -> None:
    """On the database that takes less: no NUL in a text, no number beyond its column."""
    house = each_house
    await house.store.tx(_something_to_look_at, house)
    run = (await house.get("/api/runs"))["items"][0]["id"]
    approval = (await house.get("/api/approvals"))["items"][0]["id"]
    settings = tmp_path / "schemathesis.toml"
    settings.write_text("".join(_known(path, name) for path, name in (("runs", run), ("approvals", approval))))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()"),
        *("--config-file", str(settings), "run", f"{house.url}/api/openapi.json"),
        *("--header", f"Authorization: Bearer {ADMIN}"),
        *("--exclude-checks", UNFIT, "--max-examples", str(EXAMPLES), "--warnings", "off"),
        *("--generation-deterministic", "--no-color"),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(process.communicate(), TIME_S)
    assert process.returncode == 0, said.decode()[-6000:]
    assert f"Tested: {len(TABLE) - 1}" in said.decode()  # all but the document itself


def _something_to_look_at(tx: Tx, house: House) -> None:
    house.parts.ask(tx, begin(tx))


def _known(path: str, name: str) -> str:
    """Let the requests below this path be about something that there is."""
    return f"[[operations]]\ninclude-path-regex = '^/api/{path}/'\nparameters = {{ 'path.id' = {json.dumps(name)} }}\n"
