"""What people do in Slack in a flow, and what they get to read."""

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

from channels.events import Conversation
from tests.fakes.model.client import ModelServer
from tests.fakes.slack.answers import Modal, Person, Place, Pressed, Shown
from tests.fakes.slack.client import Slack
from tests.flows.hearing import PATIENCE_S, Hearing
from tests.flows.house import House


class Acting(Hearing):
    """`person` acts in `chat`, a channel with us in it, wherever nobody else is named; `direct` is their chat with us."""

    def __init__(self, slack: Slack, model: ModelServer, person: Person, chat: Place, direct: Place) -> None:
        super().__init__(model)
        self.slack = slack
        self.person = person
        self.chat = chat
        self.direct = direct

    @property
    def mention(self) -> str:
        return self.slack.mention

    async def say(self, text: str, *, chat: Place | None = None, who: Person | None = None, **more: Any) -> str:
        """Someone writes; the ts of the message."""
        return (await self.slack.write(chat or self.chat, who or self.person, text, **more)).message_id

    async def asks(self, text: str, *, chat: Place | None = None, who: Person | None = None, **more: Any) -> str:
        """Someone mentions us; the ts of the message, which is that of the thread where nothing else is said."""
        return await self.say(f"{self.mention} {text}", chat=chat, who=who, **more)

    async def tells(self, text: str, answer: str, *, who: Person | None = None, chat: Place | None = None) -> Shown:
        """Someone writes to us alone, and reads what comes back."""
        chat = chat or self.direct
        said = await self.say(text, chat=chat, who=who)
        return await self.reads(answer, chat=chat, after=said)

    async def card(self, *, containing: str | None = None, chat: Place | None = None, **more: Any) -> Shown:
        """A card that waits for a decision."""
        return await self.slack.wait_message(
            chat or self.chat, button="Approve", containing=containing, timeout=PATIENCE_S, **more
        )

    async def press(self, card: Shown, label: str, *, who: Person | None = None, chat: Place | None = None) -> str:
        """Press a button; what only the presser is shown."""
        return await self.told(await self.slack.press(chat or self.chat, who or self.person, card.id, label))

    async def press_old(
        self, card: Shown, *, column: int = 0, row: int = 0, who: Person | None = None, chat: Place | None = None
    ) -> str:
        """Press a button as it was when `card` was looked at, whatever the message shows by now."""
        return await self.told(await self._press_data(card, card.data[row][column], who, chat))

    async def form(self, card: Shown, label: str, *, who: Person | None = None, chat: Place | None = None) -> Modal:
        """Press a button that opens a form."""
        who = who or self.person
        await self.slack.press(chat or self.chat, who, card.id, label)
        return await self.slack.wait_view(who, timeout=PATIENCE_S)

    async def told(self, pressed: Pressed) -> str:
        """What only the one who pressed, submitted or commanded is shown."""
        answer = await self.slack.wait_answer(pressed, expect_notice=True, timeout=PATIENCE_S)
        assert not answer.failed, answer.failed
        return answer.text

    async def aside(self, containing: str, *, who: Person | None = None, **more: Any) -> Shown:
        """What only they can see in the channel."""
        who = who or self.person
        return await self.slack.wait_message(self.chat, containing=containing, to=who, timeout=PATIENCE_S, **more)

    async def joins(self, name: str, *, chat: Place | None = None) -> Person:
        """One more person in the channel."""
        person = await self.slack.user(name)
        await self.slack.join(chat or self.chat, person)
        return person

    async def command(self, text: str, *, who: Person | None = None, chat: Place | None = None) -> str:
        """`/askfirst text`, and what comes back for the eyes of the one who typed it."""
        return await self.told(await self.slack.command(chat or self.chat, who or self.person, "/askfirst", text))

    async def reads(self, containing: str, *, chat: Place | None = None, **more: Any) -> Shown:
        """A message of ours that someone can read there."""
        return await self.slack.wait_message(chat or self.chat, containing=containing, timeout=PATIENCE_S, **more)

    async def settled(self, card: Shown, containing: str, *, chat: Place | None = None) -> Shown:
        """The card when it says so and has lost its buttons."""
        return await self.reads(containing, chat=chat, message=card.id, no_buttons=True)

    async def now(self, card: Shown, *, chat: Place | None = None) -> Shown:
        """The message as it is shown now."""
        [found] = [each for each in await self.slack.messages(chat or self.chat) if each.id == card.id]
        return found

    async def ours(self, *, chat: Place | None = None, after: str = "", thread: str | None = None) -> list[Shown]:
        """The messages of ours that stand there."""
        shown = await self.slack.messages(chat or self.chat, thread=thread)
        return [each for each in shown if each.by_bot and not each.deleted and each.id > after]

    async def there(self, *, chat: Place | None = None, after: str = "", thread: str | None = None) -> list[str]:
        """The texts of ours that stand there."""
        return [each.text for each in await self.ours(chat=chat, after=after, thread=thread)]

    def sessions(self, house: House, chat: Place) -> list[str]:
        """The threads of a chat in which sessions are open, as the database has them; empty text for the chat itself."""
        file = house.log.parent / "data" / "askfirst.db"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            found = [Conversation.parse(key) for (key,) in database.execute("SELECT conversation FROM sessions")]
        return [where.thread or "" for where in found if where.chat == chat.id]

    async def no_session(self, house: House, chat: Place) -> None:
        """Until none is open there."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                if not self.sessions(house, chat):
                    return
                await asyncio.sleep(0.02)  # a database has no event to wait for

    async def _press_data(self, card: Shown, data: str, who: Person | None, chat: Place | None) -> Pressed:
        return await self.slack.press(chat or self.chat, who or self.person, card.id, data=data, forged=True)


def code(card: Shown) -> str:
    """What one types to decide about a card."""
    return card.text.rpartition("approve ")[2].split()[0]
