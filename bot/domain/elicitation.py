"""The schema with which an MCP server asks for input → blanks. Pure, total, and bounded: what cannot be asked is refused."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from bot.domain.question import Blank, Format, Option, Value
from bot.domain.secrecy import named_like_a_secret
from channels.text.characters import visible

MOST_BLANKS = 20
MOST_OPTIONS = 60
"""Each is a button where there are no forms; a message takes so many everywhere."""
_NAME, _LABEL, _HINT, _OPTION = 100, 150, 300, 75
_FORMATS: frozenset[str] = frozenset(get_args(Format))


class Unaskable(ValueError):
    """This is not asked. `secret`: because it looks as if a secret were wanted."""

    def __init__(self, what: str, *, secret: bool = False) -> None:
        super().__init__(what)
        self.secret = secret


def blanks_of(schema: Mapping[str, Any]) -> tuple[Blank, ...]:
    """Of a flat object schema of primitives, as the protocol has it. Raises Unaskable."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not 0 < len(properties) <= MOST_BLANKS:
        raise Unaskable(f"It asks for nothing, or for more than {MOST_BLANKS} things.")
    required = schema.get("required")
    needed = frozenset(each for each in required if isinstance(each, str)) if isinstance(required, list) else ()
    return tuple(_blank(name, about, name in needed) for name, about in properties.items())


def _blank(name: Any, about: Any, required: bool) -> Blank:
    if not isinstance(name, str) or not 0 < len(name) <= _NAME or not isinstance(about, Mapping):
        raise Unaskable("A field has no name or no description.")
    label, hint = _line(about.get("title"), _LABEL) or _line(name, _LABEL), _line(about.get("description"), _HINT)
    if any(named_like_a_secret(words) for words in (name, label, hint)):
        raise Unaskable(label, secret=True)
    match about.get("type"):
        case "boolean":
            return Blank(name, label, "yes_no", (), required, hint, default=_default(about, bool))
        case "integer":
            return Blank(
                name,
                label,
                "integer",
                (),
                required,
                hint,
                *_bounds(about, "minimum", "maximum"),
                None,
                _default(about, int),
            )
        case "number":
            bounds = _bounds(about, "minimum", "maximum")
            return Blank(name, label, "number", (), required, hint, *bounds, None, _default(about, int, float))
        case "array":
            return _choices(name, label, about, required, hint)
        case "string":
            return _text(name, label, about, required, hint)
        case _:
            raise Unaskable(f"The field {label} is of a kind that cannot be asked for.")


def _text(name: str, label: str, about: Mapping[str, Any], required: bool, hint: str) -> Blank:
    options = _options(about)
    default = _default(about, str)
    if options:
        known = default if default in {option.value for option in options} else None
        return Blank(name, label, "choice", options, required, hint, default=known)
    said = about.get("format")
    form: Any = said if isinstance(said, str) and said in _FORMATS else None
    return Blank(name, label, "text", (), required, hint, *_bounds(about, "minLength", "maxLength"), form, default)


def _choices(name: str, label: str, about: Mapping[str, Any], required: bool, hint: str) -> Blank:
    items = about.get("items")
    options = _options(items) if isinstance(items, Mapping) else ()
    if not options:
        raise Unaskable(f"The field {label} is a list of anything, which cannot be asked for.")
    values, said = {option.value for option in options}, about.get("default")
    default = (
        [each for each in said if each in values]
        if isinstance(said, list) and all(isinstance(e, str) for e in said)
        else None
    )
    return Blank(
        name, label, "choices", options, required, hint, *_bounds(about, "minItems", "maxItems"), None, default
    )


def _options(about: Mapping[str, Any]) -> tuple[Option, ...]:
    """Of `enum` (with `enumNames`), or of `oneOf` and `anyOf` with `const` and `title`. Raises Unaskable."""
    pairs = list(_pairs(about))
    if len(pairs) > MOST_OPTIONS:
        raise Unaskable(f"It offers a choice of more than {MOST_OPTIONS}.")
    if len({value for value, _title in pairs}) < len(pairs) or any(len(value) > 2000 for value, _title in pairs):
        raise Unaskable("It offers the same choice twice, or one without an end.")
    labels: dict[str, None] = {}
    options = []
    for value, title in pairs:
        plain = _line(title, _OPTION) or _line(value, _OPTION) or "–"
        label, number = plain, 2
        while label in labels:
            label, number = f"{plain[: _OPTION - 6]} ({number})", number + 1
        labels[label] = None
        options.append(Option(value, label))
    return tuple(options)


def _pairs(about: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    values, names = about.get("enum"), about.get("enumNames")
    if isinstance(values, list):
        titles = names if isinstance(names, list) and len(names) == len(values) else values
        for value, title in zip(values, titles, strict=True):
            if not isinstance(value, str):
                raise Unaskable("It offers a choice of what is no text.")
            yield value, title
        return
    for key in ("oneOf", "anyOf"):
        each = about.get(key)
        for one in each if isinstance(each, list) else ():
            if not isinstance(one, Mapping) or not isinstance(one.get("const"), str):
                raise Unaskable("It offers a choice of what is no text.")
            yield one["const"], one.get("title")


def _bounds(about: Mapping[str, Any], low: str, high: str) -> tuple[float | None, float | None]:
    return _number(about.get(low)), _number(about.get(high))


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _default(about: Mapping[str, Any], *kinds: type) -> Any:
    value: Value | None = about.get("default")
    return value if type(value) in kinds else None


def _line(text: Any, room: int) -> str:
    if not isinstance(text, str):
        return ""
    line = visible(" ".join(text.split()))
    return line if len(line) <= room else f"{line[: room - 1]}…"
