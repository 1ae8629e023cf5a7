from pathlib import Path

from bot.config.hidden import secrets_of
from tests.bot.config_files import ENVIRON, GOOD, TOKEN, loaded


def test_every_secret_of_a_configuration_is_known_to_be_one(tmp_path: Path) -> None:
    text = (
        GOOD.replace("    token:", "    webhook_secret: ${HOOK}\n    token:")
        + "http: {admin_token: '${ADMIN}'}\n"
        + "database: postgresql://me:${PASSWORD}@host/db?password=${OTHER}\n"
    )
    given = {"HOOK": "h" * 16, "ADMIN": "a" * 16, "PASSWORD": "p%40/w", "OTHER": "other"}
    config = loaded(tmp_path, text, {**ENVIRON, **given})
    known = {TOKEN, "sk-made-up", "h" * 16, "a" * 16, "p%40/w", "p@/w", "other"}
    assert set(secrets_of(config)) == known


def test_a_configuration_without_secrets_has_none(tmp_path: Path) -> None:
    text = (
        "models: {m: {provider: offline}}\nchannels: {web: {type: web, persona: p}}\n"
        "personas: {p: {display_name: P, model: m}}\n"
    )
    assert secrets_of(loaded(tmp_path, text)) == []
