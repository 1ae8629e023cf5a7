"""The calls that this room makes. Every error that comes out is a ChannelError and holds no token."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from channels.errors import ChannelError, FileGone, NotSent, OutcomeUnknown
from channels.fields import Json
from channels.files import File
from channels.slack.downloads import fetch
from channels.slack.pace import Pace
from channels.slack.people import Me
from channels.slack.refusals import NothingThere, Unauthorized, refusal, unanswered, unreached
from channels.slack.render import Rendered
from channels.slack.uploads import put

CONNECT_S = 10.0
READ_S = 20.0
PAGE = 200
EVENT = "askfirst"
"""Type of the metadata on our messages, under which they are found again. It is readable by all, and holds a hash."""

Found = Mapping[str, Any]

_BEFORE_SENDING = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientConnectorDNSError,
)


class Client:
    """Made anywhere; calls work between `open` and `close`, which belong to one event loop."""

    def __init__(self, bot_token: str, app_token: str, api_url: str) -> None:
        # The SDK logs requests with their tokens, when it is allowed to talk so much.
        logging.getLogger("slack_sdk").setLevel(logging.WARNING)
        self._token = bot_token
        self._app_token = app_token
        self._api_url = api_url
        self._pace = Pace()
        self._http: aiohttp.ClientSession | None = None
        self._web: AsyncWebClient | None = None
        self.doubted = asyncio.Event()
        """Set when there is reason to think that Slack does not take the bot token any more."""

    async def open(self) -> None:
        timeout = aiohttp.ClientTimeout(connect=CONNECT_S, sock_read=READ_S)
        self._http = aiohttp.ClientSession(timeout=timeout, trust_env=False)
        # No retries: the SDK's own would post a message twice when the connection breaks.
        self.doubted = asyncio.Event()
        self._web = AsyncWebClient(self._token, self._api_url, session=self._http, retry_handlers=[])

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()
        self._http = self._web = None

    @property
    def http(self) -> aiohttp.ClientSession:
        """Raises NotSent while it is not open."""
        if self._http is None:
            raise unreached("the channel is not connected")
        return self._http

    async def me(self) -> tuple[Me, frozenset[str]]:
        """Who we are, and the scopes that were granted."""
        said, headers = await self._called("auth.test", {})
        org = said.get("is_enterprise_install") is True
        me = Me(
            _text(said, "team_id"), _text(said, "user_id"), _text(said, "bot_id"), _text(said, "user"),
            said.get("enterprise_id") or None, org,
        )  # fmt: skip
        scopes = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), "")
        return me, frozenset(scope.strip() for scope in str(scopes).split(",") if scope.strip())

    async def ticket(self) -> str:
        """The address of one socket: it can be used once, and soon."""
        return _text(await self.call("apps.connections.open", {}, token=self._app_token), "url")

    async def send(self, chat: str, thread: str | None, message: Rendered, mark: str | None) -> str:
        """The new message's ts."""
        arguments: dict[str, Json] = {"channel": chat, "text": message.text, "blocks": list(message.blocks)}
        arguments |= {"unfurl_links": False, "unfurl_media": False}
        if thread is not None:
            arguments["thread_ts"] = thread
        if mark is not None:
            arguments["metadata"] = {"event_type": EVENT, "event_payload": {"mark": mark}}
        return _text(await self.call("chat.postMessage", arguments, place=chat), "ts")

    async def edit(self, chat: str, ts: str, message: Rendered) -> None:
        arguments: dict[str, Json] = {"channel": chat, "ts": ts, "text": message.text, "blocks": list(message.blocks)}
        await self.call("chat.update", arguments)

    async def delete(self, chat: str, ts: str) -> None:
        try:
            await self.call("chat.delete", {"channel": chat, "ts": ts})
        except NothingThere:
            return

    async def whisper(self, chat: str, thread: str | None, user: str, message: Rendered) -> None:
        """A message that only this person sees."""
        arguments: dict[str, Json] = {"channel": chat, "user": user, "text": message.text}
        arguments["blocks"] = list(message.blocks)
        if thread is not None:
            arguments["thread_ts"] = thread
        await self.call("chat.postEphemeral", arguments)

    async def set_status(self, chat: str, thread: str, status: str) -> None:
        arguments: dict[str, Json] = {"channel_id": chat, "thread_ts": thread, "status": status}
        await self.call("assistant.threads.setStatus", arguments)

    async def set_prompts(self, chat: str, thread: str, prompts: Sequence[str]) -> None:
        shown = [{"title": prompt, "message": prompt} for prompt in prompts]
        arguments: dict[str, Json] = {"channel_id": chat, "thread_ts": thread, "prompts": shown}
        await self.call("assistant.threads.setSuggestedPrompts", arguments)

    async def set_title(self, chat: str, thread: str, title: str) -> None:
        arguments: dict[str, Json] = {"channel_id": chat, "thread_ts": thread, "title": title}
        await self.call("assistant.threads.setTitle", arguments)

    async def open_view(self, trigger: str, view: Found) -> None:
        await self.call("views.open", {"trigger_id": trigger, "view": dict(view)})

    async def dm(self, user: str) -> str:
        """The chat between this person and us."""
        found = (await self.call("conversations.open", {"users": user})).get("channel")
        return _text(found if isinstance(found, Mapping) else {}, "id")

    async def user(self, user: str) -> Found:
        found = (await self.call("users.info", {"user": user})).get("user")
        return found if isinstance(found, Mapping) else {}

    async def history(self, chat: str, thread: str | None, since: float) -> Sequence[Found]:
        """The newest messages there, with their metadata."""
        arguments: dict[str, Json] = {"channel": chat, "oldest": f"{since:.6f}", "include_all_metadata": True}
        arguments["limit"] = PAGE
        if thread is None:
            return _several(await self.call("conversations.history", arguments), "messages")
        return _several(await self.call("conversations.replies", arguments | {"ts": thread}), "messages")

    async def download(self, number: str, at_most: int) -> bytes:
        """A file that somebody sent. Raises MissingScope, FileGone or FileTooLarge."""
        found = (await self.call("files.info", {"file": number})).get("file")
        file = found if isinstance(found, Mapping) else {}
        return await fetch(self.http, _address(file), self._api_url, self._token, at_most)

    async def upload(self, chat: str, thread: str | None, file: File, caption: Rendered) -> str:
        """The file's id. Nobody sees anything of it before the last step, so that before it, it is safe to begin anew."""
        try:
            said = await self.call("files.getUploadURLExternal", {"filename": file.name, "length": len(file.content)})
            number, address = _text(said, "file_id"), _text(said, "upload_url")
        except OutcomeUnknown as error:
            raise NotSent(str(error)) from error
        await put(self.http, address, self._api_url, file.content)
        arguments: dict[str, Json] = {"files": [{"id": number, "title": file.name}], "channel_id": chat}
        arguments["initial_comment"] = caption.text
        if thread is not None:
            arguments["thread_ts"] = thread
        try:
            await self.call("files.completeUploadExternal", arguments)
        except FileGone as error:
            raise NotSent(str(error)) from error
        return number

    async def teams(self) -> tuple[str, ...]:
        """The workspaces of an organisation that the app is in."""
        return tuple([_text(team, "id") async for team in self._every("auth.teams.list", "teams", {})])

    async def places(self, teams: Iterable[str | None]) -> frozenset[str]:
        """Every chat that we are in, in these workspaces; None stands for the only one."""
        found: set[str] = set()
        for team in teams:
            arguments: dict[str, Json] = {"types": "public_channel,private_channel,mpim,im", "exclude_archived": True}
            arguments |= {"team_id": team} if team else {}
            channels = self._every("users.conversations", "channels", arguments)
            found |= {_text(channel, "id") async for channel in channels}
        return frozenset(found)

    async def _every(self, method: str, name: str, arguments: dict[str, Json]) -> AsyncIterator[Found]:
        """All pages of a list."""
        cursor: dict[str, Json] = {}
        while True:
            page = await self.call(method, {**arguments, "limit": PAGE, **cursor})
            for each in _several(page, name):
                yield each
            after = page.get("response_metadata")
            following = after.get("next_cursor") if isinstance(after, Mapping) else None
            if not following:
                return
            cursor = {"cursor": following}

    async def call(self, method: str, arguments: dict[str, Json], place: str = "", token: str | None = None) -> Found:
        """`place`: the chat whose own limit this counts against. Raises RateLimited without asking while Slack wants us
        to wait."""
        return (await self._called(method, arguments, place, token))[0]

    async def _called(
        self, method: str, arguments: dict[str, Json], place: str = "", token: str | None = None
    ) -> tuple[Found, Mapping[str, str]]:
        if self._web is None:
            raise unreached("the channel is not connected")
        self._pace.check(method, place)
        body = dict(arguments) if token is None else {**arguments, "token": token}
        try:
            if method in _BY_QUERY:
                said = await self._web.api_call(method, http_verb="GET", params=_flat(arguments))
            else:
                said = await self._web.api_call(method, json=body)
        except _BEFORE_SENDING as error:
            raise unreached(type(error).__name__) from None
        except SlackApiError as error:
            meaning = _meaning(method, error)
            if isinstance(meaning, Unauthorized) and token is None:
                self.doubted.set()
            raise self._pace.note(method, place, meaning) from None
        except (aiohttp.ClientError, TimeoutError, OSError, SlackClientError) as error:
            raise unanswered(type(error).__name__) from None
        except (
            AttributeError,
            KeyError,
            TypeError,
            ValueError,
        ) as error:  # the SDK takes an answer's shape for granted
            raise unanswered(type(error).__name__) from None
        if not isinstance(said.data, dict):
            raise OutcomeUnknown(f"The answer to {method} is not Slack's. It may have been done all the same.")
        return said.data, said.headers


