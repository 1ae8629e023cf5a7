"""What the configuration of a Telegram channel must hold beyond its keys."""

from pathlib import Path

import pytest

from tests.bot.config_files import ENVIRON, GOOD, TOKEN, loaded, mistakes

TYPE = "    type: telegram\n"
WEBHOOK = GOOD.replace(TYPE, TYPE + '    mode: webhook\n    webhook_secret: "${SECRET}"\n')


def test_a_webhook_is_told_all_that_it_lacks_at_once(tmp_path: Path) -> None:
    text = GOOD.replace(TYPE, TYPE + "    mode: webhook\n")
    assert {mistake.key for mistake in mistakes(tmp_path, text)} == {"channels.tg", "channels.tg.mode"}


def test_two_channels_cannot_share_a_bot(tmp_path: Path) -> None:
    text = GOOD.replace("{type: web, persona: guide}", '{type: telegram, persona: guide, token: "${OTHER}"}')
    [found] = mistakes(tmp_path, text, {**ENVIRON, "OTHER": TOKEN})
    assert found.key == "channels.web.token"
    assert "token of the channel tg" in found.what


@pytest.mark.parametrize(
    ("secret", "says"),
    [("short", "could be guessed"), ("sixteen chars !!", "could be guessed"), (TOKEN, "its token as webhook_secret")],
    ids=["short", "other characters", "the token"],
)
def test_a_webhook_secret_must_hold(secret: str, says: str, tmp_path: Path) -> None:
    """B216: the token above all is told to nobody who calls us."""
    text = WEBHOOK + "http: {public_url: https://bot.example.org}\n"
    [found] = mistakes(tmp_path, text, {**ENVIRON, "SECRET": secret})
    assert says in found.what
    assert secret not in str(found)


@pytest.mark.parametrize("url", ["", "http://bot.example.org"], ids=["none", "not https"])
def test_a_webhook_needs_a_public_https_address(url: str, tmp_path: Path) -> None:
    [found] = mistakes(tmp_path, WEBHOOK + f'http: {{public_url: "{url}"}}\n', {**ENVIRON, "SECRET": "x" * 16})
    assert found.key == "channels.tg.mode"
    assert "http.public_url" in found.what


@pytest.mark.parametrize("url", ["https://bot.example.org/", "http://127.0.0.1:8080", "http://localhost"])
def test_a_webhook_is_taken_by_https_and_on_loopback(url: str, tmp_path: Path) -> None:
    config = loaded(tmp_path, WEBHOOK + f'http: {{public_url: "{url}"}}\n', {**ENVIRON, "SECRET": "x" * 16})
    assert config.http.public_url == url.rstrip("/")


def test_a_webhook_without_secret_is_refused(tmp_path: Path) -> None:
    text = GOOD.replace(TYPE, TYPE + "    mode: webhook\n") + "http: {public_url: https://bot.example.org}\n"
    [found] = mistakes(tmp_path, text)
    assert "anyone could send updates" in found.what
