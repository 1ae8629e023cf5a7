"""Everything that the planner says. It reports and asks; it never answers from knowledge, because it has none."""

import json
import re
from collections.abc import Iterable
from gettext import gettext as _

from bot.llm.planner.arguments import Value, fields
from bot.llm.planner.skills import DELEGATE
from bot.llm.port import Json, Offer, Result

BLANK = "…"
_MOST_TOOLS = 16
UNSAID = frozenset({"silent_exit", "load_skill", "read_skill_file", "run_skill_script"})
"""Nothing that a person asks for in plain words: it would be by name, if at all."""
_MOST_EXAMPLES = 3
_PLAIN_CODES = {
    "not_connected": _("its server is not connected"),
    "not_authorized": _("it is not allowed here"),
    "unavailable": _("it is not available just now"),
    "timeout": _("it took too long"),
    "unknown_outcome": _("it is not known whether it happened"),
    "invalid_arguments": _("the arguments do not fit"),
    "not_found": _("nothing of that kind was found"),
    "rejected": _("it was rejected"),
    "expired": _("nobody decided in time"),
    "cancelled": _("it was cancelled"),
    "undelivered": _("the question could not be delivered"),
}


def about(offers: Iterable[Offer]) -> str:
    """What this is and what it can do here."""
    return "\n".join(
        (
            _(
                "I am the offline command planner, not a language model: I turn plain requests into tool calls and report"
                " what they give."
            ),
            listed(offers),
        )
    )


def greeting(offers: Iterable[Offer]) -> str:
    return _("Hello.") + " " + about(offers)


def thanks() -> str:
    return _("All right.")


def dropped() -> str:
    return _("All right, I do nothing.")


def unsure(offers: Iterable[Offer]) -> str:
    return "\n".join(
        (
            _(
                "I did not understand that, and nothing was done. I am the offline command planner, not a language model."
            ),
            _("Try: {examples}. “What can you do?” tells all.").format(examples=_examples(offers)),
        )
    )


def unable(offers: Iterable[Offer]) -> str:
    return "\n".join((_("No tool that could do this is offered here, so nothing was done."), listed(offers)))


def unknown_tool(name: str, offers: Iterable[Offer]) -> str:
    return "\n".join((_("There is no tool “{name}” here, so nothing was done.").format(name=name), listed(offers)))


def too_many(count: int, most: int) -> str:
    return _("That is {count} requests at once. I take {most} at most, so nothing was done.").format(
        count=count, most=most
    )


def which(names: Iterable[str]) -> str:
    """Several tools fit."""
    return _("Several tools fit, and nothing was done yet. Please name one: {names}").format(
        names=", ".join(f"/{name}" for name in names)
    )


def missing(tool: str, given: dict[str, Json], names: tuple[str, ...]) -> str:
    """Asks for arguments; the last line is the command to fill in, which also lets the next message be the answer."""
    ask = _("To use {tool} I need {names}. Nothing was done yet. Tell me, or write:")
    return ask.format(tool=tool, names=_(" and ").join(names)) + "\n" + command(tool, given, names)


def unclear(offer: Offer, given: dict[str, Json], left: str) -> str:
    """A tool fits but not all the words do."""
    wanted = [one for one in fields(offer.schema) if one.required or one.kind == "zone"]
    names = tuple(one.name for one in wanted if one.name not in given)
    ask = _("I am not sure what “{left}” means for {tool}, so nothing was done. If you want it, write:")
    return ask.format(left=left, tool=offer.name) + "\n" + command(offer.name, given, names)


def wrong(offer: Offer, names: tuple[str, ...]) -> str:
    """Given arguments that do not fit."""
    known = ", ".join(one.name for one in fields(offer.schema)) or _("none")
    return _("{tool} was not called: {names} does not fit. Its arguments are: {known}.").format(
        tool=offer.name, names=", ".join(names), known=known
    )


def refuse_vague() -> str:
    return _(
        "I am the offline command planner, not a language model: I cannot answer questions myself, and nothing here"
        " can be searched for it."
    )


