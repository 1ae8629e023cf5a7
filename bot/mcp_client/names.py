"""What a model calls a tool of a server. Exact or unknown: nothing is guessed."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

LONGEST = 64
"""Names of tools: `[A-Za-z0-9_-]{1,64}` is what every provider takes."""

_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")
_HASH = 8


def alias(server: str, tool: str) -> str:
    """`mcp__<server>__<tool>`, made legal. The same pair has the same alias, whatever else there is.

    One that had to be changed, or that could be read in two ways, ends in a hash of both names, so that no two pairs meet.
    """
    plain = f"mcp__{server}__{tool}"
    legal = _ILLEGAL.sub("_", plain)
    if legal == plain and len(plain) <= LONGEST and not _ambiguous(server, tool):
        return plain
    digest = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{legal[: LONGEST - _HASH - 1].rstrip('_-')}-{digest}"


def _ambiguous(server: str, tool: str) -> bool:
    """`a__b` + `c` and `a` + `b__c`; a tool whose own end looks like our hash."""
    return "__" in server or server.endswith("_") or tool.startswith("_") or _LOOKS_HASHED.search(tool) is not None


_LOOKS_HASHED = re.compile(r"-[0-9a-f]{8}$")


def aliases(pairs: Iterable[tuple[str, str]]) -> Mapping[str, tuple[str, str]]:
    """By alias. Two pairs that meet all the same (their hashes agree in 32 bits) are both left out."""
    unique = dict.fromkeys(pairs)
    named = [(alias(*pair), pair) for pair in unique]
    count = Counter(name for name, _ in named)
    return {name: pair for name, pair in named if count[name] == 1}
