"""Bolt between a transport and our intake: it knows each kind of request and how each is acknowledged. Every kind ends in
the one listener, which stores and nothing else; the acknowledgement follows it."""

import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from channels.errors import NotStored
from channels.fields import Json
from channels.slack.render import Rendered

_ANYTHING = re.compile(r"[\s\S]*")

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Ack:
    """What stands in the acknowledgement: the answer to a slash-command, or what is wrong with a form."""

    message: Rendered | None = None
    mistakes: Mapping[str, str] = field(default_factory=dict)


Take = Callable[[Json], Awaitable[Ack]]
"""Returns when the delivery is safely stored, or none of our business. Raises NotStored."""


class Dispatch:
    def __init__(self, take: Take) -> None:
        logger = logging.getLogger("slack_bolt")
        logger.setLevel(logging.ERROR)
        # Who sends is checked where the request comes in; who speaks is the business of the parser.
        self._app = AsyncApp(
            name="askfirst",
            logger=logger,
            authorize=_authorized,
            process_before_response=True,
            request_verification_enabled=False,
            ignoring_self_events_enabled=False,
            ignoring_self_assistant_message_events_enabled=False,
            attaching_function_token_enabled=False,
            attaching_conversation_kwargs_enabled=False,
        )
        self._listen(take)

    async def by_http(self, body: str, query: str, headers: Mapping[str, str | Sequence[str]]) -> BoltResponse:
        return await self._app.async_dispatch(AsyncBoltRequest(body=body, query=query, headers=dict(headers)))

    async def by_socket(self, payload: Mapping[str, Json]) -> BoltResponse:
        return await self._app.async_dispatch(AsyncBoltRequest(mode="socket_mode", body=dict(payload)))

    def _listen(self, take: Take) -> None:
        async def heard(body: dict[str, Json]) -> None:
            await take(body)

        async def asked(body: dict[str, Json], ack: AsyncAck) -> None:
            said = await take(body)
            if said.mistakes:
                await ack(response_action="errors", errors=dict(said.mistakes))
            elif said.message is not None:
                await ack(said.message.text, list(said.message.blocks), response_type="ephemeral")
            else:
                await ack()

        async def failed(error: Exception) -> BoltResponse:
            if not isinstance(error, NotStored):
                _log.error("slack_delivery_failed", error=type(error).__name__)
            return BoltResponse(status=503, body="")

        self._app.event(_ANYTHING)(heard)
        for kind in (self._app.action, self._app.command, self._app.shortcut, self._app.options):
            kind(_ANYTHING)(asked)
        self._app.view_submission(_ANYTHING)(asked)
        self._app.view_closed(_ANYTHING)(asked)
        self._app.error(failed)


async def _authorized(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
    """Nothing is called through Bolt's own client, so it needs no token; asked of Slack, each event would cost a call."""
    return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, bot_token="", bot_id="", bot_user_id="")
