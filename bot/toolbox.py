"""What one persona may use now, and whether a call that the model asks for may be made."""

from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from pydantic import ValidationError

from bot.domain.capability import Capability, Decision, decide, decide_all
from bot.domain.digest import call_digest, canonical, fingerprint
from bot.domain.persona import Persona
from bot.domain.run import SUPERVISED_PREFIX
from bot.llm.port import Asked, Offer
from bot.store import grants, runs
from bot.store.database import Tx
from bot.tools.spec import FailureCode, ToolInput, ToolSpec

Spec = ToolSpec[Any]

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
class Tool:
    """A built-in tool with what follows from its definition."""

    spec: Spec
    capability: Capability
    definition: str
    offer: Offer

    @property
    def repeatable(self) -> bool:
        """May be run again after a crash in the middle: it changes nothing, or nothing more."""
        return self.spec.idempotent or not self.spec.mutates_data


@dataclass(frozen=True, slots=True)
class Usable:
    tool: Tool
    decision: Decision


@dataclass(frozen=True, slots=True)
class Fit:
    """A call that may be made, once confirmed if it `confirms`."""

    tool: Tool
    given: ToolInput
    arguments: str
    digest: str
    confirms: bool


@dataclass(frozen=True, slots=True)
class Unfit:
    """A call that is not made, and what the model is told instead."""

    failure: FailureCode
    message: str


class Toolbox:
    """The tools of the house, in the order in which they are shown."""

    def __init__(self, specs: Sequence[Spec]) -> None:
        self._tools = {spec.name: _tool(spec) for spec in specs}
        self._capabilities = tuple(tool.capability for tool in self._tools.values())
        if len(self._tools) != len(specs):
            raise ValueError("two tools have the same name")

    def by_capability(self, capability_id: str) -> Tool | None:
        return next((tool for tool in self._tools.values() if tool.capability.id == capability_id), None)

    def named(self, name: str) -> bool:
        return name in self._tools

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(self._tools.values())

    def usable(self, tx: Tx, persona: Persona, now: float) -> tuple[Usable, ...]:
        """What is granted to this persona at this moment."""
        rows = grants.of(tx, persona.id)
        decisions = decide_all(persona.id, persona.default_builtin, self._capabilities, rows, now)
        return tuple(
            Usable(tool, decision)
            for tool, decision in zip(self._tools.values(), decisions, strict=True)
            if decision.granted
        )

    def check(
        self, tx: Tx, persona: Persona, specialist: str | None, run_id: str, name: str, asked: Asked, now: float
    ) -> Fit | Unfit:
        """May this persona (or its worker for one specialist) make this call now, in this run?"""
        tool = self._tools.get(name)
        if tool is None or (specialist is not None and tool.spec.specialist != specialist):
            return Unfit("not_authorized", _("There is no tool {name} here. Nothing was done.").format(name=name[:64]))
        decision = decide(persona.id, persona.default_builtin, tool.capability, grants.of(tx, persona.id), now)
        if not decision.granted:
            return Unfit("not_authorized", _("{name} is not granted here. Nothing was done.").format(name=name))
        if asked.arguments is None:
            return Unfit("invalid_arguments", _("The arguments were not a JSON object. Nothing was done."))
        try:
            given = tool.spec.input.model_validate(asked.arguments)
            arguments = canonical(asked.arguments)
        except ValidationError as error:
            return Unfit("invalid_arguments", _in_words(error))
        except ValueError:
            return Unfit(
                "invalid_arguments", _("The arguments hold numbers that JSON does not know. Nothing was done.")
            )
        digest = call_digest(tool.capability.id, tool.definition, arguments)
        confirms = decision.confirms or (decision.effect == "auto" and _wary(tx, run_id, tool))
        return Fit(tool, given, arguments, digest, confirms)


def _wary(tx: Tx, run_id: str, tool: Tool) -> bool:
    """Nothing writes unasked in a run that has read what anybody may have written."""
    return tool.spec.mutates_data and runs.wary_because(tx, run_id) is not None


def offers(persona: Persona, usable: Sequence[Usable], specialist: str | None) -> tuple[Offer, ...]:
    """What the model is shown: the tools; for a supervisor one hand-off for each specialist that has any."""
    if persona.mode == "direct" or specialist is not None:
        return tuple(use.tool.offer for use in usable if specialist is None or use.tool.spec.specialist == specialist)
    teams: dict[str, list[Spec]] = {}
    for use in usable:
        teams.setdefault(use.tool.spec.specialist, []).append(use.tool.spec)
    return tuple(
        Offer(SUPERVISED_PREFIX + name, _delegation(name, specs), TASK_SCHEMA) for name, specs in teams.items()
    )


def _delegation(specialist: str, specs: Sequence[Spec]) -> str:
    lines = "\n".join(f"- {spec.name}: {spec.description.splitlines()[0]}" for spec in specs)
    return f"Hand a task to the {specialist}. It can use:\n{lines}"


def _tool(spec: Spec) -> Tool:
    schema = spec.schema()
    flags = (spec.mutates_data, spec.requires_confirmation, spec.destructive, spec.idempotent)
    capability = Capability(
        spec.capability_id,
        reads=not spec.mutates_data,
        destructive=spec.destructive,
        requires_confirmation=spec.requires_confirmation,
    )
    definition = fingerprint(spec.name, spec.description, schema, flags)
    return Tool(spec, capability, definition, Offer(spec.name, spec.description, schema))


def _in_words(error: ValidationError) -> str:
    """Which arguments are wrong and how, without echoing their values."""
    faults = (
        f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
    )
    return _("The arguments do not fit. Nothing was done. {faults}").format(faults="; ".join(faults))[:2000]
