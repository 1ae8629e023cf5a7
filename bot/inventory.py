"""All that can be granted: built-in tools, skills, MCP servers, and the tools of those that are connected."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

from bot.domain.capability import Capability, pattern_server, server_of, server_pattern
from bot.foreign import Catalogue, McpTool
from bot.skillset import Skillsets
from bot.store import mcp_servers, pins
from bot.store.database import Tx
from bot.store.mcp_servers import Server
from bot.store.pins import Pin
from bot.toolbox import Toolbox
from bot.tools.tool import Tool

Source = Literal["builtin", "mcp", "skill"]


@dataclass(frozen=True, slots=True)
class KnownSkill:
    """A skill as far as it can be granted. `builtin`: it comes with the house."""

    name: str
    builtin: bool
    description: str
    enabled: bool = True
    trusted: bool = True
    changed: bool = False
    """Its files are not those any more that its switches were set for."""


Skills = Callable[[Tx], Sequence[KnownSkill]]
"""Every skill there is, in the order in which they are shown."""


class NothingConnected:
    """The catalogue where no server is ever connected."""

    def tools(self) -> Sequence[McpTool]:
        return ()

    def connected(self, server: str) -> bool:
        return False

    def trouble(self, server: str) -> str:
        return ""


def skills_of(skillsets: Skillsets) -> Skills:
    """What of the skills can be granted."""

    def known(tx: Tx) -> Sequence[KnownSkill]:
        return [
            KnownSkill(each.name, each.skill.builtin, each.skill.description, each.enabled, each.trusted, each.changed)
            for each in skillsets.holdings(tx)
        ]

    return known


def no_skills(_tx: Tx) -> Sequence[KnownSkill]:
    return ()


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be granted, as people see it. `group`: the specialist or the server that it belongs to.

    `reason`: why it cannot be used at this moment by anybody, "" if it can.
    """

    capability: Capability
    source: Source
    server: str
    name: str
    group: str
    description: str
    reason: str = ""
    enabled: bool | None = None
    """None for what is always on."""
    skill: KnownSkill | None = None
    new_since: float | None = None
    """When it came to its server, after all of that was granted."""
    suspended: bool = False
    """It is not what was granted any more, and nobody may use it until an admin has looked at it."""

    @property
    def id(self) -> str:
        return self.capability.id

    @property
    def called(self) -> str:
        """What people call it: its name; the whole id where it belongs to a server."""
        return self.id if self.source == "mcp" else self.name

    @property
    def available(self) -> bool:
        return not self.reason

    @property
    def whole_server(self) -> bool:
        """Is it everything of one server, not one tool?"""
        return pattern_server(self.id) is not None


class Inventory:
    def __init__(self, toolbox: Toolbox, catalogue: Catalogue, skills: Skills) -> None:
        self._toolbox = toolbox
        self._catalogue = catalogue
        self._skills = skills

    def everything(self, tx: Tx) -> list[Item]:
        """Built-in tools, skills, and each registered server with its tools behind it."""
        servers = [server for server in mcp_servers.everything(tx) if server.registered]
        return [
            *(_tool(tool) for tool in self._toolbox.built_in),
            *(_skill(skill) for skill in self._skills(tx)),
            *(item for server in servers for item in self.of_server(tx, server)),
        ]

    def find(self, tx: Tx, capability_id: str) -> Item | None:
        """By its whole id; None for what does not exist, or is not registered."""
        source, _slash, name = capability_id.partition("/")
        if source == "builtin":
            tool = self._toolbox.by_capability(capability_id)
            return None if tool is None else _tool(tool)
        if source == "skill":
            return next((_skill(skill) for skill in self._skills(tx) if skill.name == name), None)
        server = self.server(tx, server_of(capability_id) or "")
        items = [] if server is None else self.of_server(tx, server)
        return next((item for item in items if item.id == capability_id), None)

    def servers(self, tx: Tx) -> list[str]:
        """The names of those that are registered."""
        return [server.name for server in mcp_servers.everything(tx) if server.registered]

    def server(self, tx: Tx, name: str) -> Server | None:
        """The registered server of this name."""
        found = mcp_servers.find(tx, name)
        return found if found is not None and found.registered else None

    def skill_names(self, tx: Tx) -> list[str]:
        return [skill.name for skill in self._skills(tx)]

    def tool_names(self, tx: Tx) -> list[str]:
        """Of the tools that a skill can name."""
        return [item.name for item in self.everything(tx) if item.source != "skill" and not item.whole_server]

    def tools_of(self, server: str) -> list[McpTool]:
        """What it is known to offer now."""
        return [tool for tool in self._catalogue.tools() if tool.server == server]

    def of_server(self, tx: Tx, server: Server) -> list[Item]:
        """All of it, then each of its tools."""
        reason = self._unavailable(server)
        name = server.name
        tools = self.tools_of(name)
        pinned = pins.of_servers(tx, {name}) if tools else {}
        whole = Capability(server_pattern(name), reads=False)
        everything = _("everything of the MCP server {name}").format(name=name)
        return [
            Item(whole, "mcp", name, name, name, everything, reason, server.enabled),
            *(_of_tool(tool, pinned.get(tool.capability.id), reason, server.enabled) for tool in tools),
        ]

    def _unavailable(self, server: Server) -> str:
        if not server.enabled:
            return _("The server {name} is disabled.").format(name=server.name)
        if not self._catalogue.connected(server.name):
            words = _("The server {name} is not connected.").format(name=server.name)
            return f"{words} {self._catalogue.trouble(server.name)}".strip()
        return ""


def _of_tool(tool: McpTool, pin: Pin | None, reason: str, enabled: bool) -> Item:
    suspended = pin is not None and pin.fingerprint != tool.fingerprint
    if suspended:
        reason = reason or _("{name} has changed since it was granted: an admin must look at it.").format(
            name=tool.name
        )
    return Item(
        tool.capability,
        "mcp",
        tool.server,
        tool.name,
        tool.server,
        tool.description,
        reason,
        enabled,
        new_since=None if pin is None else pin.new_since,
        suspended=suspended,
    )


def _tool(tool: Tool) -> Item:
    return Item(tool.capability, "builtin", tool.server, tool.name, tool.specialist, tool.description)


def _skill(skill: KnownSkill) -> Item:
    capability = Capability(f"skill/{skill.name}", reads=True, shipped=skill.builtin)
    reason = ""
    if skill.changed:
        reason = _("The files of the skill {name} have changed: an admin must look at it again.").format(
            name=skill.name
        )
    elif not skill.enabled:
        reason = _("The skill {name} is disabled.").format(name=skill.name)
    elif not skill.trusted:
        reason = _("The skill {name} is not trusted.").format(name=skill.name)
    return Item(capability, "skill", "", skill.name, "skill", skill.description, reason, skill.enabled, skill)
