import os
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.config.database import DatabaseUrl
from bot.config.demo import demo
from bot.config.environment import parse_dotenv
from bot.config.values import format_duration, parse_duration
from channels.telegram.config import TelegramConfig
from channels.web.config import WebConfig
from tests.bot.config_files import ENVIRON, GOOD, TOKEN, loaded, mistakes


def telegram(config_text: str, directory: Path) -> TelegramConfig:
    channel = loaded(directory, config_text).channels["tg"]
    assert isinstance(channel, TelegramConfig)
    return channel


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    config = loaded(tmp_path, GOOD)
    assert config.http.port == 8080
    assert config.limits.run_steps == 24
    assert config.approvals.expire_after == timedelta(hours=24)
    assert config.personas["guide"].default_builtin == "allow"
    assert telegram(GOOD, tmp_path).talk.knock is True


def test_a_section_without_keys_counts_as_left_out(tmp_path: Path) -> None:
    assert loaded(tmp_path, GOOD + "limits:\n  # run_steps: 3\nskills: ~\n").limits.run_steps == 24


def test_relative_paths_begin_at_the_file(tmp_path: Path) -> None:
    config = loaded(tmp_path, GOOD + "data_dir: ./d\ndatabase: sqlite:///./other/a.db\nskills: {dir: s}\n")
    assert config.data_dir == tmp_path / "d"
    assert config.database.sqlite_path == tmp_path / "other/a.db"
    assert config.skills.dir == tmp_path / "s"


def test_what_is_left_out_lies_in_the_data_directory(tmp_path: Path) -> None:
    config = loaded(tmp_path, GOOD + "data_dir: /var/lib/askfirst\n")
    assert config.database.get_secret_value() == "sqlite:////var/lib/askfirst/askfirst.db"
    assert config.skills.dir == Path("/var/lib/askfirst/skills")


def test_postgres_has_no_file(tmp_path: Path) -> None:
    config = loaded(tmp_path, GOOD + "database: postgresql://me@host/db\n")
    assert config.database.sqlite_path is None
    assert str(config.database) == "postgresql://me@host/db"


@pytest.mark.parametrize("password", ["word", "a/b@c", "a:b", "a@b"])
def test_the_password_of_a_database_is_never_shown(password: str, tmp_path: Path) -> None:
    text = GOOD + "database: postgresql://me:${PASSWORD}@host/db\n"
    config = loaded(tmp_path, text, {**ENVIRON, "PASSWORD": password})
    assert config.database.get_secret_value() == f"postgresql://me:{password}@host/db"
    assert str(config.database) == "postgresql://me:********@host/db"
    assert str(DatabaseUrl(f"postgresql://host/db?user=me&password={password}")).endswith("password=********")
    assert f"{password}@host" not in repr(config) + str(config) + config.model_dump_json()


def test_secrets_are_masked_wherever_they_are_printed(tmp_path: Path) -> None:
    text = GOOD.replace("    token:", "    webhook_secret: ${HOOK}\n    token:") + "http: {admin_token: '${ADMIN}'}\n"
    config = loaded(tmp_path, text, {**ENVIRON, "HOOK": "hook" * 8, "ADMIN": "admin" * 8})
    channel = config.channels["tg"]
    assert isinstance(channel, TelegramConfig)
    assert channel.token.get_secret_value() == TOKEN
    printed = [repr(config), str(config), config.model_dump_json(), repr(config.model_dump()), f"{channel.token}"]
    for text in printed:
        assert "********" in text
        assert "*" * 9 not in text
        for secret in (TOKEN, "sk-made-up", "hookhook", "adminadmin"):
            assert secret not in text
    assert '"token":"********"' in config.model_dump_json()


def test_a_secret_from_code_is_masked_too() -> None:
    config = TelegramConfig(type="telegram", persona="p", token=SecretStr(TOKEN))
    assert "'********'" in repr(config)


def test_an_empty_optional_secret_counts_as_left_out(tmp_path: Path) -> None:
    config = loaded(tmp_path, GOOD + 'http: {admin_token: "${NOWHERE:-}"}\n')
    assert config.http.admin_token is None


TRAPS = {
    "yes as a text": ("guide: {display_name: Guide", "guide: {display_name: yes", "yes"),
    "number as a text": ("guide: {display_name: Guide", "guide: {display_name: 4.10", "4.10"),
    "octal as a text": ("guide: {display_name: Guide", "guide: {display_name: 010", "010"),
    "date as a text": ("guide: {display_name: Guide", "guide: {display_name: 2026-01-02", "2026-01-02"),
    "minutes as a text": ("guide: {display_name: Guide", "guide: {display_name: 12:30:00", "12:30:00"),
}


@pytest.mark.parametrize(("old", "new", "value"), TRAPS.values(), ids=TRAPS.keys())
def test_a_text_stays_as_it_was_written(old: str, new: str, value: str, tmp_path: Path) -> None:
    assert loaded(tmp_path, GOOD.replace(old, new)).personas["guide"].display_name == value


@pytest.mark.parametrize(
    ("word", "value"), [("on", True), ("yes", True), ("True", True), ("off", False), ("no", False), ("false", False)]
)
def test_a_switch_takes_every_word_that_yaml_has_for_it(word: str, value: bool, tmp_path: Path) -> None:
    assert loaded(tmp_path, GOOD + f"approvals: {{deny_self: {word}}}\n").approvals.deny_self is value


