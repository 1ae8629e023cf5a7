"""What the browser chat takes. The numbers are our own: a page that stays quick to draw and a card that stays readable."""

from dataclasses import dataclass

from channels.adapter import Limits

LIMITS = Limits(
    text=100_000,
    unit="characters",
    entities=10_000,
    label=80,
    row=8,
    buttons=64,
    token_bytes=64,
    notice=500,
    edit_age_s=None,
    table_width=60,
    activity_s=None,
)

TYPED = 16_000
"""Longest text that a visitor may send at once, in characters."""

BODY = 4 * TYPED + 4_096
"""Largest request body, in bytes: UTF-8 needs at most four for a character."""

PAGE = 50
"""Messages shown at first, and with each look further back."""

CATCH_UP = 500
"""Changes sent one by one to a browser that was away; one that missed more starts again with the newest page."""

BROWSERS = 16
"""Open pages of one visitor; one more and the oldest is cut (it comes back by itself)."""


@dataclass(frozen=True, slots=True)
class Pace:
    """In seconds."""

    heartbeat: float = 15.0
    """Longest silence on a page's stream: proxies commonly cut a silent connection after 30 to 60 s."""
    slow: float = 20.0
    """A browser that takes nothing for this long is cut; it resumes where it was."""
    live: float = 0.08
    """Least time between two pictures of an answer that is being written."""


USUAL = Pace()
