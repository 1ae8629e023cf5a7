"""What a server said and we did not take: the first of each, so many in all."""

from bot.mcp_client.characters import AS_IT_CAME

MOST = 20


class Rejections:
    def __init__(self) -> None:
        self._told: dict[str, None] = {}
        self._more = 0

    def add(self, sentence: str) -> None:
        sentence = sentence[:AS_IT_CAME]
        if sentence in self._told:
            return
        if len(self._told) >= MOST:
            self._more += 1
            return
        self._told[sentence] = None

    @property
    def told(self) -> tuple[str, ...]:
        rest = (f"And {self._more} more.",) if self._more else ()
        return (*self._told, *rest)
