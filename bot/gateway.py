"""The one entrance for all that channels report: each event is one transaction, whole or not at all."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import assert_never

from bot.approver import Approver
from bot.asker import Asker
from bot.clock import CODE_LETTERS, Clock, new_id
from bot.closer import Closer
from bot.commands.desk import Typed
from bot.commands.table import Commands
from bot.domain.access import Decider
from bot.domain.run import RunState
from bot.doorman import Doorman
from bot.editor import Editor
from bot.errors import StoreUnavailable
from bot.health import Health
from bot.hearer import Hearer
from bot.log import logger
from bot.metrics import Metrics
from bot.pace import Pace
from bot.porter import Porter
from bot.prompt import spoken
from bot.questioner import Questioner
from bot.store import approvals, buttons, channels, conversations, entries, inbox, names, outbox, runs, sessions
from bot.store.conversations import Known
from bot.store.database import Store, Tx
from bot.store.entries import Entry
from bot.store.runs import Queued
from bot.toolbox import Toolbox
from channels.adapter import ChannelState, Limits, Receipt
from channels.errors import NotSent
from channels.events import ButtonPress, Command, Conversation, Edited, Event, FormAnswer, Gone, Message, Moved
from channels.outgoing import Block, Outgoing, plain
from channels.text.characters import clean, size
from channels.text.split import split

log = logger("askfirst.gateway")

NOTHING = Receipt()

CUT_FROM = 0.95
"""Share of the longest message from which one looks like a piece of a longer text: clients cut at a word or a line."""
PIECES_COME_WITHIN_S = 1.2
"""A run waits this long for the next piece: they were seen 56 ms to over 0.6 s apart."""
JOINED_WITHIN_S = 2.0

QUOTED = "a message that was quoted or forwarded"
"""What a run has read then, to go on after "has read"."""

NAMES_REMEMBERED = 10_000

QUOTE_LIMIT = 4000
"""Characters of a quoted message that reach the model."""

_TYPED = re.compile(rf"(?i)\s*(approve|reject)\b(?:\s+([{CODE_LETTERS}]{{4}})\b)?\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is taken in: open runs of one conversation, characters of one message."""

    queue: int
    message_chars: int


