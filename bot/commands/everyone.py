"""Commands for everyone who may talk."""

from collections.abc import Sequence
from gettext import gettext as _
from gettext import ngettext

from bot.cards import moment
from bot.commands.desk import LISTED, Desk, Typed
from bot.commands.wording import completed, fact, persona_of, sentence, unknown
from bot.domain.access import Decider
from bot.domain.question import Question
from bot.errors import Impossible
from bot.store import approvals, conversations, inbox, names, outside, personas, questions, runs, sessions
from bot.store.database import Tx
from channels.outgoing import Block, Listing, Outgoing, plain
from channels.text.characters import visible

LINKS = {
    "registered": _("registered"),
    "enabled": _("enabled"),
    "connected": _("connected"),
    "granted": _("granted"),
    "confirmation": _("confirmation"),
    "last_failure": _("last time"),
}


def status(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    persona = personas.find(tx, typed.persona_id)
    places = _places(tx, typed)
    line = [run for place in places for run in runs.waiting_line(tx, place)]
    waiting = [approval for place in places for approval in approvals.pending_in(tx, place)]
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
    asked = sum(len(questions.pending_in(tx, place)) for place in places)
    if asked:
        facts.append((_("Open questions"), str(asked)))
    calls = sum(outside.count_in(tx, place) for place in places)
    if calls:
        facts.append((_("Calls of other programs"), str(calls)))
    if desk.house.is_admin(typed.event.sender.id):
        facts += [(name, f"{part.state} {part.detail}".strip()) for name, part in desk.health.parts.items()]
        aside = inbox.recent_set_aside(tx, 3)
        facts += [(_("Set aside"), f"{each.channel}/{each.event_id}: {each.trouble}"[:200]) for each in aside]
    return Outgoing((Listing(tuple(fact(name, value) for name, value in facts)),))


def tools(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    persona = persona_of(tx, typed.persona_id)
    usable = [line for line in desk.admin.granter.effective(tx, persona, typed.now) if line.decision.granted]
    if not usable:
        return sentence(_("{who} may use no tool here.").format(who=persona.display_name))
    lines = []
    for line in usable:
        how = _("asks first") if line.decision.confirms else _("runs at once")
        row = line.decision.row
        why = _("by default") if row is None else _("granted by {by}").format(by=names.of(tx, row.made_by))
        lines.append(fact(line.item.called, f"{how}, {why}"))
    return Outgoing((*plain(_("{who} may use:").format(who=persona.display_name)), Listing(tuple(lines))))


def why(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    words = [word for word in typed.event.arguments.split() if word.lower() != "for"]
    if not 1 <= len(words) <= 2:
        raise Impossible(_("Write it as: {mark}why CAPABILITY [for PERSONA].").format(mark=typed.event.mark))
    ids = [each.id for each in personas.everyone(tx)]
    persona_id = completed(words[1], ids, _("persona")) if len(words) == 2 else typed.persona_id
    chain = desk.explainer.why(tx, persona_id, desk.explainer.named(tx, words[0]), typed.now)
    steps = [fact(f"{'✓' if step.ok else '✗'} {LINKS[step.link]}", step.text) for step in chain.steps]
    may = _("{who} may use {what}.") if chain.holds else _("{who} may not use {what}.")
    said = plain(may.format(who=persona_id, what=chain.capability_id))
    remedy = (
        plain(_("To change that: {remedy}").format(remedy=f"{typed.event.mark}{chain.remedy}")) if chain.remedy else ()
    )
    return Outgoing((*said, Listing(tuple(steps)), *remedy))


def new(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    _not_beside_threads(typed)
    stopped, begun = desk.closer.stop(tx, typed.event.where.key, typed.event.sender.id, typed.now)
    sessions.end(tx, typed.event.where.key, typed.persona_id)
    words = _("A fresh start: I have forgotten what was said here.")
    if stopped:
        words += " " + _("What was open is stopped ({count}).").format(count=stopped)
    return sentence(words + unknown(begun))


def stop(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    _not_beside_threads(typed)
    stopped, begun = desk.closer.stop(tx, typed.event.where.key, typed.event.sender.id, typed.now)
    if not stopped:
        return sentence(_("There is nothing to stop."))
    queued = ngettext("Stopped, with {count} queued message.", "Stopped, with {count} queued messages.", stopped - 1)
    words = _("Stopped.") if stopped == 1 else queued.format(count=stopped - 1)
    return sentence(words + unknown(begun))


def pending(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    everywhere = desk.house.is_admin(typed.event.sender.id) and typed.event.private
    places = _places(tx, typed)
    waiting = (
        approvals.pending(tx, LISTED)
        if everywhere
        else [approval for place in places for approval in approvals.pending_in(tx, place)]
    )
    asked = (
        questions.pending(tx, LISTED)
        if everywhere
        else [question for place in places for question in questions.pending_in(tx, place)]
    )
    if not waiting and not asked:
        return sentence(_("Nothing waits for a decision."))
    lines = [
        fact(
            each.code, _("{effect} · until {time}").format(effect=each.effect_text[:200], time=moment(each.expires_at))
        )
        for each in waiting[:LISTED]
    ]
    lines += [_open(each) for each in asked[:LISTED]]
    how = _("Decide with {mark}approve CODE or {mark}reject CODE reason.").format(mark=typed.event.mark)
    return Outgoing((Listing(tuple(lines)), *plain(how if waiting else _("Questions are answered on their cards."))))


def _open(question: Question) -> tuple[Block, ...]:
    """A question in the list; what it asks for, not what was answered."""
    words = _("{message} · until {time}").format(
        message=visible(question.asks.message)[:200], time=moment(question.expires_at)
    )
    return fact(_("Question to {name}").format(name=question.requester_name), words)


def persona(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    wanted = typed.event.arguments.strip()
    everyone = personas.everyone(tx)
    if not wanted:
        others = ", ".join(persona.id for persona in everyone)
        return sentence(_("You are talking to {who}. Personas: {others}.").format(who=typed.persona_id, others=others))
    allowed = typed.event.where.channel in desk.switchable or desk.house.is_admin(typed.event.sender.id)
    if not allowed:
        return sentence(_("The persona of this channel is set by its admins. Nothing changed."))
    chosen = completed(wanted, [persona.id for persona in everyone], _("persona"))
    conversations.switch_persona(tx, typed.event.where.key, chosen)
    return sentence(_("From the next message on {who} talks here.").format(who=persona_of(tx, chosen).display_name))


def approve(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    return _decide(desk, tx, typed, approve=True)


def reject(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    return _decide(desk, tx, typed, approve=False)


def _decide(desk: Desk, tx: Tx, typed: Typed, *, approve: bool) -> Outgoing:
    code, _space, rest = typed.event.arguments.strip().partition(" ")
    found = approvals.by_code(tx, code.upper()) if code else None
    reason: str | None = rest.strip() or None
    if found is None:
        waiting = approvals.pending_in(tx, typed.event.where.key)
        if len(waiting) != 1 or (approve and code):
            raise Impossible(_which(code, [each.code for each in waiting]))
        found, reason = waiting[0], typed.event.arguments.strip() or None
        if approve and found.editor_name is not None:
            words = _("This was edited: read its card and write the code that stands there. Nothing changed.")
            raise Impossible(words)
    by = Decider(typed.event.sender, typed.event.where.key)
    return sentence(desk.approver.take(tx, found, approve, by, reason, typed.now).notice or "")


def _beside_threads(typed: Typed) -> bool:
    """Typed aside in a channel, which is in none of its threads, where the sessions are."""
    return typed.event.aside and not typed.event.private and typed.event.where.thread is None


def _places(tx: Tx, typed: Typed) -> list[str]:
    """What "here" means: the conversation, or a channel with all of its threads."""
    here = typed.event.where.key
    return list({here, *conversations.of_chat(tx, typed.event.where)}) if _beside_threads(typed) else [here]


def _not_beside_threads(typed: Typed) -> None:
    """Raises Impossible where the command would concern nothing."""
    if _beside_threads(typed):
        words = _("In a channel each thread is a session of its own: write {mark}{name} there. Nothing was done.")
        raise Impossible(words.format(mark=typed.limits.mark, name=typed.event.name))


def _which(code: str, codes: Sequence[str]) -> str:
    if not codes:
        if not code:
            return _("Nothing waits for a decision here.")
        words = _("Nothing waits under {code}. Nothing changed. The command pending lists what waits.")
        return words.format(code=code)
    return _("Say which one: {codes}. Nothing changed.").format(codes=", ".join(codes))
