"""The table of chat commands: name, arguments, right, help, handler. The same on every channel."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from gettext import gettext as _
from typing import Literal, get_args

from bot.admin import Admin, Impossible, Wish
from bot.approver import Approver
from bot.cards import moment
from bot.clock import new_token
from bot.closer import Closer
from bot.config.values import parse_duration
from bot.domain.access import House
from bot.domain.capability import EVERYONE, Effect
from bot.domain.persona import Persona
from bot.health import Health
from bot.store import approvals, buttons, conversations, grants, inbox, outbox, personas, runs, sessions
from bot.store.buttons import Meaning
from bot.store.database import Tx
from channels.adapter import Receipt
from channels.events import ButtonPress, Command
from channels.outgoing import Block, Button, Heading, Listing, Outgoing, Paragraph, Span, plain

Right = Literal["talk", "admin"]

LISTED = 30
"""Lines of a list in a chat; more is for the console."""

ALIASES = {"start": "help"}
"""Telegram sends /start when someone opens the chat for the first time."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A command as it was typed, and where: `persona_id` is the one that talks there."""

    event: Command
    persona_id: str
    now: float


Handler = Callable[["Commands", Tx, Typed], Outgoing]


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    arguments: str
    right: Right
    help: str
    handler: Handler


class Commands:
    def __init__(
        self,
        house: House,
        approver: Approver,
        closer: Closer,
        admin: Admin,
        health: Health,
        switchable: Sequence[str],
    ) -> None:
        """`switchable`: channels on which anybody may switch the persona of a conversation."""
        self.house = house
        self.approver = approver
        self.closer = closer
        self.admin = admin
        self.health = health
        self.switchable = frozenset(switchable)

    def run(self, tx: Tx, typed: Typed) -> Outgoing | None:
        """The answer; None where silence is right (a command in a group that may be meant for another bot)."""
        name = ALIASES.get(typed.event.name, typed.event.name)
        entry = next((entry for entry in TABLE if entry.name == name), None)
        if entry is None:
            if not typed.event.private:
                return None
            return _words(_("There is no command /{name}. /help lists them all.").format(name=name[:32]))
        if entry.right == "admin" and not self.house.is_admin(typed.event.sender.id):
            return _words(_("/{name} is for admins. Nothing was done.").format(name=name))
        try:
            return entry.handler(self, tx, typed)
        except Impossible as reason:
            return _words(str(reason))

    def press(self, tx: Tx, meaning: Meaning, event: ButtonPress, now: float) -> Receipt:
        """A previewed grant is confirmed or dropped."""
        if not self.house.is_admin(event.sender.id):
            return Receipt(_("Only an admin may confirm this. Nothing changed."), alert=True)
        if not buttons.remove_subject(tx, meaning.subject):
            return Receipt(_("This was answered before. Nothing changed."), alert=True)
        wish = Wish(**(json.loads(meaning.subject)["wish"] | {"by": event.sender.id}))
        if meaning.action == "cancel_grant":
            line = _("Not granted: {what}.").format(what=_said(wish))
        else:
            try:
                self.admin.grant(tx, wish, now)
                line = _("Granted: {what}.").format(what=_said(wish))
            except Impossible as reason:
                line = str(reason)
        for post in outbox.by_ref(tx, event.message):
            outbox.amend(tx, post, _words(line))
        return Receipt(line)


