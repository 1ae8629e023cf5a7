"""What looks like a secret: by the name that it goes by, or by its own shape."""

import re

_NAME = re.compile(r"(?i)passw|passphrase|secret|token|api[ _-]?key|credential|authorization|private[ _-]?key")
_SHAPE = re.compile(
    r"\b\d{5,}:[A-Za-z0-9_-]{30,}"  # Telegram
    r"|\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}"  # Slack
    r"|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"  # model and payment providers
    r"|\bgh[a-z]_[A-Za-z0-9]{20,}"  # GitHub
    r"|\bAKIA[A-Z0-9]{16}\b"  # AWS
    r"|\baskfirst_[A-Za-z0-9_-]{40,}"  # ours
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)


def named_like_a_secret(name: str) -> bool:
    return _NAME.search(name) is not None


def shaped_like_a_secret(text: str) -> bool:
    return _SHAPE.search(text) is not None
