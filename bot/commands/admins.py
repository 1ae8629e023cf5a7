"""Commands for admins."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from gettext import gettext as _
from gettext import ngettext
from typing import get_args

from bot.admin import Impossible, Wish
from bot.cards import moment
from bot.clock import new_token
from bot.commands.desk import LISTED, Desk, Typed
from bot.commands.wording import completed, effective, fact, row_in_words, said, sentence
from bot.config.values import parse_duration
from bot.domain.capability import EVERYONE, Effect
from bot.domain.chain import Link
from bot.store import audit as entries
from bot.store import buttons, names, outbox, personas, runs
from bot.store import grants as rows_of_grants
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.store.sessions import Session
from channels.adapter import Receipt
from channels.events import ButtonPress
from channels.outgoing import Block, Button, Heading, Listing, Outgoing, Span, plain

_GRANT = re.compile(
    r"(?P<persona>\S+)\s+(?P<capability>\S+)(?:\s+(?P<effect>ask|allow|auto|deny))?(?:\s+for\s+(?P<span>\S+))?(?:\s+because\s+(?P<reason>.+))?",
    re.IGNORECASE | re.DOTALL,
)


def grants(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    about = typed.event.arguments.strip()
    everyone = personas.everyone(tx)
    if about:
        ids = [persona.id for persona in everyone]
        about = about if about in ids else _either(desk, about, ids)
    rows = [row for row in rows_of_grants.everything(tx) if about in ("", row.persona_id, row.capability)]
    lines = [
        fact(
            f"{row.persona_id} {row.capability}",
            row_in_words(row.effect, row.until, names.of(tx, row.made_by), row.reason),
        )
        for row in rows
    ]
    shown: list[Block] = (
        [Heading(4, (Span(_("Rows")),)), Listing(tuple(lines[:LISTED]))] if lines else [*plain(_("No rows."))]
    )
    for persona in everyone:
        if about not in ("", persona.id) and about not in desk.admin.capability_ids():
            continue
        concerned = [
            fact(line.tool.spec.name, effective(line.decision.effect, line.decision.confirms))
            for line in desk.admin.effective(tx, persona, typed.now)
            if about in ("", persona.id, line.tool.capability.id)
        ]
        shown += [Heading(4, (Span(_("{who} may").format(who=persona.id)),)), Listing(tuple(concerned[:LISTED]))]
    return Outgoing(tuple(shown))


PREVIEW_LASTS_S = 3600.0
"""A preview is answered while one still knows what it was about."""

LONGEST_S = 3650 * 24 * 3600.0
"""Ten years: longer is a slip of the hand."""


def grant(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    match = _GRANT.fullmatch(typed.event.arguments.strip())
    if match is None:
        raise Impossible(
            _(
                "Write it as: {mark}grant PERSONA CAPABILITY [ask, allow or auto] [for 2h] [because …]. Nothing changed."
            ).format(mark=typed.event.mark)
        )
    effect = (match["effect"] or "allow").lower()
    assert effect in get_args(Effect)
    try:
        until = None if match["span"] is None else typed.now + _span(match["span"])
    except (ValueError, OverflowError):
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
        return sentence(_made(wish))
    tokens = (new_token(), new_token())
    subject = json.dumps({"wish": asdict(wish), "at": typed.now, "nonce": tokens[0]})
    buttons.add(tx, tokens[0], Meaning("confirm_grant", subject), typed.now)
    buttons.add(tx, tokens[1], Meaning("cancel_grant", subject), typed.now)
    asks = _("without asking") if wish.effect == "auto" else _("asking each time")
    text = _("{who} may then write with {capability}, {asks}{until}. Confirm?").format(
        who=_("Everyone") if wish.persona_id == EVERYONE else wish.persona_id,
        capability=wish.capability,
        asks=asks,
        until="" if wish.until is None else _(", until {time}").format(time=moment(wish.until)),
    )
    rows = ((Button(_("Confirm"), tokens[0], "primary"), Button(_("Cancel"), tokens[1], "plain")),)
    return Outgoing(plain(text), rows)


def answer_preview(desk: Desk, tx: Tx, meaning: Meaning, event: ButtonPress, now: float) -> Receipt:
    """A previewed grant is confirmed or dropped."""
    if not desk.house.is_admin(event.sender.id):
        return Receipt(_("Only an admin may confirm this. Nothing changed."), alert=True)
    if not buttons.remove_subject(tx, meaning.subject):
        return Receipt(_("This was answered before. Nothing changed."), alert=True)
    previewed = json.loads(meaning.subject)
    wish = Wish(**(previewed["wish"] | {"by": event.sender.id}))
    if now - previewed["at"] > PREVIEW_LASTS_S:
        return Receipt(_("This preview is too old. Nothing changed: send the command again."), alert=True)
    if meaning.action == "cancel_grant":
        line = _("Not granted: {what}.").format(what=said(wish))
    else:
        try:
            desk.admin.grant(tx, wish, now)
            line = _made(wish)
        except Impossible as reason:
            line = str(reason)
    for post in outbox.by_ref(tx, event.message):
        outbox.amend(tx, post, sentence(line))
    return Receipt(line)


def revoke(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    given = typed.event.arguments.split()
    if len(given) != 2:
        words = _("Write it as: {mark}revoke PERSONA CAPABILITY. Nothing changed.").format(mark=typed.event.mark)
        raise Impossible(words)
    persona_id, capability_id = _who(tx, given[0]), _capability(desk, given[1])
    return sentence(desk.admin.revoke(tx, persona_id, capability_id, typed.event.sender.id, typed.now))


def sessions(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    channel = typed.event.arguments.strip() or None
    found = desk.admin.sessions(tx, channel, LISTED)
    if not found:
        return sentence(_("There is no session."))
    lines = [fact(_where(tx, typed, each), f"{each.persona_id}, {moment(each.created_at)}") for each in found]
    return Outgoing((Listing(tuple(lines)),))


def _where(tx: Tx, typed: Typed, session: Session) -> str:
    """A session by its conversation, or, where people know no ids, by who began it."""
    begun = None if typed.limits.ids else runs.first_of(tx, session.id)
    if begun is None:
        return session.conversation if typed.limits.ids else session.channel
    words = _("{channel}, {name}") if begun.private else _("{channel}, a thread or group, begun by {name}")
    return words.format(channel=session.channel, name=begun.user_name)


def disconnect(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    name = completed(typed.event.arguments.strip(), desk.admin.channel_names, _("channel"))
    ended = desk.admin.disconnect(tx, name, typed.event.sender.id, typed.now)
    count = ngettext("{count} session ended with it", "{count} sessions ended with it", ended).format(count=ended)
    if desk.admin.others_on(tx, name):
        back = _("From another channel the command connect {name} brings it back.")
    else:
        back = _("No other channel is on, so it comes back when the service is started again.")
    return sentence(
        _("{name} is disconnected; {count}. {back}").format(name=name, count=count, back=back.format(name=name))
    )


def connect(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    name = completed(typed.event.arguments.strip(), desk.admin.channel_names, _("channel"))
    desk.admin.connect(tx, name, typed.event.sender.id, typed.now)
    return sentence(_("{name} is being connected; it starts with no session.").format(name=name))


def audit(_desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    wanted = typed.event.arguments.strip() or "10"
    if not wanted.isdecimal() or not 0 < int(wanted) <= LISTED:
        words = _("Write it as: {mark}audit, or with a number up to {most} behind it.")
        raise Impossible(words.format(mark=typed.event.mark, most=LISTED))
    lines = [
        fact(f"{moment(link.at)} {names.of(tx, link.who)}", _said(tx, link)) for link in entries.latest(tx, int(wanted))
    ]
    return Outgoing((Listing(tuple(lines)),)) if lines else sentence(_("The audit is empty."))


def _said(tx: Tx, link: Link) -> str:
    detail = json.loads(link.detail)
    told = ", ".join(
        f"{key} {value}" for key, value in detail.items() if key in ("persona", "effect", "reason", "failure")
    )
    return f"{link.action.replace('_', ' ')} {names.of(tx, link.subject)}" + (f" ({told})" if told else "")


def _either(desk: Desk, wanted: str, known: Sequence[str]) -> str:
    """A persona or a capability, by its beginning; the short name of a tool will do."""
    near = [name for name in known if name.startswith(wanted)]
    return near[0] if len(near) == 1 else _capability(desk, wanted)


def _span(text: str) -> float:
    """Seconds. Raises ValueError or OverflowError for what is no length of time that one would grant for."""
    seconds = parse_duration(text).total_seconds()
    if seconds > LONGEST_S:
        raise ValueError("too long")
    return seconds


def _made(wish: Wish) -> str:
    words = _("Denied: {what}.") if wish.effect == "deny" else _("Granted: {what}.")
    return words.format(what=said(wish))


def _who(tx: Tx, wanted: str) -> str:
    if wanted == EVERYONE:
        return EVERYONE
    return completed(wanted, [persona.id for persona in personas.everyone(tx)], _("persona"))


def _capability(desk: Desk, wanted: str) -> str:
    known = desk.admin.capability_ids()
    short = {capability.rpartition("/")[2]: capability for capability in known}
    if wanted in short:
        return short[wanted]
    full = wanted if "/" in wanted else f"builtin/{wanted}"
    return completed(full, known, _("capability"))
