"""The card that asks the requester: pure, and the same words before and after the answer."""

from collections.abc import Iterable, Sequence
from gettext import gettext as _
from urllib.parse import urlsplit

from bot.cards import BOLD, ITALIC, cut, moment
from bot.domain.question import Blank, Question, Value
from bot.domain.reading import said, wanted
from bot.domain.secrecy import named_like_a_secret, shaped_like_a_secret
from bot.prompt import one_line
from channels.config import MASK
from channels.outgoing import Block, Button, Heading, Listing, Outgoing, Paragraph, Span, Style
from channels.text.characters import visible

MESSAGE_ROOM = 800
LABEL_ROOM = 120
HINT_ROOM = 250
ALL_ROOM = 2000
"""In UTF-16 units, like those of `cards`: the message and all blanks, or all answers, fit every platform."""
SHORTEST = 40
URL_ROOM = 2000

CODE: frozenset[Style] = frozenset({"code"})


def waiting(
    question: Question, persona: str, rows: Sequence[tuple[Button, ...]], how: str, lead: str = "", whole: bool = False
) -> Outgoing:
    """The card while it waits. `how` to answer; `lead` is a line above it. `whole`: every blank is shown, else the one that is
    open."""
    top = (_aside(lead),) if lead else ()
    body = _blanks(question) if whole else _open(question)
    end = _("Only {name} can answer this, until {time}.").format(
        name=_line(question.requester_name, LABEL_ROOM), time=moment(question.expires_at)
    )
    return Outgoing((*top, *_head(question, persona), *body, _aside(f"{how} {end}".strip())), tuple(rows))


def goes_on(question: Question, persona: str) -> Outgoing:
    """An earlier card, after what was written below it."""
    return Outgoing((*_head(question, persona), _aside(_("This goes on below."))))


def closed(question: Question, persona: str) -> Outgoing:
    """The card after its end: what was answered, by whom and when, and no button."""
    answers = _answers(question) if question.state == "answered" else ()
    return Outgoing((*_head(question, persona), *answers, Paragraph((Span(verdict(question), BOLD),))))


def verdict(question: Question) -> str:
    """How it ended, in a line."""
    who, time = _line(question.requester_name, LABEL_ROOM), moment(question.ended_at or question.expires_at)
    reason = f": {_line(question.reason, LABEL_ROOM)}" if question.reason else ""
    match question.state:
        case "answered":
            words = _("✓ Agreed by {who}, {time}") if question.asks.url else _("✓ Answered by {who}, {time}")
            return words.format(who=who, time=time)
        case "declined":
            return _("✗ Declined by {who}, {time}").format(who=who, time=time)
        case "expired":
            return _("Expired {time}: nobody answered").format(time=time)
        case "cancelled":
            return _("Cancelled {time}{reason}").format(time=time, reason=reason)
        case "pending":
            return _("Waiting")


def answer(blank: Blank, value: Value | None, room: int = LABEL_ROOM) -> str:
    """An answer as it may be shown to everyone in the chat."""
    if named_like_a_secret(blank.name) or named_like_a_secret(blank.label):
        return MASK
    words = said(blank, value)
    return MASK if shaped_like_a_secret(words) else _line(words, room) or "“”"


def _head(question: Question, persona: str) -> Iterable[Block]:
    asks = question.asks
    if question.server:
        words = (
            _("The MCP server {server} asks") if not asks.url else _("The MCP server {server} wants an address opened")
        )
        yield Heading(4, (Span(words.format(server=one_line(question.server))),))
    else:
        yield Heading(4, (Span(_("{persona} asks").format(persona=one_line(persona))),))
    if asks.message:
        yield Paragraph((Span(cut(visible(asks.message), MESSAGE_ROOM)),))
    if question.server:
        words = _("These are its words, not ours. Never give it passwords, keys or numbers of cards here.")
        yield _aside(words)
    if asks.url:
        yield from _address(asks.url)


def _address(url: str) -> Iterable[Block]:
    """The whole of it as text, and what is odd about it. It is no link, so that nothing opens or looks at it by chance."""
    host, oddities = seen_through(url)
    yield Paragraph((Span(_("It leads to ")), Span(visible(host), BOLD), Span(":")))
    yield Paragraph((Span(cut(visible(url), URL_ROOM), CODE),))
    for oddity in oddities:
        yield Paragraph((Span("⚠ " + oddity, BOLD),))


def seen_through(url: str) -> tuple[str, tuple[str, ...]]:
    """The host that an address leads to, and what to beware of."""
    try:
        parts = urlsplit(url)
        host, port, named = parts.hostname or "", parts.port, parts.username is not None or parts.password is not None
    except ValueError:
        return "?", (_("This address cannot be read. Do not open it."),)
    oddities = []
    if any(label.startswith("xn--") for label in host.split(".")) or not host.isascii():
        oddities.append(
            _("The name of the host is written in letters that may imitate others. Do not trust how it looks.")
        )
    if named:
        oddities.append(_("A name or a password stands in it, before the host: what looks like a host there is none."))
    if parts.scheme != "https":
        oddities.append(_("It is not encrypted: others on the way can read and change what is sent."))
    return (host if port is None else f"{host}:{port}"), tuple(oddities)


def _open(question: Question) -> Iterable[Block]:
    blanks, place = question.asks.blanks, question.open
    yield from _answers(question)
    if place >= len(blanks):
        return
    blank = blanks[place]
    title = _line(blank.label, LABEL_ROOM)
    if len(blanks) > 1:
        title = _("{place} of {count}: {label}").format(place=place + 1, count=len(blanks), label=title)
    yield Paragraph((Span(title, BOLD), *([] if blank.required else [Span(" " + _("(may be left out)"))])))
    details = _details(blank)
    if details:
        yield Paragraph((Span(details),))


def _blanks(question: Question) -> Iterable[Block]:
    items = []
    share = _share(question)
    for blank in question.asks.blanks:
        label = Span(_line(blank.label, share), BOLD)
        optional = "" if blank.required else " " + _("(may be left out)")
        details = cut(_details(blank), share)
        items.append((Paragraph((label, Span(f"{optional}: {details}" if details else optional))),))
    if items:
        yield Listing(tuple(items))


def _details(blank: Blank) -> str:
    return " – ".join(part for part in (_line(blank.hint, HINT_ROOM), wanted(blank)) if part)


def _answers(question: Question) -> Iterable[Block]:
    given, share = question.given, _share(question)
    spans: list[Span] = []
    for blank in question.asks.blanks:
        if blank.name in given:
            lead = "\n" if spans else ""
            spans += [Span(f"{lead}{_line(blank.label, share)}: "), Span(answer(blank, given[blank.name], share), CODE)]
    if spans:
        yield Paragraph(tuple(spans))


def _share(question: Question) -> int:
    """The room of one label, and of what stands behind it."""
    return max(SHORTEST, min(LABEL_ROOM, ALL_ROOM // (2 * max(1, len(question.asks.blanks)))))


def _aside(words: str) -> Paragraph:
    return Paragraph((Span(words, ITALIC),))


def _line(text: str, room: int) -> str:
    return cut(visible(" ".join(text.split())), room)
