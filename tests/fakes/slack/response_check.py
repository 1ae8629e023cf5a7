"""What of a response can be checked: the packages' types were made from samples and lack what these did not show."""

from tests.fakes.slack.errors import Json

_UNTYPED = {
    "channel": frozenset({"user", "is_user_deleted", "priority", "is_member"}),
    "channels": frozenset({"user", "is_user_deleted", "priority", "is_member"}),
    "message": frozenset({"ts", "thread_ts", "parent_user_id", "blocks", "metadata", "streaming_state"}),
    "messages": frozenset({"blocks", "client_msg_id", "metadata", "streaming_state"}),
    "view": frozenset({"state"}),
}
"""By the part of the response: fields that Slack sends though its types do not hold them, or hold them too narrowly."""


def checkable(method: str, body: Json) -> Json:
    """Without nulls, which the types do not know, and without what is not typed."""
    if method == "conversations.open":
        body = {**body, "channel": {"id": body["channel"]["id"]}}  # typed for direct messages only
    return {name: _part(name, value) for name, value in body.items() if value is not None}


def _part(name: str, value: object) -> object:
    untyped = _UNTYPED.get(name, frozenset())
    if isinstance(value, list):
        return [_part(name, each) for each in value]
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None and key not in untyped}
    return value


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value
