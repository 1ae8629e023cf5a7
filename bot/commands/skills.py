"""The command about skills: everyone may look and use, admins switch. Their files come by the API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from gettext import gettext as _

from bot.commands.desk import LISTED, Desk, Typed
from bot.commands.wording import completed, fact, persona_of, sentence
from bot.curator import Turn
from bot.domain.capability import decide
from bot.domain.persona import Persona
from bot.errors import Impossible
from bot.skillset import Holding
from bot.store import audit, chosen_skills, grants
from bot.store.database import Tx
from channels.outgoing import Block, Listing, Outgoing, plain

USAGE = "[list, show, use, drop, enable, disable, trust, untrust or scripts] <name>"

DESCRIBED = 120
"""Characters of a description in the list."""

TEXT_SHOWN = 1_500
"""Characters of its text that are shown: enough to see what it is before it is trusted; the API shows all."""

FILES_SHOWN = 15


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was typed after the verb."""

    desk: Desk
    tx: Tx
    typed: Typed
    words: tuple[str, ...]

    @property
    def admin(self) -> bool:
        return self.desk.house.is_admin(self.typed.event.sender.id)

    @property
    def name(self) -> str:
        """Raises Impossible, naming what is near; to others than admins, of what they may use."""
        held = self.desk.admin.curator.everything(self.tx) if self.admin else _at_hand(self)
        known = [holding.name for holding in held]
        return completed(self.words[0] if self.words else "", known, _("skill"))

    @property
    def holding(self) -> Holding:
        return self.desk.admin.curator.find(self.tx, self.name)

    @property
    def persona(self) -> Persona:
        return persona_of(self.tx, self.typed.persona_id)


_Verb = Callable[[_Asked], Outgoing]


