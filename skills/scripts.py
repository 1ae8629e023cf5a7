"""Runs a script of a skill, if somebody decided so: that is for the caller to have asked."""

import asyncio
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from threading import Event

from skills import disk, processes
from skills.errors import NotRunnable
from skills.hidden import shown
from skills.limits import MB
from skills.package import SCRIPTS

PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where the programs are looked for that scripts are run by, and that they run."""

MARK = "ASKFIRST_SCRIPT"
"""The variable by which a process is known that a script has left behind."""

LARGEST_COPY = 256 * MB

_ENV = re.compile(r"/(?:usr/)?bin/env(?:[ \t]+-S)?[ \t]+(.+)")
_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")


@dataclass(frozen=True, slots=True)
class ScriptLimits:
    """`seconds` until it is killed; `output` bytes are kept of what it writes on both streams together; so many
    `arguments`, of so many characters together."""

    seconds: float = 60.0
    output: int = 64 * 1024
    arguments: int = 64
    argument_chars: int = 32 * 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    """`code`: what it ended with, negative for the signal that ended it; None: its time was over, and it was killed.
    `left_out`: bytes that it wrote beyond the limit."""

    code: int | None
    stdout: str
    stderr: str
    left_out: int

    @property
    def in_time(self) -> bool:
        return self.code is not None


async def run(
    skill_dir: Path, script: str, arguments: Sequence[str], limits: ScriptLimits, *, copies: Path | None = None
) -> Outcome:
    """Run `script`, a path in `scripts/`, with each of `arguments` as one argument, in a copy of the skill's folder.

    `copies`: where the copy is made; None: where the system keeps what is temporary.

    It sees no variable of the service, has a home of its own, nothing to read on its standard input, and works in the copy.
    When this returns, or is cancelled, the script and all that it started are gone, and so is the copy.

    It is no sandbox: the script runs as the user of the service, may read and change whatever that user may, and reaches
    the network. Nothing bounds the memory, the processes or the disk that it takes. Of its children, one that leaves the
    session and clears its environment escapes the end; where there is no /proc, one that leaves the session does.

    Raises NotRunnable: it is no such script, nothing here runs it, or it cannot be started.
    """
    _check(script, arguments, limits)
    stop = Event()
    thread = ThreadPoolExecutor(1, thread_name_prefix="script")
    running = asyncio.get_running_loop().run_in_executor(
        thread, _run, skill_dir, script, tuple(arguments), limits, stop, copies
    )
    thread.shutdown(wait=False)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        running.add_done_callback(_seen)
        while not running.done():
            with suppress(asyncio.CancelledError):  # once more changes nothing: it is ending
                await asyncio.wait([running])
        raise


def _seen(running: "asyncio.Future[Outcome]") -> None:
    """Nobody asks any more what came of it."""
    if not running.cancelled():
        running.exception()


def _run(
    skill_dir: Path, script: str, arguments: tuple[str, ...], limits: ScriptLimits, stop: Event, copies: Path | None
) -> Outcome:
    mark = secrets.token_hex(16)
    try:
        content = disk.snapshot(skill_dir, LARGEST_COPY)
        if script not in content:
            raise NotRunnable(_("There is no script {script} in this skill.").format(script=shown(script)))
        by = _interpreter(script, content[script])
        with tempfile.TemporaryDirectory(prefix="askfirst-script-", dir=copies, ignore_cleanup_errors=True) as room:
            home, copy = Path(room, "home"), Path(room, "skill")
            home.mkdir()
            _copy(content, copy)
            ended = processes.watch(
                [*by, str(copy / script), *arguments],
                copy,
                {"PATH": PATH, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", MARK: mark},
                f"{MARK}={mark}",
                limits.seconds,
                limits.output,
                stop,
            )
    except OSError as error:
        words = _("The script could not be started: {reason}.").format(reason=error.strerror or type(error).__name__)
        raise NotRunnable(words) from error
    return Outcome(ended.code, ended.out.decode(errors="replace"), ended.err.decode(errors="replace"), ended.left_out)


def _check(script: str, arguments: Sequence[str], limits: ScriptLimits) -> None:
    """Raises NotRunnable."""
    if script.partition("/")[0] != SCRIPTS or not script.partition("/")[2]:
        raise NotRunnable(_("Only files in scripts/ can be run."))
    if len(arguments) > limits.arguments or sum(map(len, arguments)) > limits.argument_chars:
        words = _("There may be {most} arguments at most, of {chars} characters together.")
        raise NotRunnable(words.format(most=limits.arguments, chars=limits.argument_chars))
    if any("\0" in argument or not _is_text(argument) for argument in arguments):
        raise NotRunnable(_("An argument holds a character that cannot be passed on."))


def _is_text(argument: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in argument)


def _copy(content: Mapping[str, bytes], folder: Path) -> None:
    for path, data in content.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o700 if data.startswith(b"#!") else 0o600)


def _interpreter(script: str, content: bytes) -> list[str]:
    """What runs it: its first line, this Python in the place of any other, or what its ending says. Raises NotRunnable."""
    line = content.partition(b"\n")[0].decode(errors="replace").strip()
    if line.startswith("#!"):
        words = line.removeprefix("#!").strip()
        through_env = _ENV.fullmatch(words)
        program, *rest = through_env[1].split() if through_env else words.split(maxsplit=1) or [""]
        if _PYTHON.fullmatch(program.rpartition("/")[2]):
            return [sys.executable, *rest]
        found = shutil.which(program, path=PATH) if through_env or program.startswith("/") else None
    else:
        rest = []
        found = {".py": sys.executable, ".sh": shutil.which("sh", path=PATH)}.get(Path(script).suffix)
    if found is None:
        raise NotRunnable(_("Nothing here runs {script}.").format(script=shown(script)))
    return [found, *rest]
