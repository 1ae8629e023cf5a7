"""How each part is, as it said last."""

from dataclasses import dataclass

from bot.clock import Clock


@dataclass(frozen=True, slots=True)
class Part:
    """`detail` is for an admin and holds no secret. `ok`: the service may be called ready with it."""

    state: str
    detail: str
    since: float
    ok: bool


class Health:
    """Parts by name: `store`, `channel:tg`, …"""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._parts: dict[str, Part] = {}

    def note(self, name: str, state: str, detail: str = "", *, ok: bool) -> None:
        before = self._parts.get(name)
        since = before.since if before is not None and before.state == state else self._clock()
        self._parts[name] = Part(state, detail, since, ok)

    @property
    def parts(self) -> dict[str, Part]:
        return dict(sorted(self._parts.items()))

    @property
    def ready(self) -> bool:
        return all(part.ok for part in self._parts.values())
