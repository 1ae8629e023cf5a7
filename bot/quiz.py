"""Puts a question before people: its card, its buttons or its form, again when that is due, and as it goes on."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from gettext import gettext as _
from typing import Literal

from bot import sheets
from bot.clock import new_id, new_token
from bot.domain.question import LONGEST_TEXT, Blank, Question
from bot.domain.reading import said, wanted
from bot.store import buttons, outbox, personas
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.store.outbox import Post
from channels.adapter import Limits
from channels.events import Conversation
from channels.outgoing import Button, Field, Form, MessageRef, Outgoing
from channels.text.characters import visible
from channels.text.split import split

KEY = "question:"
"""How the names of its cards in the outbox begin."""
SHOWN_AGAIN_AFTER_S = 30.0
"""As for the cards of approvals."""
SIDE_BY_SIDE, IN_A_ROW = 16, 3
"""Labels up to so many characters share a row on a phone."""
ONE_LINE = 200
"""An answer that may be longer, in characters, gets room for several lines."""

Way = Literal["address", "form", "steps"]
Style = Literal["primary", "danger", "plain"]


class Quiz:
    def __init__(self, limits: Callable[[str], Limits]) -> None:
        """`limits` are those of a channel by its name."""
        self._limits = limits

    def post(self, tx: Tx, question: Question, now: float, lead: str = "") -> None:
        """A new card, below what was said; where one goes step by step, the earlier ones point to it."""
        if self._way(question) == "steps":
            for earlier in self.posts(tx, question):
                card = sheets.goes_on(question, _persona(tx, question))
                outbox.amend(tx, earlier, self._fitted(earlier.conversation, card))
        key, where = f"{KEY}{question.id}:{new_id('c')}", Conversation.parse(question.conversation)
        outbox.post(tx, key, where, self._card(tx, question, now, lead), now, subject=question.id)

    def redraw(self, tx: Tx, question: Question, now: float) -> None:
        """The latest card says what is to be answered now."""
        for post in self.posts(tx, question)[-1:]:
            outbox.amend(tx, post, self._card(tx, question, now))

    def close(self, tx: Tx, ended: Question) -> None:
        """Every card that could be answered says how it ended, and has no buttons."""
        posts = self.posts(tx, ended)
        for post in posts:
            if post is posts[-1] or (post.message is not None and post.message.rows):
                outbox.amend(tx, post, self._closed(tx, ended, post.conversation))

    def find_again(self, tx: Tx, question: Question, on: MessageRef | None, now: float) -> None:
        """A card that was shown while we crashed gives itself away when it is pressed: from then on it is kept up to date."""
        if on is None or outbox.by_ref(tx, on):
            return
        posts = [post for post in self.posts(tx, question) if post.conversation == on.conversation]
        if not any(post.doubtful for post in posts):
            return
        found = outbox.adopt(tx, f"{KEY}{question.id}:{new_id('c')}", on, posts[-1], now)
        if question.state != "pending":
            outbox.amend(tx, found, self._closed(tx, question, on.conversation))

    def posts(self, tx: Tx, question: Question) -> list[Post]:
        return outbox.about(tx, question.id)

    def may_be_seen(self, tx: Tx, question: Question) -> bool:
        """Was the latest card given to the platform? That it arrived may be written down after it is answered."""
        posts = self.posts(tx, question)
        return bool(posts) and (posts[-1].state in ("sending", "sent") or bool(posts[-1].ref or posts[-1].doubtful))

    def takes_words(self, question: Question) -> bool:
        """Is it answered by what its requester writes? Where there are forms it is not: what is written there is queued."""
        asks, limits = question.asks, self._of(question)
        return not limits.forms and not asks.url and question.open < len(asks.blanks)

    def form(self, question: Question) -> Form:
        fields = tuple(_field(blank, self._of(question).field) for blank in question.asks.blanks)
        return Form(_("Answer"), visible(question.asks.message), fields, _("Send"))

    def _way(self, question: Question) -> Way:
        asks = question.asks
        if asks.url:
            return "address"
        return "form" if not asks.direct and len(asks.blanks) <= self._of(question).forms else "steps"

    def _of(self, question: Question) -> Limits:
        return self._limits(Conversation.parse(question.conversation).channel)

    def _card(self, tx: Tx, question: Question, now: float, lead: str = "") -> Outgoing:
        way, persona = self._way(question), _persona(tx, question)
        rows = self._rows(tx, question, way, now)
        card = sheets.waiting(question, persona, rows, _how(question, way), lead, whole=way == "form")
        return self._fitted(question.conversation, card)

    def _closed(self, tx: Tx, ended: Question, conversation: str) -> Outgoing:
        return self._fitted(conversation, sheets.closed(ended, _persona(tx, ended)))

    def _rows(self, tx: Tx, question: Question, way: Way, now: float) -> tuple[tuple[Button, ...], ...]:
        decline = ("-/decline", _("Decline"), "danger")
        if way == "address":
            laid: list[list[tuple[str, str, str]]] = [[("-/agree", _("I agree"), "primary"), decline]]
        elif way == "form":
            laid = [[("-/form", _("Answer"), "primary"), decline]]
        else:
            place = question.open
            blank = question.asks.blanks[place]
            answers = [(f"{place}/{what}", label, "plain") for what, label in _options(question, blank)]
            others = [(f"{place}/{what}", label, style) for what, label, style in _others(blank)]
            laid = [*_in_rows(answers), [*others, decline]]
        return self._buttons(tx, question, laid, now)

    def _buttons(
        self, tx: Tx, question: Question, laid: Sequence[Sequence[tuple[str, str, str]]], now: float
    ) -> tuple[tuple[Button, ...], ...]:
        """The same button keeps its token, however often it is drawn."""
        room = self._of(question).label
        subjects = [f"{question.id}/{what}" for row in laid for what, _label, _style in row]
        tokens = buttons.standing_for(tx, "answer", subjects)
        for subject in subjects:
            if subject not in tokens:
                tokens[subject] = new_token()
                buttons.add(tx, tokens[subject], Meaning("answer", subject), now)
        return tuple(
            tuple(
                Button(_short(label, room), tokens[f"{question.id}/{what}"], _style(style))
                for what, label, style in row
            )
            for row in laid
        )

    def _fitted(self, conversation: str, card: Outgoing) -> Outgoing:
        """A card is one message: on a narrow platform its text is cut before its buttons."""
        parts = split(card, self._limits(Conversation.parse(conversation).channel))
        return replace(parts[0], rows=card.rows)


def preset(question: Question) -> str:
    """The JSON of the places that are on when a choice of several is opened."""
    blanks, place = question.asks.blanks, question.open
    if place == len(blanks) or blanks[place].kind != "choices":
        return "[]"
    default = blanks[place].default
    suggested = default if isinstance(default, list) else []
    return json.dumps([place for place, option in enumerate(blanks[place].options) if option.value in suggested])


def _persona(tx: Tx, question: Question) -> str:
    persona = personas.find(tx, question.persona_id)
    return persona.display_name if persona else question.persona_id


def _how(question: Question, way: Way) -> str:
    if way == "address":
        return _("I have not opened it, and never will.")
    if way == "form":
        return _("Press Answer to fill it in.")
    blank = question.asks.blanks[question.open]
    if blank.typed:
        return _("Send the answer as a message; in a group, as a reply to this one.")
    return _("Switch on what you choose, then press Done.") if blank.kind == "choices" else ""


def _options(question: Question, blank: Blank) -> Iterator[tuple[str, str]]:
    if blank.kind == "yes_no":
        yield from (("0", _("Yes")), ("1", _("No")))
    for place, option in enumerate(blank.options):
        mark = "" if blank.kind == "choice" else "☑ " if place in question.chosen else "☐ "
        yield str(place), f"{mark}{option.label}"


def _others(blank: Blank) -> Iterator[tuple[str, str, str]]:
    if blank.kind == "choices":
        yield "done", _("Done"), "primary"
    if blank.typed and blank.default not in (None, ""):
        yield "default", _("Use: {value}").format(value=said(blank, blank.default)), "plain"
    if not blank.required:
        yield "skip", _("Skip"), "plain"


def _in_rows(answers: Sequence[tuple[str, str, str]]) -> Iterable[list[tuple[str, str, str]]]:
    beside = IN_A_ROW if all(len(label) <= SIDE_BY_SIDE for _what, label, _style in answers) else 1
    return [list(answers[at : at + beside]) for at in range(0, len(answers), beside)]


def _style(style: str) -> Style:
    return "primary" if style == "primary" else "danger" if style == "danger" else "plain"


def _short(label: str, room: int) -> str:
    plain = visible(" ".join(label.split()))
    return plain if len(plain) <= room else f"{plain[: room - 1]}…"


def _field(blank: Blank, room: int) -> Field:
    hint = " – ".join(part for part in (blank.hint, wanted(blank)) if part)
    choices = (_("yes"), _("no")) if blank.kind == "yes_no" else tuple(option.label for option in blank.options)
    several = blank.kind == "choices"
    value = "" if blank.default is None else said(blank, blank.default)
    if several and isinstance(blank.default, list):
        value = "\n".join(option.label for option in blank.options if option.value in blank.default)
    most = min(room, LONGEST_TEXT) if blank.most is None else min(room, int(blank.most))
    long = blank.kind == "text" and blank.format is None and most > ONE_LINE
    return Field(
        blank.name, visible(blank.label), value[:room], visible(hint), choices, long, not blank.required, several
    )
