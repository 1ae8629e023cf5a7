"""The address of the database: shown without its password, and refused when the file holds one."""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, Secret

from channels.config import MASK, Written, wrong

_PASSWORD = re.compile(r"(?<=://)(?P<user>[^:/@?]*):(?P<password>.+)@")
"""Up to the last @: an unescaped / or @ in a password must not let the rest of it be seen."""
_PARAMETER = re.compile(r"(?<=[?&]password=)[^&]+")


class DatabaseUrl(Secret[str]):
    """`sqlite:///<path>` or `postgresql://…`; shown with its password masked."""

    @property
    def sqlite_path(self) -> Path | None:
        """The file, None for PostgreSQL."""
        url = self.get_secret_value()
        return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:") else None

    @property
    def passwords(self) -> tuple[str, ...]:
        """As written in the address: before the @, and as a parameter."""
        url = self.get_secret_value()
        before = _PASSWORD.search(url)
        return (*((before["password"],) if before else ()), *_PARAMETER.findall(url))

    def _display(self) -> str:
        masked = _PASSWORD.sub(rf"\g<user>:{MASK}@", self.get_secret_value())
        return _PARAMETER.sub(MASK, masked)


def sqlite(path: Path) -> DatabaseUrl:
    return DatabaseUrl(f"sqlite:///{path}")


def _database(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    scheme, _, rest = value.partition("://")
    if scheme == "sqlite":
        _require_file(rest)
        return value
    if scheme != "postgresql" or not rest:
        raise wrong(
            "is not the address of a database that Askfirst knows",
            "Write sqlite:///./data/askfirst.db or postgresql://user@host/database.",
        )
    if isinstance(value, Written) and (_PASSWORD.search(value.literal) or _PARAMETER.search(value.literal)):
        raise wrong(
            "holds a password that stands in the file itself",
            "Put it into the environment or into .env beside the file: postgresql://user:${DATABASE_PASSWORD}@host/database.",
        )
    return value


def _require_file(rest: str) -> None:
    path = rest.removeprefix("/")
    if not rest.startswith("/") or not path or path.startswith(":memory:") or "?" in path:
        raise wrong(
            "names no file to keep the data in",
            "Write sqlite:///./data/askfirst.db: three slashes, then the path.",
        )


def _show(value: DatabaseUrl) -> str:
    return str(value)


Database = Annotated[DatabaseUrl, BeforeValidator(_database), PlainSerializer(_show, return_type=str, when_used="json")]
