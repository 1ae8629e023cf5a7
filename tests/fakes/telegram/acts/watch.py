"""Carries out the verbs of looking and waiting."""

from typing import Any

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.acts.stagehand import Stagehand
from tests.fakes.telegram.fake import emptied
from tests.fakes.telegram.looking import called, fitting_calls, fitting_messages, latencies, shown
from tests.fakes.telegram.verbs import watch


class Watch(Stagehand):
    def messages(self, wanted: watch.Messages) -> list[p.Shown]:
        chat = self.chat(wanted.chat)
        return [shown(message, self.fake.world.bot) for message in chat.messages.values()]

    async def wait_message(self, wanted: watch.WaitMessage) -> p.Shown | None:
        chat = self.chat(wanted.chat)

        def look() -> p.Shown | None:
            fitting = fitting_messages(chat, self.fake.world.bot, wanted)
            return shown(fitting[wanted.count - 1], self.fake.world.bot) if len(fitting) >= wanted.count else None

        return await self.fake.waiters.until(look, wanted.timeout)

    def calls(self, wanted: watch.Calls) -> list[p.Called]:
        return [
            called(call)
            for call in self.fake.record.calls
            if call.number > wanted.after and wanted.method in (None, call.method) and wanted.chat in (None, call.chat)
        ]

    async def wait_calls(self, wanted: watch.WaitCalls) -> list[p.Called] | None:
        def look() -> list[p.Called] | None:
            if self.fake.record.counts[wanted.method] < wanted.count:
                return None
            fitting = fitting_calls(self.fake.record.calls, wanted)
            return [called(call) for call in fitting] if len(fitting) >= wanted.count else None

        return await self.fake.waiters.until(look, wanted.timeout)

    async def wait_held(self, wanted: watch.WaitHeld) -> p.Called | None:
        def look() -> p.Called | None:
            held = self.fake.faults.held.values()
            return next((called(h.call) for h in held if wanted.method in ("*", h.call.method)), None)

        return await self.fake.waiters.until(look, wanted.timeout)

    async def wait_answer(self, wanted: watch.WaitAnswer) -> p.Answered | None:
        query = self.fake.world.queries[wanted.query_id]
        answer = await self.fake.waiters.until(lambda: query.answer, wanted.timeout)
        return None if answer is None else p.Answered(**answer)

    async def wait_confirmed(self, wanted: watch.WaitConfirmed) -> bool:
        pending = self.fake.api.webhook.pending
        return bool(await self.fake.waiters.until(lambda: True if pending() == 0 else None, wanted.timeout))

    def actions(self, wanted: watch.Actions) -> list[dict[str, Any]]:
        return self.chat(wanted.chat).actions

    def drafts(self, wanted: watch.Drafts) -> list[dict[str, Any]]:
        return self.chat(wanted.chat).drafts

    def commands(self, wanted: watch.Commands) -> list[dict[str, Any]]:
        return self.fake.world.commands.get((wanted.scope, wanted.language), [])

    def violations(self, wanted: watch.Violations) -> list[p.Broken]:
        found = [p.Broken(call=v.call, method=v.method, reason=v.reason) for v in self.fake.record.violations]
        if wanted.forget:
            self.fake.record.violations.clear()
        return found

    def latencies(self, wanted: watch.Latencies) -> list[p.Latency]:
        return latencies(self.fake.updates.made.values(), self.fake.record.calls, wanted.method)

    async def reset(self, wanted: watch.Reset) -> p.Done:
        self.fake = await emptied(self.fake)
        return p.Done()

    def forget(self, wanted: watch.Forget) -> p.Done:
        self.fake.record.clear()
        self.fake.updates.made.clear()
        return p.Done()