def skill(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    verb, *words = typed.event.arguments.split() or ["list"]
    known = completed(verb.lower(), [*_FOR_ALL, *_FOR_ADMINS], _("command for skills"))
    asked = _Asked(desk, tx, typed, tuple(words))
    if known in _FOR_ALL:
        return _FOR_ALL[known](asked)
    if not asked.admin:
        audit.record(tx, typed.now, typed.event.sender.id, "command_refused", f"skill {known}", {})
        words_for = _("{mark}skill {verb} is for admins. Nothing was done.")
        return sentence(words_for.format(mark=typed.event.mark, verb=known))
    return _FOR_ADMINS[known](asked)


def _list(asked: _Asked) -> Outgoing:
    """Admins see all there are, others what this persona may use here."""
    admin = asked.admin
    held = asked.desk.admin.curator.everything(asked.tx) if admin else _at_hand(asked)
    if not held:
        return sentence(_("There is no skill here."))
    chosen = _chosen(asked)
    lines = [fact(each.name, _in_a_line(asked, each, admin, each.name in chosen)) for each in held[:LISTED]]
    blocks: list[Block] = [Listing(tuple(lines))]
    if len(held) > LISTED:
        blocks += plain(_("… and {count} more.").format(count=len(held) - LISTED))
    faults = asked.desk.admin.curator.skillsets.stock.seen.faults if admin else ()
    if faults:
        told = "; ".join(str(fault) for fault in faults[:3])
        blocks += plain(_("Not usable ({count}): {faults}").format(count=len(faults), faults=told)[:600])
    return Outgoing(tuple(blocks))


def _show(asked: _Asked) -> Outgoing:
    holding = asked.holding
    why_not = _why_not(asked, holding.name)
    said = holding.skill
    facts = [
        (_("What for"), said.description),
        (_("Version"), " ".join(filter(None, (said.version, holding.stocked.digest[:12])))),
        (_("Switches"), _switches(holding)),
        (_("Here"), why_not or _("{who} may use it").format(who=asked.persona.id)),
        (_("Tools"), ", ".join(sorted(said.tool_filter or ()))),
        (_("Meant for"), ", ".join(said.bind_shells)),
        (_("Scripts"), ", ".join(said.scripts[:FILES_SHOWN])),
        (_("MCP servers it wishes for"), ", ".join(said.mcp_servers)),
        (_("Mind"), " ".join(asked.desk.admin.curator.warnings(asked.tx, said))),
    ]
    listing = Listing(tuple(fact(name, value[:800]) for name, value in facts if value))
    if not asked.admin:
        return Outgoing((listing,))
    cut = "" if len(said.instructions) <= TEXT_SHOWN else _(" … ({length:,} characters in all)")
    text = said.instructions[:TEXT_SHOWN] + cut.format(length=len(said.instructions))
    return Outgoing((listing, *plain(text)))


def _use(asked: _Asked) -> Outgoing:
    known = [holding.name for holding in _at_hand(asked)]
    wanted = asked.words[0] if asked.words else ""
    if wanted and wanted not in known and asked.admin:
        why_not = _why_not(asked, asked.name)
        if why_not:
            raise Impossible(_remedied(asked, why_not))
    name = completed(wanted, known, _("skill"))
    where = asked.typed.event.where.key
    if not chosen_skills.choose(asked.tx, where, asked.persona.id, name):
        return sentence(_("{name} is in use here already.").format(name=name))
    audit.record(asked.tx, asked.typed.now, asked.typed.event.sender.id, "skill_chosen", name, {"where": where})
    words = _("From the next message on {who} goes by {name} here. {mark}skill drop {name} ends that.")
    return sentence(words.format(who=asked.persona.display_name, name=name, mark=asked.typed.event.mark))


def _drop(asked: _Asked) -> Outgoing:
    where = asked.typed.event.where.key
    name = completed(asked.words[0] if asked.words else "", _chosen(asked), _("skill in use here"))
    chosen_skills.drop(asked.tx, where, asked.persona.id, name)
    audit.record(asked.tx, asked.typed.now, asked.typed.event.sender.id, "skill_dropped", name, {"where": where})
    return sentence(_("{name} is not in use here any more.").format(name=name))


def _turned(turn: Turn) -> _Verb:
    def do(asked: _Asked) -> Outgoing:
        return _turn(asked, turn)

    return do


def _scripts(asked: _Asked) -> Outgoing:
    said = asked.words[1].lower() if len(asked.words) > 1 else ""
    if said not in ("on", "off"):
        raise Impossible(_("Write it as: {mark}skill scripts NAME on, or off.").format(mark=asked.typed.event.mark))
    return _turn(asked, Turn(scripts_enabled=said == "on"))


def _turn(asked: _Asked, turn: Turn) -> Outgoing:
    by = asked.typed.event.sender.id
    holding = asked.desk.admin.curator.turn(asked.tx, asked.name, turn, by, asked.typed.now)
    why_not = _why_not(asked, holding.name)
    words = _("{name}: {switches}.").format(name=holding.name, switches=_switches(holding))
    return sentence(f"{words} {_remedied(asked, why_not)}".strip() if why_not else words)


def _remedied(asked: _Asked, why_not: str) -> str:
    """With the one thing to do about it."""
    holding, mark = asked.holding, asked.typed.event.mark
    step = ""
    if not holding.enabled:
        step = f"skill enable {holding.name}"
    elif not holding.trusted:
        step = f"skill trust {holding.name}"
    elif not _granted(asked, holding):
        step = f"grant {asked.persona.id} skill/{holding.name}"
    return f"{why_not} " + _("Next: {command}").format(command=f"{mark}{step}") if step else why_not


def _granted(asked: _Asked, holding: Holding) -> bool:
    who = asked.persona
    rows = grants.of(asked.tx, who.id)
    return decide(who.id, who.default_builtin, holding.capability, rows, asked.typed.now).granted


def _at_hand(asked: _Asked) -> list[Holding]:
    channel = asked.typed.event.where.channel
    return asked.desk.admin.curator.skillsets.usable(asked.tx, asked.persona, channel, asked.typed.now)


def _why_not(asked: _Asked, name: str) -> str:
    channel = asked.typed.event.where.channel
    return asked.desk.admin.curator.skillsets.why_not(asked.tx, asked.persona, name, channel, asked.typed.now)


def _chosen(asked: _Asked) -> list[str]:
    return chosen_skills.of(asked.tx, asked.typed.event.where.key, asked.typed.persona_id)


def _in_a_line(asked: _Asked, holding: Holding, admin: bool, chosen: bool) -> str:
    described = " ".join(holding.skill.description.split())
    short = described if len(described) <= DESCRIBED else described[:DESCRIBED].rstrip(" .,;:") + "…"
    state = [_("in use here")] if chosen else []
    if admin:
        state.append(_switches(holding))
        if not _granted(asked, holding):
            state.append(_("not granted to {who}").format(who=asked.persona.id))
    return f"{short} ({', '.join(state)})" if state else short


def _switches(holding: Holding) -> str:
    if holding.changed:
        return _("off, because its files have changed")
    if holding.skill.builtin:
        return _("comes with the service") if holding.enabled else _("comes with the service, disabled")
    said = [
        _("enabled") if holding.enabled else _("disabled"),
        _("trusted") if holding.trusted else _("not trusted"),
    ]
    if holding.skill.scripts:
        said.append(_("scripts on") if holding.scripts_enabled else _("scripts off"))
    return ", ".join(said)


_FOR_ALL: Mapping[str, _Verb] = {"list": _list, "show": _show, "use": _use, "drop": _drop}
_FOR_ADMINS: Mapping[str, _Verb] = {
    "enable": _turned(Turn(enabled=True)),
    "disable": _turned(Turn(enabled=False)),
    "trust": _turned(Turn(trusted=True)),
    "untrust": _turned(Turn(trusted=False)),
    "scripts": _scripts,
}
