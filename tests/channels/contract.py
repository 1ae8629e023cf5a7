"""The suite that every adapter must pass.

A room subclasses `AdapterContract` and gives a fixture `bench`: an adapter that runs, its inlet, and a person who sits in
front of the platform in a conversation where everything said is meant for us.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import pytest

from channels.adapter import Adapter, ChannelState, Receipt, Removes, ShowsActivity
from channels.errors import CannotEdit, ChannelError
from channels.events import ButtonPress, Conversation, Event, Message
from channels.outgoing import Button, MessageRef, Outgoing, Paragraph, Span, plain
from channels.text.characters import size
from channels.text.parse import blocks
from channels.text.split import split
from tests.channels.documents import words

E = TypeVar("E", bound=Event)

IN_TIME = 20.0
LONG = "\n\n".join(
    [
        "# A heading with **bold** and `code`",
        *(f"Paragraph {number} says *something* about ~~nothing~~ <b>literally</b> & more." for number in range(120)),
        "1. one\n2. two\n   - deep\n     > quoted\n",
        "| a | b |\n|---|---|\n" + "".join(f"| cell{number} | 名 |\n" for number in range(60)),
        "```python\n" + "x = '😀'\n" * 400 + "```",
        "https://example.org/a_b_c and [a link](https://example.org/?q=1&r=(2))",
    ]
)


class Broken(Exception):
    """The store does not work, says the test."""


@dataclass
class RecordingInlet:
    """Keeps what it is given, the first time; can be told to fail, and what to answer."""

    events: list[Event] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)
    aside: list[tuple[str, str, str]] = field(default_factory=list)
    waiting: dict[str, str] = field(default_factory=dict)
    """Kept and not released."""
    states: list[tuple[ChannelState, str]] = field(default_factory=list)
    refuse: Callable[[Event], bool] = lambda event: False
    refuse_aside: bool = False
    receipt: Receipt = field(default_factory=Receipt)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _woken: set[asyncio.Task[None]] = field(default_factory=set)

    async def receive(self, event: Event) -> Receipt:
        async with self._changed:
            self.attempts.append(event.id)
            self._changed.notify_all()
            if self.refuse(event):
                raise Broken
            if event.id not in {known.id for known in self.events}:
                self.events.append(event)
        return self.receipt

    async def set_aside(self, channel: str, event_id: str, raw: str, reason: str) -> None:
        async with self._changed:
            self._changed.notify_all()
            if self.refuse_aside:
                raise Broken
            self.aside.append((event_id, raw, reason))

    async def keep(self, channel: str, delivery_id: str, raw: str) -> bool:
        async with self._changed:
            self._changed.notify_all()
            if self.refuse_aside:
                raise Broken
            fresh = delivery_id not in self.waiting
            self.waiting.setdefault(delivery_id, raw)
            return fresh

    async def kept(self, channel: str) -> list[tuple[str, str]]:
        return list(self.waiting.items())

    async def release(self, channel: str, delivery_id: str) -> None:
        async with self._changed:
            self._changed.notify_all()
            self.waiting.pop(delivery_id, None)

    def report(self, channel: str, state: ChannelState, detail: str = "") -> None:
        self.states.append((state, detail))
        task = asyncio.get_running_loop().create_task(self._wake())
        self._woken.add(task)
        task.add_done_callback(self._woken.discard)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(IN_TIME), self._changed:
            await self._changed.wait_for(holds)

    def of(self, kind: type[E], where: Conversation) -> list[E]:
        return [event for event in self.events if isinstance(event, kind) and event.where == where]

    async def next(self, kind: type[E], where: Conversation, count: int = 1) -> E:
        """The `count`th event of this kind there, as soon as it is stored."""
        await self.until(lambda: len(self.of(kind, where)) >= count)
        return self.of(kind, where)[count - 1]


@dataclass(frozen=True)
class Seen:
    """A message of ours as the person sees it; `labels` of its buttons, in order."""

    text: str
    labels: tuple[str, ...] = ()


class Person(Protocol):
    """Someone in front of the platform, in one conversation."""

    @property
    def where(self) -> Conversation: ...

    @property
    def id(self) -> str:
        """As people are written everywhere: `tg:4242`."""
        ...

    async def say(self, text: str) -> None: ...

    async def press(self, label: str) -> str:
        """Press a button of the last message that has it; the notice that is shown, empty for none."""
        ...

    async def sees(self) -> list[Seen]:
        """What we wrote, oldest first, as it is now, without what was removed."""
        ...


@dataclass(frozen=True)
class Bench:
    """`time_passing`: while it lasts, the platform's clock runs as fast as its repeats need."""

    adapter: Adapter
    inlet: RecordingInlet
    person: Person
    time_passing: Callable[[], AbstractAsyncContextManager[None]] = nullcontext


