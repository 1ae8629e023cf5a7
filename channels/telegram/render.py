"""A message → what sendMessage and editMessageText take. Pure.

Plain text and entities, no parse mode: whatever a text holds, it is shown as it is. Entities that mention somebody are
never made.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity

from channels.errors import Refused
from channels.outgoing import Button, Outgoing
from channels.telegram.limits import LIMITS
from channels.text.characters import clean, size
from channels.text.flatten import Flat, Kind, Stretch, flatten

_KINDS: dict[Kind, str] = {
    "bold": MessageEntity.BOLD,
    "italic": MessageEntity.ITALIC,
    "strike": MessageEntity.STRIKETHROUGH,
    "code": MessageEntity.CODE,
    "pre": MessageEntity.PRE,
    "quote": MessageEntity.BLOCKQUOTE,
    "link": MessageEntity.TEXT_LINK,
}
_STYLES = {"primary": "primary", "danger": "danger", "plain": None}


@dataclass(frozen=True, slots=True)
class Rendered:
    text: str
    entities: tuple[MessageEntity, ...]
    keyboard: InlineKeyboardMarkup | None

    def unformatted(self) -> "Rendered":
        return replace(self, entities=())


def render(message: Outgoing) -> Rendered:
    """Raises Refused for what Telegram would refuse in any case."""
    flat = flatten(message.blocks, LIMITS)
    if not flat.text:
        raise Refused("There is no text to send, and Telegram sends no empty messages.")
    return Rendered(flat.text, entities(flat), _keyboard(message.rows))


def entities(flat: Flat) -> tuple[MessageEntity, ...]:
    """Offsets and lengths in UTF-16 units."""
    return tuple(_entity(flat.text, stretch) for stretch in flat.stretches)


def _entity(text: str, stretch: Stretch) -> MessageEntity:
    return MessageEntity(
        type=_KINDS[stretch.kind],
        offset=size(text[: stretch.start], "utf16"),
        length=size(text[stretch.start : stretch.end], "utf16"),
        url=stretch.detail if stretch.kind == "link" else None,
        language=(stretch.detail or None) if stretch.kind == "pre" else None,
    )


def _keyboard(rows: Sequence[Sequence[Button]]) -> InlineKeyboardMarkup | None:
    """None for no buttons: an edit without a keyboard takes the old one away."""
    buttons = [[_button(button) for button in row] for row in rows if row]
    return InlineKeyboardMarkup(buttons) if buttons else None


def _button(button: Button) -> InlineKeyboardButton:
    label = clean(button.label).strip()
    if not label or not 0 < len(button.token.encode()) <= LIMITS.token_bytes:
        raise Refused("A button needs a label, and a token of at most 64 bytes.")
    if len(label) > LIMITS.label:
        label = label[: LIMITS.label - 1] + "…"
    return InlineKeyboardButton(label, callback_data=button.token, style=_STYLES[button.style])
