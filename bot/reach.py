"""A connected channel and what it can do beyond the three verbs: asked once, at start."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from channels.adapter import Adapter, Downloads, Finds, KnowsPlaces, Removes, ShowsActivity, Streams, Uploads


@dataclass(frozen=True, slots=True)
class Reach:
    """`adapter` again under each further protocol that it has, else None."""

    adapter: Adapter
    removes: Removes | None
    shows: ShowsActivity | None
    streams: Streams | None
    finds: Finds | None = None
    places: KnowsPlaces | None = None
    downloads: Downloads | None = None
    uploads: Uploads | None = None

    @classmethod
    def of(cls, adapter: Adapter) -> Self:
        return cls(
            adapter,
            adapter if isinstance(adapter, Removes) else None,
            adapter if isinstance(adapter, ShowsActivity) else None,
            adapter if isinstance(adapter, Streams) else None,
            adapter if isinstance(adapter, Finds) else None,
            adapter if isinstance(adapter, KnowsPlaces) else None,
            adapter if isinstance(adapter, Downloads) else None,
            adapter if isinstance(adapter, Uploads) else None,
        )


Connected = Callable[[str], Reach | None]
"""A channel by its name, while it is connected."""
