"""Parameters as they arrive (all text, or JSON) made into the values that a method declares."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakes.telegram.errors import Json, wrong
from tests.fakes.telegram.schema import Kind


@dataclass(frozen=True, slots=True)
class Upload:
    """A part of a multipart body that holds a file."""

    name: str
    mime: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Args:
    """The parameters of one call. What could not be read stays the text that it was; the rules then refuse it."""

    values: Json
    uploads: Mapping[str, Upload]

    def text(self, name: str) -> str:
        """The parameter, or "" where it is missing or not a text."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def integer(self, name: str, default: int = 0) -> int:
        value = self.values.get(name)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        return self.values.get(name) is True

    def json(self, name: str) -> object:
        return self.values.get(name)


def read(raw: Mapping[str, object], uploads: Mapping[str, Upload], kinds: Mapping[str, Kind]) -> Args:
    """`raw` holds text, or JSON values where the body was JSON; unknown names are kept for the schema to refuse."""
    values: Json = {name: _value(value, kinds.get(name)) for name, value in raw.items()}
    for name in uploads:
        values.setdefault(name, {"$upload": name})
    return Args({name: value for name, value in values.items() if name in kinds or name not in uploads}, uploads)


def _value(value: object, kind: Kind | None) -> object:
    if isinstance(value, dict | list):
        return value
    text = value if isinstance(value, str) else json.dumps(value)  # scalars of a JSON body count as their text
    if kind in ("integer", "chat"):
        return int(text) if _is_whole(text) else text
    if kind == "boolean":
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(text.lower(), text)
    if kind == "json":
        try:
            return json.loads(text)
        except ValueError:
            return text
    if text.startswith("attach://"):
        return {"$upload": text.removeprefix("attach://")}
    return text


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def chat_of(args: Args) -> int | str:
    """The chat_id. Raises ApiError when it is missing."""
    chat = args.values.get("chat_id", "")
    if chat == "" or not isinstance(chat, int | str):
        raise wrong("chat_id is empty")
    return chat
