"""Shows that something is going on: a passing sign, then a status line, never silence for more than 5 s."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from gettext import gettext as _

from bot.clock import Clock
from bot.closer import STATUS_AFTER_S, status_key
from bot.domain.run import Run
from bot.errors import AskfirstError
from bot.reach import Connected, Reach
from bot.store import outbox, runs
from bot.store.database import Signal, Store, Tx
from bot.supervisor import attempt
from channels.adapter import Activity
from channels.errors import ChannelError
from channels.events import Conversation
from channels.outgoing import Outgoing, plain

SIGN_AFTER_S = 0.4
"""An answer that comes sooner needs no sign."""
SIGN_EVERY_S = 4.0
STAYING_SIGN_EVERY_S = 30.0
"""A sign that stays longer than this is only shown again in case that it was lost."""
STREAM_EVERY_S = 0.08
"""Text that is being written is shown as a whole each time: more often than the eye follows would only cost."""


@dataclass(slots=True)
class _Shown:
    activity: Activity
    tool: str | None
    changed: asyncio.Event
    report: str = ""
    """What the tool says of its progress."""


class Presence:
    def __init__(self, store: Store, connected: Connected, clock: Clock) -> None:
        self._store = store
        self._connected = connected
        self._clock = clock
        self._shown: dict[str, _Shown] = {}
        self._quieting: set[asyncio.Task[object]] = set()

    async def during(self, run: Run, work: Awaitable[None]) -> None:
        """Show what the run is doing while `work` lasts; signs end with it, however it ends."""
        shown = _Shown("thinking", None, asyncio.Event())
        self._shown[run.id] = shown
        signs = asyncio.create_task(self._signs_apart(run, shown), name=f"signs {run.id}")
        try:
            await work
        finally:
            del self._shown[run.id]
            signs.cancel()
            await asyncio.wait([signs])

    def now(self, run: Run, activity: Activity, tool: str | None) -> None:
        """The run does something else now."""
        shown = self._shown.get(run.id)
        if shown is not None and (shown.activity, shown.tool) != (activity, tool):
            shown.activity, shown.tool, shown.report = activity, tool, ""
            shown.changed.set()

    def report(self, run: Run, tool: str, words: str) -> None:
        """The tool at work says how far it is. It is shown when the status line is looked at next, not at once: a tool may say
        so ten times a second."""
        shown = self._shown.get(run.id)
        if shown is not None and (shown.activity, shown.tool) == ("acting", tool):
            shown.report = words

    def line(self, run: Run) -> str:
        """What the status line says of a run, where it has one."""
        shown = self._shown.get(run.id)
        return "" if shown is None else _words(shown)

    def streamer(self, run: Run) -> Callable[[str], Awaitable[None]]:
        """Where the model's text goes while it is written, on channels that can show it."""
        reach = self._connected(run.channel)
        streams = None if reach is None else reach.streams
        if streams is None:
            return _unheard
        where = Conversation.parse(run.conversation)
        loop = asyncio.get_running_loop()
        written: list[str] = []
        shown_at = 0.0

        async def on_text(piece: str) -> None:
            nonlocal shown_at
            written.append(piece)
            if loop.time() - shown_at < STREAM_EVERY_S:
                return
            shown_at = loop.time()
            await _lost_is_fine(streams.stream(where, run.id, "".join(written)))

        return on_text

    async def _signs_apart(self, run: Run, shown: _Shown) -> None:
        """Whatever goes wrong with the signs, the run goes on. They are begun in here: a run may end before that."""
        await attempt("signs", self._signs(run, shown))

    async def _signs(self, run: Run, shown: _Shown) -> None:
        begun = asyncio.get_running_loop().time()
        where = Conversation.parse(run.conversation)
        try:
            await asyncio.sleep(SIGN_AFTER_S)
            while True:
                shown.changed.clear()
                reach = self._connected(run.channel)
                seen = reach is not None and await _show(reach, where, shown.activity)
                if reach is None or (seen and _stays(reach)):
                    await _changed(shown.changed, STAYING_SIGN_EVERY_S)
                    continue
                left = STATUS_AFTER_S - (asyncio.get_running_loop().time() - begun)
                if left <= 0:
                    await self._store.tx(self._status, run, _words(shown))
                await _changed(shown.changed, min(SIGN_EVERY_S, left) if left > 0 else SIGN_EVERY_S)
        except AskfirstError:
            return  # the store cannot be used or the run is over: there is nothing to show
        finally:
            await self._rest(run.channel, where, "waiting" if shown.activity == "waiting" else "idle")

    def heed(self, signal: Signal) -> None:
        """A run that may have waited for a person has ended."""
        if signal.topic == "quiet":
            where = Conversation.parse(signal.subject)
            quiet = asyncio.create_task(attempt("quiet", self._rest(where.channel, where, "idle")))
            self._quieting.add(quiet)
            quiet.add_done_callback(self._quieting.discard)

    async def _rest(self, channel: str, where: Conversation, activity: Activity) -> None:
        """The last sign of a run, on channels where a sign stays."""
        reach = self._connected(channel)
        if reach is not None and _stays(reach):
            await _show(reach, where, activity)

    def _status(self, tx: Tx, run: Run, words: str) -> None:
        """Say it in a line of its own, once; later changes are edits."""
        where = runs.guard(tx, run)
        line = Outgoing(plain(words), (), None if run.private else run.message_ref)
        status = outbox.find(tx, status_key(run.id))
        if status is None:
            outbox.post(tx, status_key(run.id), Conversation.parse(where), line, self._clock(), subject=run.id)
        elif status.message != line:
            outbox.amend(tx, status, line)


def _words(shown: _Shown) -> str:
    if shown.report:
        return f"… {shown.report}"
    if shown.activity == "acting" and shown.tool:
        return _("… using {tool}").format(tool=shown.tool)
    if shown.activity == "waiting":
        return _("… waiting for an answer")
    return _("… thinking")


async def _unheard(_text: str) -> None:
    """This channel cannot show text while it is written."""


async def _changed(event: asyncio.Event, within: float) -> None:
    try:
        async with asyncio.timeout(within):  # not wait_for: it forgets a cancellation that comes with the event
            await event.wait()
    except TimeoutError:
        return


def _stays(reach: Reach) -> bool:
    """A sign that stays tells enough, needs no status line, and must be taken back."""
    lasts = reach.adapter.limits.activity_s
    return lasts is None or lasts > STAYING_SIGN_EVERY_S


async def _show(reach: Reach, where: Conversation, activity: Activity) -> bool:
    """Can a sign be seen? A lost one does not matter."""
    try:
        return reach.shows is not None and await reach.shows.show(where, activity)
    except ChannelError:
        return False


async def _lost_is_fine(sign: Awaitable[None]) -> None:
    try:
        await sign
    except ChannelError:
        return
