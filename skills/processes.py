"""One process with all that it starts: watched for a while, then gone.

Everything here blocks, in a thread of its own.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import IO

_LOOK_S = 0.05
"""How often it is looked whether the process has ended or shall, while it says nothing."""
_CHUNK = 64 * 1024
_PIPE = 1024 * 1024
"""The most that Linux lets a pipe hold."""
_SWEEPS = 100
"""A process that is killed cannot start another, so each sweep finds fewer; this ends it on a machine that lies."""


@dataclass(frozen=True, slots=True)
class Ended:
    """`code` as `subprocess` has it (-9: killed by signal 9); None: it was ended here, at its time limit or when asked.
    `left_out`: bytes that it wrote beyond the limit."""

    code: int | None
    out: bytes
    err: bytes
    left_out: int


@dataclass(slots=True)
class _Heard:
    """What two streams wrote, up to a limit for both together."""

    room: int
    left_out: int = 0
    parts: dict[str, list[bytes]] = field(default_factory=lambda: {"out": [], "err": []})

    def take(self, stream: str, data: bytes) -> None:
        kept = data[: self.room]
        self.parts[stream].append(kept)
        self.room -= len(kept)
        self.left_out += len(data) - len(kept)

    def text(self, stream: str) -> bytes:
        return b"".join(self.parts[stream])


def watch(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    mark: str,
    seconds: float,
    most: int,
    stop: Event,
) -> Ended:
    """Run `command` in `folder`, in a session of its own, with nothing on its standard input and only `environment`.

    `mark` is a text in the environment that no other process has. When this returns, however it does, nothing is alive that
    is in the process group, or that has the mark. `most`: bytes of output that are kept. Raises OSError if it cannot start.
    """
    heard = _Heard(most)
    with (
        subprocess.Popen(  # noqa: S603  a list of arguments, never a shell
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process,
        selectors.DefaultSelector() as selector,
    ):
        assert process.stdout is not None
        assert process.stderr is not None
        streams = {"out": process.stdout, "err": process.stderr}
        try:
            for name, stream in streams.items():
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, name)
            ended = _listen(process, selector, heard, time.monotonic() + seconds, stop)
        finally:
            end(process.pid, mark)
        process.wait()
        for name, stream in streams.items():
            _drain(stream, name, heard)
    return Ended(process.returncode if ended else None, heard.text("out"), heard.text("err"), heard.left_out)


def end(group: int, mark: str) -> None:
    """Kill a process group, and whatever left it but has the mark in its environment (where there is a /proc)."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    killed: set[int] = set()
    for _sweep in range(_SWEEPS):
        left = _marked(mark) - killed
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return
        killed |= left


def _marked(mark: str) -> set[int]:
    wanted = mark.encode()
    found: set[int] = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is not ours to look at
            if wanted in (folder / "environ").read_bytes():
                found.add(int(folder.name))
    return found


def _listen(
    process: subprocess.Popen[bytes], selector: selectors.BaseSelector, heard: _Heard, deadline: float, stop: Event
) -> bool:
    """Until it ends by itself; False if its time is over, or it is asked to stop."""
    while process.poll() is None:
        left = deadline - time.monotonic()
        if left <= 0 or stop.is_set():
            return False
        for key, _events in selector.select(min(left, _LOOK_S)):
            data = os.read(key.fd, _CHUNK)
            if data:
                heard.take(key.data, data)
            else:
                selector.unregister(key.fileobj)
    return True


def _drain(stream: IO[bytes], name: str, heard: _Heard) -> None:
    """What is left in the pipe; no more than it holds, should somebody still write at its other end."""
    with suppress(BlockingIOError):
        for _chunk in range(_PIPE // _CHUNK):
            data = os.read(stream.fileno(), _CHUNK)
            if not data:
                return
            heard.take(name, data)
