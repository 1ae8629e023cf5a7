"""Commands for admins that show, give and take rights."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from gettext import gettext as _
from gettext import ngettext
from typing import get_args

from bot.cards import moment
from bot.clock import new_token
from bot.commands.desk import LISTED, Desk, Typed
from bot.commands.wording import completed, effective, fact, row_in_words, said, sentence
from bot.config.values import parse_duration
from bot.domain.capability import EVERYONE, Effect, Grant, pattern_server, server_of
from bot.domain.persona import Persona
from bot.errors import Impossible
from bot.granter import Line, Wish
from bot.store import buttons, names, outbox, personas
from bot.store import grants as stored
from bot.store.buttons import Meaning
from bot.store.database import Tx
from channels.adapter import Receipt
from channels.events import ButtonPress
from channels.outgoing import Block, Button, Heading, Listing, Outgoing, Span, plain
from channels.text.characters import visible

_GRANT = re.compile(
    r"(?P<persona>\S+)\s+(?P<capability>\S+)(?:\s+(?P<effect>ask|allow|auto|deny))?(?:\s+for\s+(?P<span>\S+))?(?:\s+because\s+(?P<reason>.+))?",
    re.IGNORECASE | re.DOTALL,
)

PREVIEW_LASTS_S = 3600.0
"""A preview is answered while one still knows what it was about."""

LONGEST_S = 3650 * 24 * 3600.0
"""Ten years: longer is a slip of the hand."""

FLAGGED_SHOWN = 5
"""Tools that are described oddly, beside a preview."""

READERS_NAMED = 10
"""Tools that say that they only read, as many as fit beside a preview."""


def grants(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    """The rows; of one persona also all that it may, of one capability all who may, and else how much each may."""
    about = typed.event.arguments.strip()
    everyone = personas.everyone(tx)
    if not about:
        tallies = [_tally(each.id, desk.admin.granter.effective(tx, each, typed.now)) for each in everyone[:LISTED]]
        rest = len(everyone) - len(tallies)
        return Outgoing((*_rows(tx, stored.everything(tx)), *_listed(_("How much"), tallies, rest)))
    persona_id = _persona_meant(about, everyone)
    if persona_id is not None:
        [persona] = [each for each in everyone if each.id == persona_id]
        lines = desk.admin.granter.effective(tx, persona, typed.now)
        facts = [fact(line.item.called, effective(line.decision.effect, line.decision.confirms)) for line in lines]
        return Outgoing(
            (*_rows(tx, stored.own(tx, persona.id)), *_listed(_("{who} may").format(who=persona.id), facts))
        )
    capability_id = _capability(desk, tx, about)
    facts = []
    for persona in everyone[:LISTED]:
        decision = desk.admin.granter.decision(tx, persona, capability_id, typed.now)
        facts.append(fact(persona.id, effective(decision.effect, decision.confirms)))
    listed = _listed(_("Who may use {what}").format(what=capability_id), facts, len(everyone) - len(facts))
    return Outgoing((*_rows(tx, stored.of_pattern(tx, capability_id)), *listed))


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
        _capability(desk, tx, match["capability"]),
        effect,  # type: ignore[arg-type]  # one of the effects, as asserted
        until,
        (match["reason"] or "").strip()[:500],
        typed.event.sender.id,
    )
    if not desk.admin.granter.widens_a_write(tx, wish, typed.now):
        desk.admin.granter.grant(tx, wish, typed.now)
        return sentence(_made(wish))
    text = _preview(desk, tx, wish)
    tokens = (new_token(), new_token())
    subject = json.dumps({"wish": asdict(wish), "at": typed.now, "shown": text, "nonce": tokens[0]})
    buttons.add(tx, tokens[0], Meaning("confirm_grant", subject), typed.now)
    buttons.add(tx, tokens[1], Meaning("cancel_grant", subject), typed.now)
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
    elif _preview(desk, tx, wish) != previewed.get("shown"):
        line = _("What this would give is another by now. Nothing changed: send the command again.")
    else:
        try:
            desk.admin.granter.grant(tx, wish, now)
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
    persona_id, capability_id = _who(tx, given[0]), _capability(desk, tx, given[1])
    return sentence(desk.admin.granter.revoke(tx, persona_id, capability_id, typed.event.sender.id, typed.now))


def _preview(desk: Desk, tx: Tx, wish: Wish) -> str:
    """What a grant would give, in words: for a server with its tools as they are now, so that others would be other words."""
    who = _("Everyone") if wish.persona_id == EVERYONE else wish.persona_id
    asks = _("without asking") if wish.effect == "auto" else _("asking each time")
    until = "" if wish.until is None else _(", until {time}").format(time=moment(wish.until))
    server = pattern_server(wish.capability)
    changed = _changed_in_words(desk, tx, wish.capability)
    odd = _oddities(desk, wish.capability)
    if server is None:
        words = _("{who} may then write with {capability}, {asks}{until}.{more} Confirm?")
        return words.format(who=who, capability=wish.capability, asks=asks, until=until, more=changed + odd)
    words = _("{who} may then write with {server}: {what}, {asks}{until}.{more} Confirm?")
    what, readers = _tools_in_words(desk, server)
    return words.format(who=who, server=server, what=what, asks=asks, until=until, more=readers + changed + odd)


def _changed_in_words(desk: Desk, tx: Tx, capability_id: str) -> str:
    """That tools are taken as they are now."""
    names = desk.admin.granter.changed(tx, capability_id)
    if not names:
        return ""
    listed = visible(", ".join(names[:READERS_NAMED]))
    return " " + _("Changed since they were granted, and then taken as they are now: {names}.").format(names=listed)


def _oddities(desk: Desk, capability_id: str) -> str:
    """What had better be looked at before tools are granted: how their server describes them."""
    tools = desk.admin.granter.inventory.tools_of(server_of(capability_id) or "")
    whole = pattern_server(capability_id) is not None
    flagged = [tool for tool in tools if tool.flags and (whole or tool.capability.id == capability_id)]
    told = [f"{tool.name}: {' '.join(tool.flags)}" for tool in flagged[:FLAGGED_SHOWN]]
    more = _(" And {count} more.").format(count=len(flagged) - len(told)) if len(flagged) > len(told) else ""
    return " " + _("Look twice. {told}{more}").format(told=visible(" ".join(told)), more=more) if told else ""


def _tools_in_words(desk: Desk, server: str) -> tuple[str, str]:
    """How many of its tools write, and which of them say that they only read."""
    tools = desk.admin.granter.inventory.tools_of(server)
    if not tools:
        return _("whatever tools it will have"), ""
    readers = [tool.name for tool in tools if tool.capability.reads]
    writers = len(tools) - len(readers)
    what = ngettext("{count} tool", "{count} tools", writers).format(count=writers)
    if not readers:
        return what, ""
    more = ", …" if len(readers) > READERS_NAMED else ""
    named = ", ".join(readers[:READERS_NAMED]) + more
    return what, " " + _("At once, since it says that they only read: {names}.").format(names=named)


def _rows(tx: Tx, rows: Sequence[Grant]) -> Sequence[Block]:
    facts = [
        fact(
            f"{row.persona_id} {row.capability}",
            row_in_words(row.effect, row.until, names.of(tx, row.made_by), row.reason),
        )
        for row in rows
    ]
    return _listed(_("Rows"), facts) if facts else plain(_("No rows."))


def _listed(title: str, facts: Sequence[tuple[Block, ...]], rest: int = 0) -> Sequence[Block]:
    """Short enough for a phone; that there is more is said. `rest`: what was left out before."""
    if not facts:
        return ()
    listing = Listing(tuple(facts[:LISTED]))
    rest += max(0, len(facts) - LISTED)
    more = plain(_("… and {count} more.").format(count=rest)) if rest else ()
    return (Heading(4, (Span(title),)), listing, *more)


def _tally(persona_id: str, lines: Sequence[Line]) -> tuple[Block, ...]:
    granted = [line for line in lines if line.decision.granted]
    asking = sum(line.decision.confirms for line in granted)
    words = _("{who} may use {granted} of {all}; {asking} of them ask first.")
    return plain(words.format(who=persona_id, granted=len(granted), all=len(lines), asking=asking))


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
    return EVERYONE if wanted == EVERYONE else completed(wanted, personas.ids(tx), _("persona"))


def _persona_meant(wanted: str, everyone: Sequence[Persona]) -> str | None:
    """The persona of this id, or the only one whose id begins so; None if something else may be meant."""
    near = [persona.id for persona in everyone if persona.id.startswith(wanted)]
    return wanted if wanted in near else near[0] if len(near) == 1 else None


def _capability(desk: Desk, tx: Tx, wanted: str) -> str:
    """By its id, its short name (of a tool, a skill, a server), or the only one that begins so. Raises Impossible, naming
    what is near."""
    items = desk.admin.granter.inventory.everything(tx)
    known = [(name, item.id) for item in items for name in (item.id, item.name)]
    same = {full for name, full in known if name == wanted}
    near = same or {full for name, full in known if name.startswith(wanted)}
    if len(near) == 1:
        return near.pop()
    if near:
        words = _("{wanted} may be {listed}: write more of it. Nothing changed.")
        raise Impossible(words.format(wanted=wanted[:80], listed=", ".join(sorted(near))[:400]))
    close = get_close_matches(wanted, [name for name, _full in known], 3)
    listed = ", ".join({full: None for name, full in known if name in close or not close})[:400]
    words = _("There is no capability called {wanted}. There is: {listed}. Nothing changed.")
    raise Impossible(words.format(wanted=wanted[:80], listed=listed))
