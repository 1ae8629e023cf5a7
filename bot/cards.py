"""The card that asks a person: pure, and the same sentence before and after the decision."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from gettext import gettext as _
from typing import Any

from bot.domain.access import House
from bot.domain.approval import Approval
from bot.prompt import one_line
from channels.config import MASK
from channels.outgoing import Block, Button, Heading, Outgoing, Paragraph, Span, Style
from channels.text.characters import size, visible

ARGUMENTS_ROOM = 2000
"""Room for all arguments together, in UTF-16 units like the others below: with the rest of the card and what is added at
the decision this stays under the 3,000 of a Slack section and the 4,096 of a Telegram message."""
SHORTEST_SHARE = 60
EFFECT_ROOM = 400
NAME_ROOM = 80

NOTE_ROOM = 160

BOLD: frozenset[Style] = frozenset({"bold"})
ITALIC: frozenset[Style] = frozenset({"italic"})

REASON_ROOM = 200

_SECRET_NAME = re.compile(r"(?i)passw|secret|token|api_?key|credential|authorization")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for what, as people call it. `server`: where the tool lives, None for built-in ones."""

    persona: str
    tool: str
    server: str | None


def waiting(
    approval: Approval,
    asker: Asker,
    who: str,
    rows: Sequence[tuple[Button, ...]],
    lead: str | None,
    mark: str = "/",
    notes: Sequence[str] = (),
) -> Outgoing:
    """The card while it waits. `who` may decide; `lead` is a line above it that says why it is shown again; `mark` stands
    before commands; `notes` are lines of their own."""
    top = () if lead is None else (Paragraph((Span(lead, ITALIC),)),)
    end = Paragraph(
        (
            Span(_("May decide: {who}").format(who=who) + "\n"),
            Span(_("Until {time} · code ").format(time=moment(approval.expires_at))),
            Span(approval.code, BOLD),
            Span(_(" · or type {mark}approve {code}").format(mark=mark, code=approval.code)),
        )
    )
    beside = tuple(Paragraph((Span(cut(visible(one_line(note)), NOTE_ROOM), ITALIC),)) for note in notes)
    return Outgoing((*top, *_body(approval, asker), *beside, end), tuple(rows))


def closed(approval: Approval, asker: Asker) -> Outgoing:
    """The card after its end: who decided what and when, and no button."""
    return Outgoing((*_body(approval, asker), Paragraph((Span(verdict(approval), BOLD),))))


def verdict(approval: Approval) -> str:
    """How it ended, in a line."""
    time = moment(approval.decided_at or approval.expires_at)
    who = one_line(approval.decider_name or approval.decided_by or _("someone"))
    reason = f": {cut(visible(' '.join(approval.reason.split())), REASON_ROOM)}" if approval.reason else ""
    match approval.state:
        case "approved":
            return _("✓ Approved by {who}, {time}").format(who=who, time=time)
        case "rejected":
            return _("✗ Rejected by {who}, {time}{reason}").format(who=who, time=time, reason=reason)
        case "expired":
            return _("Expired {time}: nobody decided, nothing was done").format(time=time)
        case "cancelled":
            return _("Cancelled {time}: nothing was done{reason}").format(time=time, reason=reason)
        case "pending":
            return _("Waiting")


def deciders(approval: Approval, house: House, called: Callable[[str], str] = str) -> str:
    """Who may decide, in words; `called` says what a person is called."""
    words, rules = [], approval.rules
    for rule in rules.approvers:
        if rule == "admins":
            words.append(_("another admin") if house.is_admin(approval.requested_by) else _("an admin"))
        elif rule == "members":
            words.append(_("whoever may talk where it is asked"))
        elif rule != "requester":
            words.append(one_line(called(rule)))
        elif not rules.deny_self:
            words.insert(0, _("{name} (who asked)").format(name=one_line(approval.requester_name)))
    who = _(" or ").join(dict.fromkeys(words)) or _("nobody: the approvers in the configuration exclude everyone")
    return who if rules.needed < 2 else _("{needed} of: {who}").format(needed=rules.needed, who=who)


def moment(at: float) -> str:
    """A time that is the same for every reader."""
    return f"{datetime.fromtimestamp(at, UTC):%-d %b %H:%M} UTC"


def _body(approval: Approval, asker: Asker) -> Iterable[Block]:
    yield Heading(4, (Span(_("{persona} asks first").format(persona=one_line(asker.persona))),))
    yield Paragraph((Span(cut(visible(approval.effect_text), EFFECT_ROOM)),))
    where = _("built in") if asker.server is None else one_line(asker.server)
    tool = Span(_("Tool: {tool} ({where})").format(tool=asker.tool, where=where))
    yield Paragraph((tool, *_arguments(json.loads(approval.arguments))))
    if approval.editor_name is not None:
        words = _("Edited by {who}: this is not what the model asked for.")
        yield Paragraph((Span(words.format(who=one_line(approval.editor_name)), ITALIC),))


def _arguments(arguments: dict[str, Any]) -> Iterable[Span]:
    """A line each, as much of each as there is room for."""
    share = max(SHORTEST_SHARE, ARGUMENTS_ROOM // max(1, len(arguments)))
    room = ARGUMENTS_ROOM
    left = list(arguments.items())
    while left and room > 0:
        name, value = left.pop(0)
        shown = cut(visible(_shown(name, value)), min(share, max(room, SHORTEST_SHARE)))
        label = cut(visible(" ".join(name.split())), NAME_ROOM)
        room -= _size(shown) + _size(label)
        yield Span(f"\n{label}: ")
        yield Span(shown or "“”", frozenset({"code"}))
    if left:
        size = sum(len(name) + len(_shown(name, value)) for name, value in left)
        yield Span("\n" + _("… and {count} more arguments, {size:,} characters").format(count=len(left), size=size))


def _shown(name: str, value: object) -> str:
    if _SECRET_NAME.search(name):
        return MASK
    if isinstance(value, str):
        return value
    return json.dumps(masked(value), ensure_ascii=False)


def is_secret(name: str) -> bool:
    """Does an argument of this name look like one whose value is not shown?"""
    return _SECRET_NAME.search(name) is not None


def masked(value: object) -> object:
    """The same, without the values of what is called like a secret, however deep they are."""
    if isinstance(value, dict):
        return {key: MASK if _SECRET_NAME.search(str(key)) else masked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    return value


def cut(text: str, room: int) -> str:
    """The head and the tail, with the full length named between them. Room is in UTF-16 units, of which an emoji
    takes two: so counted it fits every platform."""
    if _size(text) <= room:
        return text
    mark = _(" … [{length:,} characters in all] … ").format(length=len(text))
    tail = max(0, (room - len(mark)) // 4)
    head = max(1, room - len(mark) - tail)
    units = text.encode("utf-16-le", "surrogatepass")
    end = units[-2 * tail :] if tail else b""
    return units[: 2 * head].decode("utf-16-le", "ignore") + mark + end.decode("utf-16-le", "ignore")


def _size(text: str) -> int:
    return size(text, "utf16")
