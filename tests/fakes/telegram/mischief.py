"""The tests' side of the fake: odd updates, faults, settings, and the clock."""

from collections.abc import Mapping
from typing import Any, Literal

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.faults import When
from tests.fakes.telegram.line import Chat, Line, maybe_chat_id
from tests.fakes.telegram.verbs import mischief

_REASONS = {
    400: "Bad Request: made up by the test",
    401: "Unauthorized",
    403: "Forbidden: bot was blocked by the user",
    409: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    500: "Internal Server Error",
    502: "Bad Gateway",
}


class Mischief(Line):
    # Updates.

    async def inject(self, update: Mapping[str, Any], *, queue: str = "injected") -> int:
        """Deliver an update of any shape, however broken; gives its update_id."""
        return await self.ask(mischief.Inject(update=dict(update), queue=queue), int)

    async def repeat(self, update_id: int) -> None:
        """Deliver an update once more, though it was confirmed."""
        await self.ask(mischief.Repeat(update_id=update_id), p.Done)

    async def pause(self) -> None:
        await self.ask(mischief.Order(paused=True), p.Done)

    async def resume(self, *, reversed_once: bool = False) -> None:
        """Go on delivering; `reversed_once`: what has gathered comes in the wrong order."""
        await self.ask(mischief.Order(paused=False, reversed_once=reversed_once), p.Done)

    async def leave_gaps(self, ids: int) -> None:
        await self.ask(mischief.Order(gap=ids), p.Done)

    async def load(self, count: int, *, chats: int, text: str = "echo hello", per_second: float | None = None) -> int:
        """For benchmarks: texts from `chats` new people in turn; returns when the last one is made."""
        verb = mischief.Load(count=count, chats=chats, text=text, per_second=per_second)
        return (await self.ask(verb, p.Count)).count

    # Faults.

    async def fail(
        self,
        method: str = "*",
        *,
        status: int,
        description: str = "",
        retry_after: int | None = None,
        chat: Chat | None = None,
        skip: int = 0,
        times: int | None = 1,
    ) -> int:
        """Answer with an error and do nothing. 429 without `retry_after` has no parameters. Gives the fault's number."""
        return await self._plant(
            mischief.Plant(
                act="error",
                method=method,
                chat=maybe_chat_id(chat),
                skip=skip,
                times=times,
                status=status,
                description=description or _REASONS.get(status, "Bad Request: made up by the test"),
                retry_after=retry_after,
            )
        )

    async def answer_with(
        self,
        method: str = "*",
        *,
        body: str,
        status: int = 200,
        content_type: str = "application/json",
        when: When = "before",
        chat: Chat | None = None,
        skip: int = 0,
        times: int | None = 1,
    ) -> int:
        """Answer with this body as it stands: HTML, nothing, half a JSON. `when="after"`: the call is applied first."""
        return await self._plant(
            mischief.Plant(
                act="body",
                method=method,
                chat=maybe_chat_id(chat),
                skip=skip,
                times=times,
                when=when,
                status=status,
                body=body,
                content_type=content_type,
            )
        )

    async def delay(
        self, method: str = "*", *, seconds: float, chat: Chat | None = None, skip: int = 0, times: int | None = 1
    ) -> int:
        return await self._plant(
            mischief.Plant(
                act="delay", method=method, chat=maybe_chat_id(chat), skip=skip, times=times, seconds=seconds
            )
        )

    async def hold(
        self,
        method: str = "*",
        *,
        when: When = "before",
        chat: Chat | None = None,
        skip: int = 0,
        times: int | None = 1,
    ) -> int:
        """The call waits until `release`, before or after it is applied. See `wait_held`."""
        return await self._plant(
            mischief.Plant(act="hold", method=method, chat=maybe_chat_id(chat), skip=skip, times=times, when=when)
        )

    async def release(self, method: str = "*", *, call: int | None = None, discard: bool = False) -> int:
        """Let held calls go on; `discard`: without being applied (or without an answer). How many went on."""
        return (await self.ask(mischief.Release(call=call, method=method, discard=discard), p.Count)).count

    async def drop(
        self,
        method: str = "*",
        *,
        when: When = "before",
        chat: Chat | None = None,
        skip: int = 0,
        times: int | None = 1,
    ) -> int:
        """Cut the connection instead of answering, before or after the call is applied."""
        return await self._plant(
            mischief.Plant(act="drop", method=method, chat=maybe_chat_id(chat), skip=skip, times=times, when=when)
        )

    async def clear_faults(self, fault: int | None = None) -> None:
        await self.ask(mischief.Unplant(fault=fault), p.Done)

    async def _plant(self, fault: mischief.Plant) -> int:
        return (await self.ask(fault, p.Planted)).fault

    async def refuse_connections(self, seconds: float | None = None) -> None:
        """For `seconds`, or until `accept_connections`; open connections are cut."""
        await self.ask(mischief.Refuse(seconds=seconds), p.Done)

    async def accept_connections(self) -> None:
        await self.ask(mischief.Refuse(seconds=0), p.Done)

    async def settings(
        self,
        *,
        text_unit: Literal["characters", "utf16"] | None = None,
        privacy: bool | None = None,
        throttle: bool | None = None,
        revoked: bool | None = None,
        wrong_secret_once: bool | None = None,
    ) -> None:
        """`revoked`: the token is unknown (401). `throttle`: slow down hasty polls as Telegram does (on at first)."""
        verb = mischief.Settings(
            text_unit=text_unit,
            privacy=privacy,
            throttle=throttle,
            revoked=revoked,
            wrong_secret_once=wrong_secret_once,
        )
        await self.ask(verb, p.Done)

    async def advance(self, seconds: float) -> None:
        """Let the server's clock jump: lifetimes, retries, waiting polls."""
        await self.ask(mischief.Advance(seconds=seconds), p.Done)
