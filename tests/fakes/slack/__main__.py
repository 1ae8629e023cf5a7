"""Run the fake: prints one JSON line with its addresses when it is ready, and ends on SIGTERM or SIGINT."""

import argparse
import asyncio
import json
import os
import signal
import sys

from aiohttp import web

from tests.fakes.slack.control import Control
from tests.fakes.slack.fake import build, closed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.slack", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="of the Web API and the sockets; 0: any free one")
    parser.add_argument("--control-port", type=int, default=0, help="of the control API; 0: any free one")
    parser.add_argument("--no-validation", action="store_true", help="for load runs: do not check against the schema")
    parser.add_argument("--end-with-stdin", action="store_true", help="end when standard input does: with its starter")
    options = parser.parse_args()
    asyncio.run(
        serve(options.port, options.control_port, validation=not options.no_validation, tied=options.end_with_stdin)
    )


async def serve(port: int, control_port: int, *, validation: bool, tied: bool) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    if tied:
        loop.add_reader(sys.stdin.fileno(), lambda: None if os.read(sys.stdin.fileno(), 4096) else ended.set())
    fake = await build(port, validation=validation)
    control = Control(fake)
    runner = web.ServerRunner(web.Server(control.handle, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", control_port)
    await site.start()
    ready = {
        "api_url": f"http://127.0.0.1:{fake.door.port}/api/",
        "control_url": f"http://127.0.0.1:{runner.addresses[0][1]}",
        "app_id": fake.app.id,
        "app_token": fake.app.token,
        "signing_secret": fake.app.signing_secret,
        "client_id": fake.app.client_id,
        "client_secret": fake.app.client_secret,
        "bot_token": fake.token,
        "team_id": fake.team.id,
        "bot_user_id": fake.install.bot.id,
        "bot_id": fake.install.bot.bot_id,
        "bot_name": fake.app.name,
    }
    print(json.dumps(ready), flush=True)
    await ended.wait()
    await closed(control.fake)
    await fake.door.close()
    await runner.cleanup()


if __name__ == "__main__":
    main()
