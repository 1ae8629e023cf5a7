import stat
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bot.config.load import load
from bot.init import Answers, Given, WouldOverwrite, ask, config_text, env_text, write
from channels.slack.config import SlackConfig
from channels.telegram.config import TelegramConfig

ALL = Answers(
    provider="openai",
    model="gpt-x",
    base_url="",
    api_key="sk-made-up",
    telegram=True,
    telegram_token="4242:AAFmadeup",
    telegram_admin="4242",
    slack=True,
    slack_bot_token="xoxb-made-up",
    slack_app_token="xapp-made-up",
    slack_admin="U0123ABCD",
    display_name='Ada "the ${HOME}" #1',
    port=8123,
)

ANSWERS = {
    "nothing but the default": Answers(),
    "everything": ALL,
    "a server of one's own": Answers(provider="openai", model="qwen", base_url="http://127.0.0.1:11434/v1"),
    "the other provider": Answers(provider="anthropic", model="claude-x", api_key="sk-made-up"),
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS.keys())
def test_what_is_written_is_loaded_without_a_mistake_or_warning(answers: Answers, tmp_path: Path) -> None:
    config_path, _ = write(answers, tmp_path / "config.yaml", force=False)
    config = load(config_path, {})
    assert config.http.port == answers.port
    assert config.personas["guide"].display_name == answers.display_name
    assert config.models["main"].provider == answers.provider
    assert config.warnings == ()


def test_everything_that_was_answered_is_in_it(tmp_path: Path) -> None:
    config = load(write(ALL, tmp_path / "config.yaml", force=False)[0], {})
    channel = config.channels["tg"]
    assert isinstance(channel, TelegramConfig)
    assert channel.token.get_secret_value() == ALL.telegram_token
    assert config.models["main"].api_key is not None
    assert config.admins == ("web:admin", "tg:4242", "team:U0123ABCD")
    slack = config.channels["team"]
    assert isinstance(slack, SlackConfig)
    assert slack.bot_token.get_secret_value() == ALL.slack_bot_token
    assert config.http.admin_token is not None


def test_secrets_are_in_the_file_beside_and_for_its_owner_alone(tmp_path: Path) -> None:
    config, env = write(ALL, tmp_path / "config.yaml", force=False)
    assert stat.S_IMODE(env.stat().st_mode) == 0o600
    for secret in (ALL.api_key, ALL.telegram_token, ALL.slack_bot_token, ALL.slack_app_token):
        assert secret in env.read_text()
        assert secret not in config.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".env", "config.yaml"]


@pytest.mark.parametrize("present", ["config.yaml", ".env"])
def test_nothing_is_overwritten_unless_forced(present: str, tmp_path: Path) -> None:
    (tmp_path / present).write_text("mine")
    with pytest.raises(WouldOverwrite, match="--force"):
        write(ALL, tmp_path / "config.yaml", force=False)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    _, env = write(ALL, tmp_path / "config.yaml", force=True)
    assert "mine" not in (tmp_path / present).read_text()
    assert stat.S_IMODE(env.stat().st_mode) == 0o600


def test_the_admin_token_is_made_anew(tmp_path: Path) -> None:
    first, second = (write(Answers(), tmp_path / name / "config.yaml", force=False)[1].read_text() for name in "ab")
    assert first != second


def test_a_secret_that_comes_later_has_its_line_waiting() -> None:
    text = env_text(Answers(provider="openai", model="x", telegram=True), "admin")
    assert "OPENAI_API_KEY=\n" in text
    assert "TELEGRAM_TOKEN=\n" in text


def test_the_file_explains_itself() -> None:
    assert config_text(Answers()).count("#") >= 5


def test_without_someone_there_nothing_is_asked() -> None:
    answers = ask(Given(telegram_token="1:x", display_name="Ada"), interactive=False)
    assert answers == Answers(telegram=True, telegram_token="1:x", display_name="Ada")


def answered(given: Given, typed: str) -> tuple[Answers, str]:
    """What comes of `typed`, and what was on the screen."""
    got: list[Answers] = []

    @click.command()
    def command() -> None:
        got.append(ask(given, interactive=True))

    result = CliRunner().invoke(command, input=typed, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return got[0], result.output


def test_return_after_return_gives_the_default() -> None:
    assert answered(Given(), "\n" * 10)[0] == Answers()


def test_every_question_is_asked_and_no_secret_is_shown() -> None:
    telegram, slack = "y\n4242:AAFmadeup\n4242\n", "y\nxoxb-made-up\nxapp-made-up\nU0123ABCD\n"
    answers, screen = answered(Given(), f"openai\ngpt-x\n\nsk-made-up\n{telegram}{slack}Ada\n8123\n")
    assert answers == replace(ALL, display_name="Ada")
    assert not any(secret in screen for secret in ("sk-made-up", "AAFmadeup", "xoxb-made-up", "xapp-made-up"))


def test_what_was_said_on_the_command_line_is_not_asked_again() -> None:
    given = Given("openai", "m", "", "k", False, "", "", slack=False, slack_admin="", display_name="Ada", port=8123)
    assert answered(given, "")[0] == Answers("openai", "m", "", "k", display_name="Ada", port=8123)
