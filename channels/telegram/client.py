"""The calls that this room makes. Every error that comes out is a ChannelError and holds no token."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import quote

from telegram import Bot, BotCommand, BotCommandScope, InputFile, LinkPreviewOptions, ReplyParameters
from telegram.error import TelegramError

from channels.errors import FileGone, FileTooLarge, OutcomeUnknown, Refused
from channels.fields import Json
from channels.files import File
from channels.telegram.limits import ALLOWED_UPDATES, BATCH, CONNECTIONS, FILE_MB, UPLOAD_MB
from channels.telegram.refusals import BadEntities, NothingThere, NotModified, QueryTooOld, meaning
from channels.telegram.render import Rendered
from channels.telegram.request import READ_S, AiohttpRequest
from channels.telegram.words import Me

# A preview makes Telegram fetch the address by itself: what a model was talked into writing must not call home unseen.
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

UPLOAD_S = 120.0
"""How long Telegram may take for a file: 20 MB at a megabit and a half per second."""


class Client:
    """Made anywhere; calls work between `open` and `close`, which belong to one event loop."""

    def __init__(self, token: str, api_url: str) -> None:
        # The library logs the address with the token in it, when it is allowed to talk so much.
        logging.getLogger("telegram").setLevel(logging.WARNING)
        self._request = AiohttpRequest(api_url)
        self._files = f"{api_url}/file/bot{token}"
        self._bot = Bot(
            token,
            base_url=f"{api_url}/bot",
            base_file_url=f"{api_url}/file/bot",
            request=self._request,
            get_updates_request=self._request,
        )

    async def open(self) -> None:
        await self._request.initialize()

    async def close(self) -> None:
        await self._request.shutdown()

    async def me(self) -> Me:
        with _translated():
            user = await self._bot.get_me()  # not `initialize`, whose error holds the token
        return Me(user.id, user.username or "", user.full_name, user.can_read_all_group_messages is True)

    async def updates(self, offset: int | None, wait_s: int) -> Sequence[Json]:
        """Raw, in order. `offset` confirms everything below it; None confirms nothing."""
        arguments: dict[str, Json] = {"timeout": wait_s, "limit": BATCH, "allowed_updates": list(ALLOWED_UPDATES)}
        if offset is not None:
            arguments["offset"] = offset
        with _translated():
            # `get_updates` parses a batch as a whole: one update that it cannot read would block all others. With a
            # capital it is an endpoint that the library does not know, and gives as it came; Telegram ignores case.
            found = await self._bot.do_api_request("GetUpdates", arguments, read_timeout=wait_s + READ_S)
        if not isinstance(found, list):
            raise OutcomeUnknown("Telegram's answer to getUpdates is not a list.")
        return found

    async def webhook_url(self) -> str:
        with _translated():
            return (await self._bot.get_webhook_info()).url

    async def set_webhook(self, url: str, secret: str) -> None:
        with _translated():
            await self._bot.set_webhook(
                url, max_connections=CONNECTIONS, allowed_updates=list(ALLOWED_UPDATES), secret_token=secret
            )

    async def delete_webhook(self) -> None:
        """What waits for delivery stays."""
        with _translated():
            await self._bot.delete_webhook(drop_pending_updates=False)

    async def send(self, chat: int, thread: int | None, reply_to: int | None, message: Rendered) -> int:
        """The new message's id."""
        try:
            return await self._send(chat, thread, reply_to, message)
        except BadEntities:
            return await self._send(chat, thread, reply_to, message.unformatted())

    async def _send(self, chat: int, thread: int | None, reply_to: int | None, message: Rendered) -> int:
        with _translated():
            sent = await self._bot.send_message(
                chat,
                message.text,
                entities=message.entities,
                reply_markup=message.keyboard,
                message_thread_id=thread,
                reply_parameters=_answering(reply_to),
                link_preview_options=_NO_PREVIEW,
            )
        return sent.message_id

    async def upload(self, chat: int, thread: int | None, reply_to: int | None, file: File, caption: Rendered) -> int:
        """The new message's id. Raises FileTooLarge."""
        if len(file.content) > UPLOAD_MB * 1024 * 1024:
            raise FileTooLarge(f"Telegram takes files of up to {UPLOAD_MB} MB from a bot.")
        try:
            return await self._upload(chat, thread, reply_to, file, caption)
        except BadEntities:
            return await self._upload(chat, thread, reply_to, file, caption.unformatted())

    async def _upload(self, chat: int, thread: int | None, reply_to: int | None, file: File, caption: Rendered) -> int:
        with _translated():
            sent = await self._bot.send_document(
                chat,
                InputFile(file.content, file.name),
                caption=caption.text,
                caption_entities=caption.entities,
                message_thread_id=thread,
                reply_parameters=_answering(reply_to),
                disable_content_type_detection=True,
                read_timeout=UPLOAD_S,
            )
        return sent.message_id

    async def edit(self, chat: int, number: int, message: Rendered) -> None:
        try:
            await self._edit(chat, number, message)
        except BadEntities:
            await self._edit(chat, number, message.unformatted())

    async def _edit(self, chat: int, number: int, message: Rendered) -> None:
        try:
            with _translated():
                await self._bot.edit_message_text(
                    message.text,
                    chat_id=chat,
                    message_id=number,
                    entities=message.entities,
                    reply_markup=message.keyboard,
                    link_preview_options=_NO_PREVIEW,
                )
        except NotModified:
            return

    async def delete(self, chat: int, number: int) -> None:
        try:
            with _translated():
                await self._bot.delete_message(chat, number)
        except NothingThere:
            return

    async def answer(self, query: str, notice: str, *, alert: bool) -> None:
        """Nothing happens if the press is too old to be answered."""
        try:
            with _translated():
                await self._bot.answer_callback_query(query, text=notice or None, show_alert=alert)
        except QueryTooOld:
            return

    async def download(self, file_id: str, at_most: int) -> bytes:
        """Raises FileTooLarge or FileGone, and Refused where the server keeps its files to itself."""
        try:
            with _translated():
                # Asked by another spelling, as in `updates`: the library would build the address, token and all.
                found = await self._bot.do_api_request("GetFile", {"file_id": file_id})
        except FileTooLarge as error:
            raise FileTooLarge(f"Telegram hands files of up to {FILE_MB} MB to a bot.") from error
        path = found.get("file_path") if isinstance(found, dict) else None
        if not isinstance(path, str) or not path:
            raise FileGone("Telegram does not say where the file is.")
        if path.startswith("/") or ".." in path.split("/"):
            raise Refused("This Bot API server (--local) keeps files on its own disk and does not hand them out.")
        with _translated():
            content = await self._request.fetch(f"{self._files}/{quote(path)}", at_most)
        if content is None:
            raise FileTooLarge("The file is larger than it was said to be.")
        return content

    async def type(self, chat: int, thread: int | None) -> None:
        with _translated():
            await self._bot.send_chat_action(chat, "typing", message_thread_id=thread)

    async def set_commands(self, commands: Sequence[tuple[str, str]], scope: BotCommandScope) -> None:
        with _translated():
            await self._bot.set_my_commands([BotCommand(*command) for command in commands], scope=scope)


def _answering(reply_to: int | None) -> ReplyParameters | None:
    return ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except TelegramError as error:
        raise meaning(error) from error
    except (KeyError, TypeError, ValueError) as error:  # the library builds its objects from an answer unchecked
        raise OutcomeUnknown("Telegram's answer is not shaped as documented. It may have been done.") from error
