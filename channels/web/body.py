"""What a line of the transcript says, as JSON: a visitor's words, or a message of ours."""

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from channels.outgoing import Outgoing


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class Shown:
    """`voice` is the name it is shown under. `card`: it has buttons, or had them before it was decided."""

    message: Outgoing
    voice: str
    card: bool
    kind: Literal["shown"] = "shown"


Body = Said | Shown

_body_json: TypeAdapter[Body] = TypeAdapter(Body)


def dump(body: Body) -> str:
    return _body_json.dump_json(body).decode()


def load(text: str) -> Body:
    """Raises ValueError for anything that `dump` did not write."""
    return _body_json.validate_json(text)
