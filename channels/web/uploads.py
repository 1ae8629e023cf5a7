"""Files that visitors sent, in the hands of this process until they are fetched: a few, for a short while."""

from collections import OrderedDict
from collections.abc import Callable
from gettext import gettext as _

from channels.errors import FileGone, FileTooLarge

KEPT = 4
"""One more and the oldest goes: each may be as large as the largest archive that is taken."""


class Received:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._files: OrderedDict[str, bytes] = OrderedDict()

    def put(self, content: bytes) -> str:
        """What it is taken by."""
        number = self._new_id()
        self._files[number] = content
        while len(self._files) > KEPT:
            self._files.popitem(last=False)
        return number

    def take(self, number: str, at_most: int) -> bytes:
        """Once. Raises FileGone or FileTooLarge."""
        content = self._files.pop(number, None)
        if content is None:
            raise FileGone(_("The service was started again before it read the file."))
        if len(content) > at_most:
            raise FileTooLarge(_("The file is larger than it was said to be."))
        return content
