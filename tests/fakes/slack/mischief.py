"""The tests' side of the fake: installation, transports, odd events, faults, settings, and the clock."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tests.fakes.slack import answers as p
from tests.fakes.slack import mischief_verbs as v
from tests.fakes.slack.faults import When
from tests.fakes.slack.line import Chat, Line, Where, maybe_id, team_of
from tests.fakes.slack.sockets import Reason


class Mischief(Line):
    # Installation.

    async def uninstall(self, workspace: Where | None = None) -> p.Told:
        """app_uninstalled and tokens_revoked are told; the token is dead and the bot in no channel."""
        return await self.ask(v.Uninstall(team=team_of(workspace)), p.Told)

    async def revoke_tokens(self, workspace: Where | None = None) -> p.Told:
        return await self.ask(v.RevokeTokens(team=team_of(workspace)), p.Told)

    async def set_scopes(
        self,
        scopes: Sequence[str] | None = None,
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        workspace: Where | None = None,
    ) -> None:
        """What the bot was granted: all of it, or a change. At first it is everything that a method needs."""
        granted = None if scopes is None else tuple(scopes)
        verb = v.SetScopes(scopes=granted, add=tuple(add), remove=tuple(remove), team=team_of(workspace))
        await self.ask(verb, p.Done)

    # Transports.

    async def use_socket(self) -> None:
        """Deliver over Socket Mode (as at first): while nobody is connected, events wait."""
        await self.ask(v.UseSocket(), p.Done)

    async def use_http(self, url: str, *, interactions: str = "", commands: str = "") -> None:
        """Deliver by signed posts to `url`; interactions and commands may have addresses of their own."""
        await self.ask(v.UseHttp(events=url, interactions=interactions, commands=commands), p.Done)

    async def forge(
        self,
        body: str | None = None,
        *,
        url: str = "",
        content_type: str = "application/json",
        signature: Literal["good", "bad", "none"] = "good",
        timestamp: str | None = None,
        age: float = 0.0,
    ) -> p.Replied:
        """A post that Slack would not make, and what the app answered. `body` None: an ordinary message.

        `age`: how many seconds old it pretends to be (negative: from the future); `timestamp`: whatever stands there.
        """
        verb = v.Forge(url=url, body=body, content_type=content_type, signature=signature, timestamp=timestamp, age=age)
        return await self.ask(verb, p.Replied)

    async def disconnect(self, reason: Reason, *, socket: int | None = None) -> int:
        """A disconnect frame on one socket or all. After warning and refresh_requested ten seconds pass until the end."""
        return (await self.ask(v.Disconnect(reason=reason, socket=socket), p.Count)).count

    async def cut(self, *, socket: int | None = None) -> int:
        """End sockets without a frame."""
        return (await self.ask(v.Cut(socket=socket), p.Count)).count

    async def deafen(self, *, socket: int | None = None, pings: bool = True, swallow: bool = False) -> int:
        """Sockets stay open and are sent nothing; without `pings` not even these are answered.

        Events go to other sockets or wait; with `swallow` they are lost here and tried again when their time is up.
        """
        verb = v.Deafen(deaf="quiet" if pings else "dead", socket=socket, swallow=swallow)
        return (await self.ask(verb, p.Count)).count

    async def undeafen(self, *, socket: int | None = None) -> int:
        return (await self.ask(v.Deafen(deaf="", socket=socket), p.Count)).count

    # Events.

    async def inject(self, body: Mapping[str, Any]) -> str:
        """Deliver a body of any shape, however broken; gives its event_id."""
        return await self.ask(v.Inject(body=dict(body)), str)

    async def inject_event(self, event: Mapping[str, Any], *, workspace: Where | None = None) -> str:
        """Deliver an event of any shape in the ordinary wrapping; gives its event_id."""
        return await self.ask(v.InjectEvent(event=dict(event), team=team_of(workspace)), str)

    async def repeat(self, event_id: str) -> None:
        """Deliver an event once more, though it was taken."""
        await self.ask(v.Repeat(event_id=event_id), p.Done)

    async def pause(self) -> None:
        """Hold back everything, interactions too."""
        await self.ask(v.Order(paused=True), p.Done)

    async def resume(self, *, reversed_once: bool = False) -> None:
        """Go on delivering; `reversed_once`: what has gathered comes in the wrong order."""
        await self.ask(v.Order(reversed_once=reversed_once, paused=False), p.Done)

    async def load(self, count: int, *, chats: int, text: str = "echo hello", per_second: float | None = None) -> int:
        """For benchmarks: texts from `chats` new people in turn; returns when the last one is made."""
        verb = v.Load(count=count, chats=chats, text=text, per_second=per_second)
        return (await self.ask(verb, p.Count)).count

    # Faults. `method` may be "response_url" too.

    async def fail(
        self,
        method: str = "*",
        *,
        error: str = "",
        status: int = 200,
        retry_after: int | None = None,
        chat: Chat | None = None,
        skip: int = 0,
        times: int | None = 1,
    ) -> int:
        """Answer with a code (only such as the method has), or with a bare `status`, and do nothing.

        429 is `status=429, error="ratelimited", retry_after=…`. Gives the fault's number.
        """
        if status == 429 and not error:
            error = "ratelimited"
        return await self._plant(
            v.Plant(
                act="error",
                method=method,
                chat=maybe_id(chat),
                skip=skip,
                times=times,
                error=error,
                status=status,
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
            v.Plant(
                act="body",
                method=method,
                chat=maybe_id(chat),
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
            v.Plant(act="delay", method=method, chat=maybe_id(chat), skip=skip, times=times, seconds=seconds)
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
            v.Plant(act="hold", method=method, chat=maybe_id(chat), skip=skip, times=times, when=when)
        )

    async def release(self, method: str = "*", *, call: int | None = None, discard: bool = False) -> int:
        """Let held calls go on; `discard`: without being applied (or without an answer). How many went on."""
        return (await self.ask(v.Release(call=call, method=method, discard=discard), p.Count)).count

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
            v.Plant(act="drop", method=method, chat=maybe_id(chat), skip=skip, times=times, when=when)
        )

    async def clear_faults(self, fault: int | None = None) -> None:
        await self.ask(v.Unplant(fault=fault), p.Done)

    async def _plant(self, fault: v.Plant) -> int:
        return (await self.ask(fault, p.Planted)).fault

    async def refuse_connections(self, seconds: float | None = None) -> None:
        """For `seconds`, or until `accept_connections`; open connections are cut, sockets too."""
        await self.ask(v.Refuse(seconds=seconds), p.Done)

    async def accept_connections(self) -> None:
        await self.ask(v.Refuse(seconds=0), p.Done)

    async def settings(
        self,
        *,
        ack_within: float | None = None,
        strict_rate: bool | None = None,
        mention_first: bool | None = None,
        mention_gap: float | None = None,
        unsubscribed: Sequence[str] | None = None,
        lose_unheard: bool | None = None,
        escape_commands: bool | None = None,
    ) -> None:
        """`ack_within`: seconds of real time until a delivery counts as failed (3). `strict_rate`: one post per second
        and channel. `mention_first`, `mention_gap`: order of app_mention and message, and the seconds between them.
        `unsubscribed`: events not told (message.channels, message.groups, message.im, message.mpim, app_mention, …).
        `lose_unheard`: with nobody connected a try counts as failed. `escape_commands`: ids in commands (as at first).
        """
        verb = v.Settings(
            ack_within=ack_within,
            strict_rate=strict_rate,
            mention_first=mention_first,
            mention_gap=mention_gap,
            unsubscribed=None if unsubscribed is None else tuple(unsubscribed),
            lose_unheard=lose_unheard,
            escape_commands=escape_commands,
        )
        await self.ask(verb, p.Done)

    async def advance(self, seconds: float) -> None:
        """Let the server's clock jump: triggers, response addresses, retries, tickets."""
        await self.ask(v.Advance(seconds=seconds), p.Done)
