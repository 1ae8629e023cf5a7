"""What a call of a tool of the kit does."""

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.fakes.mcp.mind import Message, Mind, Say, done


def text(words: str, **more: Any) -> Message:
    return done(content=[{"type": "text", "text": words}], **more)


class Acts:
    def __init__(self, mind: Mind, say: Say, message: Message, *, modern: bool) -> None:
        self._mind = mind
        self._say = say
        self._message = message
        self._params = message["params"]
        self._modern = modern

    def do(self, act: Message) -> Message | None:
        doing: Callable[[Message], Message | None] = getattr(self, f"do_{act['do']}")
        return doing(act)

    def _later(self, result: Message) -> None:
        self._say({"jsonrpc": "2.0", "id": self._message["id"], **result})

    def do_echo(self, act: Message) -> Message:
        return text(repr(self._params.get("arguments")))

    def do_result(self, act: Message) -> Message:
        return {"result": act["result"]}

    def do_error(self, act: Message) -> Message:
        return {"error": act["error"]}

    def do_hang(self, act: Message) -> None:
        """No answer, ever."""

    def do_die(self, act: Message) -> None:
        os._exit(act.get("code", 3))

    def do_big(self, act: Message) -> Message:
        return text("x" * act["bytes"])

    def do_environ(self, act: Message) -> Message:
        return text("\n".join(f"{name}={value}" for name, value in sorted(os.environ.items())))

    def do_announce(self, act: Message) -> Message:
        for _ in range(act.get("times", 1)):
            self._mind.announce(self._say)
        return text("announced")

    def do_chatter(self, act: Message) -> Message:
        """Notifications that nobody knows, or that belong to nothing, and an answer to what was never asked."""
        for said in act["said"]:
            self._say({"jsonrpc": "2.0", **said})
        return text("said")

    def do_progress(self, act: Message) -> None:
        def run() -> None:
            token = self._params["_meta"]["progressToken"]
            for step in range(act["steps"]):
                time.sleep(act["every"])
                params = {
                    "progressToken": token,
                    "progress": step + 1,
                    "total": act["steps"],
                    "message": f"step {step + 1}",
                }
                self._say({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            if act.get("answers", True):
                self._later(text("made"))

        threading.Thread(target=run, daemon=True).start()

    def do_slow(self, act: Message) -> None:
        def run() -> None:
            time.sleep(act["seconds"])
            self._later(text("made"))

        threading.Thread(target=run, daemon=True).start()

    def do_ask(self, act: Message) -> Message | None:
        """A question to the person; the result is what came back."""
        if not self._modern:
            self._mind.ask(self._say, act["method"], act["params"], self._asked)
            return None
        if "inputResponses" in self._params:
            return text(repr(self._params["inputResponses"]))
        requests = {"question": {"method": act["method"], "params": act["params"]}}
        return {"result": {"resultType": "input_required", "inputRequests": requests, "requestState": "opaque"}}

    def _asked(self, answer: Message) -> None:
        self._later(text(repr(answer.get("result", answer.get("error")))))
