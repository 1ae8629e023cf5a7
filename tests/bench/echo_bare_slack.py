"""The floor on Slack: a socket and chat.postMessage on bare aiohttp, every message a task. Nothing is stored."""

import asyncio
import json
import sys
from typing import Any

import aiohttp


async def answer(session: aiohttp.ClientSession, api_url: str, token: str, event: dict[str, Any]) -> None:
    reply = {"channel": event["channel"], "text": event["text"]}
    headers = {"Authorization": f"Bearer {token}"}
    async with session.post(f"{api_url}chat.postMessage", json=reply, headers=headers) as response:
        await response.read()


async def main() -> None:
    api_url, bot_token, app_token = sys.argv[1:]
    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
        headers = {"Authorization": f"Bearer {app_token}"}
        async with session.post(f"{api_url}apps.connections.open", headers=headers) as response:
            url = (await response.json())["url"]
        async with session.ws_connect(url) as socket:
            async for frame in socket:
                envelope = json.loads(frame.data)
                if "envelope_id" not in envelope:
                    continue
                await socket.send_str(json.dumps({"envelope_id": envelope["envelope_id"]}))
                event = envelope["payload"]["event"]
                if "bot_id" not in event:
                    tasks.create_task(answer(session, api_url, bot_token, event))


if __name__ == "__main__":
    asyncio.run(main())
