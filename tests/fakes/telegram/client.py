"""The tests' side of the fake: starts it, acts for the people in its chats, waits for what the bot does.

    async with running_telegram() as telegram:
        ada = await telegram.user("Ada")
        chat = await telegram.private_chat(ada)
        await telegram.write(chat, ada, "hello")
        reply = await telegram.wait_message(chat, containing="hello")

Chats and people may be given as what this client returned or by number. Every `wait_…` raises `Waited` with what there
was instead when its time is up. Leaving the block fails with `ContractBroken` if the bot broke the contract and the test
did not take it with `violations(forget=True)`.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import aiohttp
from pydantic import BaseModel, TypeAdapter

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.faults import When
from tests.fakes.telegram.record import Verdict
from tests.fakes.telegram.world import Standing

T = TypeVar("T")
Chat = p.Place | int
Who = p.Person | int

_ROOT = Path(__file__).parents[3]
_READY_WITHIN = 30.0


class Waited(AssertionError):
    """It did not happen in time."""


class ContractBroken(AssertionError):
    """The bot sent something that the Bot API refuses, and no test expected it."""


class ControlError(Exception):
    """The fake cannot do what the test asked for."""


class Telegram:
    def __init__(self, ready: Mapping[str, Any], http: aiohttp.ClientSession) -> None:
        self.api_url: str = ready["api_url"]
        """`{api_url}/bot<token>/<method>`, files under `{api_url}/file/bot<token>/<path>`."""
        self.control_url: str = ready["control_url"]
        self.token: str = ready["token"]
        self.bot_id: int = ready["bot_id"]
        self.bot_username: str = ready["bot_username"]
        self._http = http

    async def _ask(self, verb: BaseModel, answer: type[T]) -> T:
        url = f"{self.control_url}/{type(verb).__name__}"
        async with self._http.post(url, data=verb.model_dump_json()) as response:
            body = await response.text()
            if response.status != 200:
                raise ControlError(body)
            return TypeAdapter(answer).validate_json(body)

    # People and places.

    async def user(
        self, first_name: str, *, username: str | None = None, language_code: str | None = "en", is_bot: bool = False
    ) -> p.Person:
        return await self._ask(
            p.AddUser(first_name=first_name, username=username, language_code=language_code, is_bot=is_bot), p.Person
        )

    async def private_chat(self, who: Who, *, started: bool = True) -> p.Place:
        """Its number is the person's. `started=False`: the person has never written, so the bot may not either."""
        return await self._ask(p.AddPrivate(user=_who(who), started=started), p.Place)

    async def group(
        self, title: str, *, members: Sequence[Who] = (), admins: Sequence[Who] = (), bot: Standing = "member"
    ) -> p.Place:
        """A basic group. The bot is told nothing of being there; use `set_bot` with a group made `bot="left"` for that."""
        return await self._group(title, "group", False, members, admins, bot)

    async def supergroup(
        self, title: str, *, members: Sequence[Who] = (), admins: Sequence[Who] = (), bot: Standing = "member"
    ) -> p.Place:
        return await self._group(title, "supergroup", False, members, admins, bot)

    async def forum(
        self, title: str, *, members: Sequence[Who] = (), admins: Sequence[Who] = (), bot: Standing = "member"
    ) -> p.Place:
        return await self._group(title, "supergroup", True, members, admins, bot)

    async def _group(
        self,
        title: str,
        kind: Literal["group", "supergroup"],
        forum: bool,
        members: Sequence[Who],
        admins: Sequence[Who],
        bot: Standing,
    ) -> p.Place:
        verb = p.AddGroup(
            title=title,
            kind=kind,
            forum=forum,
            members=tuple(map(_who, members)),
            admins=tuple(map(_who, admins)),
            bot=bot,
        )
        return await self._ask(verb, p.Place)

    async def topic(self, chat: Chat, who: Who, name: str) -> int:
        """The number of the new topic: its message_thread_id."""
        return await self._ask(p.AddTopic(chat=_chat(chat), user=_who(who), name=name), int)

    async def delete_topic(self, chat: Chat, topic: int) -> None:
        await self._ask(p.ChangeTopic(chat=_chat(chat), topic=topic, deleted=True), p.Done)

    async def close_topic(self, chat: Chat, topic: int, *, closed: bool = True) -> None:
        await self._ask(p.ChangeTopic(chat=_chat(chat), topic=topic, closed=closed), p.Done)

    async def set_standing(self, chat: Chat, who: Who, standing: Standing) -> None:
        await self._ask(p.SetStanding(chat=_chat(chat), user=_who(who), standing=standing), p.Done)

    # What people do.

    async def write(
        self,
        chat: Chat,
        who: Who,
        text: str,
        *,
        thread: int | None = None,
        reply_to: int | None = None,
        entities: Sequence[dict[str, Any]] | None = None,
        quote: str | None = None,
        forwarded_from: str | None = None,
        anonymous: bool = False,
    ) -> p.Sent:
        """Commands, mentions and links in `text` get their entities as in Telegram: "/help@bot", "@bot hello".

        `quote`: the part of the answered message that is quoted; `forwarded_from`: a name; `anonymous`: an
        administrator who writes as the group.
        """
        verb = p.Write(
            quote=quote,
            forwarded_from=forwarded_from,
            anonymous=anonymous,
            chat=_chat(chat),
            user=_who(who),
            text=text,
            thread=thread,
            reply_to=reply_to,
            entities=None if entities is None else tuple(entities),
        )
        return await self._ask(verb, p.Sent)

    async def edit(self, chat: Chat, message: int, text: str) -> p.Sent:
        """The writer changes the text of an earlier message."""
        return await self._ask(p.Edit(chat=_chat(chat), message=message, text=text), p.Sent)

    async def send_file(
        self,
        chat: Chat,
        who: Who,
        *,
        kind: Literal["document", "photo", "voice"] = "document",
        name: str = "notes.txt",
        mime: str = "text/plain",
        content: bytes = b"hello",
        caption: str = "",
        thread: int | None = None,
        media_group: str | None = None,
    ) -> p.Sent:
        """`media_group`: several files with the same one are an album; each is an update of its own."""
        verb = p.SendFile(
            media_group=media_group,
            chat=_chat(chat),
            user=_who(who),
            kind=kind,
            name=name,
            mime=mime,
            content=content.hex(),
            caption=caption,
            thread=thread,
        )
        return await self._ask(verb, p.Sent)

    async def press(
        self,
        chat: Chat,
        who: Who,
        message: int,
        label: str | None = None,
        *,
        data: str | None = None,
        forged: bool = False,
        inaccessible: bool = False,
    ) -> p.Pressed:
        """Press a button of a message, by its label or its data. `forged` sends `data` that need not be there."""
        verb = p.Press(
            chat=_chat(chat),
            user=_who(who),
            message=message,
            label=label,
            data=data,
            forged=forged,
            inaccessible=inaccessible,
        )
        return await self._ask(verb, p.Pressed)

    async def set_bot(self, chat: Chat, by: Who, standing: Standing) -> p.Told:
        """Add ("member"), promote ("administrator"), remove or block ("kicked"), let leave ("left"), with its updates."""
        return await self._ask(p.SetBot(chat=_chat(chat), by=_who(by), standing=standing), p.Told)

    async def block(self, chat: Chat, by: Who) -> p.Told:
        return await self.set_bot(chat, by, "kicked")

    async def unblock(self, chat: Chat, by: Who) -> p.Told:
        return await self.set_bot(chat, by, "member")

    async def deactivate(self, chat: Chat) -> None:
        await self._ask(p.Deactivate(chat=_chat(chat)), p.Done)

    async def remove_message(self, chat: Chat, message: int) -> None:
        """Someone deletes a message; bots are not told."""
        await self._ask(p.Remove(chat=_chat(chat), message=message), p.Done)

    async def migrate(self, chat: Chat, by: Who) -> p.Moved:
        """A basic group becomes a supergroup with another number."""
        return await self._ask(p.Migrate(chat=_chat(chat), by=_who(by)), p.Moved)

    async def react(self, chat: Chat, who: Who, message: int, emoji: str) -> p.Sent:
        return await self._ask(p.React(chat=_chat(chat), user=_who(who), message=message, emoji=emoji), p.Sent)

    async def stop_draft(self, chat: Chat, draft_id: int) -> p.Told:
        return await self._ask(p.StopDraft(chat=_chat(chat), draft_id=draft_id), p.Told)

    # Updates.

    async def inject(self, update: Mapping[str, Any], *, queue: str = "injected") -> int:
        """Deliver an update of any shape, however broken; gives its update_id."""
        return await self._ask(p.Inject(update=dict(update), queue=queue), int)

    async def repeat(self, update_id: int) -> None:
        """Deliver an update once more, though it was confirmed."""
        await self._ask(p.Repeat(update_id=update_id), p.Done)

    async def pause(self) -> None:
        await self._ask(p.Order(paused=True), p.Done)

    async def resume(self, *, reversed_once: bool = False) -> None:
        """Go on delivering; `reversed_once`: what has gathered comes in the wrong order."""
        await self._ask(p.Order(paused=False, reversed_once=reversed_once), p.Done)

    async def leave_gaps(self, ids: int) -> None:
        await self._ask(p.Order(gap=ids), p.Done)

    async def load(self, count: int, *, chats: int, text: str = "echo hello", per_second: float | None = None) -> int:
        """For benchmarks: texts from `chats` new people in turn; returns when the last one is made."""
        verb = p.Load(count=count, chats=chats, text=text, per_second=per_second)
        return (await self._ask(verb, p.Count)).count

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
            p.Plant(
                act="error",
                method=method,
                chat=_maybe(chat),
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
            p.Plant(
                act="body",
                method=method,
                chat=_maybe(chat),
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
            p.Plant(act="delay", method=method, chat=_maybe(chat), skip=skip, times=times, seconds=seconds)
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
            p.Plant(act="hold", method=method, chat=_maybe(chat), skip=skip, times=times, when=when)
        )

    async def release(self, method: str = "*", *, call: int | None = None, discard: bool = False) -> int:
        """Let held calls go on; `discard`: without being applied (or without an answer). How many went on."""
        return (await self._ask(p.Release(call=call, method=method, discard=discard), p.Count)).count

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
            p.Plant(act="drop", method=method, chat=_maybe(chat), skip=skip, times=times, when=when)
        )

    async def clear_faults(self, fault: int | None = None) -> None:
        await self._ask(p.Unplant(fault=fault), p.Done)

    async def _plant(self, fault: p.Plant) -> int:
        return (await self._ask(fault, p.Planted)).fault

    async def refuse_connections(self, seconds: float | None = None) -> None:
        """For `seconds`, or until `accept_connections`; open connections are cut."""
        await self._ask(p.Refuse(seconds=seconds), p.Done)

    async def accept_connections(self) -> None:
        await self._ask(p.Refuse(seconds=0), p.Done)

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
        verb = p.Settings(
            text_unit=text_unit,
            privacy=privacy,
            throttle=throttle,
            revoked=revoked,
            wrong_secret_once=wrong_secret_once,
        )
        await self._ask(verb, p.Done)

    async def advance(self, seconds: float) -> None:
        """Let the server's clock jump: lifetimes, retries, waiting polls."""
        await self._ask(p.Advance(seconds=seconds), p.Done)

    # Looking.

    async def messages(self, chat: Chat) -> list[p.Shown]:
        """All messages of a chat, oldest first, as people see them now; deleted ones are marked."""
        return await self._ask(p.Messages(chat=_chat(chat)), list[p.Shown])

    async def calls(self, method: str | None = None, *, chat: Chat | None = None, after: int = 0) -> list[p.Called]:
        """What the bot asked, oldest first; `after`: the number of a call."""
        return await self._ask(p.Calls(method=method, chat=_maybe(chat), after=after), list[p.Called])

    async def actions(self, chat: Chat) -> list[dict[str, Any]]:
        """Chat actions: action, thread, at."""
        return await self._ask(p.Actions(chat=_chat(chat)), list[dict[str, Any]])

    async def drafts(self, chat: Chat) -> list[dict[str, Any]]:
        """Frames of the drafts that are not finished by a message: draft_id, thread, text, at."""
        return await self._ask(p.Drafts(chat=_chat(chat)), list[dict[str, Any]])

    async def commands(self, scope: str = "default", language: str = "") -> list[dict[str, Any]]:
        return await self._ask(p.Commands(scope=scope, language=language), list[dict[str, Any]])

    async def violations(self, *, forget: bool = False) -> list[p.Broken]:
        """`forget=True`: the test expected these."""
        return await self._ask(p.Violations(forget=forget), list[p.Broken])

    async def latencies(self, method: str | None = None) -> list[p.Latency]:
        """From the making of each update to the first call (of `method`) for its chat."""
        return await self._ask(p.Latencies(method=method), list[p.Latency])

    async def reset(self) -> None:
        """Start from nothing: no people, chats, faults or record; the same addresses and token."""
        await self._ask(p.Reset(), p.Done)

    async def forget(self) -> None:
        """Empty the record of calls, violations and latencies."""
        await self._ask(p.Forget(), p.Done)

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
        wanted = p.WaitMessage(
            chat=_chat(chat),
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
        found = await self._ask(wanted, p.Shown | None)  # type: ignore[arg-type]  # a union is no type, but TypeAdapter takes it
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
        wanted = p.WaitCalls(
            method=method,
            count=count,
            chat=_maybe(chat),
            after=after,
            containing=containing,
            verdict=verdict,
            arrived=arrived,
            timeout=timeout,
        )
        found = await self._ask(wanted, list[p.Called] | None)  # type: ignore[arg-type]  # as above
        if found is not None:
            return found
        there = [(c.number, c.method, c.verdict) for c in (await self.calls())[-30:]]
        raise Waited(f"no {count} calls of {method} within {timeout:g} s; the last calls were {there}")

    async def wait_held(self, method: str = "*", *, timeout: float = 10.0) -> p.Called:
        """A call that waits for its release."""
        found = await self._ask(p.WaitHeld(method=method, timeout=timeout), p.Called | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"no call of {method} was held within {timeout:g} s")
        return found

    async def wait_answer(self, press: p.Pressed, *, timeout: float = 10.0) -> p.Answered:
        """How the bot answered a press."""
        found = await self._ask(p.WaitAnswer(query_id=press.query_id, timeout=timeout), p.Answered | None)  # type: ignore[arg-type]  # as above
        if found is None:
            raise Waited(f"the press was not answered within {timeout:g} s")
        return found

    async def wait_confirmed(self, *, timeout: float = 10.0) -> None:
        """Until the bot has confirmed every update."""
        if not await self._ask(p.WaitConfirmed(timeout=timeout), bool):
            raise Waited(f"the bot has not confirmed all updates within {timeout:g} s")


_REASONS = {
    400: "Bad Request: made up by the test",
    401: "Unauthorized",
    403: "Forbidden: bot was blocked by the user",
    409: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    500: "Internal Server Error",
    502: "Bad Gateway",
}


def _who(who: Who) -> int:
    return who if isinstance(who, int) else who.id


def _chat(chat: Chat) -> int:
    return chat if isinstance(chat, int) else chat.id


def _maybe(chat: Chat | None) -> int | None:
    return None if chat is None else _chat(chat)


@contextlib.asynccontextmanager
async def running_telegram(*, validation: bool = True, port: int = 0) -> AsyncIterator[Telegram]:
    """The fake in a process of its own, ready; ended with the block. Raises ContractBroken at its end (see above)."""
    process = await asyncio.create_subprocess_exec(
        *_command(validation, port), cwd=_ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), _READY_WITHIN)
        async with connected(_ready(line)) as telegram:
            yield telegram
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@contextlib.contextmanager
def telegram_process(*, validation: bool = True, port: int = 0) -> Iterator[Mapping[str, Any]]:
    """The fake for many tests, each of which is `connected` to what this gives. For a fixture of session scope."""
    with subprocess.Popen(
        _command(validation, port), cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            yield _ready(process.stdout.readline())
        finally:
            process.terminate()


@contextlib.asynccontextmanager
async def connected(ready: Mapping[str, Any]) -> AsyncIterator[Telegram]:
    """A fake that knows nobody yet. Raises ContractBroken at its end (see above)."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as http:
        telegram = Telegram(ready, http)
        await telegram.reset()
        yield telegram
        if broken := await telegram.violations():
            raise ContractBroken("; ".join(f"{entry.method} (call {entry.call}): {entry.reason}" for entry in broken))


def _command(validation: bool, port: int) -> list[str]:
    command = [sys.executable, "-m", "tests.fakes.telegram", "--port", str(port), "--end-with-stdin"]
    return command if validation else [*command, "--no-validation"]


def _ready(line: bytes) -> Mapping[str, Any]:
    if not line:
        raise RuntimeError("the Telegram fake ended before it was ready; its reason is on stderr")
    ready: Mapping[str, Any] = json.loads(line)
    return ready
