"""The tests' side of the fake: what the bot did, and waiting for it."""

from typing import Any

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.line import Chat, Line, Waited, chat_id, maybe_chat_id
from tests.fakes.telegram.record import Verdict
from tests.fakes.telegram.verbs import watch


class Watch(Line):
    # Looking.

    async def messages(self, chat: Chat) -> list[p.Shown]:
        """All messages of a chat, oldest first, as people see them now; deleted ones are marked."""
        return await self.ask(watch.Messages(chat=chat_id(chat)), list[p.Shown])

    async def calls(self, method: str | None = None, *, chat: Chat | None = None, after: int = 0) -> list[p.Called]:
        """What the bot asked, oldest first; `after`: the number of a call."""
        return await self.ask(watch.Calls(method=method, chat=maybe_chat_id(chat), after=after), list[p.Called])

    async def actions(self, chat: Chat) -> list[dict[str, Any]]:
        """Chat actions: action, thread, at."""
        return await self.ask(watch.Actions(chat=chat_id(chat)), list[dict[str, Any]])

    async def drafts(self, chat: Chat) -> list[dict[str, Any]]:
        """Frames of the drafts that are not finished by a message: draft_id, thread, text, at."""
        return await self.ask(watch.Drafts(chat=chat_id(chat)), list[dict[str, Any]])

    async def commands(self, scope: str = "default", language: str = "") -> list[dict[str, Any]]:
        return await self.ask(watch.Commands(scope=scope, language=language), list[dict[str, Any]])

    async def violations(self, *, forget: bool = False) -> list[p.Broken]:
        """`forget=True`: the test expected these."""
        return await self.ask(watch.Violations(forget=forget), list[p.Broken])

    async def latencies(self, method: str | None = None) -> list[p.Latency]:
        """From the making of each update to the first call (of `method`) for its chat."""
        return await self.ask(watch.Latencies(method=method), list[p.Latency])

    async def reset(self) -> None:
        """Start from nothing: no people, chats, faults or record; the same addresses and token."""
        await self.ask(watch.Reset(), p.Done)

    async def forget(self) -> None:
        """Empty the record of calls, violations and latencies."""
        await self.ask(watch.Forget(), p.Done)

    # Waiting.

    async def wait_message(
        self,
        chat: Chat,
        *,
        containing: str | None = None,
        text: str | None = None,
        by_bot: bool | None = True,
        after: int = 0,
        thread: int | None = None,
        button: str | None = None,
        no_buttons: bool = False,
        edits: int = 0,
        deleted: bool = False,
        message: int | None = None,
        count: int = 1,
        timeout: float = 10.0,
    ) -> p.Shown:
        """The message (the `count`th) that fits everything given, as soon as there is one. `after`: a message's number."""
        wanted = watch.WaitMessage(
            chat=chat_id(chat),
            containing=containing,
            text=text,
            by_bot=by_bot,
            after=after,
            thread=thread,
            button=button,
            no_buttons=no_buttons,
            edits=edits,
            deleted=deleted,
            message=message,
            count=count,
            timeout=timeout,
        )
        found = await self.ask(wanted, p.Shown | None)  # type: ignore[arg-type]  # a union is no type, but TypeAdapter takes it
        if found is not None:
            return found
        there = [(m.id, m.text, m.buttons, "deleted" if m.deleted else "") for m in await self.messages(chat)]
        sought = wanted.model_dump(exclude_defaults=True)
        raise Waited(f"no message like {sought} within {timeout:g} s; the chat holds {there}")

    async def wait_calls(
        self,
        method: str,
        count: int = 1,
        *,
        chat: Chat | None = None,
        after: int = 0,
        containing: str | None = None,
        verdict: Verdict | None = None,
        arrived: bool = False,
        timeout: float = 10.0,
    ) -> list[p.Called]:
        """All finished calls that fit, as soon as there are `count`. `after`: the number of a call.

        `arrived`: also those that still wait for their answer, such as a long poll.
        """
        wanted = watch.WaitCalls(
            method=method,
            count=count,
            chat=maybe_chat_id(chat),
            after=after,
            containing=containing,
            verdict=verdict,
            arrived=arrived,
            timeout=timeout,
        )
        found = await self.ask(wanted, list[p.Called] | None)  # type: ignore[arg-type]  # as above
        if found is not None:
            return found
        there = [(c.number, c.method, c.verdict) for c in (await self.calls())[-30:]]
        raise Waited(f"no {count} calls of {method} within {timeout:g} s; the last calls were {there}")

    async def wait_held(self, method: str = "*", *, timeout: float = 10.0) -> p.Called:
        """A call that waits for its release."""
        found = await self.ask(watch.WaitHeld(method=method, timeout=timeout), p.Called | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"no call of {method} was held within {timeout:g} s")
        return found

    async def wait_answer(self, press: p.Pressed, *, timeout: float = 10.0) -> p.Answered:
        """How the bot answered a press."""
        found = await self.ask(watch.WaitAnswer(query_id=press.query_id, timeout=timeout), p.Answered | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"the press was not answered within {timeout:g} s")
        return found

    async def wait_confirmed(self, *, timeout: float = 10.0) -> None:
        """Until the bot has confirmed every update."""
        if not await self.ask(watch.WaitConfirmed(timeout=timeout), bool):
            raise Waited(f"the bot has not confirmed all updates within {timeout:g} s")
