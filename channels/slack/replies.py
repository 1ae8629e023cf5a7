"""How a receipt is shown: in the acknowledgement, in a message for the sender's eyes alone, or as a form."""

import asyncio
from collections.abc import Coroutine, Mapping
from urllib.parse import urlsplit

import aiohttp
import structlog

from channels.adapter import Receipt
from channels.errors import ChannelError
from channels.events import ButtonPress, Command, Event, FormAnswer
from channels.fields import Fields, Json, Unreadable
from channels.outgoing import Outgoing, plain
from channels.slack.client import Client
from channels.slack.dispatch import Ack
from channels.slack.form import errors, view
from channels.slack.limits import RESPONSES
from channels.slack.refusals import TooLate
from channels.slack.render import Rendered, render

_TOO_LATE = "The form did not open in time. Press the button again."

_log = structlog.stdlib.get_logger(__name__)


class Replies:
    """`api_url` as configured: an answer goes to Slack or there, wherever a payload says that it should go."""

    def __init__(self, client: Client, api_url: str) -> None:
        self._client = client
        self._hosts = frozenset({"hooks.slack.com", "hooks.slack-gov.com", urlsplit(api_url).hostname or ""})
        self._sending: set[asyncio.Task[None]] = set()

    def to(self, event: Event, receipt: Receipt, body: Json) -> Ack:
        """What stands in the acknowledgement; the rest is sent beside it."""
        match event:
            case Command() if event.aside:
                return self._command(receipt, body)
            case Command():
                self._send(self._whisper(event, receipt))
            case ButtonPress():
                self._send(self._press(event, receipt, body))
            case FormAnswer():
                return self._form(event, receipt)
            case _:
                pass
        return Ack()

    async def finish(self) -> None:
        """Wait for the answers that are under way."""
        await asyncio.gather(*self._sending)

    def _command(self, receipt: Receipt, body: Json) -> Ack:
        messages = receipt.answer or ((Outgoing(plain(receipt.notice)),) if receipt.notice else ())
        if not messages:
            return Ack()
        if len(messages) == 1:
            return Ack(message=render(messages[0]))
        # In the acknowledgement the first would race the rest: what has parts comes behind it, in order.
        self._send(self._in_parts([render(message) for message in messages], body))
        return Ack()

    async def _whisper(self, event: Command, receipt: Receipt) -> None:
        for message in receipt.answer:
            await self._client.whisper(event.where.chat, event.where.thread, _user(event), render(message))

    async def _in_parts(self, messages: list[Rendered], body: Json) -> None:
        for message in messages[:RESPONSES]:
            await self._respond(body, message, {"response_type": "ephemeral"})

    async def _press(self, event: ButtonPress, receipt: Receipt, body: Json) -> None:
        if receipt.form is not None:
            await self._open(event, receipt, body)
        elif receipt.notice:
            await self._tell(event, receipt, body)

    async def _open(self, event: ButtonPress, receipt: Receipt, body: Json) -> None:
        assert receipt.form is not None
        shown = view(receipt.form, event.token, event.where.key, event.private)
        try:
            await self._client.open_view(_text(body, "trigger_id"), shown)
        except TooLate:
            await self._tell(event, Receipt(_TOO_LATE, alert=True), body)

    async def _tell(self, event: ButtonPress, receipt: Receipt, body: Json) -> None:
        """A card that only the presser sees becomes what the notice says; beside any other it stands alone."""
        said = render(Outgoing(plain(receipt.notice or "")))
        if event.message is None and not receipt.alert:
            await self._respond(body, said, {"replace_original": True})
            return
        try:
            await self._client.whisper(event.where.chat, event.where.thread, _user(event), said)
        except ChannelError:  # in a chat that we cannot write to, a press can be answered all the same
            await self._respond(body, said, {"response_type": "ephemeral", "replace_original": False})

    def _form(self, event: FormAnswer, receipt: Receipt) -> Ack:
        if receipt.mistakes:
            return Ack(mistakes=errors(receipt.mistakes))
        if receipt.notice:
            said = render(Outgoing(plain(receipt.notice)))
            self._send(self._client.whisper(event.where.chat, event.where.thread, _user(event), said))
        return Ack()

    async def _respond(self, body: Json, message: Rendered, how: Mapping[str, Json]) -> None:
        url = _text(body, "response_url")
        if urlsplit(url).hostname not in self._hosts:
            _log.warning("slack_response_url_refused")
            return
        payload = {"text": message.text, "blocks": list(message.blocks), **how}
        async with self._client.http.post(url, json=payload, allow_redirects=False) as answer:
            if answer.status != 200:
                _log.warning("slack_not_answered", status=answer.status)

    def _send(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(_quietly(work))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)


async def _quietly(work: Coroutine[object, object, None]) -> None:
    try:
        await work
    except (ChannelError, aiohttp.ClientError, TimeoutError, OSError) as error:
        _log.warning(
            "slack_not_answered", reason=str(error) if isinstance(error, ChannelError) else type(error).__name__
        )


def _user(event: ButtonPress | Command | FormAnswer) -> str:
    """Slack's own id, without where the person comes from."""
    return event.sender.user.rpartition("/")[2]


def _text(body: Json, name: str) -> str:
    try:
        return Fields("", "body", body).maybe_text(name)
    except Unreadable:
        return ""