class AdapterContract:
    async def test_what_a_person_writes_is_received(self, bench: Bench) -> None:
        await bench.person.say("hello <there> & *you*")
        message = await bench.inlet.next(Message, bench.person.where)
        assert message.text == "hello <there> & *you*"
        assert message.sender.id == bench.person.id
        assert message.addressed
        assert message.id

    async def test_messages_are_received_in_order(self, bench: Bench) -> None:
        for number in range(20):
            await bench.person.say(f"number {number}")
        await bench.inlet.next(Message, bench.person.where, count=20)
        received = [message.text for message in bench.inlet.of(Message, bench.person.where)]
        assert received == [f"number {number}" for number in range(20)]

    async def test_what_is_not_stored_is_offered_again_under_the_same_id(self, bench: Bench) -> None:
        tried: list[str] = []

        def twice(event: Event) -> bool:
            if not isinstance(event, Message) or event.where != bench.person.where:
                return False
            tried.append(event.id)
            return len(tried) <= 2

        bench.inlet.refuse = twice
        await bench.person.say("keep me")
        async with bench.time_passing():
            message = await bench.inlet.next(Message, bench.person.where)
        assert tried == [message.id] * 3

    async def test_a_message_is_shown_as_it_was_sent(self, bench: Bench) -> None:
        text = "plain * _ ` [x](y) <b>&amp;</b> <!channel> @all 名 😀"
        ref = await bench.adapter.send(bench.person.where, Outgoing(plain(text)))
        assert ref.conversation == bench.person.where.key
        assert ref.id
        assert [seen.text for seen in await bench.person.sees()] == [text]

    async def test_the_longest_text_is_taken_whole(self, bench: Bench) -> None:
        limits = bench.adapter.limits
        for text in ("x" * limits.text, "😀" * (limits.text // (2 if limits.unit == "utf16" else 1))):
            assert size(text, limits.unit) == limits.text
            await bench.adapter.send(bench.person.where, Outgoing(plain(text)))
            assert (await bench.person.sees())[-1].text == text

    async def test_every_part_of_a_long_document_is_taken(self, bench: Bench) -> None:
        document = blocks(LONG)
        for part in split(Outgoing(document), bench.adapter.limits):
            await bench.adapter.send(bench.person.where, part)
        shown = words("".join(seen.text for seen in await bench.person.sees()))
        for number in range(60):
            assert f"cell{number}" in "".join(seen.text for seen in await bench.person.sees())
        assert "Paragraphsayssomethingaboutnothingbliterallyb" in shown

    async def test_as_many_styles_as_the_limits_say_are_taken(self, bench: Bench) -> None:
        styled = (Span("b", frozenset({"bold"})), Span(" "))
        many = Paragraph(styled * min(bench.adapter.limits.entities, 500))
        await bench.adapter.send(bench.person.where, Outgoing((many,)))
        assert len(await bench.person.sees()) == 1

    async def test_the_largest_keyboard_is_taken(self, bench: Bench) -> None:
        limits = bench.adapter.limits
        buttons = [Button(f"{n} ".ljust(limits.label, "x"), f"{n:064d}") for n in range(min(limits.buttons, 100))]
        rows = tuple(tuple(buttons[n : n + limits.row]) for n in range(0, len(buttons), limits.row))
        await bench.adapter.send(bench.person.where, Outgoing(plain("many"), rows))
        assert (await bench.person.sees())[-1].labels == tuple(button.label for button in buttons)

    async def test_a_press_is_received_with_its_token_and_answered_with_the_notice(self, bench: Bench) -> None:
        rows = ((Button("Approve", "token-1", "primary"), Button("Reject", "token-2", "danger")),)
        ref = await bench.adapter.send(bench.person.where, Outgoing(plain("May I?"), rows))
        bench.inlet.receipt = Receipt("Noted.") if bench.adapter.limits.notice else Receipt()
        notice = await bench.person.press("Reject")
        press = await bench.inlet.next(ButtonPress, bench.person.where)
        assert (press.token, press.sender.id, press.message) == ("token-2", bench.person.id, ref)
        assert notice == ("Noted." if bench.adapter.limits.notice else "")

    async def test_an_edit_replaces_text_and_buttons(self, bench: Bench) -> None:
        ref = await bench.adapter.send(bench.person.where, Outgoing(plain("May I?"), ((Button("Approve", "t"),),)))
        assert await bench.person.sees() == [Seen("May I?", ("Approve",))]
        await bench.adapter.edit(ref, Outgoing(plain("Approved.")))
        assert await bench.person.sees() == [Seen("Approved.")]

    async def test_an_edit_to_the_same_changes_nothing(self, bench: Bench) -> None:
        ref = await bench.adapter.send(bench.person.where, Outgoing(plain("same")))
        await bench.adapter.edit(ref, Outgoing(plain("same")))
        assert await bench.person.sees() == [Seen("same")]

    async def test_an_edit_of_what_is_not_there_says_so(self, bench: Bench) -> None:
        ref = await bench.adapter.send(bench.person.where, Outgoing(plain("here")))
        with pytest.raises(CannotEdit):
            await bench.adapter.edit(MessageRef(ref.conversation, "99999999"), Outgoing(plain("there")))

    async def test_what_is_removed_is_gone_and_may_be_removed_again(self, bench: Bench) -> None:
        if not isinstance(bench.adapter, Removes):
            pytest.skip("cannot remove")
        ref = await bench.adapter.send(bench.person.where, Outgoing(plain("away")))
        await bench.adapter.remove(ref)
        await bench.adapter.remove(ref)
        assert await bench.person.sees() == []

    async def test_activity_can_be_shown(self, bench: Bench) -> None:
        if not isinstance(bench.adapter, ShowsActivity):
            pytest.skip("shows no activity")
        for activity in ("queued", "thinking", "acting", "waiting", "idle"):
            await bench.adapter.show(bench.person.where, activity)

    async def test_a_message_without_text_raises_an_error_of_the_channel(self, bench: Bench) -> None:
        with pytest.raises(ChannelError):
            await bench.adapter.send(bench.person.where, Outgoing(()))
        assert await bench.person.sees() == []

    async def test_it_reported_that_it_is_connected(self, bench: Bench) -> None:
        assert bench.inlet.states[-1][0] == "connected"
