"""What a function returns → the text that the caller reads. Pure."""

from gettext import gettext as _
from typing import Any

from pydantic_core import to_json

MOST = 100_000
"""Characters of a result."""


def as_text(returned: Any) -> str:
    """Text as it is; models, dataclasses, dicts and lists, enums and times as JSON. Raises ValueError for what is none."""
    if returned is None:
        return _("Done.")
    text = returned if isinstance(returned, str) else to_json(returned).decode()
    if len(text) <= MOST:
        return text
    return text[:MOST] + "\n" + _("(The result stops here: it has {length:,} characters.)").format(length=len(text))
