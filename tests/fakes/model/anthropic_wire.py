"""A scripted reply as the Anthropic API words it."""

import json
from typing import Any

from tests.fakes.model.openai_wire import pieces, raw_arguments
from tests.fakes.model.script import Call, Heard, Reply

SIGNATURE = "c2lnbmVkLWJ5LXRoZS1mYWtl"
_KINDS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    529: "overloaded_error",
}


def error(status: int, code: str, message: str) -> dict[str, Any]:
    """The body of a refusal. There are no codes on this wire: a context overflow is told by its words."""
    if code == "context_length_exceeded":
        message = "prompt is too long: 210000 tokens > 200000 maximum"
    kind = code if code.endswith("_error") else _KINDS.get(status, "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def body(reply: Reply, text: str, calls: tuple[tuple[Call, str], ...], heard: Heard) -> dict[str, Any]:
    """The whole answer at once; arguments that are no JSON object cannot be worded here and are sent as text."""
    content: list[dict[str, Any]] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": SIGNATURE})
    if text:
        content.append({"type": "text", "text": text})
    content += [
        {"type": "tool_use", "id": call_id, "name": call.name, "input": call.arguments} for call, call_id in calls
    ]
    return _message(heard, reply) | {
        "content": content,
        "stop_reason": _stop(reply, bool(calls)),
        "usage": _usage(reply),
    }


def chunks(reply: Reply, text: str, calls: tuple[tuple[Call, str], ...], heard: Heard) -> list[str]:
    """The answer as the data of server-sent events; the name of each event is its `type`."""
    begin = _message(heard, reply) | {"content": [], "stop_reason": None, "usage": _usage(reply) | {"output_tokens": 1}}
    found: list[dict[str, Any]] = [{"type": "message_start", "message": begin}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if reply.thinking:
        deltas = [
            {"type": "thinking_delta", "thinking": reply.thinking},
            {"type": "signature_delta", "signature": SIGNATURE},
        ]
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if text:
        blocks.append(
            ({"type": "text", "text": ""}, [{"type": "text_delta", "text": one} for one in pieces(reply, text)])
        )
    for call, call_id in calls:
        raw = raw_arguments(call)
        parts = [raw[start : start + reply.piece] for start in range(0, len(raw), reply.piece)]
        block = {"type": "tool_use", "id": call_id, "name": call.name, "input": {}}
        blocks.append((block, [{"type": "input_json_delta", "partial_json": part} for part in parts]))
    for index, (block, deltas) in enumerate(blocks):
        found.append({"type": "content_block_start", "index": index, "content_block": block})
        found += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        found.append({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": _stop(reply, bool(calls)), "stop_sequence": None}
    found.append({"type": "message_delta", "delta": ending, "usage": {"output_tokens": _usage(reply)["output_tokens"]}})
    found.append({"type": "message_stop"})
    return [json.dumps(one) for one in found]


def _message(heard: Heard, reply: Reply) -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": heard.model, "stop_sequence": None}


def _stop(reply: Reply, called: bool) -> str:
    return {"length": "max_tokens", "content_filter": "refusal"}.get(reply.finish) or (
        "tool_use" if called else "end_turn"
    )


def _usage(reply: Reply) -> dict[str, int]:
    given, got = reply.usage or (0, 0)
    return {"input_tokens": given, "output_tokens": got}