def _help(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    admin = desk.house.is_admin(typed.event.sender.id)
    persona = personas.find(tx, typed.persona_id)
    who = persona.display_name if persona else typed.persona_id
    lines = [
        _line(f"/{entry.name} {entry.arguments}".strip(), entry.help)
        for entry in TABLE
        if entry.right == "talk" or admin
    ]
    intro = _("I am {who}. Write what you need. Before I change anything I ask, with buttons.").format(who=who)
    return Outgoing((*plain(intro), Listing(tuple(lines))))


def _status(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    persona = personas.find(tx, typed.persona_id)
    line = runs.waiting_line(tx, typed.event.where.key)
    waiting = approvals.pending_in(tx, typed.event.where.key)
    state = line[0][1] if line else _("idle")
    facts = [
        (_("Persona"), persona.display_name if persona else typed.persona_id),
        (_("Model"), persona.model if persona else "–"),
        (
            _("Run"),
            state if len(line) < 2 else _("{state}, {count} more queued").format(state=state, count=len(line) - 1),
        ),
        (_("Waiting approvals"), ", ".join(approval.code for approval in waiting) or _("none")),
    ]
    if desk.house.is_admin(typed.event.sender.id):
        facts += [(name, f"{part.state} {part.detail}".strip()) for name, part in desk.health.parts.items()]
        aside = inbox.recent_set_aside(tx, 3)
        facts += [(_("Set aside"), f"{each.channel}/{each.event_id}: {each.trouble}"[:200]) for each in aside]
    return Outgoing((Listing(tuple(_line(name, value) for name, value in facts)),))


def _tools(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    persona = _persona(tx, typed.persona_id)
    usable = [line for line in desk.admin.effective(tx, persona, typed.now) if line.decision.granted]
    if not usable:
        return _words(_("{who} may use no tool here.").format(who=persona.display_name))
    lines = []
    for line in usable:
        how = _("asks first") if line.decision.confirms else _("runs at once")
        why = (
            _("by default") if line.decision.row is None else _("granted by {by}").format(by=line.decision.row.made_by)
        )
        lines.append(_line(line.tool.spec.name, f"{how}, {why}"))
    return Outgoing((*plain(_("{who} may use:").format(who=persona.display_name)), Listing(tuple(lines))))


def _new(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    stopped, begun = desk.closer.stop(tx, typed.event.where.key, typed.event.sender.id, typed.now)
    sessions.end(tx, typed.event.where.key, typed.persona_id)
    words = _("A fresh start: I have forgotten what was said here.")
    if stopped:
        words += " " + _("What was open is stopped ({count}).").format(count=stopped)
    return _words(words + _unknown(begun))


def _stop(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    stopped, begun = desk.closer.stop(tx, typed.event.where.key, typed.event.sender.id, typed.now)
    if not stopped:
        return _words(_("There is nothing to stop."))
    words = _("Stopped.") if stopped == 1 else _("Stopped, with {count} queued messages.").format(count=stopped - 1)
    return _words(words + _unknown(begun))


def _pending(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    admin = desk.house.is_admin(typed.event.sender.id)
    waiting = (
        approvals.pending(tx, LISTED)
        if admin and typed.event.private
        else approvals.pending_in(tx, typed.event.where.key)
    )
    if not waiting:
        return _words(_("Nothing waits for a decision."))
    lines = [
        _line(
            each.code, _("{effect} · until {time}").format(effect=each.effect_text[:200], time=moment(each.expires_at))
        )
        for each in waiting[:LISTED]
    ]
    return Outgoing((Listing(tuple(lines)), *plain(_("Decide with /approve CODE or /reject CODE reason."))))


def _persona_command(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    wanted = typed.event.arguments.strip()
    everyone = personas.everyone(tx)
    if not wanted:
        others = ", ".join(persona.id for persona in everyone)
        return _words(_("Here talks {who}. There are: {others}.").format(who=typed.persona_id, others=others))
    allowed = typed.event.where.channel in desk.switchable or desk.house.is_admin(typed.event.sender.id)
    if not allowed:
        return _words(_("The persona of this channel is set by its admins. Nothing changed."))
    chosen = _completed(wanted, [persona.id for persona in everyone], _("persona"))
    conversations.switch_persona(tx, typed.event.where.key, chosen)
    return _words(_("From the next message on {who} talks here.").format(who=_persona(tx, chosen).display_name))


def _approve(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    return _decide(desk, tx, typed, approve=True)


def _reject(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    return _decide(desk, tx, typed, approve=False)


def _decide(desk: Commands, tx: Tx, typed: Typed, *, approve: bool) -> Outgoing:
    code, _space, rest = typed.event.arguments.strip().partition(" ")
    found = approvals.by_code(tx, code.upper()) if code else None
    reason: str | None = rest.strip() or None
    if found is None:
        waiting = approvals.pending_in(tx, typed.event.where.key)
        if len(waiting) != 1 or (approve and code):
            raise Impossible(_which(code, [each.code for each in waiting]))
        found, reason = waiting[0], typed.event.arguments.strip() or None
    return _words(desk.approver.take(tx, found, approve, typed.event.sender, reason, typed.now).notice or "")


def _grants(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    about = typed.event.arguments.strip()
    everyone = personas.everyone(tx)
    if about and about not in {persona.id for persona in everyone}:
        names = [*(persona.id for persona in everyone), *desk.admin.capability_ids()]
        about = _completed(about, names, _("persona or capability"))
    rows = [row for row in grants.everything(tx) if about in ("", row.persona_id, row.capability)]
    lines = [
        _line(f"{row.persona_id} {row.capability}", _row(row.effect, row.until, row.made_by, row.reason))
        for row in rows
    ]
    shown: list[Block] = (
        [Heading(4, (Span(_("Rows")),)), Listing(tuple(lines[:LISTED]))] if lines else [*plain(_("No rows."))]
    )
    for persona in everyone:
        if about not in ("", persona.id) and about not in desk.admin.capability_ids():
            continue
        effective = [
            line
            for line in desk.admin.effective(tx, persona, typed.now)
            if about in ("", persona.id, line.tool.capability.id)
        ]
        shown.append(Heading(4, (Span(_("{who} may").format(who=persona.id)),)))
        shown.append(
            Listing(
                tuple(
                    _line(each.tool.spec.name, _effective(each.decision.effect, each.decision.confirms))
                    for each in effective[:LISTED]
                )
            )
        )
    return Outgoing(tuple(shown))


_GRANT = re.compile(
    r"(?P<persona>\S+)\s+(?P<capability>\S+)(?:\s+(?P<effect>ask|allow|auto|deny))?(?:\s+for\s+(?P<span>\S+))?(?:\s+because\s+(?P<reason>.+))?",
    re.IGNORECASE | re.DOTALL,
)


def _grant(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    match = _GRANT.fullmatch(typed.event.arguments.strip())
    if match is None:
        raise Impossible(
            _("Write it as: /grant PERSONA CAPABILITY [ask, allow or auto] [for 2h] [because …]. Nothing changed.")
        )
    effect = (match["effect"] or "allow").lower()
    assert effect in get_args(Effect)
    try:
        until = None if match["span"] is None else typed.now + parse_duration(match["span"]).total_seconds()
    except ValueError:
        raise Impossible(
            _("{span} is not a length of time; write 30m, 2h or 1d. Nothing changed.").format(span=match["span"])
        ) from None
    wish = Wish(
        _who(tx, match["persona"]),
        _capability(desk, match["capability"]),
        effect,  # type: ignore[arg-type]  # one of the effects, as asserted
        until,
        (match["reason"] or "").strip()[:500],
        typed.event.sender.id,
    )
    if not desk.admin.widens_a_write(tx, wish, typed.now):
        desk.admin.grant(tx, wish, typed.now)
        return _words(_("Granted: {what}.").format(what=_said(wish)))
    tokens = (new_token(), new_token())
    subject = json.dumps({"wish": asdict(wish), "nonce": tokens[0]})
    buttons.add(tx, tokens[0], Meaning("confirm_grant", subject), typed.now)
    buttons.add(tx, tokens[1], Meaning("cancel_grant", subject), typed.now)
    asks = _("without asking") if wish.effect == "auto" else _("asking each time")
    text = _("{who} may then write with {capability}, {asks}. Confirm?").format(
        who=_("Everyone") if wish.persona_id == EVERYONE else wish.persona_id, capability=wish.capability, asks=asks
    )
    rows = ((Button(_("Confirm"), tokens[0], "primary"), Button(_("Cancel"), tokens[1], "plain")),)
    return Outgoing(plain(text), rows)


def _revoke(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    words = typed.event.arguments.split()
    if len(words) != 2:
        raise Impossible(_("Write it as: /revoke PERSONA CAPABILITY. Nothing changed."))
    persona_id, capability_id = _who(tx, words[0]), _capability(desk, words[1])
    return _words(desk.admin.revoke(tx, persona_id, capability_id, typed.event.sender.id, typed.now))


def _sessions(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    channel = typed.event.arguments.strip() or None
    found = desk.admin.sessions(tx, channel, LISTED)
    if not found:
        return _words(_("There is no session."))
    lines = [_line(each.conversation, f"{each.persona_id}, {moment(each.created_at)}") for each in found]
    return Outgoing((Listing(tuple(lines)),))


def _disconnect(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    name = _completed(typed.event.arguments.strip(), desk.admin.channel_names, _("channel"))
    ended = desk.admin.disconnect(tx, name, typed.event.sender.id, typed.now)
    words = _(
        "{name} is disconnected: {count} sessions ended, with their runs and cards. From another channel /connect {name} brings it back."
    )
    return _words(words.format(name=name, count=ended))


def _connect(desk: Commands, tx: Tx, typed: Typed) -> Outgoing:
    name = _completed(typed.event.arguments.strip(), desk.admin.channel_names, _("channel"))
    desk.admin.connect(tx, name, typed.event.sender.id, typed.now)
    return _words(_("{name} is being connected; it starts with no session.").format(name=name))


TABLE: tuple[Entry, ...] = (
    Entry("help", "", "talk", _("what I can do"), _help),
    Entry("status", "", "talk", _("persona, model, run and waiting approvals"), _status),
    Entry("tools", "", "talk", _("what this persona may use, and why"), _tools),
    Entry("new", "", "talk", _("a fresh session"), _new),
    Entry("stop", "", "talk", _("end the run and what is queued"), _stop),
    Entry("pending", "", "talk", _("what waits for a decision"), _pending),
    Entry("persona", "[name]", "talk", _("show or switch the persona"), _persona_command),
    Entry("approve", "<code>", "talk", _("approve what waits"), _approve),
    Entry("reject", "<code> [reason]", "talk", _("reject what waits"), _reject),
    Entry("grants", "[persona or capability]", "admin", _("who may use what"), _grants),
    Entry(
        "grant",
        "<persona or *> <capability> [ask, allow or auto] [for 2h] [because …]",
        "admin",
        _("allow something"),
        _grant,
    ),
    Entry("revoke", "<persona or *> <capability>", "admin", _("take something back at once"), _revoke),
    Entry("sessions", "[channel]", "admin", _("the sessions"), _sessions),
    Entry("disconnect", "<channel>", "admin", _("switch a channel off and end its sessions"), _disconnect),
    Entry("connect", "<channel>", "admin", _("switch a channel on"), _connect),
)


def _words(text: str) -> Outgoing:
    return Outgoing(plain(text))


def _line(name: str, value: str) -> tuple[Block, ...]:
    return (Paragraph((Span(name, frozenset({"bold"})), Span(f": {value}"))),)


def _persona(tx: Tx, persona_id: str) -> Persona:
    persona = personas.find(tx, persona_id)
    if persona is None:
        raise Impossible(_("The persona {name} does not exist any more.").format(name=persona_id))
    return persona


def _who(tx: Tx, wanted: str) -> str:
    if wanted == EVERYONE:
        return EVERYONE
    return _completed(wanted, [persona.id for persona in personas.everyone(tx)], _("persona"))


def _capability(desk: Commands, wanted: str) -> str:
    known = desk.admin.capability_ids()
    short = {capability.rpartition("/")[2]: capability for capability in known}
    if wanted in short:
        return short[wanted]
    full = wanted if "/" in wanted else f"builtin/{wanted}"
    return _completed(full, known, _("capability"))


def _completed(wanted: str, names: Sequence[str], kind: str) -> str:
    """The name itself, or the only one that begins like this. Raises Impossible, naming what is near."""
    if wanted in names:
        return wanted
    near = [name for name in names if wanted and name.startswith(wanted)]
    if len(near) == 1:
        return near[0]
    listed = ", ".join(near or names)[:400]
    if not wanted:
        raise Impossible(_("Say which {kind}: {listed}. Nothing changed.").format(kind=kind, listed=listed))
    raise Impossible(
        _("{wanted} is not one {kind}. Nothing changed. There are: {listed}.").format(
            wanted=wanted[:80], kind=kind, listed=listed
        )
    )


def _which(code: str, codes: Sequence[str]) -> str:
    if not codes:
        return _("Nothing waits under {code}. Nothing changed. /pending lists what waits.").format(
            code=code or _("no code")
        )
    return _("Say which one: {codes}. Nothing changed.").format(codes=", ".join(codes))


def _said(wish: Wish) -> str:
    until = "" if wish.until is None else _(" until {time}").format(time=moment(wish.until))
    return f"{wish.persona_id} {wish.capability} {wish.effect}{until}"


def _row(effect: str, until: float | None, by: str, reason: str) -> str:
    parts = [
        effect,
        *([] if until is None else [_("until {time}").format(time=moment(until))]),
        _("by {by}").format(by=by),
    ]
    return ", ".join([*parts, *([reason] if reason else [])])


def _effective(effect: str, confirms: bool) -> str:
    if effect == "deny":
        return _("no")
    return _("asks first") if confirms else _("at once")


def _unknown(begun: Sequence[str]) -> str:
    if not begun:
        return ""
    return " " + _("Already begun, outcome unknown, please check: {tools}.").format(tools=", ".join(begun))
