"""The service with one more tool: a reader that takes the process down."""

import asyncio
import os
import sys
from pathlib import Path

from bot import log
from bot.config.hidden import secrets_of
from bot.config.load import load
from bot.serving import serve
from bot.tools.arguments import Nothing
from bot.tools.registry import BUILT_IN
from bot.tools.spec import ToolContext, ToolSpec


async def _die(_context: ToolContext, _arguments: Nothing) -> str:
    os._exit(9)


LOOK = ToolSpec(
    name="look_into_the_abyss", specialist="assistant_worker", description="Looks.", input=Nothing, handler=_die
)


def _said(address: str) -> None:
    print(f"Askfirst is ready at {address}", flush=True)


if __name__ == "__main__":
    config = load(Path(sys.argv[sys.argv.index("--config") + 1]), os.environ)
    log.set_up(secrets_of(config))
    asyncio.run(serve(config, _said, tools=(*BUILT_IN, LOOK)))
