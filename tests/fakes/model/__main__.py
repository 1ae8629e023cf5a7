"""`python -m tests.fakes.model --port 0 --control-port 0`: serves until it is terminated or its stdin closes."""

import argparse
import asyncio
import json
import os
import signal
import sys

from aiohttp import web

from tests.fakes.model.control import Control
from tests.fakes.model.desk import Desk
from tests.fakes.model.server import Server

MODELS = ("scripted-1", "gpt-4o-mini", "claude-haiku-4-5")


async def _listen(app: web.Application, port: int) -> tuple[web.AppRunner, int]:
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, shutdown_timeout=0.1)
    await site.start()
    return runner, int(runner.addresses[0][1])


async def _serve(port: int, control_port: int, models: tuple[str, ...], *, tied: bool) -> None:
    desk = Desk()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    runner, bound = await _listen(Server(desk, models).app(), port)
    control, control_bound = await _listen(Control(desk).app(), control_port)
    ready = {"ready": True, "port": bound, "control_port": control_bound, "pid": os.getpid(), "models": models}
    print(json.dumps(ready), flush=True)  # the one line that a caller waits for
    if tied:
        # A test run that is killed closes our stdin: nothing of it stays behind.
        loop.add_reader(sys.stdin.fileno(), lambda: stop.set() if not os.read(sys.stdin.fileno(), 1024) else None)
    await stop.wait()
    await runner.cleanup()
    await control.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description="a scripted model server for tests")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--control-port", type=int, default=0)
    parser.add_argument("--model", action="append", default=[], help="a further model name that is known")
    parser.add_argument("--tied", action="store_true", help="end when stdin closes")
    given = parser.parse_args()
    asyncio.run(_serve(given.port, given.control_port, (*MODELS, *given.model), tied=given.tied))


if __name__ == "__main__":
    main()