class Gateway:
    """Proves to channels that what they report is stored (`channels.adapter.Inlet`)."""

    def __init__(
        self,
        store: Store,
        doorman: Doorman,
        asker: Asker,
        approver: Approver,
        questioner: Questioner,
        hearer: Hearer,
        editor: Editor,
        closer: Closer,
        porter: Porter,
        commands: Commands,
        toolbox: Toolbox,
        channel_personas: Mapping[str, str],
        limits: Callable[[str], Limits],
        bounds: Bounds,
        pace: Pace,
        health: Health,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._store = store
        self._doorman = doorman
        self._asker = asker
        self._approver = approver
        self._questioner = questioner
        self._hearer = hearer
        self._editor = editor
        self._closer = closer
        self._porter = porter
        self._commands = commands
        self._toolbox = toolbox
        self._channel_personas = channel_personas
        self._limits = limits
        self._bounds = bounds
        self._pace = pace
        self._health = health
        self._clock = clock
        self._metrics = metrics
        self._called: dict[str, str] = {}

    async def receive(self, event: Event) -> Receipt:
        channel = event.channel if isinstance(event, Gone) else event.where.channel
        if isinstance(event, Message) and not event.addressed and not event.follows:
            return NOTHING
        with self._metrics.accept_seconds.time(), _stumbling():
            receipt = await self._store.tx(self._accept, channel, event)
        self._remember(event)
        self._metrics.intake.labels(channel, type(event).__name__.lower()).inc()
        return receipt

    async def set_aside(self, channel: str, event_id: str, raw: str, reason: str) -> None:
        log.warning("an event was set aside", channel=channel, event_id=event_id, why=reason)
        with _stumbling():
            await self._store.tx(inbox.set_aside, channel, event_id, raw, reason, self._clock())
        self._metrics.intake.labels(channel, "set_aside").inc()

    async def keep(self, channel: str, delivery_id: str, raw: str) -> bool:
        with _stumbling():
            return await self._store.tx(inbox.keep, channel, delivery_id, raw, self._clock())

    async def kept(self, channel: str) -> list[tuple[str, str]]:
        with _stumbling():
            return await self._store.tx(inbox.kept, channel)

    async def release(self, channel: str, delivery_id: str) -> None:
        with _stumbling():
            await self._store.tx(inbox.release, channel, delivery_id)

    def report(self, channel: str, state: ChannelState, detail: str = "") -> None:
        log.info("a channel reports", channel=channel, state=state, detail=detail)
        self._health.note(f"channel:{channel}", state, detail, ok=state == "connected")

    def _accept(self, tx: Tx, channel: str, event: Event) -> Receipt:
        now = self._clock()
        if isinstance(event, Message | Command) and event.follows and not sessions.any_in(tx, event.where.key):
            return NOTHING
        if not inbox.add(tx, channel, event.id, now):
            return NOTHING
        sender = None if isinstance(event, Gone | Moved) else event.sender
        if sender is not None and self._called.get(sender.id) != sender.name:
            names.note(tx, sender.id, sender.name)
        if channels.is_off(tx, channel):
            return Receipt(_("This channel is disconnected. Nothing was done."), alert=True)
        match event:
            case Gone():
                self._gone(tx, event, now)
            case Moved():
                self._moved(tx, event)
            case ButtonPress():
                return self._press(tx, event, now)
            case FormAnswer():
                return self._filled(tx, event, now)
            case Edited():
                self._edited(tx, event, now)
            case Command() | Message():
                return self._spoken(tx, event, now)
            case _:
                assert_never(event)
        return NOTHING

    def _remember(self, event: Event) -> None:
        """Whose name was noted needs no further look until it changes."""
        if isinstance(event, Gone | Moved):
            return
        self._called[event.sender.id] = event.sender.name
        if len(self._called) > NAMES_REMEMBERED:
            del self._called[next(iter(self._called))]

    # Words

    def _spoken(self, tx: Tx, event: Message | Command, now: float) -> Receipt:
        pace = self._pace.judge(_paced(event), now)
        if pace == "over":
            self._metrics.intake.labels(event.where.channel, "flood").inc()
            return NOTHING
        known = conversations.meet(tx, event.where)
        where = Conversation.parse(known.key)
        if known.gone_at is not None and event.at <= known.gone_at:
            return NOTHING
        event = replace(event, where=where)
        if not self._doorman.lets_in(tx, event.sender, where, event.private):
            words = self._doorman.turn_away(tx, event.sender, where, now)
            return NOTHING if words is None else self._say(tx, event, plain(words), now)
        if pace == "first_over":
            words = _("That is more than I can take in. But for {mark}stop I read nothing for a minute.")
            return self._say(tx, event, plain(words.format(mark=self._mark(event))), now)
        if isinstance(event, Command) and not event.aside and self._is_tool(event):
            event = _as_words(event)
        receipt = self._taken(tx, event, known, now)
        self._take_part(tx, event, now)
        return receipt

    def _taken(self, tx: Tx, event: Message | Command, known: Known, now: float) -> Receipt:
        typed = event if isinstance(event, Command) else self._typed_decision(tx, event)
        if typed is not None:
            return self._command(tx, typed, known, now)
        assert isinstance(event, Message)
        return self._message(tx, event, known, now)

    def _take_part(self, tx: Tx, event: Message | Command, now: float) -> None:
        """Who was answered in a thread, were it a command alone, is heard there from then on without a mention."""
        where, aside = event.where, isinstance(event, Command) and event.aside
        if event.private or aside or where.thread is None or channels.is_off(tx, where.channel):
            return
        known = conversations.meet(tx, where)
        sessions.open_for(tx, where.key, where.channel, self._persona_id(tx, known), new_id("ses"), now)

    def _is_tool(self, event: Command) -> bool:
        """`/add_note text="milk"` is no command of ours but a request that names its tool: the model is to read it."""
        return not self._commands.knows(event.name) and self._toolbox.named(event.name)

    def _command(self, tx: Tx, event: Command, known: Known, now: float) -> Receipt:
        typed = Typed(event, self._persona_id(tx, known), now, self._limits(event.where.channel))
        reply = self._commands.run(tx, typed)
        return NOTHING if reply is None else self._reply(tx, event, reply, now)

    def _typed_decision(self, tx: Tx, event: Message) -> Command | None:
        """`approve` and `reject reason` without a slash, where something waits: Telegram drops presses after 150 s."""
        match = _TYPED.fullmatch(event.text)
        if match is None:
            return None
        verb, code, rest = match.groups()
        coded = approvals.by_code(tx, code.upper()) if code else None
        if coded is None and not approvals.pending_in(tx, event.where.key):
            return None
        if verb.lower() == "approve" and rest.strip():
            return None
        arguments = event.text.strip()[len(verb) :].strip()
        return Command(event.id, event.at, event.where, event.sender, event.private, verb.lower(), arguments, event.ref)

    def _message(self, tx: Tx, event: Message, known: Known, now: float) -> Receipt:
        told = self._porter.accept(tx, event, now)
        if told is not None:
            return self._say(tx, event, plain(told), now) if told else NOTHING
        text = clean(event.text).strip("\u200b\u200c\u200d\u2060\ufeff \t\r\n")
        if not text:
            words = _("I can read text. Say what you need, or send {mark}help.").format(mark=self._mark(event))
            return self._say(tx, event, plain(words), now)
        if len(text) > self._bounds.message_chars:
            words = _(
                "That message has {length:,} characters; I read at most {most:,}. Nothing was done: send it in parts."
            )
            words = words.format(length=len(text), most=self._bounds.message_chars)
            return self._say(tx, event, plain(words), now)
        if self._hearer.heard(tx, event, text, self._decider(tx, event), now):
            return NOTHING
        line = runs.waiting_line(tx, event.where.key)
        if len(line) >= self._bounds.queue:
            words = _("{count} messages are waiting here already, so this one was not taken. Wait, or send {mark}stop.")
            return self._say(tx, event, plain(words.format(count=len(line), mark=self._mark(event))), now)
        if self._joined(tx, event, text, line, now):
            return NOTHING
        self._open_run(tx, event, self._persona_id(tx, known), text, now)
        if line:
            lead = _("Your message comes next; it decides nothing. This still waits for a decision:")
            self._asker.show_again(tx, event.where.key, lead, now)
            lead = _("Your message comes next; it answers nothing. This is still open:")
            self._questioner.show_again(tx, event.where.key, lead, now)
        return NOTHING

    def _joined(self, tx: Tx, event: Message, text: str, line: list[tuple[str, RunState]], now: float) -> bool:
        """Is this the rest of the message before it: the next piece of a paste that the platform cut, or what the sender
        forwarded with a comment? Then both are one, if the first is not answered yet."""
        run = runs.find(tx, line[-1][0]) if line else None
        if run is None or run.user != event.sender.id:
            return False
        [entry] = entries.of_runs(tx, [run.id], ["queued"])
        before = entry.body
        if now - before["heard_at"] > JOINED_WITHIN_S or (before["seam"] is None and not event.forwarded):
            return False
        quoted = None if event.quoted is None else clean(event.quoted)[:QUOTE_LIMIT]
        rest = (
            "\n\n" + spoken(text, event.sender.name, event.private, quoted)
            if event.forwarded
            else before["seam"] + text
        )
        prompt = before["prompt"] + rest
        if len(prompt) > self._bounds.message_chars:
            return False
        if not runs.take_back(tx, run.id, self._held_until(event, text, now)):
            return False
        if event.quoted is not None:
            runs.taint(tx, run.id, QUOTED)
        body = {**before, "prompt": prompt, "heard_at": now, "seam": self._seam(event, text)}
        entries.rewrite_queued(tx, run.id, body)
        tx.tell("cancel", run.id)
        tx.tell("wake", event.where.key)
        return True

    def _seam(self, event: Message, text: str) -> str | None:
        """What stood between this piece and the next, if it looks like one: a client cuts a longer paste at a line or a
        word, and in the middle of one only where it must. None: it is a message of its own."""
        limits = self._limits(event.where.channel)
        length = size(text, limits.unit)
        if event.forwarded or length < CUT_FROM * limits.text:
            return None
        return "" if length >= limits.text else "\n"

    def _held_until(self, event: Message, text: str, now: float) -> float | None:
        return None if self._seam(event, text) is None else now + PIECES_COME_WITHIN_S

    def _open_run(self, tx: Tx, event: Message, persona_id: str, text: str, now: float) -> None:
        key, channel = event.where.key, event.where.channel
        session_id = sessions.open_for(tx, key, channel, persona_id, new_id("ses"), now)
        run = Queued(
            id=new_id("run"),
            session_id=session_id,
            conversation=key,
            channel=channel,
            persona_id=persona_id,
            user=event.sender.id,
            user_name=event.sender.name,
            private=event.private,
            message_ref=event.ref,
            wary_because=None if event.quoted is None else QUOTED,
            held_until=self._held_until(event, text, now),
            created_at=now,
        )
        runs.add(tx, run)
        quoted = None if event.quoted is None else clean(event.quoted)[:QUOTE_LIMIT]
        body = {
            "prompt": spoken(text, event.sender.name, event.private, quoted),
            "quoted": quoted,
            "heard_at": now,
            "seam": self._seam(event, text),
        }
        entries.add(tx, Entry(run.id, "queued", None, now, body))
        tx.tell("wake", key)

    def _edited(self, tx: Tx, event: Edited, now: float) -> None:
        """The rule for edits: before its run begins the new words replace the old; while it runs the sender is told
        that it was too late; after that, and for commands, nothing happens."""
        where = conversations.resolve(tx, event.where)
        found = runs.by_message(tx, where.key, event.ref)
        if found is None or found.user != event.sender.id:
            return
        runs.hold(tx, found.id)
        run = runs.find(tx, found.id) or found
        text = clean(event.text).strip()
        entry = entries.of_runs(tx, [run.id], ["queued"])[0]
        prompt = spoken(text, event.sender.name, run.private, entry.body["quoted"])
        if not text or prompt == entry.body["prompt"] or len(text) > self._bounds.message_chars:
            return
        if run.state == "queued":
            entries.rewrite_queued(tx, run.id, {**entry.body, "prompt": prompt})
            return
        if run.state in ("running", "waiting_approval", "waiting_input"):
            words = _(
                "I had already begun with your earlier wording. Send the correction as a new message, or {mark}stop."
            )
            told = plain(words.format(mark=self._mark(event)))
            message = Outgoing(told, (), None if run.private else event.ref)
            outbox.post(tx, f"edited:{new_id('m')}", where, message, now)

    # Buttons

    def _press(self, tx: Tx, event: ButtonPress, now: float) -> Receipt:
        meaning = buttons.find(tx, event.token)
        if meaning is None:
            return Receipt(_("This button is not known (any more). Nothing was done."), alert=True)
        match meaning.action:
            case "approve" | "reject" | "approve_all":
                return self._approver.press(tx, meaning, self._decider(tx, event), event.message, now)
            case "reject_with" | "edit":
                return self._editor.open(tx, meaning, self._decider(tx, event), now)
            case "answer":
                return self._hearer.press(tx, meaning, self._decider(tx, event), event.message, now)
            case "let_in" | "ignore":
                return self._doorman.press(tx, meaning, event.sender, now)
            case "confirm_grant" | "cancel_grant" | "accept_server" | "refuse_server" | "accept_tool":
                return self._commands.press(tx, meaning, event, now)

    def _filled(self, tx: Tx, event: FormAnswer, now: float) -> Receipt:
        """A form came back under the button that had opened it."""
        meaning, by = buttons.find(tx, event.token), self._decider(tx, event)
        if meaning is not None and meaning.action == "answer":
            return self._hearer.filled(tx, event, meaning, by, now)
        return self._editor.answer(tx, event, by, now)

    def _decider(self, tx: Tx, event: ButtonPress | FormAnswer | Message) -> Decider:
        welcome = self._doorman.lets_in(tx, event.sender, event.where, event.private)
        return Decider(event.sender, event.where.key if welcome else None)

    # Ends and moves

    def _gone(self, tx: Tx, event: Gone, now: float) -> None:
        if event.where is None or event.scope == "channel":
            self._closer.channel_gone(tx, event.channel, event.reason, event.at, now)
            return
        where = conversations.resolve(tx, event.where)
        conversations.meet(tx, where)
        keys = [where.key] if event.scope == "thread" else conversations.of_chat(tx, where)
        self._closer.gone(tx, keys, event.reason, event.at, now)

    def _moved(self, tx: Tx, event: Moved) -> None:
        if conversations.move(tx, event.where, event.to):
            tx.tell("wake", event.to.key)
            tx.tell("deliver", event.to.key)

    def _persona_id(self, tx: Tx, known: Known) -> str:
        """A thread has the persona of its chat, unless it was given one of its own."""
        where = Conversation.parse(known.key)
        if known.persona_id is None and where.thread is not None:
            around = conversations.find(tx, replace(where, thread=None).key)
            known = around or known
        return known.persona_id or self._channel_personas[where.channel]

    def _whispered(self, event: Command) -> bool:
        limits = self._limits(event.where.channel)
        return limits.whispers and not event.private and self._commands.is_aside(event)

    def _mark(self, event: Message | Command | Edited) -> str:
        return self._limits(event.where.channel).mark

    def _say(self, tx: Tx, event: Message | Command, blocks: tuple[Block, ...], now: float) -> Receipt:
        return self._reply(tx, event, Outgoing(blocks), now)

    def _reply(self, tx: Tx, event: Message | Command, reply: Outgoing, now: float) -> Receipt:
        """Where nobody else saw the command, nobody else sees the answer; nor what only admins may ask, where that can be."""
        if isinstance(event, Command) and (event.aside or self._whispered(event)):
            return Receipt(answer=split(reply, self._limits(event.where.channel)))
        reply = replace(reply, reply_to=None if event.private else event.ref)
        for number, part in enumerate(split(reply, self._limits(event.where.channel))):
            outbox.post(tx, f"reply:{event.where.channel}:{event.id}:{number}", event.where, part, now)
        return NOTHING


@contextmanager
def _stumbling() -> Iterator[None]:
    """The store cannot be used: that is nobody's fault who speaks, and channels offer the event again."""
    try:
        yield
    except StoreUnavailable as error:
        raise NotSent(str(error)) from error


def _paced(event: Message | Command) -> str:
    """What a flood is counted under. A flood must be stoppable, whoever it comes from: /stop is counted apart."""
    stops = isinstance(event, Command) and event.name == "stop"
    return f"{event.where.key} /stop" if stops else event.where.key


def _as_words(event: Command) -> Message:
    text = f"/{event.name} {event.arguments}".strip()
    return Message(event.id, event.at, event.where, event.sender, event.private, text, True, event.ref)
