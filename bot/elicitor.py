"""What a tool says and asks while it is at work: its progress in the chat, and its questions to the requester."""

import asyncio
import math
from collections.abc import Mapping
from gettext import gettext as _
from typing import TYPE_CHECKING, Any

from bot.clock import Clock, new_id
from bot.domain.elicitation import Unaskable, blanks_of
from bot.domain.question import Inquiry, Question
from bot.domain.run import Call, Run
from bot.errors import Fenced
from bot.mcp_client.spoken import Accepted, Answer, Cancelled, Declined, Elicit, Progress
from bot.patience import Patience
from bot.presence import Presence
from bot.prompt import one_line
from bot.questioner import Questioner
from bot.store import audit, outbox, questions, runs
from bot.store.database import Signal, Store, Tx
from channels.events import Conversation
from channels.outgoing import Outgoing, plain
from channels.text.characters import visible

BEAT_S = 5.0
"""How often a question is looked at although nothing was signalled: on PostgreSQL another machine may have taken the answer."""
REPORT = 120
"""Characters of what a tool reports."""


class Elicitor:
    def __init__(
        self, store: Store, questioner: Questioner, presence: Presence, patience: Patience, clock: Clock
    ) -> None:
        self._store = store
        self._questioner = questioner
        self._presence = presence
        self._patience = patience
        self._clock = clock
        self._waiting: dict[str, asyncio.Event] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._stopping = False

    def heed(self, signal: Signal) -> None:
        """A question has ended."""
        stirred = self._waiting.get(signal.subject)
        if stirred is not None and signal.topic == "answered":
            stirred.set()

    def progress(self, run: Run, call: Call, name: str) -> Progress:
        """Where a tool reports how far it is. `name`: what its server calls it."""

        async def report(done: float, total: float | None, words: str) -> None:
            self._presence.report(run, call.tool, _reported(name, done, total, words))

        return report

    def asking(self, run: Run, call: Call, server: str) -> Elicit:
        """What a server asks in the middle of a call."""
        return _Asking(self, run, call, server)

    async def put(self, run: Run, call: Call, server: str, inquiry: Inquiry) -> Answer:
        """Ask, and wait until it is answered, declined, or ended in another way."""
        if self._stopping:
            return Cancelled()
        try:
            question_id = await self._store.tx(self._open, run, call, server, inquiry)
        except Fenced:
            return Cancelled()
        stirred = self._waiting[question_id] = asyncio.Event()
        self._presence.now(run, "waiting", None)
        try:
            with self._patience.waiting(run.id):
                ended = await self._ended(question_id, stirred)
        except asyncio.CancelledError:
            self._withdraw(question_id, _("nobody waits for the answer any more"))
            raise
        finally:
            del self._waiting[question_id]
        self._presence.now(run, "acting", call.tool)
        return _answer(ended)

    async def turn_down(self, run: Run, server: str, why: str) -> Answer:
        """Say no at once, and tell the requester that we did."""
        await self._store.tx(self._note, run, server, why)
        return Declined()

    async def stop(self) -> None:
        """Ask nothing more, and withdraw what waits: then the calls that wait for it may end, and their outcome is known."""
        self._stopping = True
        for question_id in list(self._waiting):
            self._withdraw(question_id, _("the service stopped"))
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=BEAT_S)

    def _open(self, tx: Tx, run: Run, call: Call, server: str, inquiry: Inquiry) -> str:
        runs.guard(tx, run)
        fresh = runs.find(tx, run.id) or run
        question = self._questioner.ask(tx, fresh, call, inquiry, self._clock(), server=server, resumes=False)
        return question.id

    async def _ended(self, question_id: str, stirred: asyncio.Event) -> Question | None:
        while True:
            stirred.clear()
            found = await self._store.light(questions.find, question_id)
            if found is None or found.state != "pending":
                return found
            try:
                async with asyncio.timeout(BEAT_S):
                    await stirred.wait()
            except TimeoutError:
                continue

    def _withdraw(self, question_id: str, reason: str) -> None:
        """In a task of its own: whoever waited is on their way out."""
        task = asyncio.create_task(self._store.tx(self._cancel, question_id, reason), name=f"withdraw {question_id}")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    def _cancel(self, tx: Tx, question_id: str, reason: str) -> None:
        question = questions.find(tx, question_id)
        if question is not None:
            self._questioner.cancel(tx, question, reason, self._clock())

    def _note(self, tx: Tx, run: Run, server: str, why: str) -> None:
        now = self._clock()
        where = runs.guard(tx, run)
        message = Outgoing(plain(why), (), None if run.private else run.message_ref)
        outbox.post(tx, f"turned-down:{new_id('m')}", Conversation.parse(where), message, now, subject=run.id)
        audit.record(tx, now, "askfirst", "input_turned_down", server, {"run": run.id, "reason": why})


class _Asking:
    def __init__(self, elicitor: Elicitor, run: Run, call: Call, server: str) -> None:
        self._elicitor = elicitor
        self._run = run
        self._call = call
        self._server = server

    async def form(self, message: str, schema: Mapping[str, Any]) -> Answer:
        try:
            inquiry = Inquiry(message, blanks_of(schema))
        except Unaskable as unaskable:
            return await self._elicitor.turn_down(self._run, self._server, _why(self._server, unaskable))
        return await self._elicitor.put(self._run, self._call, self._server, inquiry)

    async def url(self, message: str, url: str) -> Answer:
        return await self._elicitor.put(self._run, self._call, self._server, Inquiry(message, (), url))


def _why(server: str, unaskable: Unaskable) -> str:
    if unaskable.secret:
        words = _("The MCP server {server} asked for “{what}”. A chat is no place for secrets, so I declined for you.")
        return words.format(server=one_line(server), what=visible(str(unaskable)))
    words = _("The MCP server {server} asked for something that cannot be asked here, so I declined for you. {why}")
    return words.format(server=one_line(server), why=visible(str(unaskable)))


def _answer(ended: Question | None) -> Answer:
    if ended is None:
        return Cancelled()
    if ended.state == "answered":
        return Accepted(ended.content)
    return Declined() if ended.state == "declined" else Cancelled()


def _reported(name: str, done: float, total: float | None, words: str) -> str:
    """`name: 3 of 10, words` in one line."""
    far = f"{done:g}" if math.isfinite(done) else ""
    if far and total is not None and math.isfinite(total):
        far = _("{done} of {total}").format(done=far, total=f"{total:g}")
    said = ", ".join(part for part in (far, visible(" ".join(words.split()))) if part)
    line = f"{name}: {said}"
    return line if len(line) <= REPORT else f"{line[: REPORT - 1]}…"


if TYPE_CHECKING:
    _asks: type[Elicit] = _Asking
