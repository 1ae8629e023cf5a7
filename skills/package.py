"""A skill: instructions for a model, and the tools that it would like to use."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Format = Literal["skillmd", "json"]

SKILL_MD = "SKILL.md"
SCRIPTS = "scripts"
"""The folder whose files can be run, by the Agent Skills specification."""


@dataclass(frozen=True, slots=True)
class Skill:
    """What a package says of itself; none of it is to be believed, and none of it grants anything.

    tool_names: tools of this service that it wishes for.
    allowed_tools: the same as other services write it, foreign names and patterns included, which match nothing here.
        None: it does not say. Empty: it says none.
    format: how it was written.
    bind_shells: the kinds of agents it was made for.
    mcp_servers: name → configuration, as it proposes them, `${{backend_url}}` and `${{task_token}}` included. Every value
        is a text, None, a list or a mapping: whoever takes it says what it is.
    metadata: text → text.  other: keys that mean nothing here, kept for whoever reads the file next.
    files: what lies beside SKILL.md, as paths with `/`.  scripts: those of them in `scripts/`.
    warnings: sentences for whoever installs it.
    """

    name: str
    description: str
    instructions: str
    prompt_hint: str = ""
    tool_names: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] | None = None
    format: Format = "skillmd"
    display_name: str = ""
    version: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()
    bind_shells: tuple[str, ...] = ()
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    other: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    builtin: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def scripts(self) -> tuple[str, ...]:
        return tuple(file for file in self.files if file.startswith(f"{SCRIPTS}/"))

    @property
    def tool_filter(self) -> frozenset[str] | None:
        """The only tools that are shown while it is used: exact names, of which a persona still needs the grants.

        None: it names none and sets no limit. An empty set: it sets a limit that no tool here is within.
        """
        if self.allowed_tools is None and not self.tool_names:
            return None
        return frozenset((*self.tool_names, *(self.allowed_tools or ())))

    def unknown_tools(self, known: Collection[str]) -> tuple[str, ...]:
        """Wishes for tools that there are not: no such skill is taken in."""
        return tuple(name for name in self.tool_names if name not in known)

    def foreign_tools(self, known: Collection[str]) -> tuple[str, ...]:
        """Tools of other services, which it may name and which do nothing here."""
        return tuple(name for name in self.allowed_tools or () if name not in known)


@dataclass(frozen=True, slots=True)
class Package:
    """A skill with the files of its folder: path → content, SKILL.md among them."""

    skill: Skill
    content: Mapping[str, bytes]
