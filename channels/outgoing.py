"""What we say, free of any platform: a small document, its buttons, and where it ended up."""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import TypeAdapter

from channels.files import FileRef

Style = Literal["bold", "italic", "strike", "code"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text in one style. `href` is an http, https, mailto or tg address, or None."""

    text: str
    styles: frozenset[Style] = frozenset()
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    spans: tuple[Span, ...]
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    spans: tuple[Span, ...]
    kind: Literal["heading"] = "heading"


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; each item is a document of its own. `start` is the first number, None for bullets."""

    items: tuple[tuple["Block", ...], ...]
    start: int | None = None
    kind: Literal["listing"] = "listing"


@dataclass(frozen=True, slots=True)
class Quote:
    blocks: tuple["Block", ...]
    kind: Literal["quote"] = "quote"


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    language: str = ""
    kind: Literal["code"] = "code"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are spans; every row has as many cells as `header`."""

    header: tuple[tuple[Span, ...], ...]
    rows: tuple[tuple[tuple[Span, ...], ...], ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class Divider:
    kind: Literal["divider"] = "divider"


Block = Paragraph | Heading | Listing | Quote | Code | Table | Divider


@dataclass(frozen=True, slots=True)
class Button:
    """`token` is opaque and at most 64 bytes; what it stands for is known to the service alone. `confirm`: a question
    that is asked once more before the press counts, where the platform can; empty for none."""

    label: str
    token: str
    style: Literal["primary", "danger", "plain"] = "plain"
    confirm: str = ""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message. `rows` are rows of buttons. `reply_to` is the platform's id of the message it answers. `mark` is an
    opaque name by which it can be found again, where the platform keeps such a thing. `file` goes with it, which then says
    what it is; such a message is never edited."""

    blocks: tuple[Block, ...]
    rows: tuple[tuple[Button, ...], ...] = field(default=())
    reply_to: str | None = None
    mark: str | None = None
    file: FileRef | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in. `choices`: one of these and nothing else; with `several` any of them, in `value` a line each.
    `long`: it may have several lines."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    choices: tuple[str, ...] = ()
    long: bool = False
    optional: bool = False
    several: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What opens for the one who pressed a button; the answer comes back under that button's token."""

    title: str
    lead: str
    fields: tuple[Field, ...]
    submit: str


@dataclass(frozen=True, slots=True)
class MessageRef:
    """Where a message ended up: the key of its conversation and the platform's id of it."""

    conversation: str
    id: str


outgoing_json = TypeAdapter(Outgoing)
"""`dump_json` and `validate_json` for the store."""


def plain(text: str) -> tuple[Block, ...]:
    """A paragraph for each line of `text`, unstyled: for sentences of our own and for text that must stay literal."""
    return tuple(Paragraph((Span(line),)) for line in text.splitlines() if line.strip())
