"""The app that fits a configuration, and what an installed one lacks."""

import pytest

from channels.slack.config import SlackConfig
from channels.slack.manifest import DESCRIPTION, NAME, manifest
from channels.slack.pane import PROMPTS
from channels.slack.scopes import missing, needed, why


def config(**more: str) -> SlackConfig:
    given = {"bot_token": "xoxb-1", "app_token": "xapp-1", "signing_secret": "0123456789abcdef"}
    return SlackConfig.model_validate({"type": "slack", "persona": "guide", **given, **more})


def test_by_socket_nothing_has_an_address() -> None:
    made = manifest("team", config(), "Guide", ["What can you do?"], "")
    assert "url" not in str(made)
    assert made["settings"]["socket_mode_enabled"] is True  # type: ignore[index]  # JSON


def test_by_http_everything_comes_to_one_address() -> None:
    made = manifest("team", config(mode="http", command="/ask"), "Guide", [], "https://bot.example.org/")
    url = "https://bot.example.org/channels/team/slack/events"
    settings, features = made["settings"], made["features"]
    assert settings["event_subscriptions"]["request_url"] == url  # type: ignore[index]  # JSON
    assert settings["interactivity"]["request_url"] == url  # type: ignore[index]  # JSON
    [command] = features["slash_commands"]  # type: ignore[index]  # JSON
    assert (command["command"], command["url"], command["should_escape"]) == ("/ask", url, True)


def test_it_asks_for_the_scopes_that_are_needed_and_no_others() -> None:
    made = manifest("team", config(), "Guide", [], "")
    assert made["oauth_config"] == {"scopes": {"bot": list(needed())}}  # JSON
    assert all(why(scope) for scope in needed())


def test_long_names_and_many_prompts_are_cut_to_what_slack_takes() -> None:
    made = manifest("team", config(), "G" * 100, [f"prompt {number}" for number in range(9)], "")
    about = made["display_information"]
    assert len(about["name"]) == NAME  # type: ignore[index]  # JSON
    assert len(about["description"]) <= DESCRIPTION  # type: ignore[index]  # JSON
    assert len(made["features"]["assistant_view"]["suggested_prompts"]) == PROMPTS  # type: ignore[index]  # JSON


def test_what_an_app_lacks_is_named() -> None:
    granted = [scope for scope in needed() if scope not in ("users:read", "im:history")]
    assert missing(granted) == ("im:history", "users:read")
    assert missing(needed()) == ()
    assert missing(()) == (), "where Slack does not say, nothing is claimed"


@pytest.mark.parametrize("token", ["xoxp-1", "xapp-1", "bot"])
def test_a_token_of_another_kind_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="Bot User OAuth Token"):
        config(bot_token=token)
