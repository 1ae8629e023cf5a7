"""What each of Telegram's refusals means."""

from typing import Any

import pytest

from channels.errors import (
    CannotEdit,
    ChannelError,
    ChannelGone,
    ConversationGone,
    ConversationMoved,
    OutcomeUnknown,
    RateLimited,
    Refused,
    ThreadGone,
)
from channels.telegram.refusals import BadEntities, Conflict, NotModified, meaning
from channels.telegram.request import Answered


@pytest.mark.parametrize(
    ("code", "description", "kind"),
    [
        (400, "Bad Request: message is not modified: specified new message content is the same", NotModified),
        (400, "Bad Request: message to edit not found", CannotEdit),
        (400, "Bad Request: message can't be edited", CannotEdit),
        (400, "Bad Request: MESSAGE_ID_INVALID", CannotEdit),
        (400, "Bad Request: message thread not found", ThreadGone),
        (400, "Bad Request: TOPIC_DELETED", ThreadGone),
        (400, "Bad Request: chat not found", ConversationGone),
        (400, "Bad Request: can't parse entities: unsupported", BadEntities),
        (400, "Bad Request: BUTTON_DATA_INVALID", Refused),
        (400, "Bad Request: not enough rights to send text messages to the chat", Refused),
        (401, "Unauthorized", ChannelGone),
        (403, "Forbidden: bot was blocked by the user", ConversationGone),
        (403, "Forbidden: user is deactivated", ConversationGone),
        (403, "Forbidden: bot was kicked from the supergroup chat", ConversationGone),
        (403, "Forbidden: bot is not a member of the supergroup chat", ConversationGone),
        (403, "Forbidden: the group chat was deleted", ConversationGone),
        (403, "Forbidden: bot can't initiate conversation with a user", Refused),
        (404, "Not Found: method not found", Refused),
        (409, "Conflict: terminated by other getUpdates request", Conflict),
        (413, "Request Entity Too Large", Refused),
        (500, "Internal Server Error", OutcomeUnknown),
    ],
)
@pytest.mark.parametrize("change", [str, str.lower, str.upper])
def test_a_refusal_is_understood_whatever_its_case(
    code: int, description: str, kind: type[ChannelError], change: Any
) -> None:
    assert type(meaning(Answered(code, change(description), {}))) in (kind, *kind.__subclasses__())


def test_a_migration_names_the_new_chat() -> None:
    error = meaning(Answered(400, "Bad Request: group chat was upgraded", {"migrate_to_chat_id": -1002}))
    assert isinstance(error, ConversationMoved)
    assert error.chat == "-1002"


@pytest.mark.parametrize(("parameters", "wait"), [({"retry_after": 37}, 37), ({}, 5), ({"retry_after": "x"}, 5)])
def test_a_wait_is_the_servers_or_a_default(parameters: dict[str, Any], wait: float) -> None:
    error = meaning(Answered(429, "Too Many Requests", parameters))
    assert isinstance(error, RateLimited)
    assert error.retry_after == wait
