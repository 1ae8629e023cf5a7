"""Rules for what a message carries, wherever it is posted."""

import json
import re
from dataclasses import dataclass, field

from tests.fakes.slack import block_rules
from tests.fakes.slack.codes import first_allowed
from tests.fakes.slack.errors import Json, misshapen, wrong
from tests.fakes.slack.schema import Check
from tests.fakes.slack.typed import escaped, new_block_id

TEXT = 40_000
UPDATED_TEXT = 4_000
MARKDOWN = 12_000
_ATTACHMENTS = 100
_METADATA = 16_000
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")


@dataclass(frozen=True, slots=True)
class Content:
    """What is stored of a message; `cut`: the text was longer than it may be."""

    text: str = ""
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    markdown: bool = False
    cut: bool = False

    @property
    def empty(self) -> bool:
        return not self.text and not self.blocks and not self.attachments


def content(method: str, args: Json, check: Check) -> Content:
    """What `args` want to be shown. Raises ApiError with a code of `method` (the nearest for a response_url)."""
    text, markdown = args.get("text"), args.get("markdown_text")
    if not isinstance(text, str | None) or not isinstance(markdown, str | None):
        raise wrong("invalid_arguments", "a text is no text")
    if markdown is not None and (text or args.get("blocks")):
        raise wrong("markdown_text_conflict", "markdown_text goes with neither text nor blocks")
    if markdown is not None and len(markdown) > MARKDOWN:
        raise wrong(
            first_allowed(method, "msg_too_long", "invalid_arguments"),
            f"markdown_text has at most {MARKDOWN} characters",
        )
    blocks = args.get("blocks") or []
    check_blocks(method, blocks, check)
    found = Content(
        text=markdown or ampersands(text or ""),
        blocks=stored_blocks(blocks),
        attachments=_attachments(method, args.get("attachments") or [], check),
        metadata=checked_metadata(args.get("metadata"), check),
        markdown=markdown is not None,
    )
    if found.empty:
        raise wrong("no_text", "there is neither text nor blocks nor attachments")
    return _measured(method, found)


def _measured(method: str, found: Content) -> Content:
    most = UPDATED_TEXT if method == "chat.update" else TEXT
    if len(found.text) <= most:
        return found
    if method == "chat.update" or method == "chat.postEphemeral":
        raise wrong("msg_too_long", f"the text has {len(found.text)} characters where {most} are allowed")
    return Content(found.text[:most], found.blocks, found.attachments, found.metadata, found.markdown, cut=True)


def check_blocks(method: str, blocks: object, check: Check) -> None:
    """Raises ApiError."""
    if found := block_rules.mistakes(blocks, check):
        raise misshapen("invalid_blocks", found)
    assert isinstance(blocks, list)
    total = block_rules.characters(blocks)
    if total > block_rules.ALL_CHARACTERS:
        code = first_allowed(method, "msg_blocks_too_long", "msg_too_long", "invalid_blocks")
        raise wrong(code, f"the blocks hold {total} characters, about {block_rules.ALL_CHARACTERS} are taken")


def _attachments(method: str, attachments: object, check: Check) -> list[Json]:
    if mistake := check("attachments", attachments):
        code = first_allowed(method, "invalid_attachments", "invalid_arguments")
        raise wrong(code, f"attachments: {mistake}")
    assert isinstance(attachments, list)
    if len(attachments) > _ATTACHMENTS:
        raise wrong("too_many_attachments", f"a message has at most {_ATTACHMENTS} attachments")
    for attachment in attachments:
        check_blocks(method, attachment.get("blocks") or [], check)
    return attachments


def checked_metadata(metadata: object, check: Check) -> Json | None:
    if metadata is None:
        return None
    if not isinstance(metadata, dict) or not metadata.get("event_type"):
        raise wrong("invalid_metadata_format", "metadata needs event_type and event_payload")
    if mistake := check("metadata", metadata):
        raise wrong("invalid_metadata_schema", f"metadata: {mistake}")
    if len(json.dumps(metadata)) > _METADATA:
        raise wrong("metadata_too_large", f"metadata has at most {_METADATA} characters")
    return metadata


def stored_blocks(blocks: list[Json]) -> list[Json]:
    """As Slack keeps them: each has an id, and what stands for itself is written as an entity."""
    kept: list[Json] = []
    for block in blocks:
        stored: Json = _entities(block, raw=block["type"] == "markdown")
        stored.setdefault("block_id", new_block_id())
        for element in _pressable(stored):
            element.setdefault("action_id", new_block_id())
        kept.append(stored)
    return kept


def _pressable(block: Json) -> list[Json]:
    if block["type"] in ("actions", "context_actions"):
        elements: list[Json] = block["elements"]
        return elements
    inner = block.get("accessory") or (block.get("element") if block["type"] == "input" else None)
    return [inner] if inner and inner["type"] != "image" else []


def _entities(value: object, *, raw: bool) -> Json:
    done = _written(value, raw)
    assert isinstance(done, dict)
    return done


def _written(value: object, raw: bool) -> object:
    if isinstance(value, list):
        return [_written(inner, raw) for inner in value]
    if not isinstance(value, dict):
        return value
    plain = value.get("type") == "plain_text" and not raw
    write = _once if plain else ampersands if value.get("type") == "mrkdwn" else str
    return {
        name: write(inner) if name == "text" and isinstance(inner, str) else _written(inner, raw)
        for name, inner in value.items()
    }


def ampersands(text: str) -> str:
    """A bare one is stored as an entity, wherever `<…>` means something."""
    return _BARE_AMPERSAND.sub("&amp;", text)


def _once(text: str) -> str:
    """Entities that are there stay what they are (slackapi/bolt-python#513 shows plain texts come back escaped)."""
    return escaped(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
