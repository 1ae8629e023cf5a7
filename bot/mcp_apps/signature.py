"""The parameters of a function → the model of a tool's arguments. Pure; mistakes are told when the tool is defined."""

import inspect
import json
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Self, Union, get_args, get_origin, get_type_hints

from pydantic import Field, create_model
from pydantic.errors import PydanticSchemaGenerationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema

from bot.tools.spec import ToolInput

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")

_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

_NOTHING: Any = Annotated[None, SkipJsonSchema()]  # type: ignore[type-arg]  # generic for type checkers alone
"""May be given, and is not shown."""


class BadTool(Exception):
    """A tool is not defined as it must be."""


class McpInput(ToolInput):
    """Arguments as JSON has them: the text of an enum is that enum, the parts of a model are a model. Nothing is coerced,
    and what is not known is refused, at every depth."""

    @classmethod
    def model_validate(cls, obj: Any, **_options: Any) -> Self:
        return cls.model_validate_json(json.dumps(obj), strict=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Signature:
    """`fields`: the field of the model by the parameter that it is given as."""

    model: type[McpInput]
    fields: dict[str, str]

    def arguments(self, given: McpInput) -> dict[str, Any]:
        """What was not given is left to the function's own defaults."""
        return {
            parameter: getattr(given, name) for parameter, name in self.fields.items() if name in given.model_fields_set
        }


def read(
    tool: str,
    function: Callable[..., Any],
    excluded: frozenset[str],
    descriptions: dict[str, str],
    renames: dict[str, str],
) -> Signature:
    """Raises BadTool."""
    parameters = dict(inspect.signature(function).parameters)
    _known(tool, "exclude_params", excluded, parameters)
    for each in [name for name in parameters if name in excluded][1:]:
        if parameters[each].default is inspect.Parameter.empty:
            raise BadTool(f"{tool}: {each} is excluded, and has no default")
    shown = {name: parameter for name, parameter in parameters.items() if name not in excluded}
    _known(tool, "param_descriptions", descriptions, shown)
    _known(tool, "param_renames", renames, shown)
    outside = _outside(tool, shown, renames)
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for number, (name, parameter) in enumerate(shown.items()):
        if name not in hints or parameter.kind not in _KINDS:
            raise BadTool(f"{tool}: {name} is no parameter with a type that can be given by name")
        fields[f"a{number}"] = _field(hints[name], parameter.default, outside[name], descriptions.get(name))
    try:
        model = create_model(f"{tool}_arguments", __base__=McpInput, **fields)
        model.model_json_schema()
    except PydanticSchemaGenerationError as error:
        raise BadTool(f"{tool}: a parameter has a type that JSON knows nothing of") from error
    return Signature(model, dict(zip(shown, fields, strict=True)))


def _known(tool: str, what: str, named: Any, there: Any) -> None:
    unknown = sorted(set(named) - set(there))
    if unknown:
        raise BadTool(f"{tool}: {what} names what is no parameter: {', '.join(unknown)}")


def _outside(tool: str, shown: Any, renames: dict[str, str]) -> dict[str, str]:
    """What each is called outside."""
    called = {name: renames.get(name, name) for name in shown}
    if len(set(called.values())) < len(called):
        raise BadTool(f"{tool}: two parameters have one name outside")
    for name in called.values():
        if not _NAME.fullmatch(name):
            raise BadTool(f"{tool}: {name!r} is no name for a parameter")
    return called


def _field(hint: Any, default: Any, name: str, description: str | None) -> tuple[Any, FieldInfo]:
    """The field's own name says nothing: outside it goes by its alias, which may be any name."""
    inner, optional = _without_none(hint)
    if default is inspect.Parameter.empty:
        default = None if optional else ...
    field: FieldInfo = Field(default=default, alias=name, description=description)
    return (inner | _NOTHING if optional else inner), field


def _without_none(hint: Any) -> tuple[Any, bool]:
    """The type, and whether it may be left out: JSON Schema shows only the type."""
    if get_origin(hint) is Annotated:
        inner, *beside = get_args(hint)
        bare, optional = _without_none(inner)
        return Annotated[(bare, *beside)], optional
    if get_origin(hint) not in (Union, types.UnionType) or type(None) not in get_args(hint):
        return hint, False
    kinds = tuple(kind for kind in get_args(hint) if kind is not type(None))
    return Union[kinds], True  # noqa: UP007  of a tuple
