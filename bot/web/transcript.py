"""The transcript of the browser chat, over the store."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from bot.errors import StoreUnavailable
from bot.store import transcripts
from bot.store.database import Store, Tx
from channels.errors import NotSent
from channels.web.transcript import Line, Page, Transcript

P = ParamSpec("P")
T = TypeVar("T")


class StoredTranscript:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def append(self, conversation: str, message_id: str, author: str, body: str, at: float) -> None:
        await self._tx(transcripts.append, conversation, message_id, author, body, at)

    async def find(self, conversation: str, message_id: str) -> Line | None:
        row = await self._tx(transcripts.find, conversation, message_id)
        return None if row is None else _line(row)

    async def replace(self, conversation: str, message_id: str, body: str, at: float) -> bool:
        return await self._tx(transcripts.replace, conversation, message_id, body, at)

    async def remove(self, conversation: str, message_id: str, at: float) -> None:
        await self._tx(transcripts.remove, conversation, message_id, at)

    async def since(self, conversation: str, change: int, limit: int) -> Sequence[Line]:
        return [_line(row) for row in await self._tx(transcripts.since, conversation, change, limit)]

    async def page(self, conversation: str, before: int | None, limit: int) -> Page:
        rows, change = await self._tx(transcripts.page, conversation, before, limit + 1)
        newest = rows[-limit:] if limit else ()
        return Page(tuple(_line(row) for row in newest), change, len(rows) > limit)

    async def _tx(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await self._store.tx(fn, *args, **kwargs)
        except StoreUnavailable as error:
            raise NotSent(str(error)) from error


def _line(row: transcripts.Row) -> Line:
    return Line(row.message_id, row.id, row.change, row.author, row.body, row.at, row.edited_at, row.removed)


if TYPE_CHECKING:
    _: type[Transcript] = StoredTranscript
