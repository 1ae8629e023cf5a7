"""A stage on which the service dies and is started again."""

import signal
from collections.abc import Mapping
from dataclasses import replace
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from tests.crash.counter import World
from tests.crash.fuse import Fuse
from tests.crash.ledger import Ledger
from tests.crash.service import PATIENCE_S, Service
from tests.fakes.model.client import ModelServer
from tests.fakes.model.script import Reply, Rule, calls
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.protocol import Place, Pressed, Shown
from tests.flows.house import Plan

MARK = "This may be a repeat"
UNKNOWN = "ring: unknown outcome: it may or may not have happened, please check"


class Scene:
    """`chat` is the private chat of Ann, the admin; `start` runs the service until `died`, `kill` or `end`."""

    def __init__(
        self,
        telegram: Telegram,
        model: ModelServer,
        world: World,
        plan: Plan,
        directory: Path,
        chat: Place,
        nursery: ForkServerContext,
    ) -> None:
        self.telegram = telegram
        self.model = model
        self.world = world
        self.chat = chat
        self.plan = plan
        self._directory = directory
        self._nursery = nursery
        self._life: Service | None = None
        self.ledger = Ledger(plan.database)

    @property
    def service(self) -> Service:
        assert self._life is not None
        return self._life

    async def start(self, crash_at: str = "", **values: Any) -> Service:
        """`crash_at`: the commit at which it dies ("after Caller._begin 1"). `values` change the configuration."""
        self.plan = replace(self.plan, **values)
        self._life = await Service.start(
            self._nursery, self.plan, self._directory, self.world.url, Fuse.parse(crash_at)
        )
        return self._life

    async def died(self) -> None:
        """Until the service has killed itself."""
        assert await self.service.ended() == -signal.SIGKILL, self.service.logged()

    async def kill(self) -> None:
        """Now, and whatever others hold of it ends without being done (or answered)."""
        await self.service.kill()
        await self.telegram.clear_faults()
        await self.telegram.release(discard=True)
        await self.world.forget_held()

    async def end(self) -> None:
        """Stop it in order, if it lives."""
        if self._life is not None and self._life.alive:
            assert await self._life.stop() == 0, self._life.logged()

    async def abandon(self) -> None:
        """Leave nothing behind, whatever happened."""
        if self._life is not None and self._life.alive:
            await self._life.kill()

    # What people do

    async def newcomer(self, name: str) -> Place:
        """The private chat of someone else."""
        return await self.telegram.private_chat(await self.telegram.user(name))

    async def say(self, text: str, chat: Place | None = None) -> int:
        chat = chat or self.chat
        return (await self.telegram.write(chat, chat.id, text)).message_id

    async def press(self, card: Shown, label: str = "Approve", chat: Place | None = None) -> Pressed:
        chat = chat or self.chat
        return await self.telegram.press(chat, chat.id, card.id, label)

    async def told(self, pressed: Pressed) -> str:
        """What the presser is told privately."""
        return (await self.telegram.wait_answer(pressed, timeout=PATIENCE_S)).text

    # What they see

    async def reads(self, containing: str, chat: Place | None = None, **more: Any) -> Shown:
        return await self.telegram.wait_message(chat or self.chat, containing=containing, timeout=PATIENCE_S, **more)

    async def card(self, chat: Place | None = None, **more: Any) -> Shown:
        """A message that can be approved."""
        return await self.telegram.wait_message(chat or self.chat, button="Approve", timeout=PATIENCE_S, **more)

    async def settled(self) -> None:
        """Until the service has nothing left to do and has written that down."""
        await self.ledger.settled(PATIENCE_S)

    async def ours(self, chat: Place | None = None) -> list[Shown]:
        """What we have written in a chat and is still there, oldest first."""
        shown = await self.telegram.messages(chat or self.chat)
        return [message for message in shown if message.by_bot and not message.deleted]

    async def pressable(self, chat: Place | None = None) -> list[Shown]:
        return [message for message in await self.ours(chat) if message.buttons]

    async def once(self, containing: str, chat: Place | None = None) -> Shown:
        """It can be read, once, and without the mark of a repeat."""
        await self.reads(containing, chat)
        found = [message for message in await self.ours(chat) if containing in message.text]
        assert len(found) == 1, [message.text for message in found]
        assert MARK not in found[0].text
        return found[0]

    # What the model says, however often it is asked

    async def model_rings(self, *keys: str, tool: str = "ring", says: str = "Result: {result}") -> None:
        """Whoever asks for a key gets the tool called for it; then the model `says` this, whatever came of it."""
        asked = [Rule(contains=f"{tool} {key}.", reply=calls(tool, {"key": key})) for key in keys]
        await self.model.rules(*asked, Rule(contains=f"{tool} ", after="results", reply=Reply(text=says)))

    async def model_delegates(self, task: str) -> None:
        """Whoever asks for the bell is handed to its worker, and what that reports is what the model answers."""
        order = calls("delegate_to_tower_worker", {"task": task})
        await self.model.rules(
            Rule(contains="the bell", reply=order),
            Rule(contains="the bell", after="results", reply=Reply(text="The worker says: {result}")),
        )

    async def model_echoes(self) -> None:
        await self.model.otherwise(Reply(text="Echo of {user}"))

    async def results_told(self) -> list[str]:
        """Every result that the model was told, over all of its requests."""
        bodies: list[Mapping[str, Any]] = [asked.body for asked in await self.model.requests()]
        last = [body["messages"][-1] for body in bodies]
        return [str(message["content"]) for message in last if message["role"] == "tool"]
