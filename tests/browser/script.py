"""A scripted service behind the browser chat: what a visitor writes says what happens."""

import asyncio
from collections.abc import Coroutine

from bot.errors import StoreUnavailable
from channels.adapter import ChannelState, Receipt
from channels.events import ButtonPress, Command, Conversation, Event, Message
from channels.outgoing import Block, Button, MessageRef, Outgoing, plain
from channels.text.parse import blocks
from channels.web.adapter import WebAdapter
from channels.web.page import CommandHint, Welcome

COMMANDS = (
    CommandHint("help", "", "What can I do here?"),
    CommandHint("new", "", "Begin a fresh session"),
    CommandHint("pending", "", "Decisions that wait, with their codes"),
    CommandHint("persona", "[name]", "Show or switch who answers here"),
    CommandHint("reject", "<code> [reason]", "Turn a waiting call down"),
    CommandHint("approve", "<code>", "Let a waiting call run"),
    CommandHint("status", "", "Persona, model, what runs and what waits"),
    CommandHint("stop", "", "Cancel what runs"),
)

WELCOME = Welcome(
    "Guide asks before it writes",
    "Guide looks things up by itself. Before it changes anything it shows you what it would do, and waits for your decision.",
    ("Add a note: water the plants on Friday", "What do my notes say?", "What can you do?"),
)

RICH = """Here is what I found:

### Opening hours

| Day | From | To |
|---|---|---|
| Monday to Friday | 9:00 | 18:30 |
| Saturday | 10:00 | 14:00 |

- Groups of **ten or more** please write first,
- the garden is open *until dusk*.

> Closed on public holidays.

```python
def opens(day: str) -> str:
    return "9:00" if day not in ("Saturday", "Sunday") else "10:00, and please mind that this line is long"
```

More on [the site](https://example.org/hours).
"""

ATTACK = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> "
    "[press](javascript:document.title='owned') ![x](https://evil.example/pixel.png)"
)

_CARD = """Guide wants to use **add_note** (built in).

- **text**: water the plants on Friday
- **list**: home

This adds one note to the list *home*. You or an admin may decide, until 18:00 tomorrow. Code **K7QM**."""
_BUTTONS = (Button("Approve", "tok-approve", "primary"), Button("Reject", "tok-reject", "danger"))


class Script:
    def __init__(self) -> None:
        self.adapter: WebAdapter | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._seen: set[str] = set()
        self._failed: set[str] = set()
        self._go_on: dict[str, asyncio.Event] = {}
        self._decided: dict[str, str] = {}
        self._cards: dict[str, MessageRef] = {}

    async def receive(self, event: Event) -> Receipt:
        if event.id in self._seen:
            return Receipt()
        match event:
            case ButtonPress():
                self._seen.add(event.id)
                return await self._press(event)
            case Command():
                self._seen.add(event.id)
                self._start(self._say(event.where, f"The command *{event.name}* with `{event.arguments}`."))
            case Message():
                if event.text == "fail once" and event.id not in self._failed:
                    self._failed.add(event.id)
                    raise StoreUnavailable("The database cannot be used just now. Nothing was stored.")
                self._seen.add(event.id)
                self._start(self._answer(event))
            case _:
                raise AssertionError(f"the browser chat never reports {event}")
        return Receipt()

    async def set_aside(self, channel: str, event_id: str, raw: str, reason: str) -> None:
        raise AssertionError("the browser chat sets nothing aside")

    async def keep(self, channel: str, delivery_id: str, raw: str) -> bool:
        raise AssertionError("the browser chat reads everything at once")

    async def kept(self, channel: str) -> list[tuple[str, str]]:
        return []

    async def release(self, channel: str, delivery_id: str) -> None:
        raise AssertionError("nothing was kept")

    def report(self, channel: str, state: ChannelState, detail: str = "") -> None:
        return

    async def _answer(self, event: Message) -> None:
        where, text = event.where, event.text
        if text == "card":
            await self._show_card(where)
        elif text == "remind":
            await self._chat.edit(self._cards[where.key], Outgoing(blocks(f"{_CARD}\n\nIt still waits."), (_BUTTONS,)))
        elif text == "hold":
            await self._hold(where)
        elif text == "go on":
            self._go_on[where.key].set()
        elif text == "rich":
            await self._say(where, RICH)
        elif text == "attack":
            await self._say(where, ATTACK)
            await self._post(where, plain(ATTACK))
        elif text == "wide":
            await self._say(where, f"`{'x' * 400}`\n\n| a | b |\n|---|---|\n| {'y' * 300} | {'z' * 300} |")
        elif text == "passing":
            ref = await self._post(where, blocks("A passing line"))
            await self._chat.remove(ref)
            await self._say(where, "It is gone")
        elif text.startswith("many "):
            for number in range(int(text.removeprefix("many "))):
                await self._say(where, f"Line {number}")
        else:
            await self._write(where, f"You said: {text}")

    async def _show_card(self, where: Conversation) -> None:
        self._decided.pop(where.key, None)
        self._cards[where.key] = await self._chat.send(where, Outgoing(blocks(_CARD), (_BUTTONS,)))
        await self._chat.show(where, "waiting")

    async def _press(self, event: ButtonPress) -> Receipt:
        if first := self._decided.get(event.where.key):
            return Receipt(f"This was decided already: {first}.", alert=True)
        assert event.message is not None
        decision = "approved" if event.token == "tok-approve" else "rejected"
        self._decided[event.where.key] = decision
        done = f"**{decision.capitalize()}** by {event.sender.name} at 12:04: add_note, “water the plants on Friday”."
        self._start(self._settle(event.where, event.message, done))
        return Receipt(f"Your decision counts: {decision}.")

    async def _settle(self, where: Conversation, ref: MessageRef, text: str) -> None:
        await self._chat.edit(ref, Outgoing(blocks(text)))
        await self._chat.show(where, "acting")
        await self._write(where, "Done: the note is on your list **home**.")

    async def _hold(self, where: Conversation) -> None:
        self._go_on[where.key] = asyncio.Event()
        await self._chat.show(where, "thinking")
        await self._chat.stream(where, "run", "The answer is **being")
        await self._go_on[where.key].wait()
        await self._chat.send(where, Outgoing(blocks("The answer is **written**.")))
        await self._chat.show(where, "idle")

    async def _write(self, where: Conversation, text: str) -> None:
        await self._chat.show(where, "thinking")
        for end in range(5, len(text), 5):
            await self._chat.stream(where, "run", text[:end])
        await self._say(where, text)
        await self._chat.show(where, "idle")

    async def _say(self, where: Conversation, markdown: str) -> None:
        await self._post(where, blocks(markdown))

    async def _post(self, where: Conversation, said: tuple[Block, ...]) -> MessageRef:
        return await self._chat.send(where, Outgoing(said))

    @property
    def _chat(self) -> WebAdapter:
        assert self.adapter is not None
        return self.adapter

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
