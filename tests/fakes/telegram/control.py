"""What tests say to the fake: the table of verbs, each a model and a function."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.errors import ApiError
from tests.fakes.telegram.fake import Fake, emptied
from tests.fakes.telegram.faults import Fault
from tests.fakes.telegram.looking import called, fitting_calls, fitting_messages, latencies, place, shown
from tests.fakes.telegram.people import ANONYMOUS, Impossible
from tests.fakes.telegram.updates import BrokenFake
from tests.fakes.telegram.world import Chat, User

M = TypeVar("M", bound=BaseModel)
_anything: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass(frozen=True, slots=True)
class Verb:
    name: str
    run: Callable[["Control", str], Awaitable[bytes]]


def verb(model: type[M], act: Callable[["Control", M], object]) -> Verb:
    async def run(control: "Control", body: str) -> bytes:
        result = act(control, model.model_validate_json(body))
        if isawaitable(result):
            result = await result
        return _anything.dump_json(result)

    return Verb(model.__name__, run)


class Control:
    def __init__(self, fake: Fake) -> None:
        self.fake = fake
        self._verbs = {entry.name: entry for entry in VERBS}

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        entry = self._verbs.get(request.path.strip("/"))
        if entry is None:
            return web.Response(status=404, text=f"there is no verb {request.path!r}")
        try:
            return web.Response(body=await entry.run(self, await request.text()), content_type="application/json")
        except (Impossible, ValidationError, KeyError, BrokenFake) as error:
            text = f"no such thing: {error}" if isinstance(error, KeyError) else str(error)
            return web.Response(status=400, text=text)
        except ApiError as error:
            return web.Response(status=400, text=error.reason)

    # People and places.

    def chat(self, number: int) -> Chat:
        return self.fake.world.chats[number]

    def user(self, number: int) -> User:
        return self.fake.world.users[number]

    def add_user(self, wanted: p.AddUser) -> p.Person:
        user = self.fake.world.add_user(wanted.first_name, wanted.username, wanted.language_code, is_bot=wanted.is_bot)
        return p.Person(id=user.id, first_name=user.first_name, username=user.username)

    def add_private(self, wanted: p.AddPrivate) -> p.Place:
        return place(self.fake.world.add_private(self.user(wanted.user), started=wanted.started))

    def add_group(self, wanted: p.AddGroup) -> p.Place:
        chat = self.fake.world.add_group(wanted.kind, wanted.title, forum=wanted.forum)
        chat.members.update((self.user(number).id, "member") for number in wanted.members)
        chat.members.update((self.user(number).id, "administrator") for number in wanted.admins)
        chat.members[self.fake.world.bot.id] = wanted.bot
        return place(chat)

    def add_topic(self, wanted: p.AddTopic) -> int:
        return self.fake.world.add_topic(self.chat(wanted.chat), self.user(wanted.user), wanted.name).id

    def change_topic(self, wanted: p.ChangeTopic) -> p.Done:
        chat = self.chat(wanted.chat)
        topic = chat.topics[wanted.topic]
        if wanted.closed is not None:
            topic.closed = wanted.closed
        if wanted.deleted:
            topic.deleted = True
            for message in chat.messages.values():
                message.deleted = message.deleted or message.thread == topic.id
        self.fake.waiters.changed()
        return p.Done()

    def set_standing(self, wanted: p.SetStanding) -> p.Done:
        self.chat(wanted.chat).members[self.user(wanted.user).id] = wanted.standing
        return p.Done()

    # What people do.

    def write(self, wanted: p.Write) -> p.Sent:
        chat, user = self.chat(wanted.chat), self.user(wanted.user)
        extras: dict[str, Any] = {}
        if wanted.quote is not None:
            extras["quote"] = {"text": wanted.quote, "position": 0}
        if wanted.forwarded_from is not None:
            date = int(self.fake.world.clock.now())
            extras["forward_origin"] = {"type": "hidden_user", "sender_user_name": wanted.forwarded_from, "date": date}
        if wanted.anonymous:
            user = ANONYMOUS
            extras["sender_chat"] = self.fake.world.chat_json(chat)
        message, update = self.fake.people.text(
            chat,
            user,
            wanted.text,
            thread=wanted.thread,
            reply_to=wanted.reply_to,
            entities=None if wanted.entities is None else list(wanted.entities),
            extras=extras,
        )
        return p.Sent(message_id=message.id, update_id=update)

    def edit(self, wanted: p.Edit) -> p.Sent:
        update = self.fake.people.edit(self.chat(wanted.chat), wanted.message, wanted.text)
        return p.Sent(message_id=wanted.message, update_id=update)

    def send_file(self, wanted: p.SendFile) -> p.Sent:
        message, update = self.fake.people.file(
            self.chat(wanted.chat),
            self.user(wanted.user),
            wanted.kind,
            wanted.name,
            wanted.mime,
            bytes.fromhex(wanted.content),
            wanted.caption,
            wanted.thread,
            wanted.media_group,
        )
        return p.Sent(message_id=message.id, update_id=update)

    def press(self, wanted: p.Press) -> p.Pressed:
        chat, user = self.chat(wanted.chat), self.user(wanted.user)
        message = chat.messages.get(wanted.message)
        gone = message is None or message.deleted or wanted.inaccessible
        if wanted.forged or message is None:
            if wanted.data is None:
                raise Impossible("a forged press needs its data")
            data = wanted.data
        else:
            data = _data(message.markup, wanted)
        query, update = self.fake.people.press(chat, user, None if gone else message, wanted.message, data)
        return p.Pressed(query_id=query.id, update_id=update)

    def set_bot(self, wanted: p.SetBot) -> p.Told:
        updates = self.fake.people.set_bot(self.chat(wanted.chat), self.user(wanted.by), wanted.standing)
        return p.Told(update_ids=tuple(updates))

    def deactivate(self, wanted: p.Deactivate) -> p.Done:
        self.chat(wanted.chat).deactivated = True
        return p.Done()

    def remove(self, wanted: p.Remove) -> p.Done:
        self.chat(wanted.chat).messages[wanted.message].deleted = True
        self.fake.waiters.changed()
        return p.Done()

    def migrate(self, wanted: p.Migrate) -> p.Moved:
        new, updates = self.fake.people.migrate(self.chat(wanted.chat), self.user(wanted.by))
        return p.Moved(chat=place(new), update_ids=tuple(updates))

    def react(self, wanted: p.React) -> p.Sent:
        chat = self.chat(wanted.chat)
        update = self.fake.people.react(chat, self.user(wanted.user), wanted.message, wanted.emoji)
        return p.Sent(message_id=wanted.message, update_id=update)

    def stop_draft(self, wanted: p.StopDraft) -> p.Told:
        return p.Told(update_ids=(self.fake.people.stop_draft(self.chat(wanted.chat), wanted.draft_id),))

    # Updates.

    def inject(self, wanted: p.Inject) -> int:
        return self.fake.updates.put("injected", wanted.update, queue=wanted.queue, chat=None)

    def repeat(self, wanted: p.Repeat) -> p.Done:
        self.fake.updates.repeat(wanted.update_id)
        return p.Done()

    def order(self, wanted: p.Order) -> p.Done:
        updates = self.fake.updates
        if wanted.reversed_once is not None:
            updates.reversed_once = wanted.reversed_once
        if wanted.gap is not None:
            updates.gap = wanted.gap
        if wanted.paused is not None:
            updates.paused = wanted.paused
            updates.ring()
        return p.Done()

    async def load(self, wanted: p.Load) -> p.Count:
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

    def plant(self, wanted: p.Plant) -> p.Planted:
        return p.Planted(fault=self.fake.faults.plant(Fault(0, **wanted.model_dump())))

    def unplant(self, wanted: p.Unplant) -> p.Done:
        self.fake.faults.remove(wanted.fault)
        return p.Done()

    def release(self, wanted: p.Release) -> p.Count:
        return p.Count(count=self.fake.faults.release(wanted.call, wanted.method, discard=wanted.discard))

    async def refuse(self, wanted: p.Refuse) -> p.Done:
        await self.fake.door.refuse(wanted.seconds)
        return p.Done()

    def settings(self, wanted: p.Settings) -> p.Done:
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

    def advance(self, wanted: p.Advance) -> p.Done:
        self.fake.world.clock.advance(wanted.seconds)
        return p.Done()

    # Looking and waiting.

    def messages(self, wanted: p.Messages) -> list[p.Shown]:
        chat = self.chat(wanted.chat)
        return [shown(message, self.fake.world.bot) for message in chat.messages.values()]

    async def wait_message(self, wanted: p.WaitMessage) -> p.Shown | None:
        chat = self.chat(wanted.chat)

        def look() -> p.Shown | None:
            fitting = fitting_messages(chat, self.fake.world.bot, wanted)
            return shown(fitting[wanted.count - 1], self.fake.world.bot) if len(fitting) >= wanted.count else None

        return await self.fake.waiters.until(look, wanted.timeout)

    def calls(self, wanted: p.Calls) -> list[p.Called]:
        return [
            called(call)
            for call in self.fake.record.calls
            if call.number > wanted.after and wanted.method in (None, call.method) and wanted.chat in (None, call.chat)
        ]

    async def wait_calls(self, wanted: p.WaitCalls) -> list[p.Called] | None:
        def look() -> list[p.Called] | None:
            if self.fake.record.counts[wanted.method] < wanted.count:
                return None
            fitting = fitting_calls(self.fake.record.calls, wanted)
            return [called(call) for call in fitting] if len(fitting) >= wanted.count else None

        return await self.fake.waiters.until(look, wanted.timeout)

    async def wait_held(self, wanted: p.WaitHeld) -> p.Called | None:
        def look() -> p.Called | None:
            held = self.fake.faults.held.values()
            return next((called(h.call) for h in held if wanted.method in ("*", h.call.method)), None)

        return await self.fake.waiters.until(look, wanted.timeout)

    async def wait_answer(self, wanted: p.WaitAnswer) -> p.Answered | None:
        query = self.fake.world.queries[wanted.query_id]
        answer = await self.fake.waiters.until(lambda: query.answer, wanted.timeout)
        return None if answer is None else p.Answered(**answer)

    async def wait_confirmed(self, wanted: p.WaitConfirmed) -> bool:
        pending = self.fake.api.webhook.pending
        return bool(await self.fake.waiters.until(lambda: True if pending() == 0 else None, wanted.timeout))

    def actions(self, wanted: p.Actions) -> list[dict[str, Any]]:
        return self.chat(wanted.chat).actions

    def drafts(self, wanted: p.Drafts) -> list[dict[str, Any]]:
        return self.chat(wanted.chat).drafts

    def commands(self, wanted: p.Commands) -> list[dict[str, Any]]:
        return self.fake.world.commands.get((wanted.scope, wanted.language), [])

    def violations(self, wanted: p.Violations) -> list[p.Broken]:
        found = [p.Broken(call=v.call, method=v.method, reason=v.reason) for v in self.fake.record.violations]
        if wanted.forget:
            self.fake.record.violations.clear()
        return found

    def latencies(self, wanted: p.Latencies) -> list[p.Latency]:
        return latencies(self.fake.updates.made.values(), self.fake.record.calls, wanted.method)

    async def reset(self, wanted: p.Reset) -> p.Done:
        self.fake = await emptied(self.fake)
        return p.Done()

    def forget(self, wanted: p.Forget) -> p.Done:
        self.fake.record.clear()
        self.fake.updates.made.clear()
        return p.Done()


def _data(markup: dict[str, Any] | None, wanted: p.Press) -> str:
    buttons = [button for row in (markup or {"inline_keyboard": []})["inline_keyboard"] for button in row]
    for button in buttons:
        if "callback_data" not in button:
            continue
        if wanted.label in (None, button["text"]) and wanted.data in (None, button["callback_data"]):
            return str(button["callback_data"])
    there = json.dumps([button["text"] for button in buttons], ensure_ascii=False)
    raise Impossible(f"no such button on message {wanted.message}; there is {there}")


VERBS = (
    verb(p.AddUser, Control.add_user),
    verb(p.AddPrivate, Control.add_private),
    verb(p.AddGroup, Control.add_group),
    verb(p.AddTopic, Control.add_topic),
    verb(p.ChangeTopic, Control.change_topic),
    verb(p.SetStanding, Control.set_standing),
    verb(p.Write, Control.write),
    verb(p.Edit, Control.edit),
    verb(p.SendFile, Control.send_file),
    verb(p.Press, Control.press),
    verb(p.SetBot, Control.set_bot),
    verb(p.Deactivate, Control.deactivate),
    verb(p.Remove, Control.remove),
    verb(p.Migrate, Control.migrate),
    verb(p.React, Control.react),
    verb(p.StopDraft, Control.stop_draft),
    verb(p.Inject, Control.inject),
    verb(p.Repeat, Control.repeat),
    verb(p.Order, Control.order),
    verb(p.Load, Control.load),
    verb(p.Plant, Control.plant),
    verb(p.Unplant, Control.unplant),
    verb(p.Release, Control.release),
    verb(p.Refuse, Control.refuse),
    verb(p.Settings, Control.settings),
    verb(p.Advance, Control.advance),
    verb(p.Messages, Control.messages),
    verb(p.WaitMessage, Control.wait_message),
    verb(p.Calls, Control.calls),
    verb(p.WaitCalls, Control.wait_calls),
    verb(p.WaitHeld, Control.wait_held),
    verb(p.WaitAnswer, Control.wait_answer),
    verb(p.WaitConfirmed, Control.wait_confirmed),
    verb(p.Actions, Control.actions),
    verb(p.Drafts, Control.drafts),
    verb(p.Commands, Control.commands),
    verb(p.Violations, Control.violations),
    verb(p.Latencies, Control.latencies),
    verb(p.Reset, Control.reset),
    verb(p.Forget, Control.forget),
)
