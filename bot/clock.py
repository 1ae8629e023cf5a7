"""Time and chance as parameters: whoever needs them takes these, and a test gives others."""

import secrets
from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds since the epoch."""

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without 0/O, 1/I/L: a code is read off one screen and typed on another."""


def new_id(prefix: str) -> str:
    """A name that nobody guesses: `run_` and 20 hex digits, say."""
    return f"{prefix}_{secrets.token_hex(10)}"


def new_token() -> str:
    """For a button: 22 characters of `[A-Za-z0-9_-]`, 128 bits."""
    return secrets.token_urlsafe(16)


def new_code() -> str:
    """A short code for a waiting approval: 4 letters, 923,521 of them; unique among those that wait."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(4))
