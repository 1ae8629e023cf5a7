"""The yardstick on Slack: Bolt's own echo by Socket Mode, with one session for all its calls. Nothing is stored."""

import asyncio
import sys
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp, AsyncSay
from slack_sdk.web.async_client import AsyncWebClient


async def main() -> None:
    api_url, bot_token, app_token = sys.argv[1:]
    async with aiohttp.ClientSession() as session:
        app = AsyncApp(client=AsyncWebClient(bot_token, api_url, session=session))

        @app.event("message")
        async def echo(event: dict[str, Any], say: AsyncSay) -> None:
            await say(event["text"])

        await AsyncSocketModeHandler(app, app_token).start_async()  # type: ignore[no-untyped-call]  # it has no types


if __name__ == "__main__":
    asyncio.run(main())
