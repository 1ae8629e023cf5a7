"""Starts the real service as `askfirst run` would, between the fakes."""

import asyncio
import json
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

import aiohttp
import yaml

from channels.web.routes import MARK

MODEL_KEY = "sk-made-up-for-the-test"
ADMIN_TOKEN = "made-up-for-the-test-admin"


class Written(Protocol):
    """A configuration that can be written down, and the secrets that it takes from the environment."""

    def write(self, directory: Path) -> Path: ...

    @property
    def environment(self) -> dict[str, str]: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What the configuration says, beyond the least that works. `extra` is laid over the whole, None takes a key out."""

    telegram_url: str
    telegram_token: str
    admins: tuple[str, ...]
    model_url: str = ""
    database: str = ""
    expire_after: str = "1h"
    remind_before: str = "10m"
    mode: str = "direct"
    talk: Mapping[str, Any] = field(default_factory=lambda: {"allow": ["anyone"]})
    telegram: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def write(self, directory: Path) -> Path:
        """config.yaml in `directory`."""
        config: dict[str, Any] = {
            "data_dir": "./data",
            "http": {"port": 0},
            "models": {"main": model_at(self.model_url)},
            "channels": {
                "tg": {
                    "type": "telegram",
                    "persona": "guide",
                    "token": "${TELEGRAM_TOKEN}",
                    "api_url": self.telegram_url,
                    "talk": dict(self.talk),
                    **self.telegram,
                },
                "web": {"type": "web", "persona": "guide"},
            },
            "personas": {"guide": {"display_name": "Guide", "model": "main", "mode": self.mode}},
            "admins": list(self.admins),
            "approvals": {"expire_after": self.expire_after, "remind_before": self.remind_before},
        }
        if self.database:
            config["database"] = self.database
        return written(directory, config, self.extra)

    @property
    def environment(self) -> dict[str, str]:
        return {"TELEGRAM_TOKEN": self.telegram_token, "MODEL_KEY": MODEL_KEY, "ADMIN_TOKEN": ADMIN_TOKEN}


def model_at(url: str) -> dict[str, Any]:
    """The scripted model there; the offline one where there is no address."""
    if not url:
        return {"provider": "offline"}
    return {"provider": "openai", "model": "gpt-fake", "base_url": url, "api_key": "${MODEL_KEY}", "window": 32000}


def written(directory: Path, config: dict[str, Any], extra: Mapping[str, Any]) -> Path:
    """config.yaml in `directory`, with `extra` laid over it; None takes a key out."""
    for key, value in extra.items():
        laid = {**config.get(key, {}), **value} if isinstance(value, Mapping) else value
        config[key] = {k: v for k, v in laid.items() if v is not None} if isinstance(laid, Mapping) else laid
    path = directory / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


class House:
    """A running service. `url` is where its web server listens."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, log: Path) -> None:
        self.process = process
        self.url = url
        self.log = log

    @classmethod
    async def start(cls, plan: Written, directory: Path, *, module: str = "bot", until_ready: bool = True) -> Self:
        """`module` is what is run: the product itself, or a test's launcher of it."""
        path = plan.write(directory)
        log = directory / "service.log"
        with log.open("ab") as stderr:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                module,
                "run",
                "--config",
                str(path),
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, **plan.environment},
            )
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
        if not line:
            raise AssertionError(f"the service did not start:\n{log.read_text()[-3000:]}")
        house = cls(process, line.split()[-1], log)
        if until_ready:
            await house.ready()
        return house

    async def ready(self, timeout: float = 20) -> None:
        """Until every part works."""
        async with aiohttp.ClientSession() as session, asyncio.timeout(timeout):
            while True:
                async with session.get(f"{self.url}readyz") as answer:
                    if answer.status == 200:
                        return
                await asyncio.sleep(0.02)  # a probe has no event to wait for

    async def parts(self) -> dict[str, Any]:
        async with aiohttp.ClientSession() as session, session.get(f"{self.url}readyz") as answer:
            body: dict[str, Any] = await answer.json()
            parts: dict[str, Any] = body["parts"]
            return parts

    async def until(self, fits: Callable[[dict[str, Any]], bool], timeout: float = 20) -> None:
        """Until the parts are like that."""
        async with asyncio.timeout(timeout):
            while True:
                if fits(await self.parts()):
                    return
                await asyncio.sleep(0.02)  # a probe has no event to wait for

    async def at_rest(self, timeout: float = 20) -> None:
        """Until no run is queued or worked on; one that waits for a person may stay."""
        async with asyncio.timeout(timeout):
            while True:
                told = await self.metrics()
                if all(f'askfirst_runs{{state="{state}"}} 0.0' in told for state in ("queued", "running")):
                    return
                await asyncio.sleep(0.02)  # a gauge has no event to wait for

    async def web_says(self, text: str) -> None:
        """The visitor on this machine writes in the browser chat."""
        said = {"id": str(uuid.uuid4()), "text": text}
        address = f"{self.url}channels/web/messages"
        async with aiohttp.ClientSession() as session, session.post(address, json=said, headers={MARK: "1"}) as answer:
            assert answer.status == 200, await answer.text()

    async def web_reads(self, containing: str, timeout: float = 20) -> dict[str, Any]:
        """The latest message of ours in the browser chat that holds this text."""
        address = f"{self.url}channels/web/messages?before=999999999999"
        async with aiohttp.ClientSession() as session, asyncio.timeout(timeout):
            while True:
                async with session.get(address) as answer:
                    shown: list[dict[str, Any]] = (await answer.json())["messages"]
                found = [message for message in shown if containing in message["html"] and message["author"]]
                if found:
                    return found[-1]
                await asyncio.sleep(0.02)  # a page has no event to wait for

    async def web_fetch(self, message: dict[str, Any]) -> tuple[bytes, Mapping[str, str]]:
        """What the first link of a message in the browser chat leads to, and the headers it comes with."""
        address = message["html"].partition('<a href="')[2].partition('"')[0]
        async with aiohttp.ClientSession() as session, session.get(f"{self.url}channels/web/{address}") as answer:
            assert answer.status == 200, await answer.text()
            return await answer.read(), answer.headers

    async def web_press(self, message: dict[str, Any], label: str) -> None:
        """The visitor on this machine presses a button."""
        [token] = [button["token"] for row in message["rows"] for button in row if button["label"] == label]
        pressed = {"id": str(uuid.uuid4()), "token": token, "message": message["id"]}
        address = f"{self.url}channels/web/presses"
        async with (
            aiohttp.ClientSession() as session,
            session.post(address, json=pressed, headers={MARK: "1"}) as answer,
        ):
            assert answer.status == 200, await answer.text()

    async def metrics(self) -> str:
        async with aiohttp.ClientSession() as session, session.get(f"{self.url}metrics") as answer:
            return await answer.text()

    async def stop(self) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 20)

    async def kill(self) -> None:
        """SIGKILL, as a crash would."""
        self.process.kill()
        await self.process.wait()

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]


@asynccontextmanager
async def running(
    plan: Written, directory: Path, *, module: str = "bot", until_ready: bool = True
) -> AsyncIterator[House]:
    """A service for this block; it must end with 0 on SIGTERM."""
    house = await House.start(plan, directory, module=module, until_ready=until_ready)
    try:
        yield house
    finally:
        if house.process.returncode is None:
            status = await house.stop()
            assert status == 0, f"exit {status}:\n{house.log.read_text()[-3000:]}"
