"""Asks the one whom a run works for, takes their answers, and sees to what follows."""

import json
from collections.abc import Callable
from dataclasses import replace
from gettext import gettext as _

from bot import sheets
from bot.cards import moment
from bot.clock import new_id
from bot.domain.access import Decider
from bot.domain.policy import Policies
from bot.domain.question import Inquiry, Question, QuestionState, Value, dumped, written
from bot.domain.reading import Misread, choose, read
from bot.domain.run import Call, Run
from bot.quiz import SHOWN_AGAIN_AFTER_S, Quiz, preset
from bot.store import audit, calls, entries, questions, runs
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.tools.spec import FailureCode
from channels.adapter import Limits, Receipt
from channels.events import FormAnswer, Message
from channels.outgoing import MessageRef

OUTCOMES: dict[QuestionState, tuple[FailureCode, str]] = {
    "declined": (
        "rejected",
        "{who} declined to answer. Do not ask this again; go on without it, or say what you cannot do.",
    ),
    "expired": ("expired", "Nobody answered in time. That is neither a yes nor a no. Do not ask this again."),
    "cancelled": ("cancelled", "Cancelled{reason}: nobody answered."),
}


class Questioner:
    def __init__(self, policies: Policies, limits: Callable[[str], Limits]) -> None:
        """`limits` are those of a channel by its name."""
        self._policies = policies
        self._quiz = Quiz(limits)

    def ask(
        self, tx: Tx, run: Run, call: Call, inquiry: Inquiry, now: float, *, server: str = "", resumes: bool = True
    ) -> Question:
        """Put it before the requester, in the run's conversation. `resumes`: the call waits for the answer."""
        rules = self._policies.of(call.capability_id)
        question = Question(
            id=new_id("qst"),
            run_id=run.id,
            call_id=call.id,
            persona_id=run.persona_id,
            capability_id=call.capability_id,
            conversation=run.conversation,
            server=server,
            resumes=resumes,
            inquiry=dumped(inquiry),
            answers="{}",
            picked="[]",
            requested_by=run.user,
            requester_name=run.user_name,
            state="pending",
            created_at=now,
            expires_at=now + rules.expire_after,
            remind_at=rules.remind_at(now),
            reminded_at=None,
            shown_at=None,
            ended_at=None,
            reason=None,
        )
        question = replace(question, picked=preset(question))
        questions.add(tx, question)
        body = {"question": question.id, "call": call.id, "server": server}
        entries.add(tx, Entry(run.id, "input_requested", call.frame, now, body))
        self._quiz.post(tx, question, now)
        return question

    # Answers

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
        waiting = next((each for each in mine if self._quiz.takes_words(each) and each.shown_at is not None), None)
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

    def take(self, tx: Tx, question: Question, state: QuestionState, by: Decider, now: float) -> Receipt:
        """The one way in which a person ends it: the first end counts."""
        if not self._close(tx, question, state, by.id, None, now):
            fresh = questions.find(tx, question.id)
            return Receipt(self._too_late(fresh or question), alert=True)
        return Receipt(
            _("Thank you, it is passed on.") if state == "answered" else _("Declined. Nothing is passed on.")
        )

    # Ends

    def expire(self, tx: Tx, now: float) -> int:
        """End what nobody answered in time; how many there were."""
        due = questions.due(tx, now, 100)
        for question in due:
            self._close(tx, question, "expired", None, None, now)
        return len(due)

    def cancel(self, tx: Tx, question: Question, reason: str, now: float) -> None:
        """End it because what it belongs to ended."""
        self._close(tx, question, "cancelled", None, reason, now)

    def cancel_of_run(self, tx: Tx, run_id: str, reason: str, now: float) -> None:
        for question in questions.pending_of_run(tx, run_id):
            self.cancel(tx, question, reason, now)

    def cancel_of_call(self, tx: Tx, call_id: str, reason: str, now: float) -> None:
        for question in questions.pending_of_call(tx, call_id):
            self.cancel(tx, question, reason, now)

    def decline(self, tx: Tx, question: Question, reason: str, now: float) -> None:
        """We say no, in the requester's place."""
        self._close(tx, question, "declined", None, reason, now)

    def undelivered(self, tx: Tx, question_id: str, now: float) -> None:
        """The card cannot be shown: whoever waits for the answer is freed."""
        question = questions.find(tx, question_id)
        if question is not None and question.state == "pending" and question.shown_at is None:
            self._close(tx, question, "cancelled", None, _("the question could not be shown in the chat"), now)

    # Shown once more

    def show_again(self, tx: Tx, conversation: str, lead: str, now: float) -> None:
        """Whatever is asked here is shown once more, below what was written since."""
        for question in questions.pending_in(tx, conversation):
            posts = self._quiz.posts(tx, question)
            if len(posts) < 2 or now - posts[-1].created_at >= SHOWN_AGAIN_AFTER_S:
                self._quiz.post(tx, question, now, lead)

    def remind(self, tx: Tx, now: float) -> int:
        """Show what ends soon once more; how many there were."""
        due = questions.to_remind(tx, now, 100)
        for question in due:
            questions.mark_reminded(tx, question.id, now)
            ends = moment(question.expires_at)
            self._quiz.post(tx, question, now, _("Still open, and it ends {time}.").format(time=ends))
        return len(due)

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
            self._close(tx, question, "expired", None, None, now)
            return Receipt(_("Too late: this has expired. Nothing was passed on."), alert=True)
        if not runs.alive(tx, question.run_id):
            self._close(tx, question, "cancelled", None, _("the run had ended"), now)
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

    def _close(
        self, tx: Tx, question: Question, state: QuestionState, by: str | None, reason: str | None, now: float
    ) -> bool:
        runs.hold(tx, question.run_id)
        if not questions.end(tx, question.id, state, now, reason):
            return False
        ended = replace(questions.find(tx, question.id) or question, state=state)
        call = calls.find(tx, question.call_id)
        body = {"question": question.id, "call": question.call_id, "state": state, "by": by, "reason": reason}
        entries.add(tx, Entry(question.run_id, "input_given", call.frame if call else None, now, body))
        about = {"state": state, "capability": question.capability_id, "run": question.run_id, "reason": reason}
        audit.record(tx, now, by or "askfirst", "input_given", question.id, about)
        self._quiz.close(tx, ended)
        if question.resumes:
            self._answer_call(tx, ended, call, now)
        tx.tell("answered", question.id)
        return True

    def _answer_call(self, tx: Tx, ended: Question, call: Call | None, now: float) -> None:
        """The answer is what the call gave."""
        if ended.state == "answered":
            text, failure = f"{ended.requester_name} answered: {written(ended.content)}", None
        else:
            failure, words = OUTCOMES[ended.state]
            text = words.format(who=ended.requester_name, reason=f" ({ended.reason})" if ended.reason else "")
        if call is None or not calls.answer(tx, ended.call_id, "waiting", "done", text, failure):
            return
        body = {"call": call.id, "tool": call.tool, "failure": failure}
        entries.add(tx, Entry(ended.run_id, "tool_finished", call.frame, now, body))
        runs.resume(tx, ended.run_id)
        tx.tell("decided", ended.run_id)
        tx.tell("wake", ended.conversation)

    def _too_late(self, question: Question) -> str:
        return _("Too late: {verdict}. Nothing changed.").format(verdict=sheets.verdict(question).lstrip("✓✗ "))


def _unknown() -> Receipt:
    return Receipt(_("This is no longer known. Nothing was done."), alert=True)
