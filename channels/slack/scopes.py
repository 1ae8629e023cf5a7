"""What the app must be allowed to do, and why: for the manifest, and to say by name what an installed app lacks."""

from collections.abc import Collection

SCOPES: tuple[tuple[str, str], ...] = (
    ("app_mentions:read", "hear mentions"),
    ("assistant:write", "suggest questions and give titles in the assistant pane"),
    ("channels:history", "hear what is said in channels, and look for a message whose sending broke off"),
    ("channels:read", "see that it was removed from a channel"),
    ("chat:write", "write"),
    ("commands", "have a slash-command"),
    ("files:read", "fetch the archives of skills that an admin sends"),
    ("files:write", "send the files that tools give"),
    ("groups:history", "hear what is said in private channels"),
    ("groups:read", "see that it was removed from a private channel"),
    ("im:history", "hear what is said in direct messages"),
    ("im:read", "see which direct messages there are"),
    ("im:write", "write to an admin first"),
    ("mpim:history", "hear what is said in group messages"),
    ("mpim:read", "see which group messages it is in"),
    ("users:read", "know names, and who is a full member"),
)
"""Each with what it is for (https://docs.slack.dev/reference/scopes)."""


def needed() -> tuple[str, ...]:
    """The bot scopes."""
    return tuple(dict(SCOPES))


def why(scope: str) -> str:
    """What it is needed for, as what goes on after "to"."""
    return dict(SCOPES)[scope]


def missing(granted: Collection[str]) -> tuple[str, ...]:
    """What an installed app lacks; nothing where Slack does not say what was granted."""
    return tuple(scope for scope in needed() if scope not in granted) if granted else ()
