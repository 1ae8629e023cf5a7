"""Lets those who may decide say more than yes or no, in a form: reject with a reason, or change the arguments of a call
that waits. A changed call is another call: it gets a new digest, new buttons, and waits again."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import Any

from bot.approver import Approver
from bot.caller import Caller, effect_text
from bot.cards import is_secret
from bot.domain.access import Decider
from bot.domain.approval import Approval
from bot.domain.run import Run
from bot.llm.port import Asked
from bot.store import approvals, buttons, calls, personas, runs
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.toolbox import Fit, Toolbox, Unfit
from bot.tools.spec import ToolFailure
from bot.tools.tool import Misfit, Tool
from channels.adapter import Limits, Receipt
from channels.config import MASK
from channels.events import Conversation, FormAnswer
from channels.outgoing import Field, Form

REASON = "reason"
LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class _Wrong(Exception):
    """What a person filled in cannot be used: a sentence for each field."""

    mistakes: Mapping[str, str]


class Editor:
    def __init__(self, approver: Approver, caller: Caller, toolbox: Toolbox, limits: Callable[[str], Limits]) -> None:
        """`limits` are those of a channel by its name."""
        self._approver = approver
        self._caller = caller
        self._toolbox = toolbox
        self._limits = limits

    def open(self, tx: Tx, meaning: Meaning, by: Decider, now: float) -> Receipt:
        """Show the form that belongs to a button, to those who may decide."""
        approval = approvals.find(tx, meaning.subject)
        if approval is None:
            return _unknown()
        refusal = self._approver.barred(tx, approval, by, now)
        if refusal is not None:
            return refusal
        form = _reason_form(approval) if meaning.action == "reject_with" else self._edit_form(approval)
        if form is None:
            return Receipt(_("None of its arguments can be changed here. Approve or reject it as it is."), alert=True)
        return Receipt(form=form)

    def answer(self, tx: Tx, event: FormAnswer, by: Decider, now: float) -> Receipt:
        """A form was filled in: by its button it is known what for."""
        meaning = buttons.find(tx, event.token)
        approval = None if meaning is None else approvals.find(tx, meaning.subject)
        if meaning is None or approval is None or meaning.action not in ("reject_with", "edit"):
            return _unknown()
        refusal = self._approver.barred(tx, approval, by, now)
        if refusal is not None:
            return refusal
        if meaning.action == "reject_with":
            reason = " ".join(event.values.get(REASON, "").split())[:LONGEST_REASON]
            return self._approver.take(tx, approval, False, by, reason or None, now)
        try:
            return self._edit(tx, approval, event, by, now)
        except _Wrong as wrong:
            return Receipt(mistakes=wrong.mistakes)

    def _edit_form(self, approval: Approval) -> Form | None:
        tool = self._toolbox.by_capability(approval.capability_id)
        if tool is None:
            return None
        limits = self._limits(Conversation.parse(approval.conversation).channel)
        fields = _fields(tool, json.loads(approval.arguments), limits)
        if not 0 < len(fields) <= limits.forms:
            return None
        lead = _("Change what {tool} is called with. It runs only when the changed call is approved.")
        return Form(_("Edit this call"), lead.format(tool=tool.name), fields, _("Save"))

    def _edit(self, tx: Tx, approval: Approval, event: FormAnswer, by: Decider, now: float) -> Receipt:
        tool = self._toolbox.by_capability(approval.capability_id)
        run, call = runs.find(tx, approval.run_id), calls.find(tx, approval.call_id)
        if tool is None or run is None or call is None:
            return _unknown()
        arguments = _changed(tool, json.loads(approval.arguments), event.values)
        fit = self._checked(tx, run, tool, arguments, now)
        if fit.digest == approval.digest:
            return Receipt(_("Nothing was changed. It still waits for a decision."))
        try:
            effect = effect_text(tx, fit, self._caller.context(run, now))
        except ToolFailure as failure:
            raise _Wrong(_everywhere(event.values, failure.message)) from failure
        edited = replace(approval, arguments=fit.arguments, digest=fit.digest, effect_text=effect)
        if not self._approver.rewrite(tx, approval, edited, by, now):
            return Receipt(_("Too late: someone decided or changed it meanwhile. Nothing changed."), alert=True)
        return Receipt(_("Changed. It waits for a decision about what the card says now."))

    def _checked(self, tx: Tx, run: Run, tool: Tool, arguments: dict[str, Any], now: float) -> Fit:
        """Raises _Wrong if the call could not be made like that."""
        try:
            tool.given(arguments)
        except Misfit as misfit:
            raise _Wrong({fault.name.partition(".")[0]: fault.what for fault in misfit.faults}) from misfit
        persona = personas.find(tx, run.persona_id)
        asked = Asked("edited", tool.name, arguments)
        fit = None if persona is None else self._toolbox.check(tx, persona, None, run.id, tool.name, asked, now)
        if not isinstance(fit, Fit):
            words = fit.message if isinstance(fit, Unfit) else _("This persona does not exist any more.")
            raise _Wrong(_everywhere(arguments, words))
        return fit


def _unknown() -> Receipt:
    return Receipt(_("This is no longer known, or was changed since. Nothing was done."), alert=True)


def _everywhere(names: Mapping[str, object], words: str) -> dict[str, str]:
    """A mistake that belongs to no field stands at the first."""
    return {next(iter(names), ""): words}


def _reason_form(approval: Approval) -> Form:
    why = Field(REASON, _("Reason"), hint=_("The persona is told, and the card shows it."), long=True, optional=True)
    return Form(_("Reject"), approval.effect_text, (why,), _("Reject"))


def _fields(tool: Tool, arguments: Mapping[str, Any], limits: Limits) -> tuple[Field, ...]:
    """One for each argument that the tool knows and whose value fits a field; the others stay as they are."""
    schema = tool.schema
    required = schema.get("required", [])
    fields = []
    for name, about in schema.get("properties", {}).items():
        value = "" if is_secret(name) else _written(about, arguments.get(name))
        if len(value) > limits.field:
            continue
        choices = tuple(about["enum"]) if _all_text(about.get("enum")) else ()
        hint = _("Kept as it is unless you write another.") if is_secret(name) else str(about.get("description", ""))
        optional = name not in required or is_secret(name)
        fields.append(Field(name, name, value, hint[:200], choices, _is_text(about) and not choices, optional))
    return tuple(fields)


def _changed(tool: Tool, arguments: dict[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The arguments with what was filled in. Raises _Wrong for what is no value of its kind."""
    schema = tool.schema
    changed, mistakes = dict(arguments), {}
    for name, about in schema.get("properties", {}).items():
        if name not in values or (is_secret(name) and values[name] in ("", MASK)):
            continue
        text = values[name]
        if text == _written(about, arguments.get(name)):
            continue
        if not text and name not in schema.get("required", []):
            changed.pop(name, None)
            continue
        try:
            changed[name] = text if _is_text(about) else json.loads(text)
        except ValueError:
            mistakes[name] = _("This is not a value of its kind: write it as JSON, such as 3, true or [1, 2].")
    if mistakes:
        raise _Wrong(mistakes)
    return changed


def _written(about: Mapping[str, Any], value: Any) -> str:
    if value is None:
        return ""
    return value if _is_text(about) and isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_text(about: Mapping[str, Any]) -> bool:
    kinds = [each.get("type") for each in about.get("anyOf", [about])]
    return "string" in kinds


def _all_text(choices: object) -> bool:
    return isinstance(choices, list) and all(isinstance(choice, str) for choice in choices)
