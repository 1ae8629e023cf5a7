"""Reading a payload without trusting it: each field has the kind that is expected, or the payload cannot be read."""

from collections.abc import Mapping

from channels.errors import ChannelError

Json = object
"""What `json.loads` gives; looked at before it is used."""


class Unreadable(ChannelError):
    """A payload of a known kind is not shaped as documented. The message names the field, never its value."""

    def __init__(self, event_id: str, field: str, expected: str) -> None:
        super().__init__(f"{field} is not {expected}")
        self.event_id = event_id


class Fields:
    """One JSON object, with the path to it for the error."""

    def __init__(self, event_id: str, path: str, value: Json) -> None:
        if not isinstance(value, Mapping):
            raise Unreadable(event_id, path, "an object")
        self._event_id = event_id
        self._path = path
        self._value: Mapping[object, Json] = value

    def has(self, name: str) -> bool:
        return self._value.get(name) is not None

    def inside(self, name: str) -> "Fields":
        return Fields(self._event_id, f"{self._path}.{name}", self._value.get(name))

    def maybe(self, name: str) -> "Fields | None":
        return self.inside(name) if self.has(name) else None

    def each(self, name: str) -> "tuple[Fields, ...]":
        """Empty if it is not there."""
        value = self._value.get(name, ())
        if not isinstance(value, list | tuple):
            raise self._wrong(name, "a list")
        return tuple(Fields(self._event_id, f"{self._path}.{name}[{i}]", item) for i, item in enumerate(value))

    def text(self, name: str) -> str:
        value = self._value.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def maybe_text(self, name: str) -> str:
        return self.text(name) if self.has(name) else ""

    def number(self, name: str) -> int:
        value = self._value.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(name, "a number")
        return value

    def flag(self, name: str) -> bool:
        """True only if it says so literally."""
        return self._value.get(name) is True

    def _wrong(self, name: str, expected: str) -> Unreadable:
        return Unreadable(self._event_id, f"{self._path}.{name}", expected)
