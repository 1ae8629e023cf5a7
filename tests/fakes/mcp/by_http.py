"""A server of the kit by HTTP: streamable HTTP under /mcp, the older transport under /sse.

`python -m tests.fakes.mcp.by_http PLAN RECORD PORT`. Faults of its own: `status NNN` (of POSTs), `html`, `get NNN`, `forgets`
(a session, once), `forgets always`, `moves` (a redirect to the `elsewhere` of the plan), `packs`, `202`, `breaks` (off in the
middle of an answer to a call).
"""

import gzip
import json
import queue
import re
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.fakes.mcp.mind import Message, Mind


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mind: Mind
    record: Path
    sessions: set[str]
    streams: dict[str, "queue.Queue[Message | None]"]
    forgotten: list[str]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is theirs
        """Quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self._note()
        if self.path.startswith("/messages"):
            return self._older(json.loads(body))
        return self._newer(json.loads(body))

    def do_GET(self) -> None:
        self._note()
        if self.path.startswith("/sse"):
            return self._stream("/messages?sessionId=")
        status = self._status("get")
        if status:
            return self._send(status, b"", "text/plain")
        return self._stream("")

    def do_DELETE(self) -> None:
        self._note()
        self.sessions.discard(self.headers.get("mcp-session-id", ""))
        self._send(200, b"", "text/plain")

    def _note(self) -> None:
        """Headers go into the record as well, so that a test can see who was told what."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.record.with_suffix(".headers").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"method": self.command, "path": self.path, "headers": headers}) + "\n")

    def _status(self, word: str) -> int:
        for fault in self.mind.plan.get("faults", ()):
            found = re.fullmatch(rf"{word} (\d+)", fault)
            if found:
                return int(found[1])
        return 0

    def _send(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _newer(self, message: Message) -> None:
        plan, method = self.mind.plan, message.get("method")
        if self.mind.faulty("moves"):
            return self._send(307, b"", "text/plain", location=plan["elsewhere"])
        if status := self._status("status"):
            kind = "text/html" if self.mind.faulty("html") else "text/plain"
            return self._send(status, b"<html>no</html>" if "html" in kind else plan.get("body", "no").encode(), kind)
        if self.mind.faulty("packs"):
            return self._send(200, gzip.compress(b"{}"), "application/json", content_encoding="gzip")
        session = self.headers.get("mcp-session-id", "")
        if method == "tools/call" and session and self._forgets(session):
            return self._send(
                404,
                b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}',
                "application/json",
            )
        if session and session not in self.sessions:
            return self._send(404, b"", "text/plain")
        if "id" not in message or "method" not in message:
            self.mind.take(message, lambda _: None)
            return self._send(202, b"", "text/plain")
        if self.mind.faulty("202") and method == "tools/call":
            return self._send(202, b"", "text/plain")
        if method == "subscriptions/listen" or plan.get("streams", True):
            return self._answer_by_stream(message)
        return self._answer_at_once(message)

    def _forgets(self, session: str) -> bool:
        if self.mind.faulty("forgets always") or (self.mind.faulty("forgets") and not self.forgotten):
            self.forgotten.append(session)
            self.sessions.discard(session)
            return True
        return False

    def _answer_at_once(self, message: Message) -> None:
        said: queue.Queue[Message] = queue.Queue()
        self.mind.take(message, said.put)
        answer = said.get()
        self._send(200, json.dumps(answer).encode(), "application/json", **self._new_session(message))

    def _new_session(self, message: Message) -> dict[str, str]:
        if message.get("method") != "initialize":
            return {}
        session = secrets.token_hex(8)
        self.sessions.add(session)
        return {"mcp_session_id": session}

    def _answer_by_stream(self, message: Message) -> None:
        said: queue.Queue[Message] = queue.Queue()
        self._begin(**self._new_session(message))
        if message.get("method") == "tools/call" and self.mind.faulty("breaks"):
            self.mind.take(message, lambda _: None)
            self.close_connection = True
            return
        self.mind.take(message, said.put)
        while True:
            item = said.get()
            self._event(json.dumps(item))
            if item.get("id") == message["id"] and "method" not in item:
                break
        self._end()

    def _stream(self, endpoint: str) -> None:
        own: queue.Queue[Message | None] = queue.Queue()
        session = secrets.token_hex(8) if endpoint else self.headers.get("mcp-session-id", "")
        self.streams[session] = own
        self._begin()
        if endpoint:
            self._event(self.mind.plan.get("endpoint", endpoint + session), "endpoint")
        while (item := own.get()) is not None:
            self._event(json.dumps(item))
        self._end()

    def _older(self, message: Message) -> None:
        session = self.path.partition("=")[2]
        self._send(202, b"Accepted", "text/plain")
        self.mind.take(message, self.streams[session].put)

    def _begin(self, **headers: str) -> None:
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.wfile.flush()

    def _event(self, data: str, kind: str = "message") -> None:
        event = f"event: {kind}\r\ndata: {data}\r\n\r\n".encode()
        self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes is no news."""


def main() -> None:
    plan, record, port = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    Handler.mind, Handler.record = Mind(plan, record), record
    Handler.sessions, Handler.streams, Handler.forgotten = set(), {}, []
    server = Server(("127.0.0.1", port), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
