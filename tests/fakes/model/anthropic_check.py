"""What the Anthropic API may refuse in a messages request. Rules: the API reference of `/v1/messages` (roles, tool_use
and tool_result pairing, results first, non-empty text, input_schema)."""

import re
from typing import Any

from tests.fakes.model.openai_check import NAME
from tests.fakes.model.script import Heard

_ID = re.compile(r"^[a-zA-Z0-9_-]+$")


def faults(body: Any) -> list[str]:
    """Every breach of the contract, in plain words."""
    if not isinstance(body, dict):
        return ["the body is not an object"]
    found = [] if isinstance(body.get("max_tokens"), int) and body["max_tokens"] > 0 else ["max_tokens is missing"]
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return [*found, "messages are empty"]
    if any(not isinstance(one, dict) or one.get("role") not in ("user", "assistant") for one in messages):
        return [*found, "a role is neither user nor assistant"]
    if messages[0]["role"] != "user":
        found.append("the first message is not a user's")
    if messages[-1]["role"] == "assistant":
        found.append("the last message is an answer")
    turns = _turns(messages)
    for number, (role, blocks) in enumerate(turns):
        found += [f"turn {number}: {fault}" for fault in _blocks(role, blocks)]
    return found + _paired(turns) + _system(body) + _tools(body)


def _turns(messages: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Neighbours of one role are one turn, as the API joins them."""
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(blocks)
        else:
            turns.append((message["role"], blocks))
    return turns


def _blocks(role: str, blocks: list[dict[str, Any]]) -> list[str]:
    found = [] if blocks else ["no content"]
    allowed = {"user": {"text", "image", "document", "tool_result"}, "assistant": {"text", "thinking", "tool_use"}}[
        role
    ]
    for block in blocks:
        kind = block.get("type")
        if kind not in allowed:
            found.append(f"a {kind!r} block from {role}")
        if kind == "text" and not str(block.get("text", "")).strip():
            found.append("an empty text block")
        if kind == "thinking" and not block.get("signature"):
            found.append("thinking without its signature")
        if kind == "tool_use" and not (_ID.match(str(block.get("id", ""))) and NAME.match(str(block.get("name", "")))):
            found.append("a tool_use with a bad id or name")
        if kind == "tool_use" and not isinstance(block.get("input"), dict):
            found.append("the input of a tool_use is not an object")
    return found


def _paired(turns: list[tuple[str, list[dict[str, Any]]]]) -> list[str]:
    """Every tool_use has its tool_result at the head of the very next turn."""
    found: list[str] = []
    open_ids: list[str] = []
    for role, blocks in turns:
        if role == "assistant":
            open_ids = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
            if len(set(open_ids)) != len(open_ids):
                found.append("two calls with one id")
            continue
        kinds = [block.get("type") for block in blocks]
        answered = [block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"]
        if kinds[: len(answered)] != ["tool_result"] * len(answered):
            found.append("tool_result behind other content")
        if sorted(map(str, answered)) != sorted(open_ids):
            found.append(f"called {open_ids}, answered {answered}")
        open_ids = []
    return found + ([f"called {open_ids}, answered nothing"] if open_ids else [])


def _system(body: dict[str, Any]) -> list[str]:
    system = body.get("system")
    if isinstance(system, list) and any(not block.get("text") for block in system):
        return ["an empty system block"]
    return []


def _tools(body: dict[str, Any]) -> list[str]:
    found: list[str] = []
    names = [str(tool.get("name", "")) for tool in body.get("tools") or ()]
    found += [f"bad tool name {name!r}" for name in names if not NAME.match(name)]
    for tool in body.get("tools") or ():
        schema = tool.get("input_schema")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            found.append(f"the input_schema of {tool.get('name')!r} is not an object schema")
    return found + (["two tools with one name"] if len(set(names)) != len(names) else [])


def heard(body: dict[str, Any]) -> Heard:
    """The parts of a sound request that the script looks at."""
    turns = _turns(body["messages"])
    blocks = [block for role, blocks in turns if role == "user" for block in blocks]
    words = [str(block["text"]) for block in blocks if block["type"] == "text"]
    results = [_text(block.get("content")) for block in blocks if block["type"] == "tool_result"]
    return Heard(
        system=_text(body.get("system")),
        words=words[-1] if words else "",
        result=results[-1] if results else "",
        ends_with="results" if turns[-1][1][-1]["type"] == "tool_result" else "words",
        stream=bool(body.get("stream")),
        wants_usage=True,
        model=str(body.get("model", "")),
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or ())
