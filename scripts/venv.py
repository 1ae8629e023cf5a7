"""Brings .venv to what a lock says: `python3 scripts/venv.py demo|dev`. Does nothing, at once, where that is so already.

Needs nothing but Python and pip. On a machine without `ensurepip` (Debian without python3-venv) the machine's own pip
fills the environment.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCKS = {"demo": "requirements.lock", "dev": "requirements-dev.lock"}
OLDEST = (3, 11)


def main(kind: str) -> int:
    if sys.version_info < OLDEST:
        print(
            f"Askfirst needs Python {OLDEST[0]}.{OLDEST[1]} or newer, and this is {sys.version.split()[0]}. "
            f"Nothing was installed. Name a newer one: make {kind if kind == 'demo' else 'test'} PYTHON=python3.12"
        )
        return 1
    if is_ready(kind):
        return 0
    try:
        make_venv()
        install(kind)
    except subprocess.CalledProcessError as error:
        print(
            f"The environment is not ready: {' '.join(map(str, error.cmd[:6]))} … ended with {error.returncode}. See above."
        )
        return 1
    stamp(kind).write_text(wanted(kind))
    print("Ready.", flush=True)
    return 0


def is_ready(kind: str) -> bool:
    """The lock for development holds all that the demo needs, in the same versions."""
    kinds = ("demo", "dev") if kind == "demo" else ("dev",)
    return PYTHON.exists() and any(stamp(one).exists() and stamp(one).read_text() == wanted(one) for one in kinds)


def stamp(kind: str) -> Path:
    return VENV / f"ready-{kind}"


def wanted(kind: str) -> str:
    """Changes with whatever the environment is made from."""
    sources = [(ROOT / LOCKS[kind]).read_bytes(), (ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode()]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()


def make_venv() -> None:
    if PYTHON.exists() and succeeds([PYTHON, "-c", f"import sys; sys.exit(sys.version_info < {OLDEST})"]):
        return
    print(f"Making an environment for Python {sys.version.split()[0]} in .venv …", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    if succeeds([sys.executable, "-c", "import ensurepip"]):
        run([sys.executable, "-m", "venv", VENV])
    else:
        run([sys.executable, "-m", "venv", "--without-pip", VENV])


def install(kind: str) -> None:
    lock = LOCKS[kind]
    count = sum("==" in line for line in (ROOT / lock).read_text().splitlines())
    print(
        f"Installing up to {count} packages, each held against its hash in {lock}; the first time takes a minute or two …"
    )
    sys.stdout.flush()
    pip: list[str | Path] = [PYTHON, "-m", "pip"]
    if not succeeds([*pip, "--version"]):
        pip = [sys.executable, "-m", "pip", "--python", PYTHON]
    options = ["install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run([*pip, *options, "--require-hashes", "--requirement", ROOT / lock])
    run([*pip, *options, "--no-build-isolation", "--editable", ROOT])


def run(command: "list[str | Path]") -> None:
    subprocess.run(command, check=True)  # noqa: S603  commands of our own, no shell


def succeeds(command: "list[str | Path]") -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603  as above


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in LOCKS:
        sys.exit("usage: python3 scripts/venv.py demo|dev")
    sys.exit(main(sys.argv[1]))
