"""MCP servers in the configuration: read, filled in, masked, and the mask taken back."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.config.load import load
from bot.config.masking import NothingStored, masked, unmasked
from bot.config.mcp import McpServerConfig, Unfilled, filled
from tests.bot.config_files import ENVIRON, GOOD, loaded, mistakes


def read(**spec: Any) -> McpServerConfig:
    return McpServerConfig.model_validate(spec)


@pytest.mark.parametrize("spelled", ["streamable_http", "streamable-http", "streamableHttp", "http"])
@pytest.mark.parametrize("key", ["transport", "type"])
def test_streamable_http_is_read_however_it_is_spelled(spelled: str, key: str) -> None:
    assert read(**{key: spelled, "url": "https://x"}).transport == "streamable_http"


def test_what_is_left_out_is_inferred() -> None:
    assert read(command="x").transport == "stdio"
    assert read(url="https://x").transport == "streamable_http"


def test_the_block_of_the_first_manual_is_read() -> None:
    block = {
        "transport": "stdio",
        "command": "python",
        "args": ["server.py"],
        "env": {},
        "enabled": True,
        "description": "本地只读工具",
    }
    assert read(**block, timeout=30).timeouts.call_s == 30


def test_numbers_among_texts_are_texts() -> None:
    made = read(command="x", args=["--port", 8080], env={"PORT": 8080})
    assert (made.args, made.env) == (("--port", "8080"), {"PORT": "8080"})


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"command": "x", "url": "https://x"},
        {"command": "x", "headers": {"A": "b"}},
        {"url": "https://x", "env": {"A": "b"}},
        {"transport": "sse"},
        {"transport": "stdio", "url": "https://x"},
        {"transport": "ws", "url": "wss://x"},
        {"url": "http://[::1"},
        {"command": "x", "type": "stdio", "transport": "stdio"},
        {"command": "x", "timeouts": {"call_s": 0}},
        {"command": "x", "timeouts": {"call_s": "soon"}},
        {"command": "x", "unknown": 1},
        {"command": "x", "trust_hints": "perhaps"},
    ],
)
def test_what_does_not_fit_is_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read(**spec)


def test_the_file_keeps_variables_as_they_are_written(tmp_path: Path) -> None:
    server = "mcpServers: {a: {command: x, env: {KEY: '${OPENAI_API_KEY}'}}}\n"
    assert loaded(tmp_path, GOOD + server).mcp_servers["a"].env == {"KEY": "${OPENAI_API_KEY}"}


def test_a_server_that_is_switched_off_may_lack_its_variables(tmp_path: Path) -> None:
    server = "mcpServers: {a: {command: x, enabled: false, env: {KEY: '${NOT_THERE}'}}}\n"
    assert not loaded(tmp_path, GOOD + server).mcp_servers["a"].enabled


def test_a_missing_variable_is_told_with_its_line(tmp_path: Path) -> None:
    [found] = mistakes(tmp_path, GOOD + "mcpServers:\n  a:\n    command: x\n    args:\n      - '${NOT_THERE}'\n")
    assert (found.key, found.line) == ("mcpServers.a.args[0]", GOOD.count("\n") + 5)


def test_variables_beside_the_file_are_seen(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=beside\nB=beside\n")
    (tmp_path / "config.yaml").write_text(GOOD)
    seen = load(tmp_path / "config.yaml", {**ENVIRON, "A": "ours"}).environ
    assert (seen["A"], seen["B"]) == ("ours", "beside")


def test_values_are_filled_in_and_known_as_secrets() -> None:
    spec = read(
        command="x",
        args=["--key=${KEY}", "$${KEY}", "${NONE:-plain}"],
        env={"A": "${KEY}", "B": "as it stands"},
    )
    known = filled(spec, {"KEY": "hidden-value"})
    assert known.spec.args == ("--key=hidden-value", "${KEY}", "plain")
    assert known.spec.env == {"A": "hidden-value", "B": "as it stands"}
    assert {"hidden-value", "--key=hidden-value", "as it stands"} <= set(known.secrets)


def test_a_token_behind_a_word_is_a_secret_by_itself() -> None:
    spec = read(url="https://x?key=${KEY}", headers={"Authorization": "Bearer token-of-mine"})
    assert {"token-of-mine", "Bearer token-of-mine", "in-the-url"} <= set(filled(spec, {"KEY": "in-the-url"}).secrets)


def test_what_is_missing_is_named_and_no_value_is_shown() -> None:
    spec = read(url="https://x", headers={"A": "${GIVEN}", "B": "${NOT_THERE}"})
    with pytest.raises(Unfilled, match=r"headers\.B needs the variable NOT_THERE") as caught:
        filled(spec, {"GIVEN": "hidden-value"})
    assert "hidden-value" not in str(caught.value)


def test_values_are_masked_and_names_of_variables_are_not() -> None:
    shown = masked(
        read(command="x", env={"A": "secret", "B": "${NAME}", "C": "${NAME:-default}", "D": "x${NAME}", "E": ""})
    )
    assert shown["env"] == {"A": "********", "B": "${NAME}", "C": "********", "D": "********", "E": ""}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://x/mcp", "https://x/mcp"),
        ("https://user:pass@x/mcp", "https://********@x/mcp"),
        ("https://x/mcp?key=secret&b=", "https://x/mcp?key=********&b="),
        ("https://x/mcp?key=${KEY}", "https://x/mcp?key=${KEY}"),
    ],
)
def test_secrets_in_a_url_are_masked(url: str, shown: str) -> None:
    assert masked(read(url=url))["url"] == shown


def test_the_mask_sent_back_keeps_what_is_stored() -> None:
    stored = read(url="https://u:p@x/mcp?k=secret", headers={"A": "secret", "B": "${NAME}"})
    assert unmasked(McpServerConfig.model_validate(masked(stored)), stored) == stored
    changed = McpServerConfig.model_validate({**masked(stored), "headers": {"A": "********", "C": "new"}})
    assert unmasked(changed, stored).headers == {"A": "secret", "C": "new"}


@pytest.mark.parametrize(
    "spec",
    [
        {"command": "x", "env": {"A": "********"}},
        {"url": "https://x", "headers": {"A": "********"}},
        {"url": "https://********@x"},
    ],
)
def test_a_mask_that_stands_for_nothing_is_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(NothingStored):
        unmasked(read(**spec), None)
