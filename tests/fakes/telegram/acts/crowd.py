"""Carries out the verbs of people and places."""

import json
from typing import Any

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.acts.stagehand import Stagehand
from tests.fakes.telegram.looking import place
from tests.fakes.telegram.people import ANONYMOUS, Impossible
from tests.fakes.telegram.verbs import crowd


class Crowd(Stagehand):
    # People and places.

    def add_user(self, wanted: crowd.AddUser) -> p.Person:
        user = self.fake.world.add_user(wanted.first_name, wanted.username, wanted.language_code, is_bot=wanted.is_bot)
        return p.Person(id=user.id, first_name=user.first_name, username=user.username)

    def add_private(self, wanted: crowd.AddPrivate) -> p.Place:
        return place(self.fake.world.add_private(self.user(wanted.user), started=wanted.started))

    def add_group(self, wanted: crowd.AddGroup) -> p.Place:
        chat = self.fake.world.add_group(wanted.kind, wanted.title, forum=wanted.forum)
        chat.members.update((self.user(number).id, "member") for number in wanted.members)
        chat.members.update((self.user(number).id, "administrator") for number in wanted.admins)
        chat.members[self.fake.world.bot.id] = wanted.bot
        return place(chat)

    def add_topic(self, wanted: crowd.AddTopic) -> int:
        return self.fake.world.add_topic(self.chat(wanted.chat), self.user(wanted.user), wanted.name).id

    def change_topic(self, wanted: crowd.ChangeTopic) -> p.Done:
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

    def set_standing(self, wanted: crowd.SetStanding) -> p.Done:
        self.chat(wanted.chat).members[self.user(wanted.user).id] = wanted.standing
        return p.Done()

    # What people do.

    def write(self, wanted: crowd.Write) -> p.Sent:
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

    def edit(self, wanted: crowd.Edit) -> p.Sent:
        update = self.fake.people.edit(self.chat(wanted.chat), wanted.message, wanted.text)
        return p.Sent(message_id=wanted.message, update_id=update)

    def send_file(self, wanted: crowd.SendFile) -> p.Sent:
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

    def press(self, wanted: crowd.Press) -> p.Pressed:
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

    def set_bot(self, wanted: crowd.SetBot) -> p.Told:
        updates = self.fake.people.set_bot(self.chat(wanted.chat), self.user(wanted.by), wanted.standing)
        return p.Told(update_ids=tuple(updates))

    def deactivate(self, wanted: crowd.Deactivate) -> p.Done:
        self.chat(wanted.chat).deactivated = True
        return p.Done()

    def remove(self, wanted: crowd.Remove) -> p.Done:
        self.chat(wanted.chat).messages[wanted.message].deleted = True
        self.fake.waiters.changed()
        return p.Done()

    def migrate(self, wanted: crowd.Migrate) -> p.Moved:
        new, updates = self.fake.people.migrate(self.chat(wanted.chat), self.user(wanted.by))
        return p.Moved(chat=place(new), update_ids=tuple(updates))

    def react(self, wanted: crowd.React) -> p.Sent:
        chat = self.chat(wanted.chat)
        update = self.fake.people.react(chat, self.user(wanted.user), wanted.message, wanted.emoji)
        return p.Sent(message_id=wanted.message, update_id=update)

    def stop_draft(self, wanted: crowd.StopDraft) -> p.Told:
        return p.Told(update_ids=(self.fake.people.stop_draft(self.chat(wanted.chat), wanted.draft_id),))


def _data(markup: dict[str, Any] | None, wanted: crowd.Press) -> str:
    buttons = [button for row in (markup or {"inline_keyboard": []})["inline_keyboard"] for button in row]
    for button in buttons:
        if "callback_data" not in button:
            continue
        if wanted.label in (None, button["text"]) and wanted.data in (None, button["callback_data"]):
            return str(button["callback_data"])
    there = json.dumps([button["text"] for button in buttons], ensure_ascii=False)
    raise Impossible(f"no such button on message {wanted.message}; there is {there}")
