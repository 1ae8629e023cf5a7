"""Answers to interactions: the body of an acknowledgement, and posts to a response_url."""

import json

from aiohttp import web

from tests.fakes.slack import chat
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import ApiError, Json, wrong
from tests.fakes.slack.interactions import URL_LIFE, URL_USES, Interaction
from tests.fakes.slack.message_rules import content
from tests.fakes.slack.record import Call, Record
from tests.fakes.slack.shapes import message_json
from tests.fakes.slack.world import Message

_ARGUMENTS = frozenset(
    {
        "attachments",
        "blocks",
        "delete_original",
        "link_names",
        "metadata",
        "mrkdwn",
        "parse",
        "replace_original",
        "response_type",
        "text",
        "thread_ts",
        "unfurl_links",
        "unfurl_media",
    }
)
_LIKE = "chat.postMessage"
"""The method whose rules hold for what is posted so."""


class Hooks:
    def __init__(self, desk: Desk, record: Record) -> None:
        self._desk = desk
        self._record = record

    async def payload(self, request: web.BaseRequest) -> Json:
        """What was posted; `{"body": …}` when that is no JSON object."""
        body = await request.text()
        try:
            found = json.loads(body) if request.content_type == "application/json" else None
        except ValueError:
            found = None
        return found if isinstance(found, dict) else {"body": body}

    def chat(self, path: str) -> str | None:
        begun = self._desk.interactions.by_url(path)
        return begun.channel.id if begun is not None and begun.channel is not None else None

    def respond(self, call: Call, path: object) -> web.Response:
        begun = self._desk.interactions.by_url(str(path))
        if begun is None:
            return self._ended(call, 404, "no_service")
        if self._desk.world.clock.now() - begun.created > URL_LIFE:
            return self._ended(call, 404, "expired_url")
        if begun.url_uses >= URL_USES:
            return self._ended(call, 404, "used_url")
        begun.url_uses += 1
        try:
            say(self._desk, begun, call.args)
        except ApiError as error:
            self._record.breach(call, error.reason)
            call.verdict = "breach"
            return self._ended(call, 400, error.code)
        call.verdict = "ok"
        return self._ended(call, 200, "ok")

    def _ended(self, call: Call, status: int, text: str) -> web.Response:
        call.status, call.response = status, {"text": text}
        call.verdict = "refused" if call.verdict == "pending" else call.verdict
        return web.Response(status=status, text=text)

    def acknowledged(self, begun: Interaction, body: Json | str) -> None:
        """What came with the acknowledgement of a command: a text, or the same JSON as for a response_url."""
        payload: Json = {"text": body} if isinstance(body, str) else body
        try:
            say(self._desk, begun, payload)
        except ApiError as error:
            call = self._record.arrived("ack", payload, self._desk.world.clock.now())
            call.verdict = "breach"
            self._record.breach(call, error.reason)


def say(desk: Desk, begun: Interaction, payload: Json) -> None:
    """Do what an answer asks for. Raises ApiError."""
    if unknown := sorted(set(payload) - _ARGUMENTS):
        raise wrong("invalid_arguments", f"an answer has no {unknown[0]!r}")
    kind = payload.get("response_type", "ephemeral")
    if kind not in ("ephemeral", "in_channel"):
        raise wrong("invalid_arguments", f"there is no response_type {kind!r}")
    for name in ("replace_original", "delete_original"):
        if not isinstance(payload.get(name, False), bool):
            raise wrong("invalid_arguments", f"{name} is true or false")
    assert begun.channel is not None
    original = begun.message
    if payload.get("delete_original"):
        _delete(desk, begun, original)
        return
    found = content(_LIKE, payload, desk.check)
    if payload.get("replace_original") and original is not None:
        _replace(desk, begun, original, payload)
        return
    message = chat.new_message(desk, begun.install, begun.channel, found, payload)
    message.thread = desk.thread(begun.channel, payload)
    if kind == "in_channel":
        desk.world.put(begun.channel, message)
        desk.events.posted(begun.channel, message)
        return
    message.ephemeral_to = begun.user.id
    begun.notices.append(message)
    desk.world.put_ephemeral(begun.channel, message)


def _delete(desk: Desk, begun: Interaction, original: Message | None) -> None:
    if original is None:
        raise wrong("invalid_arguments", "there is no original to delete")
    assert begun.channel is not None
    before = message_json(desk.world, begun.channel, original)
    original.deleted = True
    desk.world.changed()
    if original.ephemeral_to is None:
        desk.events.deleted(begun.channel, original, before)


def _replace(desk: Desk, begun: Interaction, original: Message, payload: Json) -> None:
    assert begun.channel is not None
    before = message_json(desk.world, begun.channel, original)
    chat.show(original, content(_LIKE, payload, desk.check))
    chat.edited(desk, begun.install, begun.channel, original)
    if original.ephemeral_to is None:
        desk.events.changed(begun.channel, original, before)
