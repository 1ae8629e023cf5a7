"""What a skill says of itself → the skill, whichever way it was written."""

import re
from collections.abc import Sequence
from gettext import gettext as _
from typing import Any

from skills.errors import ContentRefused
from skills.fields import Fields, folded
from skills.hidden import shown
from skills.names import is_name, is_reserved, suggested
from skills.package import Format, Skill

LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500
"""Characters; these two are the specification's, the others are ours."""
LONGEST_LABEL = 100
LONGEST_LINE = 500
LONGEST_RAW_NAME = 1000

_TOOL = re.compile(r"[A-Za-z0-9_.:/-]+")
_SWITCHES = frozenset({"enabled", "trusted", "scriptsenabled"})
_ALLOWED = ("allowed-tools", "tools")
_MAYBE_LIMIT = re.compile(r".*tools?")
"""A key that we do not know and that speaks of tools, such as `disallowed-tools`: what it limits would be lost."""


def build(
    fields: Fields,
    instructions: str,
    *,
    first_line: int = 0,
    folder: str = "",
    files: Sequence[str] = (),
    builtin: bool = False,
) -> Skill:
    """`first_line` of the instructions in their file, `folder`: the name of the one it lies in; neither need be known.

    Raises ContentRefused with everything that is wrong.
    """
    body = trimmed(instructions)
    fields.look(_("The text"), instructions, first_line)
    if not body:
        fields.warnings.append(_("It has no instructions."))
    skill = Skill(
        name=_name(fields, folder),
        description=_description(fields),
        instructions=body,
        prompt_hint=fields.text("prompt-hint", LONGEST_LINE),
        tool_names=_tool_names(fields),
        allowed_tools=_allowed_tools(fields),
        format=_format(fields),
        display_name=fields.loose_text("displayName", LONGEST_LABEL),
        version=fields.loose_text("version", LONGEST_LABEL),
        author=fields.loose_text("author", LONGEST_LINE),
        tags=fields.words("tags"),
        bind_shells=fields.words("bindShells"),
        mcp_servers=_mcp_servers(fields, builtin=builtin),
        license=fields.loose_text("license", LONGEST_LINE),
        compatibility=fields.loose_text("compatibility", LONGEST_COMPATIBILITY),
        metadata=fields.texts("metadata"),
        other=_other(fields),
        files=tuple(files),
        builtin=builtin,
        warnings=tuple(fields.warnings),  # last: all of the above may have added to them
    )
    if fields.faults:
        raise ContentRefused(fields.faults)
    return skill


def trimmed(text: str) -> str:
    """Without blank lines before it and white space after it; every line end as one newline."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"\A(?:[ \t]*\n)+", "", text).rstrip()


def _name(fields: Fields, folder: str) -> str:
    before = len(fields.faults)
    name = fields.text("name", LONGEST_RAW_NAME) or folder
    if len(fields.faults) > before:
        return ""
    if not name:
        fields.fault("name_missing", "name", _("{key} is missing."))
        return ""
    if not is_name(name):
        near = suggested(name)
        words = _("{key} is not one: write 1 to 64 small letters a-z, digits and single hyphens between them{detail}.")
        fields.fault("name", "name", words, _(", such as {name}").format(name=near) if near else "")
        return ""
    if is_reserved(name):
        fields.fault("name_reserved", "name", _("{key} is a word with a meaning of its own. Choose another."))
        return ""
    if not fields.has("name"):
        fields.warnings.append(_("It says no name; it is called {name} as its folder is.").format(name=name))
    elif folder and folder != name:
        words = _("Its folder is called {folder}, and it calls itself {name}: it is known as {name}.")
        fields.warnings.append(words.format(folder=shown(folder), name=name))
    return name


def _description(fields: Fields) -> str:
    before = len(fields.faults)
    description = fields.text("description", LONGEST_DESCRIPTION, lines=True)
    if not description and len(fields.faults) == before:
        fields.fault("description_missing", "description", _("{key} is missing: it says when the skill is used."))
    return description


def _tool_names(fields: Fields) -> tuple[str, ...]:
    names = fields.tools("tool-names") or ()
    for name in names:
        if not _TOOL.fullmatch(name):
            fields.fault("tools", "tool-names", _("{key} holds {detail}, which cannot be the name of a tool."), name)
    return names


def _allowed_tools(fields: Fields) -> tuple[str, ...] | None:
    given = [names for key in _ALLOWED if (names := fields.tools(key)) is not None]
    if len(given) > 1:
        fields.fault("duplicate_key", "tools", _("{key} and allowed-tools are both given. Keep one."))
    allowed = given[0] if given else None
    if allowed and any("*" in name and "(" not in name for name in allowed):
        fields.warnings.append(_("allowed-tools holds a pattern (*); it matches nothing here."))
    return allowed


def _format(fields: Fields) -> Format:
    return "json" if fields.text("format", LONGEST_LINE) == "json" else "skillmd"


def _mcp_servers(fields: Fields, *, builtin: bool) -> dict[str, Any]:
    """Those of a skill that comes with the service are its own, for agents elsewhere: nobody is asked to accept them."""
    servers = fields.mapping("mcpServers")
    for name, server in servers.items():
        if not isinstance(server, dict):
            fields.fault("wrong_type", "mcpServers", _("{key}: {detail} does not hold keys with values."), name)
    if servers and not builtin:
        words = _("It proposes MCP servers ({names}); none is connected by installing it.")
        fields.warnings.append(words.format(names=", ".join(shown(name) for name in servers)))
    return servers


def _other(fields: Fields) -> dict[str, Any]:
    other = fields.rest()
    for key in other:
        if _MAYBE_LIMIT.fullmatch(folded(key)):
            words = _("{key} may be a limit, and is not known here. Say which tools may be used with allowed-tools.")
            fields.fault("limit", key, words)
    switches = [key for key in other if folded(key) in _SWITCHES]
    unknown = [key for key in other if key not in switches]
    if switches:
        words = _("It says {keys}, which has no effect: only an admin switches a skill on.")
        fields.warnings.append(words.format(keys=", ".join(switches)))
    if unknown:
        words = _("Keys that mean nothing here: {keys}.")
        fields.warnings.append(words.format(keys=", ".join(shown(key) for key in unknown[:20])))
    return other
