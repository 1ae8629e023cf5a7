"""The service as a process: its lock, its database, its signals, and a clean end."""

import asyncio
import fcntl
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

from bot.app import App
from bot.clock import Clock
from bot.config.models import Config
from bot.errors import AskfirstError
from bot.store import settings
from bot.store.database import PostgresStore, SqliteStore, Store
from bot.store.schema import migrate
from bot.tools.registry import BUILT_IN
from bot.tools.spec import ToolSpec

COOKIE_KEY = "cookie_key"

HANDOVER_S = 0.0005
"""How soon the event loop and the store's thread let each other go on. They take turns several times for each message;
with Python's 5 ms a burst was answered at 0.6 of the speed."""


class AlreadyRunning(AskfirstError):
    """Another Askfirst uses this data directory, so this one was not started. Stop the other one, or name another data_dir."""


def open_store(config: Config) -> Store:
    """The migrated database. Raises StoreUnavailable."""
    url = config.database.get_secret_value()
    path = config.database.sqlite_path
    migrate(url)
    return PostgresStore(url) if path is None else SqliteStore(path)


async def build_app(
    config: Config,
    tools: Sequence[ToolSpec[Any]] = BUILT_IN,
    clock: Clock = time.time,
    store: Callable[[Config], Store] = open_store,
) -> App:
    """Open the database with `store` and put everything together; nothing is started yet."""
    opened = await asyncio.to_thread(store, config)
    key = await opened.tx(settings.get_or_put, COOKIE_KEY, secrets.token_urlsafe(32))
    return App(config, opened, key, tools, clock)


async def serve(
    config: Config,
    said: Callable[[str], None],
    *,
    reset: bool = False,
    tools: Sequence[ToolSpec[Any]] = BUILT_IN,
    store: Callable[[Config], Store] = open_store,
) -> None:
    """Run until SIGTERM or SIGINT, then stop cleanly. `said` gets the address when all is up."""
    sys.setswitchinterval(HANDOVER_S)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    lock = _lock(config)
    try:
        app = await build_app(config, tools, store=store)
        try:
            said(await app.start(reset=reset))
            await stop.wait()
        finally:
            await app.stop()
    finally:
        if lock is not None:
            lock.close()


def _lock(config: Config) -> IO[str] | None:
    """The operating system's lock on the data directory: it ends with the process, however that ends."""
    if config.database.sqlite_path is None:
        return None
    config.data_dir.mkdir(parents=True, exist_ok=True)
    lock = (config.data_dir / "askfirst.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise AlreadyRunning(AlreadyRunning.__doc__) from error
    lock.write(json.dumps({"pid": os.getpid()}))
    lock.flush()
    return lock