def command(tool: str, given: dict[str, Json], names: Iterable[str]) -> str:
    """The request as a command; what is not known is left blank."""
    parts = [f"/{tool}"]
    parts += [f"{name}={written(value)}" for name, value in given.items()]
    parts += [f'{name}="{BLANK}"' for name in names]
    return " ".join(parts)


def written(value: Value) -> str:
    """A value as it stands in a command."""
    return str(value) if isinstance(value, int | float) else json.dumps(value, ensure_ascii=False)


def listed(offers: Iterable[Offer]) -> str:
    """The offered tools in one line each."""
    every = [offer for offer in offers if offer.name not in UNSAID]
    if not every:
        return _("No tools are offered to me here.")
    lines = [f"- /{offer.name}{_signature(offer)}{_purpose(offer)}" for offer in every[:_MOST_TOOLS]]
    if len(every) > _MOST_TOOLS:
        lines.append(_("- and {count} more").format(count=len(every) - _MOST_TOOLS))
    return "\n".join((_("What I can use here:"), *lines))


def _signature(offer: Offer) -> str:
    return "".join(f" {one.name}=" for one in fields(offer.schema) if one.required)


def _purpose(offer: Offer) -> str:
    first = re.split(r"(?<=[.!?])\s|\n", offer.description.strip(), maxsplit=1)[0]
    return f" — {first[:100].rstrip('.')}" if first else ""


def report(results: Iterable[Result]) -> str:
    """What the calls gave, in one message: successes as given, failures as failures."""
    every = list(results)
    return "\n\n".join(_one(result, labelled=len(every) > 1) for result in every)


def _one(result: Result, *, labelled: bool) -> str:
    if result.failed:
        return _failure(result)
    text = _unmarked(result.content) or _("{tool} is done.").format(tool=_name(result))
    return f"{_name(result)}: {text}" if labelled else text


def _unmarked(content: str) -> str:
    """What a server of others said, without the marks that tell a language model whose words it reads."""
    return _MARKS.sub(r"\1", content).strip()


_MARKS = re.compile(r"<tool_result [^>\n]*>\n(.*)\n</tool_result>", re.DOTALL)


def _name(result: Result) -> str:
    """A worker is called by what it is for."""
    return result.name.removeprefix(DELEGATE)


def _failure(result: Result) -> str:
    code, message = _reason(_unmarked(result.content))
    plain = _PLAIN_CODES.get(code, "")
    why = plain if not message or message == code else f"{plain}. {message}" if plain else message
    if code == "unknown_outcome" or message.lower().startswith("unknown outcome"):
        return _("{tool}: the outcome is unknown. {why}").format(tool=_name(result), why=why).strip()
    return _("{tool} was not done: {why}").format(tool=_name(result), why=why or _("no reason was given."))


_TO_MODELS = re.compile(r"\s*\bDo not (?:ask|do|repeat|retry|try)\b[^.]*\.")  # in results, meant for a model


def _reason(content: str) -> tuple[str, str]:
    """Code and message of a failure, whether it was given as JSON, as "code: message" or in plain words."""
    text = _TO_MODELS.sub("", content).strip()
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        inner = value.get("error", value)
        if isinstance(inner, dict):
            return str(inner.get("code", "")), str(inner.get("message", ""))
        return str(value.get("code", "")), str(value.get("message", inner))
    head, mark, tail = text.partition(":")
    return (
        (head, tail.strip())
        if mark and head in _PLAIN_CODES
        else ("", text)
        if text not in _PLAIN_CODES
        else (text, "")
    )


def _examples(offers: Iterable[Offer]) -> str:
    """Some of what is offered, as people say it."""
    names = [offer.name.removeprefix(DELEGATE).replace("_", " ") for offer in offers if offer.name not in UNSAID]
    return ", ".join(f"“{name} …”" for name in names[-_MOST_EXAMPLES:]) or _("nothing, since no tool is offered here")
