"""Asks the one whom a run works for, and sees to what follows from the end of a question."""

from collections.abc import Callable
from dataclasses import replace
from gettext import gettext as _

from bot.cards import moment
from bot.clock import new_id
from bot.domain.policy import Policies
from bot.domain.question import Inquiry, Question, QuestionState, dumped, written
from bot.domain.run import Call, Run
from bot.quiz import SHOWN_AGAIN_AFTER_S, Quiz, preset
from bot.store import audit, calls, entries, questions, runs
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.tools.spec import FailureCode
from channels.adapter import Limits

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
        about = {"capability": call.capability_id, "run": run.id, "server": server or None}
        audit.record(tx, now, run.user, "input_requested", question.id, about)
        self._quiz.post(tx, question, now)
        return question

    # Ends

    def close(
        self, tx: Tx, question: Question, state: QuestionState, by: str | None, reason: str | None, now: float
    ) -> bool:
        """The one way in which it ends: the first end counts, False if there was one. `by`: who answered or declined."""
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

    def expire(self, tx: Tx, now: float) -> int:
        """End what nobody answered in time; how many there were."""
        due = questions.due(tx, now, 100)
        for question in due:
            self.close(tx, question, "expired", None, None, now)
        return len(due)

    def cancel(self, tx: Tx, question: Question, reason: str, now: float) -> None:
        """End it because what it belongs to ended."""
        self.close(tx, question, "cancelled", None, reason, now)

    def cancel_of_run(self, tx: Tx, run_id: str, reason: str, now: float) -> None:
        for question in questions.pending_of_run(tx, run_id):
            self.cancel(tx, question, reason, now)

    def cancel_of_call(self, tx: Tx, call_id: str, reason: str, now: float) -> None:
        for question in questions.pending_of_call(tx, call_id):
            self.cancel(tx, question, reason, now)

    def undelivered(self, tx: Tx, question_id: str, now: float) -> None:
        """The card cannot be shown: whoever waits for the answer is freed."""
        question = questions.find(tx, question_id)
        if question is not None and question.state == "pending" and question.shown_at is None:
            self.close(tx, question, "cancelled", None, _("the question could not be shown in the chat"), now)

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
