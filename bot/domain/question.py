"""A question: what a run asks the person it works for, a blank at a time or all at once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

QuestionState = Literal["pending", "answered", "declined", "expired", "cancelled"]
Kind = Literal["text", "number", "integer", "yes_no", "choice", "choices"]
Format = Literal["email", "uri", "date", "date-time"]
Value = str | int | float | bool | list[str]

KINDS: tuple[Kind, ...] = ("text", "number", "integer", "yes_no", "choice", "choices")
DIRECT = 6
"""One choice among so many needs no form: each is a button."""
LONGEST_TEXT = 2000
"""Characters of an answer where nothing shorter is asked for: what one field of a form takes everywhere."""


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Blank:
    """One thing to fill in. Names, labels of options among each other, and their values are unique.

    `least` and `most`: of a number, of the length of a text, or of how many are chosen. `default`: what to suggest.
    """

    name: str
    label: str
    kind: Kind
    options: tuple[Option, ...] = ()
    required: bool = True
    hint: str = ""
    least: float | None = None
    most: float | None = None
    format: Format | None = None
    default: Value | None = None

    @property
    def typed(self) -> bool:
        """It is written; else it is chosen."""
        return self.kind in ("text", "number", "integer")


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is to be asked. `url`: an address to agree to, then there are no blanks; "" for a form."""

    message: str
    blanks: tuple[Blank, ...] = ()
    url: str = ""

    @property
    def direct(self) -> bool:
        """A single choice: the buttons of the card itself are the answers."""
        if len(self.blanks) != 1:
            return False
        [blank] = self.blanks
        return blank.kind == "yes_no" or (blank.kind == "choice" and len(blank.options) <= DIRECT)


@dataclass(frozen=True, slots=True)
class Question:
    """`inquiry` is JSON. `answers` is the JSON of what was given so far by name, null for what was skipped; `picked` that of
    the places of options that are switched on in the blank that is open.

    `server`: the MCP server whose words these are, "" for the persona's own. `resumes`: the call waits for the answer, which is
    its result; else it is under way, and whoever asked in it waits. `shown_at`: when its card reached the chat.
    """

    id: str
    run_id: str
    call_id: str
    persona_id: str
    capability_id: str
    conversation: str
    server: str
    resumes: bool
    inquiry: str
    answers: str
    picked: str
    requested_by: str
    requester_name: str
    state: QuestionState
    created_at: float
    expires_at: float
    remind_at: float
    reminded_at: float | None
    shown_at: float | None
    ended_at: float | None
    reason: str | None

    @property
    def asks(self) -> Inquiry:
        return parsed(self.inquiry)

    @property
    def given(self) -> dict[str, Value | None]:
        said: dict[str, Value | None] = json.loads(self.answers)
        return said

    @property
    def chosen(self) -> tuple[int, ...]:
        return tuple(json.loads(self.picked))

    @property
    def open(self) -> int:
        """The place of the blank that is to be filled in next; their number when none is left."""
        blanks, given = self.asks.blanks, self.given
        return next((place for place, blank in enumerate(blanks) if blank.name not in given), len(blanks))

    @property
    def content(self) -> dict[str, Value]:
        """What was answered, without what was skipped."""
        return {name: value for name, value in self.given.items() if value is not None}


_INQUIRY: TypeAdapter[Inquiry] = TypeAdapter(Inquiry)


def dumped(inquiry: Inquiry) -> str:
    return _INQUIRY.dump_json(inquiry).decode()


def parsed(text: str) -> Inquiry:
    """What `dumped` made."""
    return _INQUIRY.validate_json(text)


def written(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)
