"""What happens in a workspace, as events of the Events API for each place where the app is installed."""

import asyncio
import secrets

from tests.fakes.slack.deliveries import Deliveries, Delivery
from tests.fakes.slack.errors import Json
from tests.fakes.slack.shapes import message_json
from tests.fakes.slack.world import Channel, Install, Message, User, World

SCOPES = {
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "app_mention": "app_mentions:read",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
    "assistant_thread_started": "assistant:write",
    "assistant_thread_context_changed": "assistant:write",
    "app_home_opened": "",
    "app_uninstalled": "",
    "tokens_revoked": "",
}
"""What an app can subscribe to here, and the scope without which it is not told."""

_MESSAGES = {"public": "message.channels", "private": "message.groups", "im": "message.im", "mpim": "message.mpim"}


class Events:
    def __init__(self, world: World, deliveries: Deliveries) -> None:
        self._world = world
        self._deliveries = deliveries
        self._later: set[asyncio.TimerHandle] = set()
        self.subscribed = set(SCOPES)
        self.mention_first = False
        self.mention_gap = 0.0
        """Seconds between the two events of a mention."""

    def posted(self, channel: Channel, message: Message) -> list[str]:
        """A message is there: its event, and app_mention beside it if it names the bot. The ids, `message` first."""
        if message.ephemeral_to is not None:
            return []
        return [number for install in self._hearing(channel) for number in self._posted(install, channel, message)]

    def _posted(self, install: Install, channel: Channel, message: Message) -> list[str]:
        event = self._message_event(install, channel, message)
        told = [(_MESSAGES[channel.kind], event)]
        if channel.kind != "im" and f"<@{install.bot.id}>" in message.text and message.user != install.bot.id:
            mention = {name: value for name, value in event.items() if name not in ("channel_type", "subtype")}
            told.append(("app_mention", {**mention, "type": "app_mention"}))
        order = list(reversed(told)) if self.mention_first else told
        numbers = {
            subscription: self._tell(install, subscription, event, channel, wait=self.mention_gap * place)
            for place, (subscription, event) in enumerate(order)
        }
        return [number for subscription, _ in told if (number := numbers[subscription])]

    def _message_event(self, install: Install, channel: Channel, message: Message) -> Json:
        event = message_json(self._world, channel, message)
        event.update(channel=channel.id, event_ts=message.ts, channel_type=channel.type)
        return {**event, **self._origin(install, message.user)}

    def _origin(self, install: Install, user: str) -> Json:
        """Where someone from outside comes from."""
        author = self._world.users.get(user)
        if author is None or author.team in install.teams:
            return {}
        return {"user_team": author.team, "source_team": author.team}

    def changed(self, channel: Channel, message: Message, before: Json) -> list[str]:
        """A message was edited; `before` is how it was shown."""
        now = message_json(self._world, channel, message)
        return self._changed(channel, {"subtype": "message_changed", "message": now, "previous_message": before})

    def deleted(self, channel: Channel, message: Message, before: Json) -> list[str]:
        return self._changed(
            channel, {"subtype": "message_deleted", "previous_message": before, "deleted_ts": message.ts}
        )

    def _changed(self, channel: Channel, fields: Json) -> list[str]:
        ts = self._world.next_ts(channel)
        event = {"type": "message", **fields, "channel": channel.id, "hidden": True, "ts": ts, "event_ts": ts}
        return self.happened(_MESSAGES[channel.kind], {**event, "channel_type": channel.type}, channel)

    def happened(self, subscription: str, event: Json, channel: Channel) -> list[str]:
        """Something else in a channel where the bot is."""
        told = (self._tell(install, subscription, event, channel) for install in self._hearing(channel))
        return [number for number in told if number]

    def concerns(self, install: Install, subscription: str, event: Json) -> str:
        """Something that concerns one installation and no channel; "" when it is not told."""
        return self._tell(install, subscription, event, None)

    def _hearing(self, channel: Channel) -> list[Install]:
        return [install for install in self._world.installs if install.bot.id in channel.members]

    def _tell(
        self, install: Install, subscription: str, event: Json, channel: Channel | None, *, wait: float = 0.0
    ) -> str:
        scope = SCOPES[subscription]
        if subscription not in self.subscribed or (scope and scope not in install.scopes):
            return ""
        if install.uninstalled and subscription not in ("app_uninstalled", "tokens_revoked"):
            return ""
        delivery = self._delivery(install, event, channel)
        if wait:
            handle = asyncio.get_running_loop().call_later(wait, self._deliveries.put, delivery)
            self._later.add(handle)
        else:
            self._deliveries.put(delivery)
        return delivery.event_id

    def _delivery(self, install: Install, event: Json, channel: Channel | None) -> Delivery:
        event_id = f"Ev{secrets.token_hex(5).upper()}"
        team = self.team(install, channel)
        body: Json = {
            "token": self._world.app.verification_token,
            "team_id": team,
            "context_team_id": team,
            "context_enterprise_id": install.enterprise,
            "api_app_id": self._world.app.id,
            "event": event,
            "type": "event_callback",
            "event_id": event_id,
            "event_time": int(self._world.clock.now()),
            "authorizations": [
                {
                    "enterprise_id": install.enterprise,
                    "team_id": team,
                    "user_id": install.bot.id,
                    "is_bot": True,
                    "is_enterprise_install": install.enterprise is not None,
                }
            ],
            "is_ext_shared_channel": channel is not None and len(channel.teams) > 1,
            "event_context": secrets.token_urlsafe(24),
        }
        if install.enterprise is not None:
            body["enterprise_id"] = install.enterprise
        return Delivery("events_api", body, event_id, channel.id if channel else None)

    def team(self, install: Install, channel: Channel | None) -> str:
        """The workspace that something in this channel is told for."""
        there = [team for team in channel.teams if team in install.teams] if channel else []
        return there[0] if there else install.teams[0]

    def put_wrapped(self, install: Install, event: Json) -> str:
        """An event of any shape in the ordinary wrapping, whatever is subscribed."""
        delivery = self._delivery(install, event, self._world.channels.get(str(event.get("channel"))))
        self._deliveries.put(delivery)
        return delivery.event_id

    def put_raw(self, body: Json) -> str:
        """An event of any shape; it gets an event_id unless it brings its own."""
        event_id = body.setdefault("event_id", f"Ev{secrets.token_hex(5).upper()}")
        self._deliveries.put(Delivery("events_api", body, str(event_id), None))
        return str(event_id)

    def joined(self, channel: Channel, user: User, inviter: str | None = None) -> list[str]:
        event: Json = {
            "type": "member_joined_channel",
            "user": user.id,
            "channel": channel.id,
            "channel_type": "C" if channel.kind == "public" else "G",
            "team": user.team,
            "event_ts": self._world.next_ts(channel),
        }
        if inviter:
            event["inviter"] = inviter
        return self.happened("member_joined_channel", event, channel)

    def close(self) -> None:
        for handle in self._later:
            handle.cancel()
