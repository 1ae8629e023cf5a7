"""Stores that kill their own process right before or right after one commit."""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, cast, get_args

from bot.store.database import PostgresStore, Signal, SqliteStore, Tx

P = ParamSpec("P")
T = TypeVar("T")

When = Literal["before", "after"]


class _Last:
    """Stands for the result of the transaction whose commit is the last thing that happens."""


class Fuse:
    """Burns at the `nth` transaction that runs `function` (the end of its qualified name)."""

    def __init__(self, when: When, function: str, nth: int) -> None:
        self._when = when
        self._function = function
        self._left = nth

    @classmethod
    def parse(cls, text: str) -> "Fuse | None":
        """From "after Gateway._accept 2"; None from an empty text."""
        if not text:
            return None
        when, function, nth = text.split()
        assert when in get_args(When), when
        return cls(cast(When, when), function, int(nth))

    def laid(self, fn: Callable[Concatenate[Tx, P], T]) -> Callable[Concatenate[Tx, P], T]:
        """`fn`, with the fuse on it where it is meant."""
        if not fn.__qualname__.endswith(self._function):
            return fn

        def burning(tx: Tx, /, *args: P.args, **kwargs: P.kwargs) -> T:
            value = fn(tx, *args, **kwargs)
            self._left -= 1
            if self._left != 0:
                return value
            if self._when == "before":
                die()
            return cast(T, _Last())

        return burning


class FusedSqlite(SqliteStore):
    def __init__(self, path: Path, fuse: Fuse) -> None:
        self._fuse = fuse
        super().__init__(path)

    async def tx(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await super().tx(self._fuse.laid(fn), *args, **kwargs)

    async def light(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await super().light(self._fuse.laid(fn), *args, **kwargs)

    def _hand_out(self, future: Any, value: Any, signals: Sequence[Signal]) -> None:
        """The first that the process hears of a commit."""
        if isinstance(value, _Last):
            die()
        super()._hand_out(future, value, signals)


class FusedPostgres(PostgresStore):
    def __init__(self, url: str, fuse: Fuse) -> None:
        self._fuse = fuse
        super().__init__(url)

    async def tx(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await super().tx(self._fuse.laid(fn), *args, **kwargs)

    async def light(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await super().light(self._fuse.laid(fn), *args, **kwargs)

    async def _tx(self, work: Callable[[Tx], T], *, durable: bool = True) -> T:
        value = await super()._tx(work, durable=durable)
        if isinstance(value, _Last):
            die()
        return value


def die() -> None:
    """As a power cut would: nothing is flushed, nobody is told."""
    os.kill(os.getpid(), signal.SIGKILL)
