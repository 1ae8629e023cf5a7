"""Statements that run for every message: compiled once. SQLAlchemy takes ten times as long to run one as SQLite does."""

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

_DIALECT = sqlite.dialect(paramstyle="named")

Row = tuple[Any, ...]


class Rows:
    """What a statement gave: its rows, all of them, and how many an UPDATE changed."""

    def __init__(self, rows: list[Row], rowcount: int) -> None:
        self._rows = rows
        self.rowcount = rowcount

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def first(self) -> Row | None:
        return self._rows[0] if self._rows else None

    def scalar(self) -> Any:
        """The first column of the first row; None where there is none."""
        return self._rows[0][0] if self._rows else None

    def scalars(self) -> list[Any]:
        return [row[0] for row in self._rows]


class Prepared:
    """One statement, made at import and compiled at its first use. Its lists of values are not of varying length, and
    an INSERT always names the same columns."""

    def __init__(self, statement: sa.Select[*tuple[Any, ...]] | sa.Update | sa.Insert) -> None:
        self.statement = statement
        self._sql: str | None = None
        self._given: dict[str, Any] = {}
        self._truths: tuple[int, ...] = ()
        self._count = 0

    def on_sqlite(self, driver: Any, parameters: Mapping[str, Any]) -> Rows:
        """Run by the driver itself. Raises its errors."""
        if self._sql is None:
            self._compile(parameters)
        assert len(self._given) + len(parameters) == self._count, "these are not the columns it was compiled for"
        cursor = driver.execute(self._sql, {**self._given, **parameters})
        rows = cursor.fetchall()
        if self._truths:
            rows = [self._with_truths(row) for row in rows]
        return Rows(rows, cursor.rowcount)

    def _compile(self, parameters: Mapping[str, Any]) -> None:
        columns = list(parameters) if isinstance(self.statement, sa.Insert) else None
        compiled = self.statement.compile(dialect=_DIALECT, column_keys=columns)
        names = set(parameters)
        self._given = {name: value for name, value in compiled.params.items() if name not in names}
        shown = self.statement.selected_columns if isinstance(self.statement, sa.Select) else ()
        self._truths = tuple(place for place, column in enumerate(shown) if isinstance(column.type, sa.Boolean))
        self._count = len(compiled.params)
        self._sql = str(compiled)

    def _with_truths(self, row: Row) -> Row:
        """SQLite keeps truth as a number."""
        return tuple(bool(value) if place in self._truths else value for place, value in enumerate(row))
