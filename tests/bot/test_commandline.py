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


def test_a_token_is_made_shown_once_listed_and_revoked(config: Path) -> None:
    made = run("token", "make", "ci", "--scope", "admin", "--config", str(config))
    assert made.exit_code == 0
    secret = made.stdout.splitlines()[1]
    assert secret.startswith("askfirst_")
    assert "the API is closed as long as http.admin_token is not set" in made.stderr
    [line] = run("token", "list", "--config", str(config)).stdout.splitlines()
    token_id, name, scope = line.split()[:3]
    assert (name, scope) == ("ci", "admin")
    assert line.endswith("never used")
    assert secret not in line
    assert run("token", "revoke", token_id, "--config", str(config)).stdout == f"Token {token_id} (ci) is revoked.\n"
    [line] = run("token", "list", "--config", str(config)).stdout.splitlines()
    assert "revoked" in line
    again = run("token", "revoke", token_id, "--config", str(config))
    assert (again.exit_code, again.stdout) == (1, "")
    entries = [json.loads(line) for line in run("audit", "export", "--config", str(config)).stdout.splitlines()]
    assert [(each["action"], each["subject"]) for each in entries] == [
        ("token_made", token_id),
        ("token_revoked", token_id),
    ]
    assert secret not in json.dumps(entries)


@pytest.mark.parametrize("name", ["admin", "Ci", "", "-ci", "c i", "x" * 41])
def test_a_bad_name_makes_no_token(config: Path, name: str) -> None:
    made = run("token", "make", "--config", str(config), "--", name)
    assert made.exit_code == 1
    assert "so none was made" in made.stderr
    assert run("token", "list", "--config", str(config)).stdout == ""


def test_a_name_in_use_makes_no_second_token(config: Path) -> None:
    assert run("token", "make", "ci", "--config", str(config)).exit_code == 0
    made = run("token", "make", "ci", "--config", str(config))
    assert made.exit_code == 1
    assert "in use" in made.stderr
    token_id = run("token", "list", "--config", str(config)).stdout.split()[0]
    run("token", "revoke", token_id, "--config", str(config))
    assert run("token", "make", "ci", "--config", str(config)).exit_code == 0


def test_the_secret_of_a_token_is_not_in_the_database(config: Path) -> None:
    secret = run("token", "make", "ci", "--config", str(config)).stdout.splitlines()[1]
    files = list((config.parent / "data").iterdir())
    assert files
    assert not any(secret.encode() in file.read_bytes() for file in files)
