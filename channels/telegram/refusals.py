"""What Telegram's refusals mean, in the channel's own words: one table, read by the client.

The texts are those of the Bot API server (https://github.com/tdlib/telegram-bot-api, Client.cpp); there are no codes
finer than the status. They are compared without regard to case.
"""

from telegram.error import TelegramError

from channels.errors import (
    CannotEdit,
    ChannelError,
    ChannelGone,
    ConversationGone,
    ConversationMoved,
    FileGone,
    FileTooLarge,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    Refused,
    ThreadGone,
)
from channels.telegram.request import Answered, Unanswered, Unreached

_WAIT_S = 5.0
"""For a 429 that does not say how long."""


class Conflict(ChannelError):
    """Somebody else gets this bot's updates. `webhook`: through an address that was set for it."""

    def __init__(self, *, webhook: bool) -> None:
        super().__init__("a webhook is set" if webhook else "another program asks for the updates")
        self.webhook = webhook


class NotModified(ChannelError):
    """The message says so already."""


class NothingThere(ChannelError):
    """What should be deleted is gone."""


class QueryTooOld(ChannelError):
    """A press can be answered for a few minutes only."""


class BadEntities(Refused):
    """The formatting was refused, not the text."""


class Unauthorized(ChannelGone):
    """The token is not, or no longer, valid."""


_TABLE: tuple[tuple[int, str, type[ChannelError]], ...] = (
    (400, "message is not modified", NotModified),
    (400, "message to delete not found", NothingThere),
    (400, "message to edit not found", CannotEdit),
    (400, "message can't be edited", CannotEdit),
    (400, "message can't be deleted", CannotEdit),
    (400, "there is no text in the message to edit", CannotEdit),
    (400, "message_id_invalid", CannotEdit),
    (400, "query is too old", QueryTooOld),
    (400, "query_id_invalid", QueryTooOld),
    (400, "thread not found", ThreadGone),
    (400, "topic_deleted", ThreadGone),
    (400, "file is too big", FileTooLarge),
    (400, "file_id", FileGone),
    (400, "chat not found", ConversationGone),
    (400, "peer_id_invalid", ConversationGone),
    (400, "group chat was deactivated", ConversationGone),
    (400, "upgraded to a supergroup", ConversationGone),  # without saying to which
    (400, "entit", BadEntities),
    (401, "", Unauthorized),
    (403, "blocked by the user", ConversationGone),
    (403, "user is deactivated", ConversationGone),
    (403, "kicked", ConversationGone),
    (403, "not a member", ConversationGone),
    (403, "was deleted", ConversationGone),
)
"""Status, a piece of the description, what it means; the first that fits. Anything else is Refused."""


def meaning(error: TelegramError) -> ChannelError:
    if isinstance(error, Answered):
        return _refusal(error)
    if isinstance(error, Unreached):
        return NotSent(f"Telegram: {error.message}. Nothing was sent.")
    if isinstance(error, Unanswered):
        return OutcomeUnknown(f"Telegram: {error.message}. It may have been done all the same.")
    return OutcomeUnknown("Telegram gave an answer that does not fit the call. It may have been done all the same.")


def _refusal(error: Answered) -> ChannelError:
    moved, wait = error.parameters.get("migrate_to_chat_id"), error.parameters.get("retry_after")
    if isinstance(moved, int):
        return ConversationMoved(str(moved))
    if error.code == 429:
        return RateLimited(float(wait) if isinstance(wait, int | float) and wait > 0 else _WAIT_S)
    if error.code == 409:
        return Conflict(webhook="webhook" in error.description.lower())
    if error.code >= 500:
        return OutcomeUnknown(f"Telegram has trouble of its own ({error.code}). It may have been done all the same.")
    text = f"Telegram refused: {error.description} ({error.code})."
    for code, piece, kind in _TABLE:
        if error.code == code and piece in error.description.lower():
            return kind(text)
    return Refused(text)
