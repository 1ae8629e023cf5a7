"""The chain of the audit: each entry holds a hash over itself and the one before it, so that one that was changed, taken
out or moved is seen."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BEGINNING = "0" * 64
"""What the first entry takes for the hash before it."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as it is stored. `at` in seconds since the epoch; `detail` is JSON as it was written."""

    id: int
    at: float
    who: str
    action: str
    subject: str
    detail: str
    hash: str


def link_hash(before: str, at: float, who: str, action: str, subject: str, detail: str) -> str:
    """SHA-256, as hex, over the hash before and all that the entry says."""
    said = json.dumps([before, repr(at), who, action, subject, detail], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def broken(links: Iterable[Link], head: str) -> Iterator[str]:
    """What is wrong with the chain, in words; nothing if it is whole. `head` is the hash that the last entry must have."""
    before = BEGINNING
    for link in links:
        if link_hash(before, link.at, link.who, link.action, link.subject, link.detail) != link.hash:
            yield f"entry {link.id} was changed, or what stood before it was changed, removed or moved"
        before = link.hash
    if before != head:
        yield "the latest entries were removed or added by hand"
