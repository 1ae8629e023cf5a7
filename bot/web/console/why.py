"""What the page about rights shows: the choices, and the chain that was asked for."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from gettext import gettext as _

from bot.commands.everyone import LINKS
from bot.errors import Unknown
from bot.inventory import Item
from bot.store import personas
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.why import Chain


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Group:
    """Choices under a heading."""

    label: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class StepView:
    ok: bool
    link: str
    text: str


@dataclass(frozen=True, slots=True)
class ChainView:
    """`verdict` is the answer in a sentence. `remedy` a command without its mark, empty where nothing is to be done."""

    holds: bool
    verdict: str
    steps: tuple[StepView, ...]
    remedy: str


@dataclass(frozen=True, slots=True)
class WhyView:
    """`trouble`: why there is no chain although one was asked for."""

    personas: tuple[Choice, ...]
    groups: tuple[Group, ...]
    persona: str
    capability: str
    chain: ChainView | None = None
    trouble: str = ""


def look(tx: Tx, desk: Desk, persona: str, capability: str, now: float) -> WhyView:
    """Both empty: nothing was asked yet."""
    people = tuple(Choice(each.id, _called(each.id, each.display_name)) for each in personas.everyone(tx))
    groups = tuple(_grouped(desk.admin.granter.inventory.everything(tx)))
    if not persona or not capability:
        return WhyView(people, groups, persona, capability)
    meant = desk.explainer.named(tx, capability)
    if not any(choice.value == meant for group in groups for choice in group.choices):
        groups = (Group(_("Not known"), (Choice(meant, meant),)), *groups)
    try:
        chain = desk.explainer.why(tx, persona, meant, now)
    except Unknown as error:
        return WhyView(people, groups, persona, meant, trouble=str(error))
    return WhyView(people, groups, persona, meant, _shown(chain, desk.clean))


def _called(persona_id: str, name: str) -> str:
    return persona_id if name.lower() == persona_id else f"{persona_id} ({name})"


def _grouped(items: Iterable[Item]) -> Iterable[Group]:
    """In the order in which they come."""
    found: dict[str, list[Choice]] = {}
    for item in items:
        label = _everything() if item.whole_server else item.name
        found.setdefault(_heading(item), []).append(Choice(item.id, label))
    return (Group(label, tuple(choices)) for label, choices in found.items())


def _heading(item: Item) -> str:
    if item.source == "builtin":
        return _("Built-in tools")
    return _("Skills") if item.source == "skill" else _("MCP server {name}").format(name=item.server)


def _everything() -> str:
    return _("everything of this server")


def _shown(chain: Chain, clean: Callable[[str], str]) -> ChainView:
    may = _("{who} may use {what}.") if chain.holds else _("{who} may not use {what}.")
    verdict = may.format(who=chain.persona_id, what=chain.capability_id)
    steps = tuple(StepView(step.ok, LINKS[step.link], clean(step.text)) for step in chain.steps)
    return ChainView(chain.holds, verdict, steps, chain.remedy)
