"""Carries out the verbs of odd updates, faults, settings, and the clock."""

import asyncio

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.acts.stagehand import Stagehand
from tests.fakes.telegram.faults import Fault
from tests.fakes.telegram.verbs import mischief


class Mischief(Stagehand):
    # Updates.

    def inject(self, wanted: mischief.Inject) -> int:
        return self.fake.updates.put("injected", wanted.update, queue=wanted.queue, chat=None)

    def repeat(self, wanted: mischief.Repeat) -> p.Done:
        self.fake.updates.repeat(wanted.update_id)
        return p.Done()

    def order(self, wanted: mischief.Order) -> p.Done:
        updates = self.fake.updates
        if wanted.reversed_once is not None:
            updates.reversed_once = wanted.reversed_once
        if wanted.gap is not None:
            updates.gap = wanted.gap
        if wanted.paused is not None:
            updates.paused = wanted.paused
            updates.ring()
        return p.Done()

    async def load(self, wanted: mischief.Load) -> p.Count:
        world = self.fake.world
        chats = [world.add_private(world.add_user(f"Guest {number}")) for number in range(1, wanted.chats + 1)]
        loop = asyncio.get_running_loop()
        start = loop.time()
        for number in range(wanted.count):
            if wanted.per_second is not None:
                await asyncio.sleep(max(0.0, start + number / wanted.per_second - loop.time()))
            chat = chats[number % len(chats)]
            self.fake.people.text(chat, world.users[chat.id], wanted.text)
        return p.Count(count=wanted.count)

    # Faults and settings.

    def plant(self, wanted: mischief.Plant) -> p.Planted:
        return p.Planted(fault=self.fake.faults.plant(Fault(0, **wanted.model_dump())))

    def unplant(self, wanted: mischief.Unplant) -> p.Done:
        self.fake.faults.remove(wanted.fault)
        return p.Done()

    def release(self, wanted: mischief.Release) -> p.Count:
        return p.Count(count=self.fake.faults.release(wanted.call, wanted.method, discard=wanted.discard))

    async def refuse(self, wanted: mischief.Refuse) -> p.Done:
        await self.fake.door.refuse(wanted.seconds)
        return p.Done()

    def settings(self, wanted: mischief.Settings) -> p.Done:
        fake = self.fake
        if wanted.text_unit is not None:
            fake.world.text_unit = wanted.text_unit
        if wanted.privacy is not None:
            fake.world.privacy = wanted.privacy
        if wanted.throttle is not None:
            fake.api.polling.throttle = wanted.throttle
        if wanted.revoked is not None:
            fake.api.revoked = wanted.revoked
        if wanted.wrong_secret_once is not None:
            fake.api.webhook.wrong_secret_once = wanted.wrong_secret_once
        return p.Done()

    def advance(self, wanted: mischief.Advance) -> p.Done:
        self.fake.world.clock.advance(wanted.seconds)
        return p.Done()
