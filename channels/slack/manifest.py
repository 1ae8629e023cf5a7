"""The manifest of a Slack app that fits a configuration: paste it at https://api.slack.com/apps → From a manifest."""

from collections.abc import Mapping, Sequence

from channels.fields import Json
from channels.slack.config import SlackConfig
from channels.slack.pane import PROMPTS
from channels.slack.scopes import needed

EVENTS = (
    "app_mention",
    "app_uninstalled",
    "assistant_thread_context_changed",
    "assistant_thread_started",
    "channel_archive",
    "channel_deleted",
    "channel_left",
    "group_archive",
    "group_deleted",
    "group_left",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "tokens_revoked",
)
NAME = 35
DESCRIPTION = 140
_ASSISTANT = "It reads with the tools it was granted, and asks before it changes anything."


def manifest(
    name: str, config: SlackConfig, display_name: str, prompts: Sequence[str], public_url: str
) -> Mapping[str, Json]:
    """`name` is the channel's in the configuration; `display_name` that of its persona. Of the shape of
    https://docs.slack.dev/reference/app-manifest."""
    url = f"{public_url.rstrip('/')}/channels/{name}/slack/events"
    by_http = config.mode == "http"
    address: dict[str, Json] = {"request_url": url} if by_http else {}
    command: dict[str, Json] = {
        "command": config.command,
        "description": "Talk to the persona about itself",
        "usage_hint": "help",
        "should_escape": True,
        **({"url": url} if by_http else {}),
    }
    assistant: dict[str, Json] = {
        "assistant_description": _ASSISTANT,
        "suggested_prompts": [{"title": each[:75], "message": each} for each in prompts[:PROMPTS]],
    }
    return {
        "display_information": {"name": display_name[:NAME], "description": _ASSISTANT[:DESCRIPTION]},
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": display_name, "always_online": True},
            "slash_commands": [command],
            "assistant_view": assistant,
        },
        "oauth_config": {"scopes": {"bot": list(needed())}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS), **address},
            "interactivity": {"is_enabled": True, **address},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not by_http,
            "token_rotation_enabled": False,
        },
    }
