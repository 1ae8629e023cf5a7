"""The floor: getUpdates and sendMessage on bare aiohttp, every message a task. Nothing is stored, nothing is kept in order."""

import asyncio
import sys
from typing import Any

import aiohttp


async def answer(session: aiohttp.ClientSession, base: str, update: dict[str, Any]) -> None:
    message = update["message"]
    reply = {"chat_id": message["chat"]["id"], "text": message["text"]}
    async with session.post(f"{base}/sendMessage", json=reply) as response:
        await response.read()


async def main() -> None:
    base = "{}/bot{}".format(*sys.argv[1:])
    offset = 0
    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
        while True:
            async with session.post(f"{base}/getUpdates", json={"offset": offset, "timeout": 30}) as response:
                updates = (await response.json())["result"]
            for update in updates:
                offset = update["update_id"] + 1
                tasks.create_task(answer(session, base, update))


if __name__ == "__main__":
    asyncio.run(main())
