"""Who looks at the page: the port through which the adapter asks."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
"""A visitor's name: it is a chat id too, so it holds no colon."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """`signed_in`: by a link, as opposed to being let in because the browser runs on this machine."""

    name: str
    display: str
    signed_in: bool

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"not a visitor's name: {self.name!r}")


@dataclass(frozen=True, slots=True)
class Rights:
    """What the page offers a visitor beyond talking. `console`: the address of the pages for admins, empty for others;
    `files`: the largest file that they may send, in bytes, 0 for none."""

    console: str = ""
    files: int = 0


RightsOf = Callable[[Visitor], Rights]


def none_beyond_talking(_visitor: Visitor) -> Rights:
    return Rights()


class Identify(Protocol):
    def visitor(self, request: web.Request) -> Visitor | None:
        """Who sent this request; None for someone who has to sign in."""
        ...

    def ours(self, request: web.Request) -> bool:
        """Whether a browser sent this from a page of ours, and not on behalf of some other site."""
        ...

    async def sign_in(self, link: str, response: web.StreamResponse) -> Visitor | None:
        """Use up a one-time link and let `response` remember the visitor. None: the link is unknown, used or too old."""
        ...

    def sign_out(self, response: web.StreamResponse) -> None:
        """Let `response` forget the visitor."""
        ...
