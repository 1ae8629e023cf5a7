"""Delivers the outbox: each conversation in order, none waiting for another; nothing dropped or doubled unsaid."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from gettext import gettext as _

from bot.approver import Approver
from bot.clock import Clock
from bot.closer import Closer
from bot.errors import StoreUnavailable
from bot.log import logger
from bot.metrics import Metrics
from bot.questioner import Questioner
from bot.quiz import KEY as QUESTION
from bot.reach import Connected, Reach
from bot.showing import Showing, Shown
from bot.store import approvals, conversations, outbox, questions
from bot.store.database import Signal, Store, Tx
from bot.store.outbox import Post
from bot.supervisor import Crash, attempt
from channels.errors import (
    CannotEdit,
    ChannelError,
    ChannelGone,
    ConversationGone,
    ConversationMoved,
    Misconfigured,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    Refused,
    ThreadGone,
)
from channels.events import Conversation
from channels.outgoing import Outgoing, plain

log = logger("askfirst.courier")

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
LOOK_EVERY_S = 1.0
"""How long a lane that waits for its time sleeps at most: it may be asked to stop."""
MOST_TRIES = 20
"""Refused tries in a row before a message is given up: with the pauses above, a quarter of an hour."""
MOST_DOUBTS = 2
"""A post whose outcome is not known is made once more, with a mark; after that it is given up."""


class Courier:
    def __init__(
        self,
        store: Store,
        connected: Connected,
        approver: Approver,
        questioner: Questioner,
        closer: Closer,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._showing = Showing(store)
        self._connected = connected
        self._approver = approver
        self._questioner = questioner
        self._closer = closer
        self._clock = clock
        self._metrics = metrics
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._held: dict[str, float] = {}
        self._open = False

    async def start(self) -> None:
        """Begin with what a crash left behind."""
        await self._store.tx(outbox.recover)
        self._open = True
        await self.sweep()

    async def stop(self) -> None:
        """Return when nothing is on its way any more; what is due stays due."""
        self._open = False
        lanes = list(self._lanes.values())
        if lanes:
            await asyncio.wait(lanes, timeout=5)
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)

    def heed(self, signal: Signal) -> None:
        if signal.topic == "deliver":
            self._wake(signal.subject)

    async def sweep(self) -> None:
        """Look after every conversation that has something to send."""
        for conversation in await self._store.tx(outbox.busy):
            self._wake(conversation)

    def _wake(self, conversation: str) -> None:
        if not self._open:
            return
        if conversation in self._lanes:
            self._again.add(conversation)
            return
        self._lanes[conversation] = asyncio.create_task(self._lane(conversation), name=f"deliver {conversation}")

    async def _lane(self, conversation: str) -> None:
        try:
            while True:
                self._again.discard(conversation)
                crash = await attempt("deliver", self._deliver(conversation))
                if isinstance(crash, Crash) or conversation not in self._again:
                    return  # a crash is left to the sweep: it must not spin
        finally:
            del self._lanes[conversation]

    async def _deliver(self, conversation: str) -> None:
        channel = Conversation.parse(conversation).channel
        settle: Callable[[Tx], None] | None = None
        while self._open or settle is not None:
            reach = self._connected(channel) if self._open else None
            held = self._held.get(channel, 0.0) - self._clock()
            post = await self._tx(conversation, settle, reach is not None and held <= 0)
            settle = None
            if reach is not None and held > 0:
                await asyncio.sleep(min(held, LOOK_EVERY_S))
                continue
            if post is None or reach is None:
                return
            if post.state == "due":
                await asyncio.sleep(min(max(0.0, post.not_before - self._clock()), LOOK_EVERY_S))
                continue
            outcome = await self._show(channel, reach, post)
            settle = self._settlement(channel, post, outcome)

    async def _tx(self, conversation: str, settle: Callable[[Tx], None] | None, more: bool) -> Post | None:
        """Settle what was sent and take the next in one commit: an intent that outlives this process, if not a power cut."""

        def work(tx: Tx) -> Post | None:
            if settle is not None:
                settle(tx)
            if not more:
                return None
            return outbox.take(tx, conversation, self._clock())

        while True:
            try:
                return await self._store.light(work)
            except StoreUnavailable:
                if settle is None:
                    raise
                await asyncio.sleep(FIRST_PAUSE_S)  # it was sent: that must be written down before anything else

    async def _show(self, channel: str, reach: Reach, post: Post) -> Shown | ChannelError:
        with self._metrics.send_seconds.labels(channel).time():
            shown = await attempt("send", self._showing.put(reach, post))
        if isinstance(shown, Crash):
            shown = OutcomeUnknown("something broke on our side while it was sent")
        outcome = "ok" if isinstance(shown, Shown) else type(shown).__name__
        self._metrics.sends.labels(channel, outcome).inc()
        return shown

    def _settlement(self, channel: str, post: Post, outcome: Shown | ChannelError) -> Callable[[Tx], None]:
        """What is written down about it."""
        now = self._clock()
        if isinstance(outcome, Shown):
            return lambda tx: self._settle_shown(tx, post, outcome, now)
        if not isinstance(outcome, RateLimited | NotSent):
            log.warning("a message was not shown", key=post.key, why=str(outcome))
        match outcome:
            case RateLimited():
                self._metrics.retries.labels("send").inc()
                until = now + outcome.retry_after
                if outcome.whole_channel:
                    self._held[channel] = until
                return lambda tx: outbox.again(tx, replace(post, attempts=post.attempts - 1), until)
            case NotSent():
                return self._try_again(post, outcome, now)
            case OutcomeUnknown():
                if post.ref is not None:
                    return self._try_again(post, outcome, now)
                if post.doubtful + 1 >= MOST_DOUBTS:
                    return lambda tx: self._give_up(tx, post, str(outcome), now)
                return lambda tx: outbox.doubt(tx, post, now + FIRST_PAUSE_S)
            case CannotEdit():
                if post.message is None:
                    return lambda tx: outbox.sent(tx, post, None, now)
                return lambda tx: outbox.forget_ref(tx, post)
            case ConversationMoved():
                where = Conversation.parse(post.conversation)
                return lambda tx: self._move(tx, post, where, outcome.chat)
            case ThreadGone():
                return lambda tx: self._without_thread(tx, post, now)
            case ConversationGone():
                return lambda tx: self._gone(tx, post, str(outcome), now)
            case ChannelGone() | Misconfigured():
                return lambda tx: self._closer.channel_gone(tx, channel, str(outcome), None, now)
            case Refused() | ChannelError():
                return lambda tx: self._give_up(tx, post, str(outcome), now)

    def _settle_shown(self, tx: Tx, post: Post, shown: Shown, now: float) -> None:
        outbox.sent(tx, post, shown.ref, now)
        if post.key.startswith("card:") and post.subject is not None:
            approvals.mark_shown(tx, post.subject, now)
        if post.key.startswith(QUESTION) and post.subject is not None:
            questions.mark_shown(tx, post.subject, now)

    def _try_again(self, post: Post, error: ChannelError, now: float) -> Callable[[Tx], None]:
        if post.attempts + 1 >= MOST_TRIES:
            return lambda tx: self._give_up(tx, post, str(error), now)
        self._metrics.retries.labels("send").inc()
        pause = min(FIRST_PAUSE_S * 2**post.attempts, LONGEST_PAUSE_S)
        return lambda tx: outbox.again(tx, post, now + pause)

    def _give_up(self, tx: Tx, post: Post, trouble: str, now: float) -> None:
        outbox.fail(tx, post, trouble)
        self._undelivered(tx, post, now)

    def _undelivered(self, tx: Tx, post: Post, now: float) -> None:
        """Who waits for a decision or an answer must not wait for what nobody sees."""
        if post.subject is None:
            return
        if post.key.startswith("card:"):
            self._approver.undelivered(tx, post.subject, now)
        if post.key.startswith(QUESTION):
            self._questioner.undelivered(tx, post.subject, now)

    def _gone(self, tx: Tx, post: Post, reason: str, now: float) -> None:
        """The whole chat went, with all of its threads."""
        self._undelivered(tx, post, now)  # it may be of a run elsewhere
        chat = conversations.of_chat(tx, Conversation.parse(post.conversation))
        self._closer.gone(tx, list({post.conversation, *chat}), reason, None, now)

    def _move(self, tx: Tx, post: Post, where: Conversation, chat: str) -> None:
        outbox.again(tx, post, post.not_before)
        to = replace(where, chat=chat)
        if not conversations.move(tx, where, to):
            outbox.redirect(tx, where.key, to.key)
        tx.tell("deliver", to.key)
        tx.tell("wake", to.key)

    def _without_thread(self, tx: Tx, post: Post, now: float) -> None:
        """The topic is gone: this message goes to the chat itself, and nothing later is sent to the topic."""
        where = Conversation.parse(post.conversation)
        if where.thread is None:
            self._give_up(tx, post, _("the thread is gone"), now)
            return
        outbox.fail(tx, post, "the topic was deleted")
        if post.message is not None:
            passing = post.key.startswith(("card:", "status:", QUESTION))
            ended = Outgoing(plain(_("The topic was deleted, so I stopped what was under way there.")))
            message, subject = (ended, None) if passing else (post.message, post.subject)
            outbox.post(tx, f"{post.key}:chat", replace(where, thread=None), message, now, subject)
        self._closer.thread_gone(tx, where, now)
