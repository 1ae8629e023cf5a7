"""The files that the browser chat links to, over the store."""

from typing import TYPE_CHECKING

from bot.errors import StoreUnavailable
from bot.store import files
from bot.store.database import Store
from channels.errors import NotSent
from channels.files import File
from channels.web.given import Given


class StoredFiles:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, conversation: str, file_id: str) -> File | None:
        try:
            return await self._store.light(files.find_in, conversation, file_id)
        except StoreUnavailable as error:
            raise NotSent(str(error)) from error


if TYPE_CHECKING:

    def _given(stored: StoredFiles) -> Given:
        return stored.find
