"""Brings the MCP servers and tools by others that tests talk to: `python -m scripts.mcp_servers`.

What is locked in tests/fakes/mcp/node and tests/fakes/mcp/python goes to .venv/mcp-node and .venv/mcp-python; each package is
held against its hash, and no script of a package is run. Does nothing, at once, where that is so already. Where there is no
npm, and none can be installed, the tests that need it are skipped, and that is said.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.services import NotHere, install

ROOT = Path(__file__).resolve().parent.parent
NODE_LOCKS = ROOT / "tests/fakes/mcp/node"
PYTHON_LOCK = ROOT / "tests/fakes/mcp/python/servers.lock"
NODE_HOME = ROOT / ".venv/mcp-node"
PYTHON_HOME = ROOT / ".venv/mcp-python"


def node_program(name: str) -> Path:
    """A program from npm, such as `mcp-server-everything`, or `node` itself. Raises NotHere."""
    return _program(NODE_HOME / "node_modules/.bin" / name)


def python_program(name: str) -> Path:
    """A program from PyPI, such as `mcp-server-time`. Raises NotHere."""
    return _program(PYTHON_HOME / "bin" / name)


def node_environ() -> dict[str, str]:
    """Ours, with the locked Node.js first on the PATH."""
    return {**os.environ, "PATH": f"{NODE_HOME / 'node_modules/.bin'}{os.pathsep}{os.environ.get('PATH', '')}"}


def _program(path: Path) -> Path:
    if not path.exists():
        raise NotHere(f"{path.name} is not installed. `python -m scripts.mcp_servers` says why.")
    return path


def bring_node() -> str:
    lock = NODE_LOCKS / "package-lock.json"
    stamp, wanted = NODE_HOME / "ready", _digest(lock)
    if stamp.exists() and stamp.read_text() == wanted:
        return str(NODE_HOME)
    npm = shutil.which("npm")
    if npm is None:
        install("npm", "npm")
        npm = shutil.which("npm")
    if npm is None:
        raise NotHere("There is no npm here, and installing the package npm brought none.")
    print("Installing MCP servers, the conformance suite and the inspector from npm …", flush=True)
    shutil.rmtree(NODE_HOME, ignore_errors=True)
    NODE_HOME.mkdir(parents=True)
    for file in (NODE_LOCKS / "package.json", lock):
        shutil.copy(file, NODE_HOME)
    # Not `npm ci`: it refuses a lock that leaves out what is only for Windows. This holds to the lock and its hashes too.
    options = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    _run([npm, "install", *options], NODE_HOME)
    stamp.write_text(wanted)
    return str(NODE_HOME)


def bring_python() -> str:
    stamp, wanted = PYTHON_HOME / "ready", _digest(PYTHON_LOCK)
    if stamp.exists() and stamp.read_text() == wanted:
        return str(PYTHON_HOME)
    print("Installing MCP servers from PyPI …", flush=True)
    shutil.rmtree(PYTHON_HOME, ignore_errors=True)
    _run([sys.executable, "-m", "venv", "--without-pip", str(PYTHON_HOME)], ROOT)
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    python = str(PYTHON_HOME / "bin/python")
    _run([*_pip(), "--python", python, "install", *options, "--requirement", str(PYTHON_LOCK)], ROOT)
    stamp.write_text(wanted)
    return str(PYTHON_HOME)


def _pip() -> list[str]:
    """Our own, or the machine's where .venv was made without (Debian without python3-venv)."""
    for python in (sys.executable, str(Path(sys.executable).resolve())):
        command = [python, "-m", "pip"]
        if subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0:  # noqa: S603  our own
            return command
    raise NotHere("There is no pip here.")


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes() + b"\0" + str(ROOT).encode()).hexdigest()


def _run(command: list[str], folder: Path) -> None:
    """Raises NotHere with what it said, should it fail."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # noqa: S603  our own
    if done.returncode:
        said = done.stdout.decode(errors="replace")[-2000:]
        raise NotHere(f"{Path(command[0]).name} failed:\n{said}")


def main() -> int:
    for what, bring in (("npm", bring_node), ("PyPI", bring_python)):
        try:
            print(f"MCP servers from {what}: {bring()}.", flush=True)
        except NotHere as missing:
            print(f"NOTE: {missing}\nTests with MCP servers from {what} will be SKIPPED.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
