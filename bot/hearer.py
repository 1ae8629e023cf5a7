"""Hears the answers of the one who was asked: a press, a form, or words; each counts once."""

import json
from collections.abc import Callable
from dataclasses import replace
from gettext import gettext as _

from bot import sheets
from bot.domain.access import Decider
from bot.domain.question import Question, QuestionState, Value, written
from bot.domain.reading import Misread, choose, read
from bot.questioner import Questioner
from bot.quiz import Quiz, preset
from bot.store import audit, questions, runs
from bot.store.buttons import Meaning
from bot.store.database import Tx
from channels.adapter import Limits, Receipt
from channels.events import FormAnswer, Message
from channels.outgoing import MessageRef


class Hearer:
    def __init__(self, questioner: Questioner, limits: Callable[[str], Limits]) -> None:
        """`limits` are those of a channel by its name."""
        self._questioner = questioner
        self._quiz = Quiz(limits)

    def press(self, tx: Tx, meaning: Meaning, by: Decider, on: MessageRef | None, now: float) -> Receipt:
        """A button of the card `on` was pressed."""
        question_id, place, what = meaning.subject.split("/")
        found = self._held(tx, question_id)
        if found is not None:
            self._quiz.find_again(tx, found, on, now)
        refusal = self._barred(tx, found, by, now)
        if found is None or refusal is not None:
            return refusal or _unknown()
        match what:
            case "decline":
                return self.take(tx, found, "declined", by, now)
            case "agree":
                return self.take(tx, found, "answered", by, now)
            case "form":
                return Receipt(form=self._quiz.form(found))
            case _ if int(place) != found.open:
                return Receipt(_("This was answered before. Nothing changed."), alert=True)
            case _:
                return self._pressed(tx, found, what, by, now)

    def filled(self, tx: Tx, event: FormAnswer, meaning: Meaning, by: Decider, now: float) -> Receipt:
        """A form was filled in: all blanks at once."""
        found = self._held(tx, meaning.subject.partition("/")[0])
        refusal = self._barred(tx, found, by, now)
        if found is None or refusal is not None:
            return refusal or _unknown()
        given: dict[str, Value | None] = {}
        mistakes = {}
        for blank in found.asks.blanks:
            text = event.values.get(blank.name, "").strip()
            if not text and not blank.required:
                given[blank.name] = None
                continue
            try:
                given[blank.name] = read(blank, text)
            except Misread as misread:
                mistakes[blank.name] = str(misread)
        if mistakes:
            return Receipt(mistakes=mistakes)
        return self._go_on(tx, found, given, by, now)

    def heard(self, tx: Tx, event: Message, text: str, by: Decider, now: float) -> bool:
        """A message of the requester answers what is open here, where that is how answers are given; False if it does not."""
        if event.forwarded or not event.addressed:
            return False
        mine = [each for each in questions.pending_in(tx, event.where.key) if each.requested_by == event.sender.id]
        open_here = (each for each in mine if self._quiz.takes_words(each) and self._quiz.may_be_seen(tx, each))
        waiting = next(open_here, None)
        found = None if waiting is None else self._held(tx, waiting.id)
        if found is None or self._barred(tx, found, by, now) is not None:
            return False
        blank = found.asks.blanks[found.open]
        try:
            value = read(blank, text)
        except Misread as misread:
            self._quiz.post(tx, found, now, _("That was not taken. {why}").format(why=str(misread)))
            return True
        self._go_on(tx, found, {**found.given, blank.name: value}, by, now, below=True)
        return True

    # Steps

    def _held(self, tx: Tx, question_id: str) -> Question | None:
        """As it is, and nobody else changes it before the commit."""
        known = questions.find(tx, question_id)
        if known is None:
            return None
        runs.hold(tx, known.run_id)
        return questions.find(tx, question_id)

    def _barred(self, tx: Tx, question: Question | None, by: Decider, now: float) -> Receipt | None:
        """Why this person cannot answer this (any more); None if they can."""
        if question is None:
            return _unknown()
        if by.id != question.requested_by or by.place is None:
            about = {"capability": question.capability_id, "run": question.run_id}
            audit.record(tx, now, by.id, "answer_refused", question.id, {**about})
            words = _("Only {name} may answer this. Nothing changed.")
            return Receipt(words.format(name=question.requester_name), alert=True)
        if question.state != "pending":
            return Receipt(self._too_late(question), alert=True)
        if now >= question.expires_at:
            self._questioner.close(tx, question, "expired", None, None, now)
            return Receipt(_("Too late: this has expired. Nothing was passed on."), alert=True)
        if not runs.alive(tx, question.run_id):
            self._questioner.close(tx, question, "cancelled", None, _("the run had ended"), now)
            return Receipt(_("Too late: the run had ended. Nothing was passed on."), alert=True)
        return None

    def _pressed(self, tx: Tx, question: Question, what: str, by: Decider, now: float) -> Receipt:
        blank = question.asks.blanks[question.open]
        if what == "skip":
            return self._go_on(tx, question, {**question.given, blank.name: None}, by, now)
        if what == "default":
            return self._go_on(tx, question, {**question.given, blank.name: blank.default}, by, now)
        if blank.kind == "yes_no":
            return self._go_on(tx, question, {**question.given, blank.name: what == "0"}, by, now)
        if blank.kind == "choices" and what != "done":
            return self._switch(tx, question, int(what), now)
        try:
            value = choose(blank, question.chosen if what == "done" else [int(what)])
        except Misread as misread:
            return Receipt(str(misread), alert=True)
        return self._go_on(tx, question, {**question.given, blank.name: value}, by, now)

    def _switch(self, tx: Tx, question: Question, option: int, now: float) -> Receipt:
        """One of several options, on or off."""
        on = set(question.chosen) ^ {option}
        picked = json.dumps(sorted(on))
        if not questions.go_on(tx, question, question.answers, picked):
            return Receipt(_("This was answered before. Nothing changed."), alert=True)
        self._quiz.redraw(tx, replace(question, picked=picked), now)
        label = question.asks.blanks[question.open].options[option].label
        words = _("Chosen: {label}.") if option in on else _("Not chosen: {label}.")
        return Receipt(words.format(label=label))

    def _go_on(
        self,
        tx: Tx,
        question: Question,
        given: dict[str, Value | None],
        by: Decider,
        now: float,
        *,
        below: bool = False,
    ) -> Receipt:
        """Keep what is given by now; ask for the next, or end. `below`: the requester wrote since the card was shown."""
        after = replace(question, answers=written(given))
        after = replace(after, picked=preset(after))
        if not questions.go_on(tx, question, after.answers, after.picked):
            return Receipt(_("This was answered before. Nothing changed."), alert=True)
        if after.open == len(after.asks.blanks):
            return self.take(tx, after, "answered", by, now)
        if below:
            self._quiz.post(tx, after, now)
        else:
            self._quiz.redraw(tx, after, now)
        return Receipt(_("Noted."))

    def take(self, tx: Tx, question: Question, state: QuestionState, by: Decider, now: float) -> Receipt:
        """The one way in which a person ends it: the first end counts."""
        if not self._questioner.close(tx, question, state, by.id, None, now):
            fresh = questions.find(tx, question.id)
            return Receipt(self._too_late(fresh or question), alert=True)
        return Receipt(
            _("Thank you, it is passed on.") if state == "answered" else _("Declined. Nothing is passed on.")
        )

    def _too_late(self, question: Question) -> str:
        return _("Too late: {verdict}. Nothing changed.").format(verdict=sheets.verdict(question).lstrip("✓✗ "))


def _unknown() -> Receipt:
    return Receipt(_("This is no longer known. Nothing was done."), alert=True)
