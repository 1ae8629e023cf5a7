"""The tests' side of the fake: what the bot did, and waiting for it."""

from typing import Any, Literal

from tests.fakes.slack import answers as p
from tests.fakes.slack import watch_verbs as v
from tests.fakes.slack.line import Chat, Line, Waited, Who, id_of, maybe_id
from tests.fakes.slack.record import Verdict


class Watch(Line):
    # Looking.

    async def messages(
        self, chat: Chat, *, thread: str | None = None, ephemeral_for: Who | None = None
    ) -> list[p.Shown]:
        """All messages of a channel (or of one thread), oldest first, as people see them now; deleted ones are marked.

        Ephemeral messages are seen by their person alone: `ephemeral_for`.
        """
        verb = v.Messages(chat=id_of(chat), thread=thread, ephemeral_for=maybe_id(ephemeral_for))
        return await self.ask(verb, list[p.Shown])

    async def calls(self, method: str | None = None, *, chat: Chat | None = None, after: int = 0) -> list[p.Called]:
        """What the app asked, oldest first; `after`: the number of a call. Posts to a response_url are there by that name."""
        return await self.ask(v.Calls(method=method, chat=maybe_id(chat), after=after), list[p.Called])

    async def sockets(self) -> list[p.Socket]:
        """Open connections, oldest first."""
        return await self.ask(v.OpenSockets(), list[p.Socket])

    async def deliveries(self) -> list[p.Delivered]:
        """Every event that was to be told, with its body, its tries and how they ended."""
        return await self.ask(v.Deliveries(), list[p.Delivered])

    async def statuses(self, chat: Chat) -> dict[str, Any]:
        """What assistant.threads.* set, by thread: status, title, prompts."""
        return await self.ask(v.Statuses(chat=id_of(chat)), dict[str, Any])

    async def violations(self, *, forget: bool = False) -> list[p.Broken]:
        """`forget=True`: the test expected these."""
        return await self.ask(v.Violations(forget=forget), list[p.Broken])

    async def latencies(self, method: str | None = None) -> list[p.Latency]:
        """From the making of each event to the first call (of `method`) for its channel."""
        return await self.ask(v.Latencies(method=method), list[p.Latency])

    async def reset(self) -> None:
        """Start from nothing: no people, channels, faults, sockets or record; the same addresses and tokens."""
        await self.ask(v.Reset(), p.Done)

    async def forget(self) -> None:
        """Empty the record of calls, violations and latencies."""
        await self.ask(v.Forget(), p.Done)

    # Waiting.

    async def wait_message(
        self,
        chat: Chat,
        *,
        containing: str | None = None,
        text: str | None = None,
        by_bot: bool | None = True,
        after: str = "",
        thread: str | None = None,
        button: str | None = None,
        no_buttons: bool = False,
        edits: int = 0,
        deleted: bool = False,
        message: str | None = None,
        to: Who | None = None,
        count: int = 1,
        timeout: float = 10.0,
    ) -> p.Shown:
        """The message (the `count`th) that fits everything given, as soon as there is one. `after`: a message's ts.

        `to`: an ephemeral message for this person.
        """
        wanted = v.WaitMessage(
            chat=id_of(chat),
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
            to=maybe_id(to),
            count=count,
            timeout=timeout,
        )
        found = await self.ask(wanted, p.Shown | None)  # type: ignore[arg-type]  # a union is no type, but TypeAdapter takes it
        if found is not None:
            return found
        shown = await self.messages(chat, ephemeral_for=to)
        there = [(m.id, m.text, m.buttons, "deleted" if m.deleted else "") for m in shown]
        sought = wanted.model_dump(exclude_defaults=True)
        raise Waited(f"no message like {sought} within {timeout:g} s; the channel holds {there}")

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

        `arrived`: also those that still wait for their answer.
        """
        wanted = v.WaitCalls(
            method=method,
            count=count,
            chat=maybe_id(chat),
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
        found = await self.ask(v.WaitHeld(method=method, timeout=timeout), p.Called | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"no call of {method} was held within {timeout:g} s")
        return found

    async def wait_answer(
        self, press: p.Pressed, *, expect_notice: bool | None = None, settle: float = 1.0, timeout: float = 10.0
    ) -> p.Answered:
        """How a press, a command or a submission was answered; `failed` says that it was not, in time.

        A notice is an ephemeral message to that person: with the acknowledgement, by the response_url, or by
        chat.postEphemeral there. True: wait until there is one. False: return with the acknowledgement. None: after the
        acknowledgement wait for one, and after `settle` seconds believe that none will come (then `text` is empty).
        """
        wanted = v.WaitAnswer(interaction=press.id, expect_notice=expect_notice, settle=settle, timeout=timeout)
        found = await self.ask(wanted, p.Answered | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"the {press.kind} was not answered within {timeout:g} s")
        return found

    async def wait_view(
        self,
        who: Who,
        *,
        kind: Literal["modal", "home"] = "modal",
        containing: str | None = None,
        changes: int = 0,
        error: str | None = None,
        timeout: float = 10.0,
    ) -> p.Modal:
        """The view that this person has on top. `containing`: in its title, texts or labels; `error`: in one of its errors."""
        wanted = v.WaitView(
            user=id_of(who), kind=kind, containing=containing, changes=changes, error=error, timeout=timeout
        )
        found = await self.ask(wanted, p.Modal | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"no view like {wanted.model_dump(exclude_defaults=True)} within {timeout:g} s")
        return found

    async def wait_no_view(self, who: Who, *, timeout: float = 10.0) -> None:
        """Until this person has no modal open."""
        if not await self.ask(v.WaitNoView(user=id_of(who), timeout=timeout), bool):
            raise Waited(f"a modal is still open after {timeout:g} s")

    async def wait_sockets(self, count: int = 1, *, newer_than: int = 0, timeout: float = 10.0) -> list[p.Socket]:
        """Until just so many connections are open, all of them newer than the one of that number."""
        wanted = v.WaitSockets(count=count, newer_than=newer_than, timeout=timeout)
        found = await self.ask(wanted, list[p.Socket] | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"not {count} sockets within {timeout:g} s but {await self.sockets()}")
        return found

    async def wait_confirmed(self, *, timeout: float = 10.0) -> None:
        """Until everything that was to be told is acknowledged or given up."""
        if not await self.ask(v.WaitConfirmed(timeout=timeout), bool):
            left = [(d.event_id, d.tries, d.last_failure) for d in await self.deliveries() if d.state == "waiting"]
            raise Waited(f"the app has not acknowledged everything within {timeout:g} s; there is left {left}")

    async def wait_tries(self, event_id: str, count: int, *, timeout: float = 10.0) -> None:
        """Until this event was tried so often; the next try may be minutes away (`advance`)."""
        if not await self.ask(v.WaitTries(event_id=event_id, count=count, timeout=timeout), bool):
            raise Waited(f"the event was not tried {count} times within {timeout:g} s")
