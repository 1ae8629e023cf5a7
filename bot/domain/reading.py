"""What a person wrote or chose → a value of the kind that is asked for. Pure."""

import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from gettext import gettext as _
from gettext import ngettext
from urllib.parse import urlsplit

from bot.domain.question import LONGEST_TEXT, Blank, Format, Option, Value

_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})(?:[eE][+-]?[0-9]{1,2})?")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s.]{1,63}(?:\.[^@\s.]{1,63})+")
_YES = frozenset({"yes", "y", "true", "1"})
_NO = frozenset({"no", "n", "false", "0"})


class Misread(ValueError):
    """It is no answer to this. The message is a sentence for whoever wrote it, without what they wrote."""


def read(blank: Blank, text: str) -> Value:
    """Raises Misread."""
    text = text.strip()
    match blank.kind:
        case "text":
            return _text(blank, text)
        case "number":
            return _within(blank, _number(text))
        case "integer":
            if not _WHOLE.fullmatch(text):
                raise Misread(_("This is not a whole number. Write digits alone, such as 12."))
            return int(_within(blank, int(text)))
        case "yes_no":
            return _yes_no(text)
        case "choice":
            return _option(blank.options, text).value
        case "choices":
            return choose(blank, [blank.options.index(option) for option in _several(blank.options, text)])


def choose(blank: Blank, places: Sequence[int]) -> Value:
    """The value of the options at these places. Raises Misread for too few or too many, and for places that are not there."""
    if any(not 0 <= place < len(blank.options) for place in places):
        raise Misread(_("This is not among what can be chosen."))
    values = [blank.options[place].value for place in sorted(set(places))]
    if blank.kind == "choice":
        [value] = values
        return value
    least = max(int(blank.least or 0), 1 if blank.required else 0)
    if len(values) < least:
        words = ngettext("Choose at least {n}.", "Choose at least {n}.", least)
        raise Misread(words.format(n=least))
    if blank.most is not None and len(values) > blank.most:
        raise Misread(_("Choose at most {n}.").format(n=int(blank.most)))
    return values


def said(blank: Blank, value: Value | None) -> str:
    """A value as people read it."""
    if value is None:
        return _("left out")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    labels = {option.value: option.label for option in blank.options}
    if isinstance(value, list):
        return ", ".join(labels.get(each, each) for each in value) or _("none")
    return labels.get(str(value), str(value))


def wanted(blank: Blank) -> str:
    """What kind of answer is wanted, in words; "" where the options say it."""
    match blank.kind:
        case "text":
            return _FORMS.get(blank.format or "", "")
        case "integer" | "number":
            kind = _("a whole number") if blank.kind == "integer" else _("a number")
            return _bounded(kind, blank.least, blank.most)
        case "choices":
            return _("one or more of these") if blank.required else _("any of these")
        case _:
            return ""


_FORMS = {
    "email": _("an e-mail address"),
    "uri": _("an address that begins with https://, say"),
    "date": _("a date such as 2026-03-31"),
    "date-time": _("a date and a time with its zone, such as 2026-03-31T14:00+02:00"),
}


def _bounded(kind: str, least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return _("{kind} from {least:g} to {most:g}").format(kind=kind, least=least, most=most)
    if least is not None:
        return _("{kind}, at least {least:g}").format(kind=kind, least=least)
    if most is not None:
        return _("{kind}, at most {most:g}").format(kind=kind, most=most)
    return kind


def _text(blank: Blank, text: str) -> str:
    least = max(int(blank.least or 0), 1 if blank.required else 0)
    most = LONGEST_TEXT if blank.most is None else int(min(blank.most, LONGEST_TEXT))
    if len(text) < least:
        words = ngettext(
            "This is too short: it takes at least {n} character.", "This is too short: it takes at least {n}.", least
        )
        raise Misread(words.format(n=least))
    if len(text) > most:
        raise Misread(_("This is too long: {length:,} characters, of at most {n:,}.").format(length=len(text), n=most))
    if text and blank.format is not None and not _fits(blank.format, text):
        raise Misread(_("This does not fit: it must be {what}.").format(what=_FORMS[blank.format]))
    return text


def _fits(form: Format, text: str) -> bool:
    try:
        match form:
            case "email":
                return _EMAIL.fullmatch(text) is not None
            case "uri":
                parts = urlsplit(text)
                return bool(parts.scheme and (parts.netloc or parts.path)) and not any(char.isspace() for char in text)
            case "date":
                return len(text) == 10 and date.fromisoformat(text) is not None
            case "date-time":
                return "T" in text.upper() and datetime.fromisoformat(text.upper()).tzinfo is not None
    except ValueError:
        return False


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise Misread(_("This is not a number. Write digits, with a point where needed, such as 3.5."))
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise Misread(_("This number is too large."))
    return number


def _within(blank: Blank, number: float) -> float:
    low, high = blank.least is not None and number < blank.least, blank.most is not None and number > blank.most
    if low or high:
        raise Misread(_("It must be {what}.").format(what=wanted(blank)))
    return number


def _yes_no(text: str) -> bool:
    word = text.casefold().rstrip(".!")
    if word in _YES | {_("yes")}:
        return True
    if word in _NO | {_("no")}:
        return False
    raise Misread(_("Answer yes or no."))


def _option(options: Sequence[Option], text: str) -> Option:
    """By its label, else its value, else its number."""
    word = text.casefold()
    for called in ((option.label for option in options), (option.value for option in options)):
        found = [option for option, name in zip(options, called, strict=True) if name.casefold() == word]
        if len(found) == 1:
            return found[0]
    if _WHOLE.fullmatch(text) and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    raise Misread(_("This is not among what can be chosen: {options}.").format(options=listed(options)))


def _several(options: Sequence[Option], text: str) -> list[Option]:
    """One, or several with commas or on lines of their own; a label that holds a comma stands on a line of its own."""
    found: list[Option] = []
    for line in filter(None, (each.strip() for each in text.splitlines())):
        try:
            found.append(_option(options, line))
        except Misread:
            found += [_option(options, part.strip()) for part in line.split(",") if part.strip()]
    return list(dict.fromkeys(found))


def listed(options: Sequence[Option]) -> str:
    return ", ".join(f"{number}. {option.label}" for number, option in enumerate(options, 1))
