"""What one persona may use now, and whether a call that the model asks for may be made."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from bot.domain.capability import Decision, decide, decide_all, of_newcomer, server_of
from bot.domain.digest import call_digest, canonical
from bot.domain.persona import Persona
from bot.domain.run import SUPERVISED_PREFIX
from bot.llm.port import Asked, Offer
from bot.store import grants, mcp_servers, pins, runs
from bot.store.database import Tx
from bot.store.pins import Pin
from bot.tools.spec import FailureCode, ToolSpec
from bot.tools.tool import Misfit, Tool, built_in

Foreign = Callable[[], tuple[Tool, ...]]
"""The tools of the MCP servers that are connected: the same tuple again as long as nothing changed."""

TASK_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "minLength": 1,
            "maxLength": 8000,
            "description": "What the specialist is to do, with everything it needs to know: it sees nothing else.",
        }
    },
    "required": ["task"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Usable:
    tool: Tool
    decision: Decision


@dataclass(frozen=True, slots=True)
class Fit:
    """A call that may be made, once confirmed if it `confirms`."""

    tool: Tool
    given: Any
    arguments: str
    digest: str
    confirms: bool


@dataclass(frozen=True, slots=True)
class Unfit:
    """A call that is not made, and what the model is told instead."""

    failure: FailureCode
    message: str


class Toolbox:
    """The tools of the house, then those of the MCP servers, in the order in which they are shown."""

    def __init__(
        self,
        specs: Sequence[ToolSpec[Any]],
        foreign: Foreign = tuple,
        ready: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """`ready` waits, not for long, until what is being connected is; did it wait?"""
        self._ready = ready
        self._built_in = tuple(built_in(spec) for spec in specs)
        self._foreign = foreign
        self._known = _Known(self._built_in, ())
        if len(self._known.by_name) != len(specs):
            raise ValueError("two tools have the same name")

    async def ready(self) -> bool:
        """Before a run is looked at: right after a start the tools of MCP servers may be on their way. Were they waited
        for?"""
        return self._ready is not None and await self._ready()

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._now().tools

    @property
    def built_in(self) -> tuple[Tool, ...]:
        return self._built_in

    def by_capability(self, capability_id: str) -> Tool | None:
        return self._now().by_capability.get(capability_id)

    def find(self, name: str) -> Tool | None:
        """By what the model calls it: exactly, never by what is near."""
        return self._now().by_name.get(name)

    def named(self, name: str) -> bool:
        return name in self._now().by_name

    def usable(self, tx: Tx, persona: Persona, now: float) -> tuple[Usable, ...]:
        """What is granted to this persona at this moment."""
        tools, rows = self.tools, grants.of(tx, persona.id)
        decisions = decide_all(persona.id, persona.default_builtin, [tool.capability for tool in tools], rows, now)
        granted = [(tool, decision) for tool, decision in zip(tools, decisions, strict=True) if decision.granted]
        held = _Held.of(tx, {tool.server for tool, _decision in granted if _is_foreign(tool)})
        return tuple(
            Usable(tool, held.decided(tool, decision)) for tool, decision in granted if held.refusal(tool) is None
        )

    def check(
        self, tx: Tx, persona: Persona, specialist: str | None, run_id: str, name: str, asked: Asked, now: float
    ) -> Fit | Unfit:
        """May this persona (or its worker for one specialist) make this call now, in this run?"""
        tool = self.find(name)
        if tool is None or (specialist is not None and tool.specialist != specialist):
            return Unfit("not_authorized", _("There is no tool {name} here. Nothing was done.").format(name=name[:64]))
        decision = decide(persona.id, persona.default_builtin, tool.capability, grants.of(tx, persona.id), now)
        if not decision.granted:
            return Unfit("not_authorized", _("{name} is not granted here. Nothing was done.").format(name=name))
        held = _Held.of(tx, {tool.server} if _is_foreign(tool) else ())
        refusal = held.refusal(tool)
        if refusal is not None:
            return refusal
        if asked.arguments is None:
            return Unfit("invalid_arguments", _("The arguments were not a JSON object. Nothing was done."))
        try:
            given = tool.given(asked.arguments)
            arguments = canonical(asked.arguments)
        except Misfit as misfit:
            return Unfit("invalid_arguments", str(misfit))
        except ValueError:
            return Unfit(
                "invalid_arguments", _("The arguments hold numbers that JSON does not know. Nothing was done.")
            )
        decision = held.decided(tool, decision)
        digest = call_digest(tool.capability.id, tool.definition, arguments)
        confirms = decision.confirms or (decision.effect == "auto" and _wary(tx, run_id, tool))
        return Fit(tool, given, arguments, digest, confirms)

    def _now(self) -> "_Known":
        foreign = self._foreign()
        known = self._known
        if known.foreign is not foreign:
            known = self._known = _Known(self._built_in, foreign)
        return known


class _Known:
    """What there is at one moment, by the ways in which it is asked for. What is built in is never taken over."""

    def __init__(self, own: tuple[Tool, ...], foreign: tuple[Tool, ...]) -> None:
        self.foreign = foreign
        self.tools = (*own, *foreign)
        self.by_name: Mapping[str, Tool] = {tool.name: tool for tool in reversed(self.tools)}
        self.by_capability: Mapping[str, Tool] = {tool.capability.id: tool for tool in reversed(self.tools)}


def _is_foreign(tool: Tool) -> bool:
    return server_of(tool.capability.id) is not None


@dataclass(frozen=True, slots=True)
class _Held:
    """What MCP servers offer, held against what admins have decided about them."""

    switched_on: Collection[str]
    pinned: Mapping[str, Pin]

    @classmethod
    def of(cls, tx: Tx, servers: Collection[str]) -> "_Held":
        return cls(mcp_servers.switched_on(tx, servers), pins.of_servers(tx, servers))

    def refusal(self, tool: Tool) -> Unfit | None:
        """Why it may not be called whoever is granted it: its server was disabled a moment ago, or it is not what was looked
        at when it was granted (nor is what nobody has entered yet)."""
        if not _is_foreign(tool):
            return None
        if tool.server not in self.switched_on:
            words = _("The MCP server {server} is disabled. Nothing was done.")
            return Unfit("not_connected", words.format(server=tool.server))
        pin = self.pinned.get(tool.capability.id)
        if pin is None or pin.fingerprint != tool.pinned:
            words = _("{name} has changed since it was granted, and an admin must look at it first. Nothing was done.")
            return Unfit("not_authorized", words.format(name=tool.name))
        return None

    def decided(self, tool: Tool, decision: Decision) -> Decision:
        pin = self.pinned.get(tool.capability.id)
        return of_newcomer(decision) if pin is not None and pin.new_since is not None else decision


def _wary(tx: Tx, run_id: str, tool: Tool) -> bool:
    """Nothing writes unasked in a run that has read what anybody may have written."""
    return tool.mutates_data and runs.wary_because(tx, run_id) is not None


def offers(persona: Persona, usable: Sequence[Usable], specialist: str | None) -> tuple[Offer, ...]:
    """What the model is shown: the tools; for a supervisor one hand-off for each specialist that has any."""
    if persona.mode == "direct" or specialist is not None:
        return tuple(use.tool.offer for use in usable if specialist is None or use.tool.specialist == specialist)
    teams: dict[str, list[Tool]] = {}
    for use in usable:
        teams.setdefault(use.tool.specialist, []).append(use.tool)
    return tuple(
        Offer(SUPERVISED_PREFIX + name, _delegation(name, tools), TASK_SCHEMA) for name, tools in teams.items()
    )


def _delegation(specialist: str, tools: Sequence[Tool]) -> str:
    lines = "\n".join(f"- {tool.name}: {_first_line(tool.description)}" for tool in tools)
    return f"Hand a task to the {specialist}. It can use:\n{lines}"


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
