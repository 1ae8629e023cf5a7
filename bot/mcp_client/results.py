"""What a tool answered, field by field: text for the model, files for the chat, all of it for the record."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from bot.mcp_client.characters import cleaned, cut, cut_in_the_middle, one_line
from bot.mcp_client.enclosures import Enclosures
from bot.mcp_client.spoken import Definition, Result
from bot.mcp_client.validation import result_problem

LONGEST_TEXT = 50_000
"""Characters for the model; all of it is in a file and in `whole`."""
LONGEST_WHOLE = 40_000_000
MOST_BLOCKS = 1_000

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{1000,}={0,2}")


def result(definition: Definition, raw: Mapping[str, Any]) -> Result:
    """Total: whatever came counts as an answer, since the call has run. A failure is one that says `isError`, in any way."""
    work = _Work()
    content = raw.get("content")
    blocks = content if isinstance(content, list) else [content] if isinstance(content, dict) else []
    if content is not None and not isinstance(content, list):
        work.flag("Its content is not the list that the protocol asks for.")
    parts = [work.block(block) for block in blocks[:MOST_BLOCKS]]
    if len(blocks) > MOST_BLOCKS:
        parts.append(f"[{len(blocks) - MOST_BLOCKS} more parts were left out]")
    failed = raw.get("isError") not in (None, False)
    if "structuredContent" in raw:
        parts.append(work.structured(raw["structuredContent"], parts))
    if not failed and definition.output_schema is not None:
        work.check(definition.output_schema, raw)
    text = "\n".join(part for part in parts if part) or (
        "[it gave no reason]" if failed else "[it answered with nothing]"
    )
    if len(text) > LONGEST_TEXT:
        work.enclosures.text(definition.name, text)
    whole = json.dumps(_recorded(raw), ensure_ascii=False, default=str)
    return Result(
        failed=failed,
        text=as_data(definition.server, definition.name, cut_in_the_middle(text, LONGEST_TEXT)),
        whole=whole if len(whole) <= LONGEST_WHOLE else json.dumps({"cut": whole[:LONGEST_WHOLE]}),
        files=tuple(work.enclosures.files),
        flags=tuple(work.flags),
        left_out=tuple(work.enclosures.left_out),
    )


def failure(definition: Definition, message: str) -> Result:
    """The server refused the call by an error of the protocol: an answer, and not what was hoped for."""
    text, hidden = cleaned(message)
    flags = ("Its answer held characters that cannot be seen; they were taken out.",) if hidden else ()
    shown = as_data(definition.server, definition.name, cut_in_the_middle(text, LONGEST_TEXT))
    return Result(True, shown, json.dumps({"error": message}, ensure_ascii=False), (), flags)


def as_data(server: str, tool: str, text: str) -> str:
    """Between marks that the text itself cannot close."""
    inside = re.sub(r"[<＜﹤](?=\s*[/／]?\s*tool_result)", "‹", text, flags=re.IGNORECASE)
    return f'<tool_result server="{server}" tool="{_quoted(tool)}">\n{inside}\n</tool_result>'


def _quoted(name: str) -> str:
    return re.sub(r"[\"<>&]", "_", name)


@dataclass(slots=True)
class _Work:
    enclosures: Enclosures = field(default_factory=Enclosures)
    flags: dict[str, None] = field(default_factory=dict)

    def flag(self, sentence: str) -> None:
        self.flags[sentence] = None

    def text(self, value: str) -> str:
        shown, hidden = cleaned(value)
        if hidden:
            self.flag("Its answer held characters that cannot be seen; they were taken out.")
        return shown

    def block(self, block: Any) -> str:
        if isinstance(block, str):
            return self.text(block)
        if not isinstance(block, dict):
            return "[a part that cannot be read]"
        kind = block.get("type")
        if kind == "text" or (kind is None and isinstance(block.get("text"), str)):
            return self.text(block["text"]) if isinstance(block.get("text"), str) else "[a text that is none]"
        if kind in ("image", "audio"):
            return self.binary(str(kind), block.get("data"), block.get("mimeType"), "")
        if kind == "resource":
            return self.resource(block.get("resource"))
        if kind == "resource_link":
            return self.link(block)
        self.flag("A part of its answer is of a kind that is not known here.")
        return f"[a part of the unknown kind {one_line(str(kind), 40)!r}]"

    def binary(self, kind: str, data: Any, mime: Any, name: str) -> str:
        content = _decoded(data)
        if content is None:
            return f"[{kind} that cannot be read]"
        return self.enclosures.binary(kind, name, mime, content)

    def resource(self, resource: Any) -> str:
        if not isinstance(resource, dict):
            return "[a resource that cannot be read]"
        uri = one_line(str(resource.get("uri", "")), 500)
        if isinstance(resource.get("text"), str):
            return f"[resource {uri}]\n{self.text(resource['text'])}"
        if "blob" in resource:
            named = unquote(urlsplit(uri).path.rpartition("/")[2]) if "://" in uri else ""
            return self.binary("resource", resource.get("blob"), resource.get("mimeType"), named)
        return f"[resource {uri}, which is empty]"

    def link(self, block: Mapping[str, Any]) -> str:
        """Shown, never fetched."""
        uri, name = one_line(str(block.get("uri", "")), 500), one_line(str(block.get("name", "")), 200)
        words = one_line(str(block.get("description") or ""), 500)
        return f"[link to {uri}{f', {name}' if name else ''}{f': {words}' if words else ''}]"

    def structured(self, value: Any, parts: list[str]) -> str:
        """Nothing, where the same stands in a text already, as servers are told to do."""
        if any(_same(value, part) for part in parts):
            return ""
        return self.text(json.dumps(_without_bytes(value), ensure_ascii=False, default=str))

    def check(self, schema: Mapping[str, Any], raw: Mapping[str, Any]) -> None:
        if "structuredContent" not in raw:
            self.flag("It promised structured content, and sent none.")
            return
        problem = result_problem(schema, raw["structuredContent"])
        if problem:
            self.flag(f"Its structured content is not what it promised: {cut(problem, 200)}.")


def _same(value: Any, text: str) -> bool:
    """Whether a text says what structured content says; a single value is often wrapped in an object of its own."""
    alone = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
    if text in (value, alone):
        return True
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return said in (value, alone)


def _decoded(data: Any) -> bytes | None:
    if not isinstance(data, str):
        return None
    try:
        return base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def _recorded(raw: Mapping[str, Any]) -> dict[str, Any]:
    """All of it, with the bytes of files named: those are kept beside it."""
    content = raw.get("content")
    return {**raw, "content": [_named(block) for block in content]} if isinstance(content, list) else dict(raw)


def _named(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    named = {
        key: f"[{len(value)} characters of base64]" if key in ("data", "blob") and isinstance(value, str) else value
        for key, value in block.items()
    }
    return {**named, "resource": _named(named["resource"])} if isinstance(named.get("resource"), dict) else named


def _without_bytes(value: Any, depth: int = 0) -> Any:
    """The same, with what is binary named: base64 must not get to the model as text."""
    if isinstance(value, str):
        return _BASE64.sub(lambda match: f"[{len(match[0])} characters of base64]", value)
    if depth > 50:
        return "[nested too deeply]"
    if isinstance(value, dict):
        return {key: _without_bytes(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_bytes(inner, depth + 1) for inner in value]
    return value
