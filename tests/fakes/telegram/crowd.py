"""The tests' side of the fake: people, places, and what people do there."""

from collections.abc import Sequence
from typing import Any, Literal

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.line import Chat, Line, Who, chat_id, who_id
from tests.fakes.telegram.verbs import crowd
from tests.fakes.telegram.world import Standing


class Crowd(Line):
    # People and places.

    async def user(
        self, first_name: str, *, username: str | None = None, language_code: str | None = "en", is_bot: bool = False
    ) -> p.Person:
        return await self.ask(
            crowd.AddUser(first_name=first_name, username=username, language_code=language_code, is_bot=is_bot),
            p.Person,
        )

    async def private_chat(self, who: Who, *, started: bool = True) -> p.Place:
        """Its number is the person's. `started=False`: the person has never written, so the bot may not either."""
        return await self.ask(crowd.AddPrivate(user=who_id(who), started=started), p.Place)

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
        verb = crowd.AddGroup(
            title=title,
            kind=kind,
            forum=forum,
            members=tuple(map(who_id, members)),
            admins=tuple(map(who_id, admins)),
            bot=bot,
        )
        return await self.ask(verb, p.Place)

    async def topic(self, chat: Chat, who: Who, name: str) -> int:
        """The number of the new topic: its message_thread_id."""
        return await self.ask(crowd.AddTopic(chat=chat_id(chat), user=who_id(who), name=name), int)

    async def delete_topic(self, chat: Chat, topic: int) -> None:
        await self.ask(crowd.ChangeTopic(chat=chat_id(chat), topic=topic, deleted=True), p.Done)

    async def close_topic(self, chat: Chat, topic: int, *, closed: bool = True) -> None:
        await self.ask(crowd.ChangeTopic(chat=chat_id(chat), topic=topic, closed=closed), p.Done)

    async def set_standing(self, chat: Chat, who: Who, standing: Standing) -> None:
        await self.ask(crowd.SetStanding(chat=chat_id(chat), user=who_id(who), standing=standing), p.Done)

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
        verb = crowd.Write(
            quote=quote,
            forwarded_from=forwarded_from,
            anonymous=anonymous,
            chat=chat_id(chat),
            user=who_id(who),
            text=text,
            thread=thread,
            reply_to=reply_to,
            entities=None if entities is None else tuple(entities),
        )
        return await self.ask(verb, p.Sent)

    async def edit(self, chat: Chat, message: int, text: str) -> p.Sent:
        """The writer changes the text of an earlier message."""
        return await self.ask(crowd.Edit(chat=chat_id(chat), message=message, text=text), p.Sent)

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
        verb = crowd.SendFile(
            media_group=media_group,
            chat=chat_id(chat),
            user=who_id(who),
            kind=kind,
            name=name,
            mime=mime,
            content=content.hex(),
            caption=caption,
            thread=thread,
        )
        return await self.ask(verb, p.Sent)

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
        verb = crowd.Press(
            chat=chat_id(chat),
            user=who_id(who),
            message=message,
            label=label,
            data=data,
            forged=forged,
            inaccessible=inaccessible,
        )
        return await self.ask(verb, p.Pressed)

    async def set_bot(self, chat: Chat, by: Who, standing: Standing) -> p.Told:
        """Add ("member"), promote ("administrator"), remove or block ("kicked"), let leave ("left"), with its updates."""
        return await self.ask(crowd.SetBot(chat=chat_id(chat), by=who_id(by), standing=standing), p.Told)

    async def block(self, chat: Chat, by: Who) -> p.Told:
        return await self.set_bot(chat, by, "kicked")

    async def unblock(self, chat: Chat, by: Who) -> p.Told:
        return await self.set_bot(chat, by, "member")

    async def deactivate(self, chat: Chat) -> None:
        await self.ask(crowd.Deactivate(chat=chat_id(chat)), p.Done)

    async def remove_message(self, chat: Chat, message: int) -> None:
        """Someone deletes a message; bots are not told."""
        await self.ask(crowd.Remove(chat=chat_id(chat), message=message), p.Done)

    async def migrate(self, chat: Chat, by: Who) -> p.Moved:
        """A basic group becomes a supergroup with another number."""
        return await self.ask(crowd.Migrate(chat=chat_id(chat), by=who_id(by)), p.Moved)

    async def react(self, chat: Chat, who: Who, message: int, emoji: str) -> p.Sent:
        return await self.ask(crowd.React(chat=chat_id(chat), user=who_id(who), message=message, emoji=emoji), p.Sent)

    async def stop_draft(self, chat: Chat, draft_id: int) -> p.Told:
        return await self.ask(crowd.StopDraft(chat=chat_id(chat), draft_id=draft_id), p.Told)
