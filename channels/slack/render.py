"""A message → what chat.postMessage and chat.update take. Pure.

Blocks show it, `text` stands for them in notifications. Whatever a text holds, it is shown as it is: it mentions nobody.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from channels.errors import Refused
from channels.outgoing import Block, Button, Divider, Heading, Outgoing, Table
from channels.slack.limits import (
    BLOCKS,
    BLOCKS_SUM,
    CONFIRM_BUTTON,
    CONFIRM_TEXT,
    CONFIRM_TITLE,
    FALLBACK,
    HEADER,
    LIMITS,
    TABLE_CHARS,
    TABLE_COLUMNS,
    TABLE_ROWS,
)
from channels.slack.pieces import bold, linkable, styled
from channels.slack.plain import Built, escaped, length, plain_text
from channels.slack.rich import RichWriter
from channels.text.characters import clean
from channels.text.flatten import flatten


@dataclass(frozen=True, slots=True)
class Rendered:
    text: str
    blocks: tuple[Built, ...]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What gets blocks of its own, and whether addresses are kept: less and less until it fits."""

    headings: bool
    table: bool
    links: bool = True


_SHAPES = (_Shape(True, True), _Shape(False, True), _Shape(False, False), _Shape(False, False, links=False))
_BLANK = " "
_NOTHING: Built = {
    "type": "rich_text",
    "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": _BLANK}]}],
}


def render(message: Outgoing) -> Rendered:
    """Raises Refused for what Slack would refuse in any case."""
    flat = flatten(message.blocks, LIMITS)
    if not flat.text:
        raise Refused("There is no text to send, and Slack sends no empty messages.")
    actions = list(_actions(message.rows))
    for shape in _SHAPES:
        blocks = [*_blocks(message.blocks, shape), *actions]
        if not shape.headings and not _is_rich(blocks):
            blocks = [_NOTHING, *blocks]  # above a table that has nothing beside it
        if _fits(blocks):
            return Rendered(escaped(flat.text, FALLBACK), tuple(blocks))
    raise Refused("The message is longer than Slack takes.")


def weight(piece: object) -> int:
    """The characters of all its texts and addresses."""
    if isinstance(piece, dict):
        own = sum(len(piece[key]) for key in ("text", "url") if isinstance(piece.get(key), str))
        return own + sum(weight(inner) for inner in piece.values())
    return sum(weight(one) for one in piece) if isinstance(piece, list | tuple) else 0


def _fits(blocks: Sequence[Built]) -> bool:
    return _is_rich(blocks) and len(blocks) <= BLOCKS and weight(blocks) <= BLOCKS_SUM


def _is_rich(blocks: Sequence[Built]) -> bool:
    """Each message has a rich_text block: Slack refuses to edit one that has into one that has not (block_mismatch)."""
    return any(block["type"] == "rich_text" for block in blocks)


def _blocks(document: Sequence[Block], shape: _Shape) -> Iterator[Built]:
    writer = RichWriter(links=shape.links)
    room_for_a_table = shape.table
    for block in document:
        own = None
        if isinstance(block, Table) and room_for_a_table:
            own = _table(block)
            room_for_a_table = own is None
        elif shape.headings:
            own = _own(block)
        if own is None:
            writer.block(block)
            continue
        yield from writer.taken()
        yield own
    yield from writer.taken()


def _own(block: Block) -> Built | None:
    if isinstance(block, Divider):
        return {"type": "divider"}
    return _header(block) if isinstance(block, Heading) else None


def _header(heading: Heading) -> Built | None:
    """None where it would lose something: a header is short and knows neither links nor most styles."""
    text = clean("".join(span.text for span in heading.spans)).strip()
    plain = not any(linkable(span.href) or span.styles & {"code", "strike"} for span in heading.spans)
    if heading.level > 2 or not plain or not text or length(text) > HEADER:
        return None
    return {"type": "header", "text": plain_text(text, HEADER)}


def _table(table: Table) -> Built | None:
    """None for what is not a table to Slack: too many cells, too much in them, or nothing."""
    rows = (tuple(bold(cell) for cell in table.header), *table.rows)
    if not 0 < len(table.header) <= TABLE_COLUMNS or len(rows) > TABLE_ROWS:
        return None
    cells = [[_cell(styled(cell)) for cell in row] for row in rows]
    if weight(cells) > TABLE_CHARS or not any(cell != _cell([]) for row in cells for cell in row):
        return None
    return {"type": "table", "rows": cells}


def _cell(made: list[Built]) -> Built:
    if all(piece["type"] == "text" and "style" not in piece for piece in made):
        return {"type": "raw_text", "text": "".join(piece["text"] for piece in made) or _BLANK}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": made}]}


def _actions(rows: Sequence[Sequence[Button]]) -> Iterator[Built]:
    """A block for each row. Ids of actions tell buttons of one message apart and mean nothing else."""
    number = 0
    for row in rows:
        for start in range(0, len(row), LIMITS.row):
            part = row[start : start + LIMITS.row]
            elements = [_button(button, f"b{number + place}") for place, button in enumerate(part)]
            yield {"type": "actions", "elements": elements}
            number += len(part)


def _button(button: Button, action_id: str) -> Built:
    label = clean(button.label).strip()
    if not label or not 0 < len(button.token.encode()) <= LIMITS.token_bytes:
        raise Refused(f"A button needs a label, and a token of at most {LIMITS.token_bytes} bytes.")
    made: Built = {
        "type": "button",
        "action_id": action_id,
        "text": plain_text(label, LIMITS.label),
        "value": button.token,
    }
    if button.style != "plain":
        made["style"] = button.style
    question = plain_text(button.confirm, CONFIRM_TEXT)
    if question["text"]:
        made["confirm"] = _confirm(button, label, question)
    return made


def _confirm(button: Button, label: str, question: Built) -> Built:
    made: Built = {
        "title": plain_text(label, CONFIRM_TITLE),
        "text": question,
        "confirm": plain_text(label, CONFIRM_BUTTON),
        "deny": plain_text("Cancel", CONFIRM_BUTTON),
    }
    if button.style != "plain":
        made["style"] = button.style
    return made
