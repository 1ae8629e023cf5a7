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
_MOST_LOOKED_AT = 1_000_000
"""Characters for one pattern: some hundredths of a second."""
_CHARACTERS_A_STEP = 20
"""So that all patterns of one set of arguments take no longer than one of them may."""


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
    checks["pattern"] = _looking(left)
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


def _looking(left: list[int]) -> Callable[..., Any]:
    """`pattern`, as long as there are steps left for it."""

    def look(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
        if not isinstance(instance, str) or not isinstance(pattern, str):
            return
        cost = work(pattern, len(instance))
        if cost is None:
            return
        left[0] -= cost // _CHARACTERS_A_STEP
        if left[0] < 0:
            raise Exhausted
        if not re.search(pattern, instance):
            yield ValidationError(f"{cut(instance, 60)!r} does not match {cut(pattern, 100)!r}")

    return look


_RANGE = re.compile(r"\{(\d*),(\d*)\}")


@cache
def _never() -> re.Pattern[str]:
    """Repeated groups, which may hold choices and repetitions; references back, looking ahead or behind; flags."""
    return re.compile(r"\)[*+{]|\\[1-9]|\(\?(?!:)")


def work(pattern: str, length: int) -> int | None:
    """How many characters may be looked at until it is known that a text of this length does not match; None: that may be
    more than is worth it. Counted from the signs alone, each as if it were one: too much rather than too little."""
    if len(pattern) > 256 or length > _TEXT_FOR_PATTERNS or _never().search(pattern):
        return None
    ranges = _RANGE.findall(pattern)
    endless = pattern.count("*") + pattern.count("+") + sum(not most for _least, most in ranges)
    ways = 2 ** pattern.count("?") * (pattern.count("|") + 1) ** (pattern.count("(") + 1)
    for least, most in ranges:
        ways *= max(1, int(most or 0) - int(least or 0) + 1)
    begins = 1 if pattern.startswith("^") and "|" not in pattern else length + 1
    looked_at = begins * (length + 1) ** max(1, endless) * ways
    return looked_at if looked_at <= _MOST_LOOKED_AT else None