_BY_QUERY = (
    "auth.teams.list",
    "conversations.history",
    "conversations.replies",
    "files.getUploadURLExternal",
    "files.info",
    "users.conversations",
    "users.info",
)
"""Methods that read no JSON."""


def _meaning(method: str, error: SlackApiError) -> ChannelError:
    """The SDK's error holds its own response, or aiohttp's where the answer could not be read."""
    response: object = error.response
    data = getattr(response, "data", None)
    data = data if isinstance(data, dict) else {}
    status: int = getattr(response, "status_code", 0) or getattr(response, "status", 500)
    headers = getattr(response, "headers", {})
    wait = next((str(value) for name, value in headers.items() if name.lower() == "retry-after"), None)
    found = refusal(method, status, str(data.get("error", "")), str(data.get("needed", "")), wait)
    if method == "chat.delete" and data.get("error") == "message_not_found":
        return NothingThere(str(found))
    return found


def _flat(arguments: Mapping[str, Json]) -> dict[str, str]:
    return {name: str(int(value)) if isinstance(value, bool) else str(value) for name, value in arguments.items()}


def _address(file: Found) -> str:
    """Raises FileGone where there is none: it lies elsewhere, or is of another organisation."""
    for name in ("url_private_download", "url_private"):
        if isinstance(address := file.get(name), str) and address:
            return address
    raise FileGone("Slack does not say where the file is.")


def _text(found: Found, name: str) -> str:
    """Raises OutcomeUnknown if Slack's answer lacks it."""
    value = found.get(name)
    if not isinstance(value, str):
        raise OutcomeUnknown("Slack's answer is not shaped as documented. It may have been done.")
    return value


def _several(found: Found, name: str) -> list[Found]:
    value = found.get(name)
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
