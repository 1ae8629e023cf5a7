"""SKILL.md ↔ skill."""

from collections.abc import Sequence
from dataclasses import replace
from gettext import gettext as _
from typing import Any

import yaml

from skills import front_matter
from skills.building import build
from skills.errors import ContentRefused, Fault
from skills.fields import Fields
from skills.package import SKILL_MD, Package, Skill


def read(
    data: bytes, *, entry: str = SKILL_MD, folder: str = "", files: Sequence[str] = (), builtin: bool = False
) -> Skill:
    """`entry` is its path for the faults, `folder` the name of its folder, `files` what lies beside it.

    Raises ContentRefused with everything that is wrong: a skill is read whole or not at all.
    """
    parts = front_matter.read(data, entry)
    fields = Fields(entry, parts.values, parts.lines)
    if parts.mended:
        words = _("The quotes around {keys} are missing; it was read as one text.")
        fields.warnings.append(words.format(keys=", ".join(parts.mended)))
    return build(fields, parts.body, first_line=parts.body_line, folder=folder, files=files, builtin=builtin)


def write(skill: Skill) -> str:
    """The text that is read as this skill again, but for `files`, `builtin` and `warnings`."""
    header = yaml.dump(
        _header(skill), Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=1_000_000
    )
    return f"---\n{header}---\n\n{skill.instructions}\n"


def packed(skill: Skill) -> Package:
    """A package of this skill alone. Raises ContentRefused if its text would not be read as the same skill again."""
    content = write(skill).encode()
    again = read(content, files=skill.files, builtin=skill.builtin)
    if replace(again, warnings=skill.warnings) != skill:
        raise ContentRefused(
            [Fault("", "unwritable", _("It cannot be written down so that it is read the same again."))]
        )
    return Package(skill, {SKILL_MD: content})


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _header(skill: Skill) -> dict[str, Any]:
    said: dict[str, Any] = {
        "name": skill.name,
        "description": skill.description,
        "license": skill.license,
        "compatibility": skill.compatibility,
        "metadata": dict(skill.metadata),
        "displayName": skill.display_name,
        "version": skill.version,
        "author": skill.author,
        "tags": list(skill.tags),
        "bindShells": list(skill.bind_shells),
        "prompt-hint": skill.prompt_hint,
        "tool-names": list(skill.tool_names),
        "mcpServers": skill.mcp_servers,
        "format": "json" if skill.format == "json" else "",
    }
    header = {key: value for key, value in said.items() if value}
    if skill.allowed_tools is not None:
        header["allowed-tools"] = list(skill.allowed_tools)
    return {**header, **skill.other}
