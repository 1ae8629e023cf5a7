"""People press, submit, close and command; and what comes of the answers."""

from tests.fakes.slack.blocks_seen import Control
from tests.fakes.slack.deliveries import Deliveries, Delivery, DeliveryKind, Failed, Taken
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import ApiError, Impossible, Json
from tests.fakes.slack.hooks import Hooks
from tests.fakes.slack.interactions import Interaction
from tests.fakes.slack.record import Record
from tests.fakes.slack.shapes import message_json
from tests.fakes.slack.typed import escaped
from tests.fakes.slack.view_rules import checked as checked_view
from tests.fakes.slack.views import View
from tests.fakes.slack.world import Channel, Install, Message, User


class Acting:
    def __init__(self, desk: Desk, deliveries: Deliveries, record: Record) -> None:
        self._desk = desk
        self._world = desk.world
        self._deliveries = deliveries
        self._record = record
        self._hooks = Hooks(desk, record)

    def install(self, channel: Channel | None, user: User) -> Install:
        """The installation that hears of what this person does there. Raises Impossible."""
        for install in self._world.installs:
            if channel is not None and not install.uninstalled and install.bot.id in channel.members:
                return install
        return self._world.install_in(channel.teams[0] if channel else user.team)

    def press(
        self, channel: Channel, user: User, message: Message, control: Control, chosen: str | None
    ) -> Interaction:
        """`chosen`: the label of an option, where the control is a list."""
        bot = next((i for i in self._world.installs if i.bot.bot_id == message.bot_id), None)
        begun = self._desk.interactions.begin(
            "press", user, bot or self.install(channel, user), channel, message=message
        )
        hidden = message.ephemeral_to is not None
        container: Json = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": channel.id,
            "is_ephemeral": hidden,
        }
        if message.thread is not None:
            container["thread_ts"] = message.thread
        payload: Json = {
            "type": "block_actions",
            **self._who(begun),
            "container": container,
            "channel": {"id": channel.id, "name": _spoken_name(channel)},
            "state": {"values": {}},
            "response_url": begun.url,
            "actions": [self._action(control, chosen)],
        }
        if not hidden:
            payload["message"] = message_json(self._world, channel, message)
        return self._send(begun, payload)

    def press_in_view(self, user: User, view: View, control: Control, chosen: str | None) -> Interaction:
        begun = self._desk.interactions.begin("press", user, view.install, None, view=view.id)
        payload: Json = {
            "type": "block_actions",
            **self._who(begun),
            "container": {"type": "view", "view_id": view.id},
            "view": self._desk.views.json(view),
            "actions": [self._action(control, chosen)],
        }
        return self._send(begun, payload)

    def _action(self, control: Control, chosen: str | None) -> Json:
        element = control.element
        action: Json = {
            "type": element["type"],
            "action_id": element.get("action_id", ""),
            "block_id": control.block_id,
            "action_ts": f"{self._world.clock.now():.6f}",
        }
        for name in ("text", "value", "style"):
            if element["type"] == "button" and name in element:
                action[name] = element[name]
        if chosen is not None:
            action["selected_option"] = option(element, chosen)
        return action

    def _who(self, begun: Interaction) -> Json:
        user, install = begun.user, begun.install
        team = self._world.teams[self._desk.events.team(install, begun.channel)]
        enterprise = {"id": install.enterprise, "name": "Org"} if install.enterprise else None
        return {
            "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team},
            "api_app_id": self._world.app.id,
            "token": self._world.app.verification_token,
            "trigger_id": begun.trigger,
            "team": {"id": team.id, "domain": team.domain},
            "enterprise": enterprise,
            "is_enterprise_install": install.enterprise is not None,
        }

    def submit(self, view: View) -> Interaction:
        view.errors = {}
        begun = self._desk.interactions.begin("submit", view.user, view.install, None, view=view.id)
        shown = self._desk.views.json(view)
        payload: Json = {"type": "view_submission", **self._who(begun), "view": shown, "response_urls": []}
        return self._send(begun, payload)

    def close_view(self, view: View, *, everything: bool) -> Interaction | None:
        """None when the app did not ask to be told."""
        self._desk.views.close(view, everything=everything)
        if not view.body.get("notify_on_close"):
            return None
        begun = self._desk.interactions.begin("close", view.user, view.install, None, view=view.id)
        who = self._who(begun)
        who.pop("trigger_id")
        payload: Json = {"type": "view_closed", **who, "view": self._desk.views.json(view), "is_cleared": everything}
        return self._send(begun, payload)

    def command(self, channel: Channel, user: User, command: str, text: str) -> Interaction:
        install = self.install(channel, user)
        if "commands" not in install.scopes:
            raise Impossible("the app has no commands: it was not granted that scope")
        begun = self._desk.interactions.begin("command", user, install, channel)
        team = self._world.teams[self._desk.events.team(install, channel)]
        payload: Json = {
            "token": self._world.app.verification_token,
            "team_id": team.id,
            "team_domain": team.domain,
            "channel_id": channel.id,
            "channel_name": _spoken_name(channel),
            "user_id": user.id,
            "user_name": user.name,
            "command": command,
            "text": text,
            "api_app_id": self._world.app.id,
            "is_enterprise_install": "true" if install.enterprise else "false",
            "response_url": begun.url,
            "trigger_id": begun.trigger,
        }
        if install.enterprise:
            payload.update(enterprise_id=install.enterprise, enterprise_name="Org")
        return self._send(begun, payload)

    def _send(self, begun: Interaction, payload: Json) -> Interaction:
        kind: DeliveryKind = "slash_commands" if begun.kind == "command" else "interactive"
        delivery = Delivery(kind, payload, "", begun.channel.id if begun.channel else None)
        delivery.answered = lambda outcome: self._answered(begun, outcome)
        self._deliveries.put(delivery)
        return begun

    def _answered(self, begun: Interaction, outcome: Taken | Failed) -> None:
        if isinstance(outcome, Failed):
            begun.failed = outcome.reason
            return
        begun.acked, begun.answer = True, outcome.body
        if begun.kind == "command" and outcome.body:
            self._hooks.acknowledged(begun, outcome.body)
        if begun.kind == "submit":
            self._submitted(begun, outcome.body)
        self._world.changed()

    def _submitted(self, begun: Interaction, body: Json | str | None) -> None:
        view = self._desk.views.all[begun.view]
        try:
            self._follow(begun, view, body or {})
        except ApiError as error:
            call = self._record.arrived(
                "ack", body if isinstance(body, dict) else {"body": body}, self._world.clock.now()
            )
            call.verdict = "breach"
            self._record.breach(call, error.reason)
            begun.failed = "the answer to the submission was not understood"

    def _follow(self, begun: Interaction, view: View, body: Json | str) -> None:
        """Raises ApiError for an answer that Slack would not understand."""
        views = self._desk.views
        action = body.get("response_action") if isinstance(body, dict) else body
        if body == {}:
            views.close(view)
        elif action == "clear" and isinstance(body, dict) and set(body) == {"response_action"}:
            views.close(view, everything=True)
        elif action in ("update", "push") and isinstance(body, dict) and set(body) == {"response_action", "view"}:
            wanted = checked_view(body["view"], self._desk.check, "modal")
            if action == "update":
                views.change(view, wanted, "")
            else:
                views.open(view.user, view.install, wanted, view.channel, view)
        elif action == "errors" and isinstance(body, dict) and set(body) == {"response_action", "errors"}:
            view.errors = begun.errors = _errors(view, body["errors"])
        else:
            raise ApiError("invalid_arguments", breach=True, reason=f"{body!r} answers no submission")


def _errors(view: View, errors: object) -> dict[str, str]:
    inputs = {block["block_id"] for block in view.body["blocks"] if block["type"] == "input"}
    if not isinstance(errors, dict) or not errors:
        raise ApiError("invalid_arguments", breach=True, reason="errors is no object with anything in it")
    for name, text in errors.items():
        if name not in inputs or not isinstance(text, str) or not text:
            raise ApiError("invalid_arguments", breach=True, reason=f"{name!r} is no input block of this view")
    return errors


def option(element: Json, label: str) -> Json:
    """The option with this label. Raises Impossible."""
    for found in element.get("options", ()):
        if escaped(label) == found["text"]["text"] or label == found["text"]["text"]:
            chosen: Json = found
            return chosen
    raise Impossible(f"there is no option {label!r}")


def _spoken_name(channel: Channel) -> str:
    return {"im": "directmessage", "private": "privategroup"}.get(channel.kind, channel.name)
