"""The service as it is, with counted tools and a store that can kill it, in a process that a test can start often.

Its modules are imported once, by the server from which each process is forked: that is most of what a start costs.
"""

import asyncio
import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

from bot import log
from bot.config.hidden import secrets_of
from bot.config.load import load
from bot.config.models import Config
from bot.serving import open_store, serve
from bot.store.database import Store
from bot.store.schema import migrate
from bot.tools.registry import BUILT_IN
from tests.crash.fuse import Fuse, FusedPostgres, FusedSqlite
from tests.crash.tools import counted

PRELOADED = [
    __name__,
    "bot.dispatch.procrastinated",
    "bot.llm.clients",
    "bot.llm.providers",
    "pydantic_ai.models.openai",
    "pydantic_ai.providers.openai",
    "psycopg",
    "pytest",  # what started us: each process looks at it again
    "sqlalchemy.ext.asyncio",
]


def nursery() -> ForkServerContext:
    """Where processes come from. Its server ends with this process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def launch(
    context: ForkServerContext, config: Path, environment: Mapping[str, str], counter: str, fuse: Fuse | None
) -> tuple[ForkServerProcess, Connection]:
    """Start the service. The connection gives its address once all is up; it logs beside its configuration."""
    hears, tells = context.Pipe(duplex=False)
    process = context.Process(target=_live, args=(config, dict(environment), counter, fuse, tells))
    process.start()
    tells.close()
    return process, hears


def _live(path: Path, environment: Mapping[str, str], counter: str, fuse: Fuse | None, tells: Connection) -> None:
    with (path.parent / "service.log").open("ab") as written:
        os.dup2(written.fileno(), sys.stderr.fileno())
    os.environ.update(environment)
    config = load(path, os.environ)
    log.set_up(secrets_of(config))
    asyncio.run(serve(config, tells.send, tools=(*BUILT_IN, *counted(counter)), store=_opener(fuse)))


def _opener(fuse: Fuse | None) -> Callable[[Config], Store]:
    if fuse is None:
        return open_store

    def opened(config: Config) -> Store:
        url = config.database.get_secret_value()
        migrate(url)
        file = config.database.sqlite_path
        return FusedPostgres(url, fuse) if file is None else FusedSqlite(file, fuse)

    return opened
