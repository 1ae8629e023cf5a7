"""Says what pydantic found in words that help. The given value is never repeated where it may be a secret."""

from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from bot.config.mistakes import Mistake
from bot.config.models import Config
from bot.config.places import Places, dotted

Loc = tuple[int | str, ...]


def mistake(error: ErrorDetails, places: Places) -> Mistake:
    path = path_of(error["loc"])
    what, remedy = _worded(error)
    return Mistake(dotted(path), places.line(path), what, remedy)


def path_of(loc: Loc) -> Loc:
    """Pydantic's place of an error without what is not in the file: the channel's type, and the mark of a key."""
    path = loc[:-1] if loc and loc[-1] == "[key]" else loc
    if len(path) > 2 and path[0] == "channels":
        return (*path[:2], *path[3:])
    return path


def section_at(loc: Loc) -> type[BaseModel] | None:
    """The model that stands at a place of the configuration, by pydantic's way of naming places."""
    here: Any = Config
    for part in loc:
        here = _below(here, part)
    return here if isinstance(here, type) and issubclass(here, BaseModel) else None


def _below(kind: Any, part: int | str) -> Any:
    if get_origin(kind) is Annotated:
        return _below(get_args(kind)[0], part)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        names = {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
        return names.get(str(part))
    if get_origin(kind) is dict:
        return get_args(kind)[1]
    if get_origin(kind) is tuple:
        return get_args(kind)[0]
    if get_origin(kind) in (Union, UnionType):
        return next((member for member in get_args(kind) if _type_of(member) == part), None)
    return None


def _type_of(member: Any) -> str | None:
    """`telegram` of a channel model."""
    if not (isinstance(member, type) and issubclass(member, BaseModel)):
        return None
    kinds = get_args(member.model_fields["type"].annotation) if "type" in member.model_fields else ()
    return kinds[0] if kinds else None


_CHANNELS = "Write `type: slack`, `type: telegram` or `type: web`."


def _worded(error: ErrorDetails) -> tuple[str, str]:
    context = error.get("ctx", {})
    match error["type"]:
        case "wrong":
            return str(context["what"]), str(context["remedy"])
        case "missing":
            return "is missing", f"Add `{error['loc'][-1]}: …` there."
        case "extra_forbidden":
            return "is not a key that is known here", _known(error["loc"])
        case "literal_error":
            return f"is {_shown(error['input'])}, which is no choice here", f"Write one of: {context['expected']}."
        case "union_tag_not_found":
            return "does not say what it is", _CHANNELS
        case "union_tag_invalid":
            return f"is of type {str(context['tag'])!r}, which is not spoken", _CHANNELS
        case "int_parsing" | "int_type" | "int_from_float":
            return f"is {_shown(error['input'])}, not a whole number", "Write digits only, without a unit."
        case "bool_parsing" | "bool_type":
            return f"is {_shown(error['input'])}, neither yes nor no", "Write true or false."
        case "greater_than_equal":
            return f"is {_shown(error['input'])}, which is too little", f"Write {context['ge']} or more."
        case "less_than_equal":
            return f"is {_shown(error['input'])}, which is too much", f"Write {context['le']} or less."
        case "string_too_short":
            return "is empty", "Write something after the colon."
        case "string_too_long":
            return "is too long", f"Keep it to {context['max_length']} characters."
        case "string_type" | "path_type":
            return _not_a_text(error["input"])
        case "tuple_type":
            return "is not a list", 'Write its items in brackets, such as ["tg:4242"], or one a line after a dash.'
        case "dict_type" | "model_type" | "model_attributes_type":
            return "has no keys of its own", "Write its keys below it, further in; config.example.yaml shows how."
    return f"is not right: {error['msg']}", "See config.example.yaml."


def _known(loc: Loc) -> str:
    section = section_at(loc[:-1])
    if section is None:
        return "Remove it."
    names = [field.alias or name for name, field in section.model_fields.items()]
    close = get_close_matches(str(loc[-1]), names, n=1)
    if close:
        return f"Did you mean `{close[0]}`?"
    return f"Remove it; known are {', '.join(names)}."


def _not_a_text(value: object) -> tuple[str, str]:
    if isinstance(value, dict):
        return (
            "is a mapping where a text is wanted",
            "Put the text in quotes: a colon with a space after it makes a mapping.",
        )
    if isinstance(value, list):
        return "is a list where one text is wanted", "Take the brackets or the dash out."
    return "is empty", "Write a text after the colon."


def _shown(value: object) -> str:
    """Only fields that hold no secret are numbers, choices or switches; long texts are cut all the same."""
    if value is None:
        return "empty"
    text = repr(str(value)) if isinstance(value, str) else type(value).__name__
    return text if len(text) <= 42 else f"{text[:40]}…'"
