"""What the configuration says, with Slack beside the browser chat."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.flows.house import ADMIN_TOKEN, MODEL_KEY, model_at, written

Transport = Literal["socket", "http"]
CHANNEL = "team"
"""The name of the channel; people are written `team:U0123`."""


@dataclass(frozen=True, slots=True)
class SlackPlan:
    """Beyond the least that works. `port` is where it listens by HTTP, the same for every start. `slack` goes into the
    channel, `extra` is laid over the whole, None takes a key out; `tokens` are further variables of the environment."""

    api_url: str
    bot_token: str
    app_token: str
    signing_secret: str
    transport: Transport
    port: int
    admins: tuple[str, ...]
    model_url: str = ""
    database: str = ""
    expire_after: str = "1h"
    remind_before: str = "10m"
    mode: str = "direct"
    slack: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)

    @property
    def channel(self) -> dict[str, Any]:
        """How a channel of this app is configured; `bot_token` is that of the first workspace."""
        way = (
            {"app_token": "${SLACK_APP_TOKEN}"}
            if self.transport == "socket"
            else {"signing_secret": "${SLACK_SIGNING_SECRET}"}
        )
        return {
            "type": "slack",
            "persona": "guide",
            "mode": self.transport,
            "bot_token": "${SLACK_BOT_TOKEN}",
            "api_url": self.api_url,
            **way,
            **self.slack,
        }

    def write(self, directory: Path) -> Path:
        """config.yaml in `directory`."""
        http = {"port": self.port, "public_url": f"http://127.0.0.1:{self.port}"}
        config: dict[str, Any] = {
            "data_dir": "./data",
            "http": http if self.transport == "http" else {"port": 0},
            "models": {"main": model_at(self.model_url)},
            "channels": {CHANNEL: self.channel, "web": {"type": "web", "persona": "guide"}},
            "personas": {"guide": {"display_name": "Guide", "model": "main", "mode": self.mode}},
            "admins": list(self.admins),
            "approvals": {"expire_after": self.expire_after, "remind_before": self.remind_before},
        }
        if self.database:
            config["database"] = self.database
        return written(directory, config, self.extra)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "SLACK_BOT_TOKEN": self.bot_token,
            "SLACK_APP_TOKEN": self.app_token,
            "SLACK_SIGNING_SECRET": self.signing_secret,
            "MODEL_KEY": MODEL_KEY,
            "ADMIN_TOKEN": ADMIN_TOKEN,
            **self.tokens,
        }

    def events_url(self, house_url: str, channel: str = CHANNEL) -> str:
        """Where Slack delivers by HTTP."""
        return f"{house_url}channels/{channel}/slack/events"
