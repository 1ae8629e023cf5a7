"""A server of the kit over stdin and stdout: `python -m tests.fakes.mcp.by_stdio PLAN RECORD`."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.fakes.mcp.mind import Message, Mind


def main() -> None:
    mind = Mind(Path(sys.argv[1]), Path(sys.argv[2]))
    plan = mind.plan
    lock = threading.Lock()
    out = sys.stdout.buffer

    def write(data: bytes) -> None:
        size = plan.get("chunk", 0) or len(data)
        with lock:
            for begin in range(0, len(data), size):
                out.write(data[begin : begin + size])
                out.flush()

    def say(message: Message) -> None:
        write(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    if mind.faulty("ignores SIGTERM"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stderr.write(plan.get("stderr", ""))
    sys.stderr.flush()
    start(plan)
    time.sleep(plan.get("slow", 0))
    if plan.get("banner"):
        write(plan["banner"].encode() + b"\n")
    if mind.faulty("exits"):
        sys.exit(5)
    if mind.faulty("floods"):
        threading.Thread(target=flood, args=(write, b"noise\n" * 1000), daemon=True).start()
    if mind.faulty("endless line"):
        threading.Thread(target=flood, args=(write, b"x" * 65_536), daemon=True).start()
    for line in sys.stdin.buffer:
        message = json.loads(line)
        mind.take(message, say)
        if mind.faulty("deaf") and message.get("method") == "tools/list":
            break
        if mind.faulty("endless changes") and message.get("method") == "tools/list":
            threading.Thread(target=announcing, args=(mind, say), daemon=True).start()
    while mind.faulty("ignores EOF") or mind.faulty("deaf"):
        time.sleep(0.05)


def flood(write: object, data: bytes) -> None:
    with contextlib.suppress(OSError):
        while callable(write):
            write(data)


def announcing(mind: Mind, say: object) -> None:
    with contextlib.suppress(OSError):
        while callable(say):
            mind.announce(say)


def start(plan: Message) -> None:
    """Processes of its own, as wrappers and careless servers have them; their pids are in the file `pids` of the plan."""
    script = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)"
    started = [os.getpid()]
    for kind in plan.get("children", ()):
        env: dict[str, str] | None = {} if kind == "bare" else None
        child = subprocess.Popen([sys.executable, "-c", script], env=env, start_new_session=kind == "setsid")
        started.append(child.pid)
    if plan.get("pids"):
        Path(plan["pids"]).write_text(json.dumps(started), "utf-8")


if __name__ == "__main__":
    main()