def test_a_number_may_be_quoted_or_come_from_the_environment(tmp_path: Path) -> None:
    text = GOOD + 'http: {port: "${PORT:-8081}"}\n'
    assert loaded(tmp_path, text).http.port == 8081
    assert loaded(tmp_path, text, {**ENVIRON, "PORT": "9090"}).http.port == 9090


def test_a_number_with_a_leading_zero_is_decimal(tmp_path: Path) -> None:
    assert loaded(tmp_path, GOOD + "http: {port: 08080}\n").http.port == 8080


def test_people_and_groups_need_no_quotes(tmp_path: Path) -> None:
    text = GOOD.replace("    token:", "    talk: {allow: [tg:1, group:-1001, anyone]}\n    token:")
    assert telegram(text, tmp_path).talk.allow == ("tg:1", "group:-1001", "anyone")


def test_variables_are_filled_in_inside_a_text(tmp_path: Path) -> None:
    text = GOOD.replace("display_name: Guide", 'display_name: "${A}-${B:-b}-${C:-c}-$${A}-$1"')
    config = loaded(tmp_path, text, {**ENVIRON, "A": "${B}", "C": ""})
    assert config.personas["guide"].display_name == "${B}-b-c-${A}-$1"


def test_the_environment_wins_over_the_file_beside(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=beside\nTELEGRAM_TOKEN=1:beside\n")
    (tmp_path / ".env").chmod(0o600)
    config = loaded(tmp_path, GOOD, {"OPENAI_API_KEY": "outside"})
    key = config.models["main"].api_key
    assert key is not None
    assert key.get_secret_value() == "outside"
    assert isinstance(config.channels["tg"], TelegramConfig)
    assert config.channels["tg"].token.get_secret_value() == "1:beside"
    assert config.warnings == ()


def test_a_file_of_secrets_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=b\n")
    (tmp_path / ".env").chmod(0o644)
    [warning] = loaded(tmp_path, GOOD).warnings
    assert (warning.key, "chmod 600" in warning.remedy) == (".env", True)


def test_a_broken_line_beside_the_file_is_told_without_its_text(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=b\nhidden words\nB='hidden\n")
    found = [mistake for mistake in mistakes(tmp_path, GOOD) if mistake.key == ".env"]
    assert [mistake.line for mistake in found] == [2, 3]
    assert "hidden" not in str(found)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("  export A = b c ", "b c"),
        ("A=b#c # d", "b#c"),
        ("A='b # c'  # d", "b # c"),
        ('A="b=$c"', "b=$c"),
        ("A=", ""),
        ("\n# x\nA=b", "b"),
    ],
)
def test_a_line_beside_the_file_is_read(line: str, value: str) -> None:
    assert parse_dotenv(line) == ({"A": value}, [])


WARNED = {
    "anyone": (GOOD.replace("    token:", "    talk: {allow: [anyone]}\n    token:"), "channels.tg.talk.allow[0]"),
    "nobody": (GOOD.replace('"tg:4242"', '"web:admin"'), "channels.tg"),
    "reachable by others": (GOOD + "http: {host: 0.0.0.0}\n", "http.host"),
    "short token": (GOOD + "http: {admin_token: '${OPENAI_API_KEY}'}\n", "http.admin_token"),
    "past grant": (
        GOOD + "grants: [{persona: '*', capability: builtin/a, effect: auto, until: 2026-05-31T00:00Z}]\n",
        "grants[0].until",
    ),
}


@pytest.mark.parametrize(("text", "key"), WARNED.values(), ids=WARNED.keys())
def test_what_had_better_be_looked_at_is_a_warning(text: str, key: str, tmp_path: Path) -> None:
    [warning] = loaded(tmp_path, text).warnings
    assert warning.key == key
    assert warning.line > 0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("15m", 900), ("24h", 86_400), ("2d", 172_800), ("1h30m", 5400), ("1d1s", 86_401)],
)
def test_a_length_of_time_is_read(text: str, seconds: int) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "0s", "h", "1 h", "1m1h", "-1h", "1.5h", "PT1H", "24H"])
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="length of time"):
        parse_duration(text)


@given(st.integers(min_value=1, max_value=10**8))
def test_a_length_of_time_is_read_back_as_it_was_shown(seconds: int) -> None:
    length = timedelta(seconds=seconds)
    assert parse_duration(format_duration(length)) == length


def test_the_embedded_default_needs_nothing_and_listens_to_this_machine_alone(tmp_path: Path) -> None:
    config = demo(8123, tmp_path)
    assert (config.http.host, config.http.port) == ("127.0.0.1", 8123)
    assert [model.provider for model in config.models.values()] == ["offline"]
    assert isinstance(config.channels["web"], WebConfig)
    assert config.database.sqlite_path == tmp_path / "askfirst.db"
    assert config.admins == ("web:admin",)


def test_the_embedded_default_has_a_new_admin_token_each_time(tmp_path: Path) -> None:
    tokens = [demo(8123, tmp_path).http.admin_token for _ in range(2)]
    assert None not in tokens
    assert tokens[0] != tokens[1]


def test_loading_leaves_the_environment_alone(tmp_path: Path) -> None:
    before = dict(os.environ)
    (tmp_path / ".env").write_text("TELEGRAM_TOKEN=1:x\nOPENAI_API_KEY=k\n")
    loaded(tmp_path, GOOD, {})
    assert dict(os.environ) == before
