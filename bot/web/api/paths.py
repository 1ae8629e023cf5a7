"""Which methods an address knows."""

import re
from collections.abc import Sequence

from bot.web.api.endpoint import AnyEndpoint


class Paths:
    def __init__(self, endpoints: Sequence[AnyEndpoint]) -> None:
        self._known = [(_pattern(each.path), each.method) for each in endpoints]

    def methods(self, path: str) -> set[str]:
        """Empty: there is nothing under it."""
        found: set[str] = {method for pattern, method in self._known if pattern.fullmatch(path)}
        return found | {"HEAD"} if "GET" in found else found


def _pattern(path: str) -> re.Pattern[str]:
    """`{name}` stands for one part."""
    fixed = re.split(r"\{\w+\}", path)
    return re.compile(r"[^/]+".join(map(re.escape, fixed)))
