"""Commands for admins."""

import json
from gettext import gettext as _
from gettext import ngettext

from bot.cards import moment
from bot.commands.desk import LISTED, Desk, Typed
from bot.commands.wording import completed, fact, sentence
from bot.domain.chain import Link
from bot.errors import Impossible
from bot.store import approvals, names, runs
from bot.store import audit as entries
from bot.store.database import Tx
from bot.store.sessions import Session
from channels.outgoing import Listing, Outgoing


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
    return f"{link.action.replace('_', ' ')} {_about(tx, link.subject)}" + (f" ({told})" if told else "")


def _about(tx: Tx, subject: str) -> str:
    """What an entry is about, as people know it: an approval by its call and the code on its card."""
    approval = approvals.find(tx, subject)
    return names.of(tx, subject) if approval is None else f"{approval.capability_id} {approval.code}"
