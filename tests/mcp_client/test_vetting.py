"""Which commands are started, which addresses are used."""

import os
import socket
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from bot.config.mcp import McpServerConfig
from bot.mcp_client.addresses import is_public, origin, resolved
from bot.mcp_client.vetting import launch
from bot.mcp_client.words import Refused, Unusable


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    """A PATH with programs of the names that matter, all of them harmless."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in (
        "npx",
        "npm",
        "pnpm",
        "yarn",
        "bunx",
        "pipx",
        "uvx",
        "uv",
        "node",
        "nodejs",
        "python3.12",
        "docker",
        "deno",
        "ruby",
        "perl",
        "php",
        "bash",
        "env",
        "busybox",
    ):
        program = folder / name
        program.write_text("#!/bin/true\n")
        program.chmod(0o755)
    (folder / "innocent").symlink_to(folder / "bash")
    (folder / "python").symlink_to(folder / "python3.12")
    return {"PATH": str(folder), "HOME": "/home/x", "ASKFIRST_ADMIN_TOKEN": "secret", "AWS_SECRET": "secret"}


ALLOWED: dict[str, tuple[str, list[str]]] = {
    "npx": ("npx", ["-y", "@modelcontextprotocol/server-memory"]),
    "npx with a package": ("npx", ["-y", "-p", "pkg", "bin", "--port", "1"]),
    "uvx": ("uvx", ["mcp-server-time", "--local-timezone", "UTC"]),
    "uvx from": ("uvx", ["--from", "git", "mcp-server-git"]),
    "uvx with things of the names of programs": ("uvx", ["--with", "make", "--from", "git", "server", "sh", "-c", "x"]),
    "uvx with a python": ("uvx", ["--python", "python3.12", "server"]),
    "npx with a path": ("npx", ["-y", "@scope/server", "/srv/make", "env"]),
    "npx of a scope that is called like a program": ("npx", ["-y", "@bash/server"]),
    "npm exec": ("npm", ["exec", "--", "@scope/server", "-doc-root", "/srv"]),
    "uv run of a script": ("uv", ["run", "--directory", "/srv/make", "server.py"]),
    "python script": ("python", ["server.py", "-c", "config.ini"]),
    "python unbuffered": ("python", ["-u", "server.py", "-c", "config.ini"]),
    "python module": ("python", ["-m", "server", "-c", "config.ini"]),
    "node script": ("node", ["server.js", "-e", "production"]),
    "deno": ("deno", ["run", "--allow-net", "server.ts"]),
    "docker": ("docker", ["run", "-i", "--rm", "-e", "TOKEN", "image"]),
}


@pytest.mark.parametrize(("command", "args"), ALLOWED.values(), ids=ALLOWED.keys())
def test_an_ordinary_command_is_started_as_it_stands(programs: dict[str, str], command: str, args: list[str]) -> None:
    made = launch(McpServerConfig(command=command, args=tuple(args), env={"A": "b"}), programs)
    assert made.program == f"{programs['PATH']}/{command}"
    assert made.args == tuple(args)
    assert made.env == {"PATH": programs["PATH"], "HOME": "/home/x", "A": "b"}


REFUSED: dict[str, dict[str, Any]] = {
    "a shell": {"command": "bash", "args": ["server.sh"]},
    "a shell under another name": {"command": "innocent", "args": ["x"]},
    "busybox": {"command": "busybox", "args": ["sh"]},
    "a wrapper": {"command": "env", "args": ["node", "x.js"]},
    "python -c": {"command": "python", "args": ["-c", "import os"]},
    "python -Ic": {"command": "python3.12", "args": ["-Ic", "import os"]},
    "python -cimport": {"command": "python", "args": ["-cimport os"]},
    "python behind a flag's value": {"command": "python", "args": ["-W", "ignore", "-c", "import os"]},
    "node -e": {"command": "node", "args": ["-e", "1"]},
    "node --eval=": {"command": "node", "args": ["--eval=1"]},
    "node -pe": {"command": "node", "args": ["-pe", "1"]},
    "node behind a flag's value": {"command": "node", "args": ["--title", "x", "-e", "1"]},
    "node --require": {"command": "node", "args": ["--require", "/tmp/x.js", "server.js"]},
    "node --import=": {"command": "node", "args": ["--import=/tmp/x.mjs", "server.js"]},
    "npx -c": {"command": "npx", "args": ["-c", "touch /tmp/x"]},
    "npx --call=": {"command": "npx", "args": ["--call=touch /tmp/x"]},
    "npx with a package and -c": {"command": "npx", "args": ["-p", "pkg", "-c", "touch /tmp/x"]},
    "npx --node-options=": {"command": "npx", "args": ["--node-options=--require /tmp/x", "pkg"]},
    "npx --script-shell": {"command": "npx", "args": ["--script-shell", "/tmp/x", "pkg"]},
    "npx with -c among other letters": {"command": "npx", "args": ["-yc", "touch /tmp/x"]},
    "npx of node": {"command": "npx", "args": ["-y", "node", "-e", "1"]},
    "npx of node in a version": {"command": "npx", "args": ["node@22", "--eval=1"]},
    "npx of node behind its package": {"command": "npx", "args": ["-p", "node", "node", "-e", "1"]},
    "npx of node behind a flag that may take a value": {"command": "npx", "args": ["--quiet", "node", "-e", "1"]},
    "npx of a shell": {"command": "npx", "args": ["-y", "bash", "x"]},
    "npx of a wrapper": {"command": "npx", "args": ["--", "env", "x"]},
    "npx of npx": {"command": "npx", "args": ["npx", "node", "-e", "1"]},
    "npm exec": {"command": "npm", "args": ["exec", "--", "node", "-e", "1"]},
    "pnpm dlx": {"command": "pnpm", "args": ["dlx", "node", "-e", "1"]},
    "yarn node": {"command": "yarn", "args": ["node", "-e", "1"]},
    "bunx": {"command": "bunx", "args": ["node", "-e", "1"]},
    "pipx run": {"command": "pipx", "args": ["run", "python", "-c", "1"]},
    "uvx of python": {"command": "uvx", "args": ["python", "-c", "1"]},
    "uvx of python in a version": {"command": "uvx", "args": ["python@3.12", "-c", "1"]},
    "uvx of python behind a package": {"command": "uvx", "args": ["--from", "x", "python3.12", "-c", "1"]},
    "uv tool run": {"command": "uv", "args": ["tool", "run", "--offline", "python", "-c", "1"]},
    "uv run of a shell": {"command": "uv", "args": ["run", "/bin/sh", "x"]},
    "uv run of a module that evaluates": {"command": "uv", "args": ["run", "-m", "timeit", "1"]},
    "a module that evaluates": {"command": "python", "args": ["-m", "timeit", "1"]},
    "a module that evaluates, in one word": {"command": "python", "args": ["-Imtimeit", "1"]},
    "node by another name": {"command": "nodejs", "args": ["-e", "1"]},
    "a program within an address": {"command": "deno", "args": ["run", "data:text/javascript,1"]},
    "uv run python -c": {"command": "uv", "args": ["run", "python", "-c", "import os"]},
    "deno eval": {"command": "deno", "args": ["eval", "1"]},
    "ruby -e": {"command": "ruby", "args": ["-e", "1"]},
    "perl -we": {"command": "perl", "args": ["-we", "1"]},
    "php -r": {"command": "php", "args": ["-r", "1"]},
    "docker --privileged": {"command": "docker", "args": ["run", "--privileged", "image"]},
    "a relative path": {"command": "./npx"},
    "a path further in": {"command": "sub/npx"},
    "a path upwards": {"command": "../npx"},
    "a roundabout path": {"command": "/usr/../bin/true"},
    "what is not there": {"command": "there-is-no-such-program"},
    "NODE_OPTIONS": {"command": "npx", "args": ["pkg"], "env": {"NODE_OPTIONS": "--require /tmp/x"}},
    "LD_PRELOAD": {"command": "npx", "args": ["pkg"], "env": {"LD_PRELOAD": "/tmp/x.so"}},
    "PYTHONPATH": {"command": "python", "args": ["x.py"], "env": {"PYTHONPATH": "/tmp"}},
    "PYTHONSTARTUP": {"command": "python", "args": ["x.py"], "env": {"PYTHONSTARTUP": "/tmp/x"}},
    "BASH_ENV": {"command": "npx", "args": ["pkg"], "env": {"BASH_ENV": "/tmp/x"}},
    "PATH": {"command": "npx", "args": ["pkg"], "env": {"PATH": "/tmp"}},
    "npm_config": {"command": "npx", "args": ["pkg"], "env": {"npm_config_script_shell": "/tmp/x"}},
    "small letters": {"command": "npx", "args": ["pkg"], "env": {"node_options": "--require /tmp/x"}},
    "a variable that is none": {"command": "npx", "args": ["pkg"], "env": {"A=B": "x"}},
    "our mark": {"command": "npx", "args": ["pkg"], "env": {"ASKFIRST_MCP": "x"}},
    "a directory that is not there": {"command": "npx", "args": ["pkg"], "cwd": "/there/is/none"},
    "a relative directory": {"command": "npx", "args": ["pkg"], "cwd": "."},
    "a NUL": {"command": "npx", "args": ["pkg\0x"]},
}


@pytest.mark.parametrize("spec", REFUSED.values(), ids=REFUSED.keys())
def test_a_command_that_could_be_anything_is_refused(programs: dict[str, str], spec: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        launch(McpServerConfig.model_validate(spec), programs)


def test_python_of_this_environment_is_allowed() -> None:
    made = launch(McpServerConfig(command=sys.executable, args=("-m", "server")), dict(os.environ))
    assert made.program == sys.executable


PRIVATE = (
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *(
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
        "::",
        "::1",
        "fe80::1",
        "fd00::1",
        "fd00:ec2::254",
    ),
    *(
        "::ffff:127.0.0.1",
        "::ffff:a9fe:a9fe",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "ff02::1",
        "2001:db8::1",
    ),
)
PUBLIC = ("93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101")


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_of_this_machine_or_its_network_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "0", "localhost."]
)
async def test_loopback_is_found_out_however_it_is_written(host: str) -> None:
    with pytest.raises((Refused, Unusable)):
        await resolved(host, 80, allow_private=False)


async def test_a_name_is_refused_if_any_of_its_addresses_is_private() -> None:
    """As a name that is to be rebound has them: asked for at each request, and only what was looked at is used."""
    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("1.1.1.1", "127.0.0.1")]

    async def answer(*_: object) -> Any:
        return both

    with pytest.raises(Refused, match=r"leads to 127\.0\.0\.1"):
        await resolved("both.example", 80, allow_private=False, look_up=answer)
    assert await resolved("both.example", 80, allow_private=True, look_up=answer) == "1.1.1.1"


@pytest.mark.parametrize(
    "url", ["ftp://x", "file:///etc/passwd", "javascript:1", "//x", "http://", "http://[::1", "http://x:99999"]
)
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(Refused):
        origin(url)
