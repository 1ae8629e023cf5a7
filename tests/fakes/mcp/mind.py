"""What a server of the kit answers, by its plan. Standard library only: it starts in a few hundredths of a second.

plan: tools (definitions as they are to be sent), acts (by tool, what a call does; see the methods `do_…` of Acts), faults
(words that change how it answers), era (`legacy`, `modern`, `both`). Read anew for each list, so that a test may change it.
record: a file with a line of JSON for each message that came.
"""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

LISTENING = "io.modelcontextprotocol/subscriptionId"

Message = dict[str, Any]
Say = Callable[[Message], None]


class Mind:
    def __init__(self, plan: Path, record: Path) -> None:
        self._plan = plan
        self._record = record
        self._lock = threading.Lock()
        self._answers: dict[str, Callable[[Message], None]] = {}
        self._asked = 0
        self._initialized = 0
        self.listeners: dict[Any, Say] = {}

    @property
    def plan(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self._plan.read_text("utf-8"))
        return read

    def faulty(self, fault: str) -> bool:
        return fault in self.plan.get("faults", ())

    def take(self, message: Message, say: Say) -> None:
        """One message that came. What is said to it is said through `say`, now or later."""
        with self._lock, self._record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(message) + "\n")
        if "method" not in message:
            then = self._answers.pop(str(message.get("id")), None)
            if then is not None:
                then(message)
            return
        if "id" not in message:
            return
        result = self._answer(message, say)
        if result is not None:
            say({"jsonrpc": "2.0", "id": message["id"], **result})

    def ask(self, say: Say, method: str, params: Message, then: Callable[[Message], None]) -> None:
        """A request of ours."""
        self._asked += 1
        key = f"server-{self._asked}"
        self._answers[key] = then
        say({"jsonrpc": "2.0", "id": key, "method": method, "params": params})

    def _answer(self, message: Message, say: Say) -> Message | None:
        from tests.fakes.mcp.acts import Acts  # it speaks of Mind as well

        method, params, era = message["method"], message.get("params") or {}, self.plan.get("era", "both")
        modern = "io.modelcontextprotocol/protocolVersion" in (params.get("_meta") or {})
        if method == "server/discover" and era != "legacy":
            return done(
                supportedVersions=["2026-07-28"],
                capabilities={"tools": {"listChanged": True}},
                ttlMs=0,
                cacheScope="public",
            )
        if method == "initialize" and era != "modern":
            return self._initialize()
        if method == "tools/list":
            return self._page(params.get("cursor"))
        if method == "tools/call":
            return Acts(self, say, message, modern=modern).do(
                self.plan.get("acts", {}).get(params.get("name"), {"do": "echo"})
            )
        if method == "subscriptions/listen" and era != "legacy":
            self.listeners[message["id"]] = say
            meta = {LISTENING: message["id"]}
            told = {"notifications": {"toolsListChanged": True}, "_meta": meta}
            say({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": told})
            return None
        return self._unknown(method)

    def _unknown(self, method: str) -> Message | None:
        if self.faulty("exit on unknown"):
            raise SystemExit(7)
        if self.faulty("silent on unknown"):
            return None
        return {"error": {"code": -32601, "message": f"Method not found: {method}"}}

    def _initialize(self) -> Message | None:
        self._initialized += 1
        if self.faulty("silent"):
            return None
        if self._initialized > 1 and self.faulty("strict"):
            return {"error": {"code": -32600, "message": "initialized twice"}}
        version = "2099-01-01" if self.faulty("strange version") else "2025-11-25"
        return {
            "result": {
                "protocolVersion": version,
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "kit", "version": "1"},
            }
        }

    def _page(self, cursor: Any) -> Message:
        plan = self.plan
        tools, size = plan.get("tools", []), plan.get("page", 1_000_000)
        if self.faulty("no list"):
            return {"result": {"tools": None}}
        if self.faulty("list error"):
            return {"error": {"code": -32603, "message": "cannot list"}}
        if self.faulty("endless pages"):
            number = int(cursor or 0)
            return done(
                tools=[{"name": f"tool{number}", "inputSchema": {"type": "object"}}], nextCursor=str(number + 1)
            )
        begin = int(cursor or 0)
        page: Message = {"tools": tools[begin : begin + size], "ttlMs": 0, "cacheScope": "private"}
        if self.faulty("circling pages"):
            page["nextCursor"] = "0"
        elif begin + size < len(tools):
            page["nextCursor"] = str(begin + size)
        return done(**page)

    def announce(self, say: Say) -> None:
        """That the tools have changed, to whoever would hear it."""
        changed: Message = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        for key, listener in list(self.listeners.items()):
            listener({**changed, "params": {"_meta": {LISTENING: key}}})
        if not self.listeners:
            say(changed)


def done(**result: Any) -> Message:
    return {"result": {"resultType": "complete", **result}}
