"""Text that a person does not see and a model reads."""

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_FLAGS = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""England, Scotland, Wales: the only sequences of tags that are pictures (Unicode, emoji-sequences, RGI tag sequences)."""
_SMUGGLING = re.compile(
    "[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}|[\U000e0100-\U000e01ef]"
)
"""Tags, chains of variation selectors, and selectors for ideographs: each can carry a whole text unseen."""
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a]"
)
"""Drawn as nothing, or turning the direction of what stands around them. Honest texts hold some of them."""
_ZWJ = "\u200d"
_ZWNJ = "\u200c"


def smuggled(text: str) -> int | None:
    """Where the first character stands that no honest text needs: a control character other than tab and newline, half of
    a surrogate pair, or a carrier of hidden text."""
    blanked = _FLAGS.sub(lambda flag: "x" * len(flag[0]), text)
    places = [match.start() for match in (_CONTROL.search(blanked), _first_carrier(blanked)) if match is not None]
    return min(places, default=None)


def unseen(text: str) -> tuple[str, ...]:
    """The codes of characters that are not seen, such as `U+202E`, each once. What joins emoji or letters is left out."""
    codes = {
        f"U+{ord(match[0]):04X}": None
        for match in _UNSEEN.finditer(text)
        if not (match[0] in (_ZWJ, _ZWNJ) and _joins(text, match.start()))
    }
    return tuple(codes)


def code(character: str) -> str:
    return f"U+{ord(character):04X}"


def shown(text: str, longest: int = 120) -> str:
    """A name from outside, as it can be shown: what is not seen is escaped, what is too long is cut."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(_escaped(one) if _UNSEEN.match(one) or not one.isprintable() else one for one in cut)


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _first_carrier(text: str) -> re.Match[str] | None:
    for match in _SMUGGLING.finditer(text):
        lone = len(match[0]) == 1 and "\U000e0100" <= match[0] <= "\U000e01ef"
        if not (lone and match.start() and _ideograph(text[match.start() - 1])):
            return match
    return None


def _ideograph(character: str) -> bool:
    return unicodedata.name(character, "").startswith("CJK ")


def _joins(text: str, place: int) -> bool:
    """Between two emoji, or two letters of a script that writes with joiners."""
    if not 0 < place < len(text) - 1:
        return False
    before = text[max(0, place - 4) : place].rstrip("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")[-1:]
    return all(one and _joined(one) for one in (before, text[place + 1]))


def _joined(character: str) -> bool:
    return ord(character) > 0x2FF and unicodedata.category(character) in ("So", "Lo", "Mn", "Mc")
