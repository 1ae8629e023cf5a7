"""How commands put their answers, and how they understand names."""

from collections.abc import Sequence
from difflib import get_close_matches
from gettext import gettext as _

from bot.cards import moment
from bot.domain.persona import Persona
from bot.errors import Impossible
from bot.granter import Wish
from bot.store import personas
from bot.store.database import Tx
from channels.outgoing import Block, Outgoing, Paragraph, Span, plain


def sentence(text: str) -> Outgoing:
    """An answer that is a sentence or two."""
    return Outgoing(plain(text))


def fact(name: str, value: str) -> tuple[Block, ...]:
    """An item of a list: a name in bold, and what there is to say of it."""
    return (Paragraph((Span(name, frozenset({"bold"})), Span(f": {value}"))),)


def persona_of(tx: Tx, persona_id: str) -> Persona:
    """Raises Impossible if it was deleted."""
    persona = personas.find(tx, persona_id)
    if persona is None:
        raise Impossible(_("The persona {name} does not exist any more.").format(name=persona_id))
    return persona


def completed(wanted: str, names: Sequence[str], kind: str) -> str:
    """The name itself, or the only one that begins like this. Raises Impossible, naming what is near."""
    if wanted in names:
        return wanted
    near = [name for name in names if wanted and name.startswith(wanted)]
    if len(near) == 1:
        return near[0]
    listed = ", ".join(near or get_close_matches(wanted, names, 3) or names)[:400]
    if not wanted:
        raise Impossible(_("Say which {kind}: {listed}. Nothing changed.").format(kind=kind, listed=listed))
    if near:
        words = _("{wanted} may be {listed}: write more of it. Nothing changed.")
    else:
        words = _("There is no {kind} called {wanted}. There is: {listed}. Nothing changed.")
    raise Impossible(words.format(wanted=wanted[:80], kind=kind, listed=listed))


def said(wish: Wish) -> str:
    """A grant in a line."""
    until = "" if wish.until is None else _(" until {time}").format(time=moment(wish.until))
    return f"{wish.persona_id} {wish.capability} {wish.effect}{until}"


def row_in_words(effect: str, until: float | None, by: str, reason: str) -> str:
    parts = [
        effect,
        *([] if until is None else [_("until {time}").format(time=moment(until))]),
        _("by {by}").format(by=by),
    ]
    return ", ".join([*parts, *([reason] if reason else [])])


def effective(effect: str, confirms: bool) -> str:
    if effect == "deny":
        return _("no")
    return _("asks first") if confirms else _("at once")


def unknown(begun: Sequence[str]) -> str:
    if not begun:
        return ""
    return " " + _("Already begun, outcome unknown, please check: {tools}.").format(tools=", ".join(begun))
