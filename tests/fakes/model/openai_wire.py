"""A scripted reply as an OpenAI-compatible server words it."""

import json
from typing import Any

from tests.fakes.model.script import Call, Heard, Reply


def error(status: int, code: str, message: str) -> dict[str, Any]:
    """The body of a refusal."""
    kinds = {401: "authentication_error", 429: "rate_limit_error", 500: "server_error", 503: "server_error"}
    return {
        "error": {
            "message": message,
            "type": kinds.get(status, "invalid_request_error"),
            "param": None,
            "code": code or None,
        }
    }


def body(reply: Reply, text: str, calls: tuple[tuple[Call, str], ...], heard: Heard) -> dict[str, Any]:
    """The whole answer at once."""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [_call(call, call_id) for call, call_id in calls]
    choices = [{"index": 0, "message": message, "finish_reason": _finish(reply, bool(calls)), "logprobs": None}]
    whole: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": heard.model,
        "choices": [] if reply.no_choices else choices,
    }
    return whole | ({"usage": _usage(reply)} if reply.usage else {})


def chunks(reply: Reply, text: str, calls: tuple[tuple[Call, str], ...], heard: Heard) -> list[str]:
    """The answer as the data of server-sent events."""
    if reply.no_choices:
        return [json.dumps(_chunk(heard, [])), "[DONE]"]
    found = [_delta(heard, {"role": "assistant", "content": ""})]
    found += [_delta(heard, {"content": piece}) for piece in pieces(reply, text)]
    for index, (call, call_id) in enumerate(calls):
        whole = _call(call, call_id) | {"index": index}
        arguments = whole["function"]["arguments"]
        whole["function"] = {"name": call.name, "arguments": ""}
        found.append(_delta(heard, {"tool_calls": [whole]}))
        for start in range(0, len(arguments), reply.piece):
            part = {"index": index, "function": {"arguments": arguments[start : start + reply.piece]}}
            found.append(_delta(heard, {"tool_calls": [part]}))
    found.append(_delta(heard, {}, _finish(reply, bool(calls))))
    if reply.usage and heard.wants_usage:
        found.append(_chunk(heard, []) | {"usage": _usage(reply)})
    return [*(json.dumps(one) for one in found), "[DONE]"]


def pieces(reply: Reply, text: str) -> list[str]:
    """The text cut as the script wants it."""
    if reply.pieces:
        return list(reply.pieces)
    return [text[start : start + reply.piece] for start in range(0, len(text), reply.piece)]


def _call(call: Call, call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": raw_arguments(call)}}


def raw_arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


def _finish(reply: Reply, called: bool) -> str:
    return reply.finish or ("tool_calls" if called else "stop")


def _usage(reply: Reply) -> dict[str, int]:
    given, got = reply.usage or (0, 0)
    return {"prompt_tokens": given, "completion_tokens": got, "total_tokens": given + got}


def _chunk(heard: Heard, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": heard.model,
        "choices": choices,
    }


def _delta(heard: Heard, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return _chunk(heard, [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}])
