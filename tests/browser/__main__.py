"""`python -m tests.browser --database FILE`: the browser chat with a scripted service, until SIGTERM.

Prints one line of JSON when it listens: its port, and a sign-in link for each `--link NAME`.
"""

import argparse
import asyncio
import json
import signal
import time
from contextlib import suppress
from pathlib import Path

from aiohttp import web

from bot.store.database import SqliteStore
from bot.store.schema import migrate
from bot.web.auth import Door, make_link
from bot.web.hosts import Hosts
from bot.web.server import Parts, build
from bot.web.transcript import StoredTranscript
from channels.events import Conversation
from channels.web.adapter import WebAdapter
from channels.web.config import WebConfig
from tests.browser.script import COMMANDS, WELCOME, Script


async def fine(_request: web.Request) -> web.StreamResponse:
    return web.json_response({})


async def guide(_where: Conversation) -> str:
    return "Guide"


async def serve(arguments: argparse.Namespace) -> None:
    store = SqliteStore(arguments.database)
    hosts = Hosts(arguments.public_url, tuple(arguments.allow))
    script = Script()
    config = WebConfig(type="web", persona="guide")
    door = Door(store, hosts, b"a key for tests alone")
    adapter = WebAdapter("web", config, StoredTranscript(store), door, COMMANDS, welcome=WELCOME, voice=guide)
    script.adapter = adapter
    app = build(Parts(hosts, fine, fine, fine, adapter.routes(script), "/channels/web/"))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", arguments.port)
    await site.start()
    listening = asyncio.create_task(adapter.run(script))
    links = {name: await store.tx(make_link, name, time.time()) for name in arguments.link}
    print(json.dumps({"port": runner.addresses[0][1], "links": links}), flush=True)

    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening
    await runner.cleanup()
    await store.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--public-url", default="")
    parser.add_argument("--allow", action="append", default=[])
    parser.add_argument("--link", action="append", default=[])
    arguments = parser.parse_args()
    migrate(f"sqlite:///{arguments.database}")
    asyncio.run(serve(arguments))


if __name__ == "__main__":
    main()
