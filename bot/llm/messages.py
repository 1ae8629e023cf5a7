"""Our history <-> the provider layer's messages. Nothing of that layer is seen outside this file, `exchange.py` and
`clients.py`."""

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from pydantic import ValidationError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.tools import ToolDefinition

from bot.llm.port import Answered, Asked, Json, Offer, Request, Result, Said

_NO_WORDS = "(no words)"  # providers refuse empty messages
_GO_ON = "(go on)"  # some refuse a request that ends with an answer
_EARLIER = "(the conversation began earlier)"  # providers want a person's words first


def sent(request: Request, provider: str) -> list[ModelMessage]:
    """The messages that a request is sent as, valid for every provider. `provider` says whose native answers may be
    used as they were."""
    instructions = _encodable(request.instructions) or None
    messages: list[ModelMessage] = []
    for turn in request.history:
        if isinstance(turn, Answered):
            answer = _answered(turn, provider)
            if answer.parts:
                messages.append(answer)
            continue
        part = UserPromptPart(_encodable(turn.text) or _NO_WORDS) if isinstance(turn, Said) else _returned(turn)
        messages.append(ModelRequest(parts=[part], instructions=instructions))
    if not messages or isinstance(messages[0], ModelResponse):
        messages.insert(0, ModelRequest(parts=[UserPromptPart(_EARLIER)], instructions=instructions))
    if isinstance(messages[-1], ModelResponse):
        messages.append(ModelRequest(parts=[UserPromptPart(_GO_ON)], instructions=instructions))
    return repair_messages(messages)


def _encodable(text: str) -> str:
    """The text without lone surrogates, which no wire can carry; empty if it is blank."""
    return text.encode("utf-8", "replace").decode() if text.strip() else ""


def tools(offers: Iterable[Offer]) -> list[ToolDefinition]:
    """The offers as they are; `strict` off, because it would rewrite their schemas and local servers do not know it."""
    return [
        ToolDefinition(
            name=offer.name, description=offer.description, parameters_json_schema=offer.schema, strict=False
        )
        for offer in offers
    ]


def native(response: ModelResponse) -> Json:
    """An answer in the provider's own form, as JSON that keeps thinking signatures; None if it cannot be stored."""
    whole = ModelMessagesTypeAdapter.dump_python([response], mode="json")[0]
    return whole if _storable(whole) else None


def with_own_ids(response: ModelResponse) -> ModelResponse:
    """The answer with an id for every call and none twice: weak servers leave them out or repeat them."""
    seen: set[str] = set()
    parts = []
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            part = replace(part, tool_call_id=_unseen(part.tool_call_id or "call", seen))
            seen.add(part.tool_call_id)
        parts.append(part)
    return replace(response, parts=parts)


def _unseen(call_id: str, seen: set[str]) -> str:
    if call_id not in seen:
        return call_id
    return next(other for number in count(2) if (other := f"{call_id}_{number}") not in seen)


def text(response: ModelResponse) -> str:
    """What the answer says, as it was streamed but for characters that cannot be stored."""
    whole = "\n\n".join(part.content for part in response.parts if isinstance(part, TextPart) and part.content)
    return whole.encode("utf-8", "replace").decode().replace("\0", "")


def calls(response: ModelResponse) -> tuple[Asked, ...]:
    """The calls that the answer asks for, readable or not."""
    return tuple(_asked(part) for part in response.parts if isinstance(part, ToolCallPart))


def _asked(part: ToolCallPart) -> Asked:
    raw = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    return Asked(part.tool_call_id, part.tool_name, _object(part), raw)


def _object(part: ToolCallPart) -> dict[str, Json] | None:
    """The arguments if they are a JSON object that can be stored; none given is an empty one."""
    if not part.args:
        return {}
    try:
        value = part.args if isinstance(part.args, dict) else json.loads(part.args)
        return value if isinstance(value, dict) and _storable(value) else None
    except (ValueError, RecursionError):
        return None


def _storable(value: Json) -> bool:
    """Neither lone surrogates nor NUL: no wire carries the first, PostgreSQL refuses both."""
    written = json.dumps(value, ensure_ascii=False)
    try:
        written.encode()
    except UnicodeEncodeError:
        return False
    return "\\u0000" not in written


def _answered(turn: Answered, provider: str) -> ModelResponse:
    stored = _stored(turn, provider)
    if stored is not None:
        return stored
    text = _encodable(turn.text)
    said = [TextPart(text)] if text else []
    # Unreadable arguments go as they came: the layer wraps them, so that every server takes them.
    asked = [
        ToolCallPart(call.name, call.raw if call.arguments is None else call.arguments, tool_call_id=call.id)
        for call in turn.calls
    ]
    return ModelResponse(parts=[*said, *asked])


def _stored(turn: Answered, provider: str) -> ModelResponse | None:
    """The native form, if it can be read, is of this provider, and tells of the same calls."""
    if turn.native is None:
        return None
    try:
        (message,) = ModelMessagesTypeAdapter.validate_python([turn.native])
    except ValidationError:
        return None
    if not isinstance(message, ModelResponse) or message.provider_name != provider:
        return None
    ids = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
    return message if ids == [call.id for call in turn.calls] else None


def _returned(result: Result) -> ToolReturnPart:
    content = _encodable(result.content) or "(nothing)"
    if result.failed:
        return ToolReturnPart(result.name, content, tool_call_id=result.call_id, outcome="failed")
    return ToolReturnPart(result.name, content, tool_call_id=result.call_id)
