"""The name of a skill, and names that a file system keeps for itself."""

import re
import unicodedata

LONGEST_NAME = 64
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])", re.IGNORECASE)

OURS = frozenset({"tools", "upload"})
"""Words that stand at the place of a name in the HTTP API."""


def is_name(text: str) -> bool:
    """1 to 64 small letters a-z, digits and single hyphens, none at an end (Agent Skills specification, `name`)."""
    return len(text) <= LONGEST_NAME and _NAME.fullmatch(text) is not None


def is_reserved(text: str) -> bool:
    return text in OURS or is_device(text)


def is_device(part: str) -> bool:
    """A name that Windows gives to a device, whatever follows its first dot."""
    stem = unicodedata.normalize("NFKC", part).partition(".")[0].rstrip(" ")
    return _DEVICE.fullmatch(stem) is not None


def suggested(text: str) -> str:
    """The nearest allowed name; empty where none is near."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:LONGEST_NAME].strip("-")


def folded(text: str) -> str:
    """What two names share that somebody, or some file system, takes for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
