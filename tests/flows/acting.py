"""What people do in a flow, and what they get to read."""

from typing import Any

from tests.fakes.model.client import ModelServer
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.protocol import Person, Place, Pressed, Shown
from tests.flows.hearing import PATIENCE_S, Hearing


class Acting(Hearing):
    """`person` acts in `chat` wherever nobody else is named."""

    def __init__(self, telegram: Telegram, model: ModelServer, person: Person, chat: Place) -> None:
        super().__init__(model)
        self.telegram = telegram
        self.person = person
        self.chat = chat

    async def say(self, text: str, *, chat: Place | None = None, who: Person | None = None, **more: Any) -> int:
        """Someone writes; the number of the message."""
        sent = await self.telegram.write(chat or self.chat, who or self.person, text, **more)
        return sent.message_id

    async def card(self, *, containing: str | None = None, chat: Place | None = None, **more: Any) -> Shown:
        """A card that waits for a decision."""
        return await self.telegram.wait_message(
            chat or self.chat, button="Approve", containing=containing, timeout=PATIENCE_S, **more
        )

    async def press(self, card: Shown, label: str, *, who: Person | None = None, chat: Place | None = None) -> str:
        """Press a button; what the presser is told privately."""
        return await self._told(await self.telegram.press(chat or self.chat, who or self.person, card.id, label))

    async def press_old(
        self, card: Shown, *, row: int = 0, column: int = 0, who: Person | None = None, chat: Place | None = None
    ) -> str:
        """Press a button as it was when `card` was looked at, whatever the message shows by now."""
        return await self.press_data(card.data[row][column], on=card.id, who=who, chat=chat)

    async def press_data(
        self, data: str, *, on: int, who: Person | None = None, chat: Place | None = None, inaccessible: bool = False
    ) -> str:
        """A press with made-up data; what the presser is told privately."""
        pressed = await self.telegram.press(
            chat or self.chat, who or self.person, on, data=data, forged=True, inaccessible=inaccessible
        )
        return await self._told(pressed)

    async def reads(self, containing: str, *, chat: Place | None = None, **more: Any) -> Shown:
        """A message of ours that someone can read there."""
        return await self.telegram.wait_message(
            chat or self.chat, containing=containing, **{"timeout": PATIENCE_S, **more}
        )

    async def settled(self, card: Shown, containing: str, *, chat: Place | None = None) -> Shown:
        """The card when it says so and has lost its buttons."""
        return await self.reads(containing, chat=chat, message=card.id, no_buttons=True)

    async def there(self, *, chat: Place | None = None, by_bot: bool = True, after: int = 0) -> list[str]:
        """The texts that stand in the chat."""
        shown = await self.telegram.messages(chat or self.chat)
        return [each.text for each in shown if each.by_bot == by_bot and not each.deleted and each.id > after]

    async def _told(self, pressed: Pressed) -> str:
        answer = await self.telegram.wait_answer(pressed, timeout=PATIENCE_S)
        return answer.text or ""
