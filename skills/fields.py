"""The values that a skill gives of itself, each looked at before it is taken."""

import json
import re
from collections.abc import Mapping
from gettext import gettext as _
from typing import Any

from skills import tool_lists
from skills.errors import Fault
from skills.hidden import code, shown, smuggled, unseen
from skills.plain_yaml import DEEPEST, Path, dotted
from skills.rules import ContentRule

MOST_WORDS = 64
LONGEST_WORD = 100


class Fields:
    """Keys count as the same in every spelling: `allowed-tools`, `allowed_tools`, `allowedTools`. Whatever is asked for
    and cannot be read is in `faults`, and an empty value is given for it, so that all faults are found at once."""

    def __init__(self, entry: str, given: Mapping[str, object], lines: Mapping[Path, int]) -> None:
        self.faults: list[Fault] = []
        self.warnings: list[str] = []
        self._entry = entry
        self._keys = frozenset(given)
        self._lines = lines
        self._given: dict[str, tuple[str, object]] = {}
        self._asked: set[str] = set()
        for key, value in given.items():
            first = self._given.setdefault(folded(key), (key, value))
            if first[0] != key:
                self.fault(
                    "duplicate_key", key, _("{key} is {first}, given twice in two spellings. Keep one."), first[0]
                )

    def has(self, key: str) -> bool:
        return folded(key) in self._given

    def text(self, key: str, longest: int, *, lines: bool = False) -> str:
        """Trimmed; one line unless `lines`. What is no text is a fault."""
        spelled, value = self._take(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.fault("wrong_type", spelled, _("{key} is not a text."))
            return ""
        return self._text(spelled, value, longest, lines=lines)

    def loose_text(self, key: str, longest: int) -> str:
        """As `text`, but numbers are taken as they are written, and lists and mappings are told and kept as JSON: nothing
        depends on it."""
        spelled, value = self._take(key)
        if value is None or isinstance(value, str):
            return self._text(spelled, value or "", longest, lines=False)
        plain = self._plain((spelled,), value)
        if not isinstance(plain, str):
            self.warnings.append(_("{key} is not a text; it is kept as JSON.").format(key=shown(spelled)))
            plain = _as_json(plain)
        return self._short(spelled, plain, longest)

    def tools(self, key: str) -> tuple[str, ...] | None:
        """None only if the key is not there at all."""
        if not self.has(key):
            return None
        spelled, value = self._take(key)
        try:
            names = tool_lists.read(value)
        except tool_lists.Unreadable as reason:
            self.fault("tools", spelled, str(reason))
            return ()
        for name in names:
            self.look(spelled, name)
        return names

    def words(self, key: str) -> tuple[str, ...]:
        """A list of short texts, or one text with commas."""
        spelled, value = self._take(key)
        given = value.split(",") if isinstance(value, str) else [] if value is None else value
        if not isinstance(given, list | tuple) or not all(isinstance(word, str) for word in given):
            self.fault("wrong_type", spelled, _("{key} is not a list of words."))
            return ()
        if len(given) > MOST_WORDS:
            self.fault("too_long", spelled, _("{key} has more than {detail} words."), str(MOST_WORDS))
            return ()
        read = (self._text(spelled, word, LONGEST_WORD, lines=False) for word in given)
        return tuple(dict.fromkeys(word for word in read if word))

    def mapping(self, key: str) -> dict[str, Any]:
        """Values as texts, None, lists and mappings."""
        spelled, value = self._take(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.fault("wrong_type", spelled, _("{key} does not hold keys with values."))
            return {}
        plain: dict[str, Any] = self._plain((spelled,), value)
        return plain

    def texts(self, key: str) -> dict[str, str]:
        """A mapping of texts; what is nested is told and kept as JSON."""
        values = self.mapping(key)
        nested = [inner for inner, value in values.items() if value is not None and not isinstance(value, str)]
        if nested:
            words = _("{key} holds more than texts in {inner}; they are kept as JSON.")
            self.warnings.append(words.format(key=key, inner=", ".join(shown(inner) for inner in nested[:5])))
        return {
            inner: "" if value is None else value if isinstance(value, str) else _as_json(value)
            for inner, value in values.items()
        }

    def rest(self) -> dict[str, Any]:
        """What nobody asked for, by its spelling."""
        unasked = {folded: given for folded, given in self._given.items() if folded not in self._asked}
        return {spelled: self._plain((spelled,), value) for spelled, value in unasked.values()}

    def fault(self, rule: ContentRule, key: str, words: str, detail: str = "") -> None:
        """`words` may hold {key}, which is told as it was spelled, and {detail} or {first}."""
        if key not in self._keys:
            key = self._given.get(folded(key), (key, None))[0]
        message = (
            words.replace("{key}", shown(key)).replace("{detail}", shown(detail)).replace("{first}", shown(detail))
        )
        line = self._lines.get((key,), 0)
        place = _("Line {line}: ").format(line=line) if line else ""
        self.faults.append(Fault(self._entry, rule, place + message))

    def look(self, key: str, text: str, first_line: int = 0) -> None:
        """Refuse what hides in a text, tell what is not seen in it."""
        place = smuggled(text)
        if place is not None:
            line = _(" in line {line}").format(line=first_line + text.count("\n", 0, place)) if first_line else ""
            words = _("{key} holds a character that nobody sees, {detail}. Take it out.")
            self.fault("hidden_text", key, words, code(text[place]) + line)
        codes = unseen(text)
        if codes:
            words = _("{key} holds characters that are not seen: {codes}.")
            self.warnings.append(words.format(key=shown(key), codes=", ".join(codes[:8])))

    def _take(self, key: str) -> tuple[str, object]:
        self._asked.add(folded(key))
        return self._given.get(folded(key), (key, None))

    def _text(self, key: str, value: str, longest: int, *, lines: bool) -> str:
        self.look(key, value)
        return self._short(key, value.strip() if lines else " ".join(value.split()), longest)

    def _short(self, key: str, text: str, longest: int) -> str:
        if len(text) > longest:
            self.fault("too_long", key, _("{key} is longer than {detail} characters."), str(longest))
        return text

    def _plain(self, path: Path, value: object) -> Any:
        if len(path) > DEEPEST:
            self.fault("too_deep", str(path[0]), _("{key} is nested too deeply."))
            return None
        if value is None:
            return None
        if isinstance(value, str):
            self.look(dotted(path), value)
            return value
        if isinstance(value, list | tuple):
            return [self._plain((*path, place), item) for place, item in enumerate(value)]
        if isinstance(value, Mapping):
            return {self._key(path, key): self._plain((*path, str(key)), inner) for key, inner in value.items()}
        return _as_json(value)

    def _key(self, path: Path, key: object) -> str:
        self.look(dotted(path), str(key))
        return str(key)


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def folded(key: str) -> str:
    """What all spellings of a key share."""
    return re.sub(r"[\s_.-]+", "", key.casefold())
