"""What an OpenAI-compatible server may refuse in a chat completion request. Rules: the API reference of
`/v1/chat/completions` (roles, tool pairing, function names, parameters)."""

import json
import re
from typing import Any

from tests.fakes.model.script import Heard

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
_ROLES = {"system", "developer", "user", "assistant", "tool"}


def faults(body: Any) -> list[str]:
    """Every breach of the contract, in plain words."""
    if not isinstance(body, dict):
        return ["the body is not an object"]
    found: list[str] = []
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return ["messages are empty"]
    if not all(isinstance(one, dict) for one in messages):
        return ["a message is not an object"]
    if all(one.get("role") in ("system", "developer") for one in messages):
        found.append("messages hold nothing but instructions")
    if messages[-1].get("role") == "assistant":
        found.append("the last message is an answer")
    found += _paired(messages)
    for number, message in enumerate(messages):
        found += [f"message {number}: {fault}" for fault in _message(message)]
    if "stream_options" in body and not body.get("stream"):
        found.append("stream_options without stream")
    return found + _tools(body)


def _message(message: dict[str, Any]) -> list[str]:
    role = message.get("role")
    if role not in _ROLES:
        return [f"unknown role {role!r}"]
    content = message.get("content")
    if role == "assistant":
        return _answer(message)
    if not isinstance(content, str | list):
        return ["content is neither text nor parts"]
    if role == "user" and not content:
        return ["content is empty"]
    return ["tool_calls outside an answer"] if "tool_calls" in message else []


def _answer(message: dict[str, Any]) -> list[str]:
    calls = message.get("tool_calls")
    if calls is None:
        return [] if message.get("content") else ["an answer without content and calls"]
    if not isinstance(calls, list) or not calls:
        return ["tool_calls are empty"]
    found: list[str] = []
    for call in calls:
        function = call.get("function", {})
        if call.get("type") != "function" or not call.get("id"):
            found.append("a call without type or id")
        if not NAME.match(str(function.get("name", ""))):
            found.append(f"bad tool name {function.get('name')!r} in a call")
        if not _is_object(function.get("arguments")):
            found.append("arguments of a call are not a JSON object")
    return found


def _is_object(raw: Any) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except (TypeError, ValueError):
        return False


def _paired(messages: list[dict[str, Any]]) -> list[str]:
    """A call needs exactly one answer, right behind it; an answer needs its call."""
    found: list[str] = []
    open_ids: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            answered = message.get("tool_call_id")
            if answered in open_ids:
                open_ids.remove(answered)
            else:
                found.append(f"a tool message answers {answered!r}, which was not called")
            continue
        if open_ids:
            found.append(f"tool calls without an answer: {', '.join(open_ids)}")
        open_ids = [str(call.get("id")) for call in message.get("tool_calls") or ()]
        if len(set(open_ids)) != len(open_ids):
            found.append("two calls with one id")
    if open_ids:
        found.append(f"tool calls without an answer: {', '.join(open_ids)}")
    return found


def _tools(body: dict[str, Any]) -> list[str]:
    if "tools" not in body:
        return []
    tools = body["tools"]
    if not isinstance(tools, list) or not tools:
        return ["tools are empty"]
    found: list[str] = []
    names: list[str] = []
    for tool in tools:
        function = tool.get("function", {}) if tool.get("type") == "function" else {}
        name = str(function.get("name", ""))
        names.append(name)
        if not NAME.match(name):
            found.append(f"bad tool name {name!r}")
        parameters = function.get("parameters")
        if not isinstance(parameters, dict) or parameters.get("type") != "object":
            found.append(f"the parameters of {name!r} are not an object schema")
    if len(set(names)) != len(names):
        found.append("two tools with one name")
    return found


def heard(body: dict[str, Any]) -> Heard:
    """The parts of a sound request that the script looks at."""
    messages = body["messages"]
    words = [_text(one["content"]) for one in messages if one["role"] == "user"]
    results = [_text(one["content"]) for one in messages if one["role"] == "tool"]
    return Heard(
        system="\n".join(_text(one["content"]) for one in messages if one["role"] in ("system", "developer")),
        words=words[-1] if words else "",
        result=results[-1] if results else "",
        ends_with="results" if messages[-1]["role"] == "tool" else "words",
        stream=bool(body.get("stream")),
        wants_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        model=str(body.get("model", "")),
    )


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
