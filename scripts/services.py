"""Finds or brings what tests need from outside: PostgreSQL and Chromium.

`python -m scripts.services` installs what is missing and says what there is; tests call `postgres_url` and
`chromium_path`, which install nothing.
"""

import atexit
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import psycopg
from psycopg import sql

LOCAL = "postgresql://postgres@127.0.0.1:5432/postgres"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class NotHere(Exception):
    """A service is not on this machine; the text says how to bring it."""


@cache
def postgres_url() -> str:
    """A database where tests may do as they like and make others: the one named by ASKFIRST_TEST_POSTGRES, else one made
    for this process on the server of this machine, else on a server of our own. The last two are gone when it ends.

    Raises NotHere.
    """
    if named := os.environ.get("ASKFIRST_TEST_POSTGRES"):
        return named
    if answers(LOCAL):
        return new_database(LOCAL)
    return start_postgres(binaries())


@cache
def chromium_path() -> str:
    """The browser named by ASKFIRST_TEST_CHROMIUM, else the first one installed. Raises NotHere."""
    for name in (os.environ.get("ASKFIRST_TEST_CHROMIUM", ""), *BROWSERS):
        if name and (path := shutil.which(name)):
            return path
    raise NotHere("There is no Chromium here. Install it, or name one in ASKFIRST_TEST_CHROMIUM.")


def answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True


def new_database(server: str) -> str:
    """A new database on `server`, dropped when this process ends."""
    name = f"askfirst_test_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    atexit.register(drop_database, server, name)
    return server.rpartition("/")[0] + "/" + name


def drop_database(server: str, name: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def binaries() -> Path:
    """Where `initdb` and `pg_ctl` are; of several versions the newest. Raises NotHere."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not versions:
        raise NotHere("There is no PostgreSQL here. Install it, or name a database in ASKFIRST_TEST_POSTGRES.")
    return max(versions, key=lambda path: float(path.parent.name))


def start_postgres(programs: Path) -> str:
    """A server of our own in a temporary directory, stopped and removed when this process ends. It does not sync to disk."""
    user = unprivileged()
    home = Path(tempfile.mkdtemp(prefix="askfirst-postgres-"))
    if user:
        shutil.chown(home, user)
    data, port = home / "data", free_port()
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {home} -c fsync=off"
    initdb: list[str | Path] = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    start: list[str | Path] = [
        programs / "pg_ctl",
        "-D",
        data,
        "-l",
        home / "log",
        "-o",
        options,
        "-w",
        "-t",
        "60",
        "start",
    ]
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    quietly(initdb, user, home)
    atexit.register(stop_postgres, programs, data, user, home)
    quietly(start, user, home)
    return new_database(f"postgresql://postgres@127.0.0.1:{port}/postgres")


def stop_postgres(programs: Path, data: Path, user: str | None, home: Path) -> None:
    if (data / "postmaster.pid").exists():
        quietly([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], user, home)


def unprivileged() -> str | None:
    """Whom to start PostgreSQL as, which refuses root; None: as whoever we are."""
    if os.geteuid() != 0:
        return None
    known = {line.partition(":")[0] for line in Path("/etc/passwd").read_text().splitlines()}
    return "postgres" if "postgres" in known else "nobody"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def quietly(command: list[str | Path], user: str | None, home: Path) -> None:
    """Raises NotHere with what the command said, should it fail. Its output goes to a file: a server that stays would
    hold a pipe open."""
    said = home / "said"
    with said.open("wb") as file:
        done = subprocess.run(command, user=user, cwd="/", stdout=file, stderr=file, check=False)  # noqa: S603  our own
    if done.returncode:
        raise NotHere(f"{Path(command[0]).name} failed, so there is no PostgreSQL to test with:\n{said.read_text()}")


def install(package: str, name: str) -> None:
    """By apt-get, as root. Raises NotHere where that cannot be."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        raise NotHere(
            f"{name} is not here, and can be installed only by root with apt-get. Install the package {package}."
        )
    print(f"Installing {name} (apt-get install {package}) …", flush=True)
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        command = [apt, "-qq", "-o", "Dpkg::Use-Pty=0", *arguments]
        done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # noqa: S603
        if done.returncode:
            raise NotHere(f"apt-get {arguments[0]} failed:\n{done.stdout.decode(errors='replace')[-2000:]}")


def bring_postgres() -> str:
    if os.environ.get("ASKFIRST_TEST_POSTGRES"):
        return "the database named by ASKFIRST_TEST_POSTGRES"
    if answers(LOCAL):
        return "the server at 127.0.0.1:5432, in a database of its own"
    try:
        programs = binaries()
    except NotHere:
        install("postgresql", "PostgreSQL")
        programs = binaries()
    return f"a server of its own, from {programs}"


def bring_chromium() -> str:
    try:
        return chromium_path()
    except NotHere:
        install("chromium", "Chromium")
    chromium_path.cache_clear()
    return chromium_path()


def main() -> int:
    try:
        print(f"PostgreSQL: {bring_postgres()}.", flush=True)
        print(f"Chromium: {bring_chromium()}.", flush=True)
    except NotHere as error:
        print(f"{error}\nThe tests were not run.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
