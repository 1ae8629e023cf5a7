"""Starts servers of the kit for a test, and reads what came to them."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]

ECHO: dict[str, Any] = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


@dataclass
class Kit:
    """One server: its plan and what it was sent."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, **plan: Any) -> "Kit":
        folder.mkdir(parents=True, exist_ok=True)
        made = cls(folder)
        made.plan(**plan)
        return made

    def plan(self, **plan: Any) -> None:
        beside = self.folder / "plan.new"
        beside.write_text(json.dumps({"tools": [ECHO], **plan}), "utf-8")
        beside.replace(self.folder / "plan.json")

    @property
    def spec(self) -> dict[str, Any]:
        """As `mcpServers` says it: over stdio."""
        args = ["-m", "tests.fakes.mcp.by_stdio", str(self.folder / "plan.json"), str(self.folder / "record")]
        return {"command": sys.executable, "args": args, "cwd": str(ROOT)}

    def received(self, method: str = "") -> list[dict[str, Any]]:
        record = self.folder / "record"
        lines = record.read_text("utf-8").splitlines() if record.exists() else []
        messages: list[dict[str, Any]] = [json.loads(line) for line in lines]
        return [one for one in messages if not method or one.get("method") == method]

    def calls(self) -> list[dict[str, Any]]:
        return [one["params"] for one in self.received("tools/call")]

    def requests(self) -> list[dict[str, Any]]:
        """The HTTP requests: method, path, headers."""
        path = self.folder / "record.headers"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    @contextlib.asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[str]:
        """By HTTP; gives the root of its addresses."""
        args = ("-m", "tests.fakes.mcp.by_http", str(self.folder / "plan.json"), str(self.folder / "record"), str(port))
        child = await asyncio.create_subprocess_exec(sys.executable, *args, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
        assert child.stdout is not None
        try:
            line = await child.stdout.readline()
            yield f"http://127.0.0.1:{int(line)}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
            child._transport.close()  # type: ignore[attr-defined]  # asyncio has no public way to close the pipes
