"""The command line, on a database of its own."""

import asyncio
import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from bot.__main__ import main
from bot.store import audit
from bot.store.database import SqliteStore, Tx
from bot.store.schema import migrate
from bot.store.tables import audit as entries

CONFIG = """\
models: {main: {provider: offline}}
channels: {web: {type: web, persona: guide}}
personas: {guide: {display_name: Guide, model: main}}
admins: ["web:admin"]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    (tmp_path / "data").mkdir()
    migrate(f"sqlite:///{tmp_path / 'data' / 'askfirst.db'}")
    return path


def done(config: Path, *works: object) -> None:
    async def do() -> None:
        store = SqliteStore(config.parent / "data" / "askfirst.db")
        for work in works:
            await store.tx(work)  # type: ignore[arg-type]  # functions of a transaction
        await store.close()

    asyncio.run(do())


def record(tx: Tx) -> None:
    audit.record(tx, 1_800_000_000.5, "tg:1", "granted", "builtin/add_note", {"reason": "“ä”"})


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_a_whole_audit_is_said_to_be_whole(config: Path) -> None:
    done(config, record, record)
    result = run("audit", "verify", "--config", str(config))
    assert (result.exit_code, result.output) == (0, "The audit is whole: 2 entries.\n")


def test_a_changed_entry_is_named(config: Path) -> None:
    done(config, record, record, lambda tx: tx.execute(sa.update(entries).where(entries.c.id == 1).values(who="tg:2")))
    result = run("audit", "verify", "--config", str(config))
    assert result.exit_code == 1
    assert "Broken: entry 1 was changed" in result.output


def test_the_audit_is_exported_as_lines_of_json(config: Path) -> None:
    done(config, record)
    [line] = run("audit", "export", "--config", str(config)).output.splitlines()
    told = json.loads(line)
    assert (told["who"], told["action"], told["detail"]) == ("tg:1", "granted", {"reason": "“ä”"})
    assert len(told["hash"]) == 64
