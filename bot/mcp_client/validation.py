"""Holds arguments and schemas of strangers against the rules, within bounds: no network, no endless work."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from bot.mcp_client.characters import cut

LONGEST_SCHEMA = 256 * 1024
LONGEST_ARGUMENTS = 1024 * 1024
"""Characters, as JSON."""
STEPS = 50_000
"""Keywords that are looked at for one set of arguments; an honest schema takes some hundreds."""
_TEXT_FOR_PATTERNS = 10_000


class Exhausted(Exception):
    """A schema makes more work than it is worth."""


def schema_problem(schema: Mapping[str, Any]) -> str:
    """Why it is no schema, in words; empty: it is one."""
    try:
        if len(json.dumps(schema)) > LONGEST_SCHEMA:
            return "is too large"
        _kind(schema).check_schema(dict(schema))
    except SchemaError as error:
        return f"is no schema: {cut(error.message, 200)}"
    except (RecursionError, ValueError, re.error, Unresolvable):
        return "cannot be read"
    return ""


def arguments_problem(raw_definition: str, arguments: Mapping[str, Any]) -> str:
    """Why these are not the arguments of a tool, in words for the model; empty: they are, as far as can be told.

    raw_definition: `Definition.raw`. What takes too long to decide is left to the server.
    """
    try:
        if len(json.dumps(arguments)) > LONGEST_ARGUMENTS:
            return f"The arguments are longer than {LONGEST_ARGUMENTS} characters."
        error = best_match(_validator(raw_definition).iter_errors(arguments))
    except (Exhausted, RecursionError, Unresolvable, re.error, ValueError, OverflowError):
        return ""
    if error is None:
        return ""
    place = "/".join(str(step) for step in error.absolute_path)
    return cut(f"{place}: {error.message}" if place else error.message, 500)


def result_problem(schema: Mapping[str, Any], content: Any) -> str:
    """Why a result is not what its schema promises; empty: it is, as far as can be told."""
    try:
        if len(json.dumps(content, default=str)) > LONGEST_ARGUMENTS:
            return ""
        error = best_match(_Bounded(dict(schema)).iter_errors(content))
    except (Exhausted, RecursionError, Unresolvable, re.error, ValueError, OverflowError):
        return ""
    return "" if error is None else cut(error.message, 300)


@lru_cache(maxsize=64)
def _validator(raw_definition: str) -> "_Bounded":
    schema = json.loads(raw_definition).get("inputSchema")
    return _Bounded(schema if isinstance(schema, dict) else {"type": "object"})


class _Bounded:
    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._kind = _kind(schema)

    def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
        left = [STEPS]
        kind = _counted(self._kind, left)
        yield from kind(self._schema, registry=Registry()).iter_errors(instance)


def _kind(schema: Mapping[str, Any]) -> type[Validator]:
    found: type[Validator] = validator_for(dict(schema), default=Draft202012Validator)
    return found


def _counted(kind: type[Validator], left: list[int]) -> Any:
    """The same, giving up when the steps are used up, and without patterns that could be looked for for ever."""

    def counting(check: Callable[..., Any]) -> Callable[..., Any]:
        def step(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
            left[0] -= 1
            if left[0] < 0:
                raise Exhausted
            yield from check(validator, value, instance, schema) or ()

        return step

    checks: dict[str, Callable[..., Any]] = dict(kind.VALIDATORS)
    checks["pattern"] = _pattern
    checks.pop("patternProperties", None)
    checks.pop("uniqueItems", None)
    if any(key in checks for key in ("additionalProperties",)):
        checks["additionalProperties"] = _additional(checks["additionalProperties"])
    counted = {key: counting(check) for key, check in checks.items()}
    return extend(kind, counted)  # type: ignore[no-untyped-call]  # jsonschema's own


def _additional(check: Callable[..., Any]) -> Callable[..., Any]:
    def without_patterns(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if not schema.get("patternProperties"):
            yield from check(validator, value, instance, schema) or ()

    return without_patterns


def _pattern(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, str) or not isinstance(pattern, str) or len(instance) > _TEXT_FOR_PATTERNS:
        return
    if is_quick(pattern) and not re.search(pattern, instance):
        yield ValidationError(f"{cut(instance, 60)!r} does not match {cut(pattern, 100)!r}")


@cache
def _repeats() -> re.Pattern[str]:
    return re.compile(r"[*+}]\??\)[*+{]|[*+}]\)\?[*+{]|\\[1-9]|\(\?[=!<]")


def is_quick(pattern: str) -> bool:
    """Whether looking for it takes a time that grows with the text, as far as can be told from outside: one thing repeated,
    never a repetition of repetitions or of choices."""
    if len(pattern) > 256 or _repeats().search(pattern):
        return False
    if re.search(r"\([^()]*[|*+}?][^()]*\)[*+{]", pattern) or pattern.count("(") > 10:
        return False
    return len(re.findall(r"(?<!\\)[*+]|\{\d+,", pattern)) <= 3
