"""A skill as the HTTP API takes and gives it: name, description, instructions, prompt_hint, tool_names, enabled."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import Any

from skills.building import build
from skills.errors import ContentRefused, Fault
from skills.fields import Fields, folded
from skills.package import Skill

LONGEST_INSTRUCTIONS = 192 * 1024
"""Bytes: with the longest header still a SKILL.md that is read again."""

_KEYS = (
    "name",
    "description",
    "instructions",
    "prompt_hint",
    "tool_names",
    "allowed_tools",
    "display_name",
    "version",
    "author",
    "tags",
    "bind_shells",
    "mcp_servers",
    "license",
    "compatibility",
    "metadata",
)
_ALWAYS = _KEYS[:5]
_APART = ("instructions", "enabled")
_KNOWN = frozenset(folded(key) for key in _KEYS if key not in _APART)


@dataclass(frozen=True, slots=True)
class Given:
    """`enabled`: what was said about that switch, which is no part of the skill; None: nothing."""

    skill: Skill
    enabled: bool | None


def read(given: object) -> Given:
    """What `json.loads` gave → a skill of format "json". Raises ContentRefused with everything that is wrong."""
    return _read(given, "json")


def change(skill: Skill, changes: object) -> Given:
    """The skill with other values for the keys that are given; its name, format and files stay. Raises ContentRefused."""
    if isinstance(changes, Mapping) and changes.get("name", skill.name) != skill.name:
        raise ContentRefused([Fault("", "name_fixed", _("name cannot be changed; make another skill instead."))])
    merged = {**write(skill), **changes} if isinstance(changes, Mapping) else changes
    changed = _read(merged, skill.format)
    kept = replace(changed.skill, other=skill.other, files=skill.files, builtin=skill.builtin)
    return Given(kept, changed.enabled)


def write(skill: Skill) -> dict[str, Any]:
    """The JSON form, without `enabled`: the five keys that it always has, and others that say something."""
    values: dict[str, Any] = {key: getattr(skill, key) for key in _KEYS}
    said = {key: _listed(value) for key, value in values.items() if key in _ALWAYS or value}
    if skill.allowed_tools is not None:
        said["allowed_tools"] = list(skill.allowed_tools)
    return said


def _read(given: object, kind: str) -> Given:
    if not isinstance(given, Mapping):
        raise ContentRefused([Fault("", "wrong_type", _("A skill is an object with keys and values."))])
    values = {str(key): value for key, value in given.items() if key not in _APART}
    fields = Fields("", values | {"format": kind}, {})
    for key in values:
        if folded(key) not in _KNOWN:
            fields.fault("unknown_key", key, _("{key} is not a key that is known."))
    instructions, enabled = given.get("instructions", ""), given.get("enabled")
    if not isinstance(instructions, str):
        fields.fault("wrong_type", "instructions", _("{key} is not a text."))
        instructions = ""
    if len(instructions.encode(errors="replace")) > LONGEST_INSTRUCTIONS:
        fields.fault("too_long", "instructions", _("{key} is longer than {detail} bytes."), str(LONGEST_INSTRUCTIONS))
    if enabled is not None and not isinstance(enabled, bool):
        fields.fault("wrong_type", "enabled", _("{key} is neither true nor false."))
    skill = build(fields, instructions)
    return Given(replace(skill, other={}), enabled if isinstance(enabled, bool) else None)


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
