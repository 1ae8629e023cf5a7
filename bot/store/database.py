"""One database, two makes: SQLite in one writer thread, PostgreSQL through psycopg.

Store functions are synchronous, take a `Tx` first and never commit; `store.tx(fn, …)` runs one as a transaction.
"""

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError

from bot.errors import StoreUnavailable
from bot.store.prepared import Prepared, Rows

P = ParamSpec("P")
T = TypeVar("T")

GROUP = 64
"""Most transactions that share one sync: the gain levels off there (measured at a mean of 35 for 50 callers)."""


Topic = Literal["wake", "decided", "cancel", "ended", "quiet", "deliver", "channel", "server", "answered", "parcel"]


@dataclass(frozen=True, slots=True)
class Signal:
    """Something that others must be told once the transaction holds.

    wake: a conversation has work · decided: a call of this run was decided · cancel: this run was ended from outside ·
    ended: `<state> <run>` · quiet: a run of this conversation was ended that may have waited · deliver: this conversation
    has messages to send · channel: this one was switched on or off · server: `<what> <name>`, something is to be done about
    an MCP server · answered: this question, for which somebody waits in the middle of a call, has ended ·
    parcel: an archive is to be fetched
    """

    topic: Topic
    subject: str


@dataclass(slots=True)
class Tx:
    """An open transaction, and what is to be told after its commit."""

    connection: sa.Connection
    signals: list[Signal] = field(default_factory=list)
    ends: "list[Callable[[Tx], None]]" = field(default_factory=list)
    """What is done last in it: what every transaction may have to wait for is locked as short as can be."""

    def finish(self) -> None:
        for end in self.ends:
            end(self)

    def execute(self, statement: sa.Executable, parameters: Any = None) -> sa.CursorResult[*tuple[Any, ...]]:
        return self.connection.execute(statement, parameters)

    def run(self, prepared: Prepared, parameters: Mapping[str, Any]) -> Rows:
        """As `execute`, for a statement that is always the same."""
        if not self.postgres:
            return prepared.on_sqlite(self.connection.connection.driver_connection, parameters)
        result = self.connection.execute(prepared.statement, parameters)
        return Rows([tuple(row) for row in result] if result.returns_rows else [], result.rowcount)

    def scalar(self, statement: sa.Executable, parameters: Any = None) -> Any:
        return self.connection.execute(statement, parameters).scalar()

    def insert(self, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that can say ON CONFLICT in this database's dialect."""
        return postgresql.insert(table) if self.postgres else sqlite.insert(table)

    def insert_new(self, table: sa.Table, values: dict[str, Any]) -> bool:
        """Insert a row unless one of its unique keys is taken; False if it is.

        Asks for the row back: the count of affected rows is not reliable on PostgreSQL where the database numbers rows.
        """
        return self.run(_insert_new(table, frozenset(values), self.postgres), values).first() is not None

    def tell(self, topic: Topic, subject: str) -> None:
        """Signal `subject` on `topic` after the commit; nothing is told if the transaction fails."""
        signal = Signal(topic, subject)
        if signal not in self.signals:
            self.signals.append(signal)

    @property
    def postgres(self) -> bool:
        return self.connection.dialect.name == "postgresql"


@cache
def _insert_new(table: sa.Table, _columns: frozenset[str], postgres: bool) -> Prepared:
    """Made once for each table and set of columns."""
    insert = postgresql.insert(table) if postgres else sqlite.insert(table)
    return Prepared(insert.on_conflict_do_nothing().returning(*table.primary_key.columns))


Listener = Callable[[Signal], None]


class Store(Protocol):
    async def tx(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(tx, …)` as one transaction: all of it holds, or none. Raises what `fn` raises, and StoreUnavailable."""
        ...

    async def light(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `tx`, without waiting for the disk: a crash of this process undoes nothing, a power cut may undo it.

        For what reads, or would simply be done again.
        """
        ...

    def listen(self, listener: Listener) -> None:
        """Call `listener` in the event loop with each signal of a transaction that has been committed."""
        ...

    async def close(self) -> None: ...


def sqlite_engine(path: Path | str, *, foreign_keys: bool = True) -> sa.Engine:
    """An engine whose transactions begin IMMEDIATE: a deferred one that reads first fails at once when another writes,
    and SQLAlchemy's default opens none for a SELECT, which lost 81 of 100 updates."""
    engine = sa.create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=sa.pool.StaticPool,
        connect_args={"check_same_thread": False, "timeout": 5},
    )

    @sa.event.listens_for(engine, "connect")
    def _(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in ("journal_mode=wal", "synchronous=full", "busy_timeout=5000"):
            connection.execute(f"pragma {pragma}")
        connection.execute(f"pragma foreign_keys={'on' if foreign_keys else 'off'}")

    @sa.event.listens_for(engine, "begin")
    def _(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


@dataclass(slots=True)
class _Job:
    work: Callable[[Tx], Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    durable: bool


class SqliteStore:
    """SQLite in one writer thread. Transactions that wait together share one commit: each has a savepoint of its own,
    an error rolls back only that one, and no result is handed out before the commit."""

    def __init__(self, path: Path | str) -> None:
        self._engine = sqlite_engine(path)
        self._listeners: list[Listener] = []
        self._jobs: deque[_Job] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self._open: sa.Connection | None = None
        self._durable = True
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    async def tx(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(lambda tx: fn(tx, *args, **kwargs), durable=True)

    async def light(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(lambda tx: fn(tx, *args, **kwargs), durable=False)

    async def _run(self, work: Callable[[Tx], T], *, durable: bool) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        job = _Job(work, loop, future, durable)
        with self._ready:
            if self._closed:
                raise StoreUnavailable("The database is closed.")
            self._jobs.append(job)
            self._ready.notify()
        # A caller that is cancelled still finds its transaction whole: it runs to its end, unheard.
        return await asyncio.shield(future)

    async def close(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify()
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)
        self._engine.dispose()

    def _work(self) -> None:
        while batch := self._next():
            self._commit(batch)
        if self._open is not None:
            self._open.close()

    def _wait_for_disk(self, driver: Any, durable: bool) -> None:
        if durable != self._durable:
            driver.execute(f"PRAGMA synchronous={'full' if durable else 'normal'}")
            self._durable = durable

    def _reopen(self) -> None:
        """What failed once may be broken: the next transaction gets another connection."""
        if self._open is not None:
            self._open.close()

    def _connection(self) -> sa.Connection:
        """One for all transactions, opened anew after a failure."""
        if self._open is None or self._open.closed:
            self._open = self._engine.connect()
            self._durable = True
        return self._open

    def _next(self) -> list[_Job]:
        """Everything that waits, up to a group; an empty list when the store is closed and drained."""
        with self._ready:
            while not self._jobs and not self._closed:
                self._ready.wait()
            return [self._jobs.popleft() for _ in range(min(GROUP, len(self._jobs)))]

    def _commit(self, batch: list[_Job]) -> None:
        done: list[tuple[_Job, Any, list[Signal]]] = []
        failed: list[tuple[_Job, BaseException]] = []
        try:
            connection = self._connection()
            driver: Any = connection.connection.driver_connection
            self._wait_for_disk(driver, any(job.durable for job in batch))
            with connection.begin():
                for job in batch:
                    tx = Tx(connection)
                    driver.execute("SAVEPOINT one")  # by the driver: SQLAlchemy's own costs as much as the statements
                    try:
                        value = job.work(tx)
                        tx.finish()
                    except Exception as error:
                        failed.append((job, _translated(error)))
                        driver.execute("ROLLBACK TO one")
                    else:
                        done.append((job, value, tx.signals))
                    driver.execute("RELEASE one")
        except Exception as error:
            self._reopen()
            failed += [(job, _translated(error)) for job, _, _ in done]
            settled = {id(job) for job, _ in failed}
            failed += [(job, _translated(error)) for job in batch if id(job) not in settled]
            done = []
        for job, fault in failed:
            _call(job, _set_error, job.future, fault)
        for job, value, signals in done:
            _call(job, self._hand_out, job.future, value, signals)

    def _hand_out(self, future: "asyncio.Future[Any]", value: Any, signals: Sequence[Signal]) -> None:
        if not future.done():
            future.set_result(value)
        _tell(self._listeners, signals)


def _call(job: _Job, callback: Callable[..., None], *args: Any) -> None:
    try:
        job.loop.call_soon_threadsafe(callback, *args)
    except RuntimeError:  # the loop is closed: nobody listens any more
        return


def _set_error(future: "asyncio.Future[Any]", error: BaseException) -> None:
    if future.done():
        return
    future.set_exception(error)
    future.exception()  # a caller that went away must not turn this into a warning


def _tell(listeners: Sequence[Listener], signals: Sequence[Signal]) -> None:
    for signal in signals:
        for listener in listeners:
            listener(signal)


def _translated(error: Exception) -> Exception:
    """Database trouble becomes StoreUnavailable; a bug (a broken constraint, say) stays what it is."""
    if isinstance(error, StopIteration):
        return RuntimeError(
            "a transaction ran out of something"
        )  # a future refuses StopIteration: the caller would hang
    if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.TimeoutError):
        return _unavailable(error)
    if isinstance(error, sa.exc.DatabaseError) and type(error) is sa.exc.DatabaseError:
        return _unavailable(error)
    if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
        return _unavailable(error)
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return _unavailable(error)
    return error


def _unavailable(cause: Exception) -> StoreUnavailable:
    error = StoreUnavailable(_trouble(cause))
    error.__cause__ = cause
    return error


class PostgresStore:
    """PostgreSQL. `before_commit` may add to the transaction what a signal needs there (a job of the dispatcher)."""

    def __init__(self, url: str, *, pool: int = 8) -> None:
        from sqlalchemy.ext.asyncio import create_async_engine  # the `postgres` extra: absent in the embedded default

        self.libpq_url = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        """The same address for libraries that speak to PostgreSQL themselves; it may hold a password."""
        self._engine = create_async_engine(
            make_url(url).set(drivername="postgresql+psycopg"), pool_size=pool, max_overflow=0, pool_pre_ping=True
        )
        self._listeners: list[Listener] = []
        self.before_commit: Callable[[Any, Signal], Any] | None = None

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    async def tx(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.shield(self._tx(lambda tx: fn(tx, *args, **kwargs)))

    async def light(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.shield(self._tx(lambda tx: fn(tx, *args, **kwargs), durable=False))

    async def _tx(self, work: Callable[[Tx], T], *, durable: bool = True) -> T:
        signals: list[Signal] = []

        def run(connection: sa.Connection) -> T:
            if not durable:
                connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")
            tx = Tx(connection, signals)
            value = work(tx)
            tx.finish()
            return value

        try:
            async with self._engine.begin() as connection:
                value = await connection.run_sync(run)
                if self.before_commit is not None:
                    for signal in signals:
                        await self.before_commit(connection, signal)
        except Exception as error:
            raise _translated(error) from error
        _tell(self._listeners, signals)
        return value

    async def close(self) -> None:
        await self._engine.dispose()


@contextmanager
def reaching() -> Iterator[None]:
    """Trouble of the database, in words."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        raise StoreUnavailable(_trouble(error)) from error


def beat(tx: Tx) -> None:
    """Raises nothing if the database answers."""
    tx.execute(sa.text("SELECT 1"))


def ping(url: str) -> None:
    """Raises StoreUnavailable unless the database answers and is whole. Makes nothing."""
    if not is_postgres(url):
        path = make_url(url).database
        if path is None or not Path(path).exists():
            return  # it is made at the first start
        engine = sqlite_engine(path)
    else:
        engine = sa.create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with reaching():
        try:
            with engine.connect() as connection:
                connection.execute(sa.text("SELECT 1"))
                if (
                    connection.dialect.name == "sqlite"
                    and connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok"
                ):
                    raise StoreUnavailable(
                        "The database file is damaged. Put a copy back, or move it away to start afresh."
                    )
        finally:
            engine.dispose()


def _trouble(error: Exception) -> str:
    text = str(error).lower()
    if "not a database" in text or "malformed" in text:
        return "The database file is damaged, so nothing was started. Put a copy back, or move it away to start afresh."
    if "full" in text:
        return "The disk is full, so nothing was stored. Make room."
    if "locked" in text:
        return "Another program holds the database, so nothing was stored. Stop it and try again."
    if "readonly" in text or "read-only" in text or "unable to open" in text:
        return "The database file cannot be written, so nothing was stored. Check its path and permissions."
    return "The database cannot be used just now, so nothing was stored. Check its address and that it runs."


def is_postgres(url: str) -> bool:
    return make_url(url).get_backend_name() == "postgresql"
