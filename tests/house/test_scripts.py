"""What the Makefile runs before anything else is there."""

import ast
import os
import subprocess
import sys

import psycopg
import pytest

from scripts import services
from tests.house.files import ROOT

OWN_SERVER = """
import sys
import psycopg
from scripts import services
try:
    programs = services.binaries()
except services.NotHere:
    sys.exit()
url = services.start_postgres(programs)
with psycopg.connect(url) as connection:
    connection.execute("CREATE TABLE t (a int)")
print(url)
"""

OWN_DATABASE = """
from scripts import services
print(services.new_database({server!r}))
"""


def ended(program: str) -> str:
    """What a process of its own printed, after it has ended."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=90
    )
    return done.stdout.strip()


def test_a_server_of_our_own_is_gone_with_its_process() -> None:
    url = ended(OWN_SERVER)
    if not url:
        return  # a machine that uses another's server has no programs of its own
    assert url.startswith("postgresql://postgres@127.0.0.1:")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=3)


def test_a_database_of_our_own_is_gone_with_its_process() -> None:
    server = services.postgres_url()
    name = ended(OWN_DATABASE.format(server=server)).rpartition("/")[2]
    with psycopg.connect(server) as connection:
        found = connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchall()
    assert found == []


def test_the_database_that_was_named_is_used_as_it_is() -> None:
    program = "from scripts import services; print(services.postgres_url())"
    environ = {**os.environ, "ASKFIRST_TEST_POSTGRES": "postgresql://me@host/db"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "postgresql://me@host/db"


def test_the_script_that_makes_the_environment_needs_nothing_but_python() -> None:
    tree = ast.parse((ROOT / "scripts/venv.py").read_text("utf-8"), feature_version=(3, 8))
    imported = {
        alias.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {str(node.module).partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names


def test_an_environment_that_is_not_asked_for_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/venv.py", "all"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "demo|dev" in done.stderr
