"""The secrets of an MCP server's configuration, shown as `********`, and what was stored put back where that is sent."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from bot.config.mcp import McpServerConfig
from bot.errors import AskfirstError
from channels.config import MASK

_PLACEHOLDER = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


class NothingStored(AskfirstError):
    """A mask was sent where nothing is stored that it could stand for, so nothing was changed."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"{key} is {MASK}, and nothing is stored that it stands for. Send the value itself.")


def masked(spec: McpServerConfig) -> dict[str, Any]:
    """As JSON, to show to an admin. A value that is only `${NAME}` is shown: it names a secret and holds none."""
    shown = spec.model_dump(mode="json")
    shown["env"] = _masked_pairs(spec.env)
    shown["headers"] = _masked_pairs(spec.headers)
    shown["url"] = masked_url(spec.url)
    return shown


def masked_url(url: str) -> str:
    """Without the password before its @, and without the values of its query."""
    parts = urlsplit(url)
    where = parts.netloc
    if "@" in where:
        where = f"{MASK}@{where.rpartition('@')[2]}"
    query = parts.query
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        query = urlencode([(name, _masked(value)) for name, value in pairs], safe="*${}", quote_via=quote)
    return urlunsplit(parts._replace(netloc=where, query=query))


def same_origin(one: str, other: str) -> bool:
    """Whether both lead to the same host surely. What a variable stands for is not known here, so that addresses with one
    before their path lead to the same only if they are the same."""
    if one == other:
        return True
    try:
        first, second = _origin_of(one), _origin_of(other)
    except ValueError:  # it cannot be read
        return False
    return first == second and bool(first[1]) and "$" not in first[1]


def _origin_of(url: str) -> tuple[str, str]:
    """Scheme and host with its port, as they are written."""
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.rpartition("@")[2].lower()


def unmasked(new: McpServerConfig, stored: McpServerConfig | None) -> McpServerConfig:
    """`new`, with what is stored where it holds the mask. Raises NothingStored."""
    old = stored or McpServerConfig(command="none")
    url = old.url if stored and new.url != old.url and new.url == masked_url(old.url) else new.url
    if url == new.url and MASK in url:
        raise NothingStored("url")
    kept = {
        "env": _unmasked(new.env, old.env, "env"),
        "headers": _unmasked(new.headers, old.headers, "headers"),
        "url": url,
    }
    return new.model_copy(update=kept)


def _masked(value: str) -> str:
    return value if not value or _PLACEHOLDER.fullmatch(value) else MASK


def _masked_pairs(pairs: Mapping[str, str]) -> dict[str, str]:
    return {name: _masked(value) for name, value in pairs.items()}


def _unmasked(new: Mapping[str, str], old: Mapping[str, str], key: str) -> dict[str, str]:
    for name, value in new.items():
        if value == MASK and name not in old:
            raise NothingStored(f"{key}.{name}")
    return {name: old[name] if value == MASK else value for name, value in new.items()}
