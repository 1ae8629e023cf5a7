"""Lists a page at a time: `limit` and `cursor` in, `items` and `next_cursor` out.

A cursor says where the page before ended, not how many came before it: what is added or taken away meanwhile moves nothing.
"""

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Sequence
from gettext import gettext as _
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, Field

from bot.web.api.endpoint import ID, Given, Shown
from bot.web.api.reading import invalid

T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S", bound=BaseModel)
K = TypeVar("K", str, int)

MOST = 200
USUAL = 50

LARGEST = 2**63
"""No number that the databases give to rows is as large."""


def _number(said: Any) -> Any:
    return int(said) if isinstance(said, str) and re.fullmatch(r"[0-9]{1,9}", said) else said


Limit = Annotated[int, Field(ge=1, le=MOST, description="Most items of one page."), BeforeValidator(_number)]
Cursor = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]{1,400}$", description="`next_cursor` of the page before, as it was given.")
]


class Paged(Given):
    limit: Limit = USUAL
    cursor: Cursor | None = None


class Page(Shown, Generic[S]):
    """`next_cursor` is null on the last page."""

    items: list[S]
    next_cursor: str | None

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        return "".join(each.__name__ for each in params) + "Page"


def page(rows: Sequence[R], limit: int, shown: Callable[[R], S], key: Callable[[R], object]) -> Page[S]:
    """`rows`: up to one more than `limit` of them, so that it is seen whether there are more. `key`: what the next page
    begins after."""
    more = len(rows) > limit
    here = rows[:limit]
    return Page(items=[shown(row) for row in here], next_cursor=_written(key(here[-1])) if more else None)


def listed(everything: Sequence[R], asked: Paged, shown: Callable[[R], S], name: Callable[[R], str]) -> Page[S]:
    """A page of what is at hand whole, by its name."""
    after = text(asked.cursor)
    rows = sorted((row for row in everything if after is None or name(row) > after), key=name)
    return page(rows[: asked.limit + 1], asked.limit, shown, name)


def text(cursor: str | None) -> str | None:
    """Raises Refused for a cursor that is not of this list, as the others do."""
    return _read(cursor, str)


def number(cursor: str | None) -> int | None:
    said = _read(cursor, int)
    if said is not None and not 0 <= said < LARGEST:
        raise _foreign()
    return said


def moment(cursor: str | None) -> tuple[float, str] | None:
    """A time, and an id among what has the same time."""
    if cursor is None:
        return None
    said = _said(cursor)
    match said:
        case [float(at), str(row)] if math.isfinite(at) and re.fullmatch(ID, row):
            return at, row
    raise _foreign()


def _read(cursor: str | None, kind: type[K]) -> K | None:
    if cursor is None:
        return None
    said = _said(cursor)
    if type(said) is not kind:
        raise _foreign()
    return said


def _written(key: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(key, separators=(",", ":")).encode()).rstrip(b"=").decode()


def _said(cursor: str) -> object:
    try:
        said: object = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _foreign() from error
    if _written(said) != cursor:
        raise _foreign()
    return said


def _foreign() -> Exception:
    return invalid("cursor", "cursor", _("is not one that this list gave"))
