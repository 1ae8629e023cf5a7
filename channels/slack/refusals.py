"""What Slack's refusals mean, in the channel's own words: one table, read by the client.

The codes are those of https://docs.slack.dev/reference/methods; the `ok` field decides, whatever the HTTP status says.
"""

from channels.errors import (
    CannotEdit,
    ChannelError,
    ChannelGone,
    ConversationGone,
    FileGone,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    Refused,
    ThreadGone,
)

_WAIT_S = 5.0
"""For a 429 that does not say how long."""


class NothingThere(ChannelError):
    """What should be deleted is gone."""


class TooLate(Refused):
    """A modal can be opened for three seconds after the press."""


class NoSuchUser(ChannelError):
    """Slack does not know this person, and will not later."""


class MissingScope(Refused):
    """The app may not do this. The message names the scope."""


class Unauthorized(ChannelGone):
    """The token is not, or no longer, valid."""


_TABLE: dict[str, type[ChannelError]] = {
    "not_authed": Unauthorized,
    "invalid_auth": Unauthorized,
    "account_inactive": Unauthorized,
    "token_revoked": Unauthorized,
    "token_expired": Unauthorized,
    "not_allowed_token_type": Unauthorized,
    "team_access_not_granted": Unauthorized,
    "app_missing_action_url": Refused,
    "channel_not_found": ConversationGone,
    "not_in_channel": ConversationGone,
    "is_archived": ConversationGone,
    "user_disabled": ConversationGone,
    "cannot_dm_bot": ConversationGone,
    "message_not_found": CannotEdit,
    "cant_update_message": CannotEdit,
    "cant_delete_message": CannotEdit,
    "edit_window_closed": CannotEdit,
    "block_mismatch": CannotEdit,
    "streaming_state_conflict": CannotEdit,
    "thread_not_found": ThreadGone,
    "cannot_reply_to_message": ThreadGone,
    "invalid_thread_ts": ThreadGone,
    "file_not_found": FileGone,
    "file_deleted": FileGone,
    "user_not_found": NoSuchUser,
    "users_not_found": NoSuchUser,
    "user_not_visible": NoSuchUser,
    "expired_trigger_id": TooLate,
    "exchanged_trigger_id": TooLate,
    "invalid_trigger_id": TooLate,
    "service_unavailable": OutcomeUnknown,
    "request_timeout": OutcomeUnknown,
    "internal_error": OutcomeUnknown,
    "fatal_error": OutcomeUnknown,
    "update_failed": OutcomeUnknown,
}
"""Anything else is Refused."""

_LIMITED = ("ratelimited", "rate_limited")


def refusal(method: str, status: int, error: str, needed: str, retry_after: str | None) -> ChannelError:
    """`error` is Slack's code, empty where the answer was none of Slack's; `needed` the scopes that are missing."""
    if status == 429 or error in _LIMITED:
        return RateLimited(_seconds(retry_after))
    if status >= 500:
        return OutcomeUnknown(f"Slack has trouble of its own ({status}). It may have been done all the same.")
    if not error:
        return OutcomeUnknown(f"The answer to {method} is not Slack's ({status}). It may have been done all the same.")
    if error in ("missing_scope", "no_permission"):
        return lacking(method, needed or "see the app's OAuth settings")
    return _TABLE.get(error, Refused)(f"Slack refused {method}: {error}.")


def lacking(what: str, scopes: str) -> MissingScope:
    return MissingScope(f"Slack refused {what}: the app lacks the scope {scopes}. Add it and reinstall the app.")


def unreached(kind: str) -> NotSent:
    return NotSent(f"Slack was not reached ({kind}). Nothing was sent.")


def unanswered(kind: str) -> OutcomeUnknown:
    return OutcomeUnknown(f"Slack did not answer ({kind}). It may have been done all the same.")


def _seconds(retry_after: str | None) -> float:
    try:
        wait = float(retry_after or "")
    except ValueError:
        return _WAIT_S
    return wait if 0 < wait < 3600 else _WAIT_S
