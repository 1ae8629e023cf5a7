"""Ends things with all that hangs on them: a run with its cards, a conversation with its sessions and its queue.

What is decided here is decided in the caller's transaction, before anything is sent.
"""

from gettext import gettext as _

from bot.approver import Approver
from bot.questioner import Questioner
from bot.store import approvals, audit, calls, conversations, entries, outbox, outside, runs, sessions, task_tokens
from bot.store.database import Tx
from bot.store.entries import Entry
from bot.store.sessions import Session
from channels.events import Conversation

SERVICE = "askfirst"

STATUS_AFTER_S = 4.0
"""A run shows no status line before it is this old."""


class Closer:
    def __init__(self, approver: Approver, questioner: Questioner) -> None:
        self._approver = approver
        self._questioner = questioner

    def cancel(self, tx: Tx, run_id: str, by: str, reason: str, now: float) -> bool:
        """End a run as cancelled; False if it had ended. Returns with its cards closed and its status line gone."""
        if not runs.end(tx, run_id, "cancelled", now, "cancelled", reason):
            return False
        for approval in approvals.pending_of_run(tx, run_id):
            self._approver.cancel(tx, approval, reason, now)
        self._questioner.cancel_of_run(tx, run_id, reason, now)
        entries.add(tx, Entry(run_id, "cancelled", None, now, {"by": by, "reason": reason}))
        self.cancel_within(tx, run_id, by, reason, now)
        self.clear_status(tx, run_id)
        tx.tell("cancel", run_id)
        tx.tell("ended", f"cancelled {run_id}")
        run = runs.find(tx, run_id)
        if run is not None:
            tx.tell("quiet", run.conversation)
        return True

    def cancel_within(self, tx: Tx, run_id: str, by: str, reason: str, now: float) -> None:
        """End what other programs have asked for within a run that has ended."""
        for each in outside.open_within(tx, run_id):
            self.cancel(tx, each, by, reason, now)

    def token_gone(self, tx: Tx, token_id: str, by: str, reason: str, now: float) -> None:
        """A task token ended: what was asked for with it, and is not begun, is not done any more."""
        for run_id in outside.open_with(tx, token_id):
            runs.hold(tx, run_id)
            if all(call.state != "started" for call in calls.of_runs(tx, [run_id])):
                self.cancel(tx, run_id, by, reason, now)

    def cancel_questions(self, tx: Tx, run_id: str, reason: str, now: float) -> None:
        """Nobody waits for their answers any more: the run has ended."""
        self._questioner.cancel_of_run(tx, run_id, reason, now)

    def clear_status(self, tx: Tx, run_id: str) -> None:
        """Take the line away that says what a run is doing."""
        for post in outbox.about(tx, run_id):
            if post.key == status_key(run_id) and post.state != "dropped":
                outbox.amend(tx, post, None)

    def stop(self, tx: Tx, conversation: str, by: str, now: float) -> tuple[int, list[str]]:
        """End everything that is open in a conversation: how many messages that were worked on or waited (1 where only
        another program's call did), and the tools whose outcome is not known."""
        open_runs = runs.open_in(tx, [conversation])
        messages = len(runs.waiting_line(tx, conversation))
        begun = [
            call.tool
            for call in calls.of_runs(tx, open_runs)
            if call.state == "started" and not call.delegates and not call.repeatable
        ]
        for run_id in open_runs:
            self.cancel(tx, run_id, by, _("stopped"), now)
        return max(messages, 1 if open_runs else 0), begun

    def clear(self, tx: Tx, keys: list[str], by: str, reason: str, now: float) -> int:
        """Runs cancelled, cards closed, queue and sessions gone, in these conversations; how many sessions ended."""
        for run_id in runs.open_in(tx, keys):
            self.cancel(tx, run_id, by, reason, now)
        task_tokens.revoke_in(tx, keys, now)
        ended = sum(sessions.end(tx, key) for key in keys)
        audit.record(tx, now, by, "sessions_ended", ", ".join(keys)[:1000], {"reason": reason, "count": str(ended)})
        return ended

    def gone(self, tx: Tx, keys: list[str], reason: str, at: float | None, now: float) -> None:
        """We are no longer in these conversations: nothing can be shown there.

        `at`: what was said until then is void, by the platform's clock; None where it was found out by a failed send,
        since our clock must not silence what is said after a return.
        """
        self.clear(tx, keys, SERVICE, reason, now)
        if at is not None:
            conversations.mark_gone(tx, keys, at)
        outbox.drop(tx, keys)

    def end_session(self, tx: Tx, session: Session, by: str, reason: str, now: float) -> None:
        """One persona forgets one conversation: its runs there end with their cards, and what is queued for it."""
        for run_id in runs.open_in_session(tx, session.id):
            self.cancel(tx, run_id, by, reason, now)
        for run_id in outside.open_in(tx, session.conversation, session.persona_id):
            self.cancel(tx, run_id, by, reason, now)
        task_tokens.revoke_in(tx, [session.conversation], now, session.persona_id)
        sessions.end(tx, session.conversation, session.persona_id)
        about = {"reason": reason, "persona": session.persona_id, "count": "1"}
        audit.record(tx, now, by, "sessions_ended", session.conversation, {**about})

    def persona_gone(self, tx: Tx, persona_id: str, by: str, reason: str, now: float) -> int:
        """A persona is no more: its runs end with their cards, and its sessions; how many sessions ended."""
        for run_id in runs.open_of(tx, persona_id):
            self.cancel(tx, run_id, by, reason, now)
        task_tokens.revoke_of_persona(tx, persona_id, now)
        return sessions.end_of(tx, persona_id)

    def channel_gone(self, tx: Tx, channel: str, reason: str, at: float | None, now: float) -> None:
        """The whole account is not usable any more. `at` as for `gone`."""
        task_tokens.revoke_on(tx, channel, now)
        self.gone(tx, conversations.of_channel(tx, channel), reason, at, now)

    def thread_gone(self, tx: Tx, where: Conversation, now: float) -> None:
        """A topic was deleted; the chat around it goes on."""
        self.gone(tx, [where.key], _("the topic was deleted"), None, now)


def status_key(run_id: str) -> str:
    """The name of a run's status line in the outbox."""
    return f"status:{run_id}"
