"""The tests' side of the fake: people, places, and what people do there."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tests.fakes.slack import answers as p
from tests.fakes.slack import crowd_verbs as v
from tests.fakes.slack.line import Chat, Line, Where, Who, id_of, maybe_id, team_of


class Crowd(Line):
    # People and places.

    async def workspace(self, name: str, *, installed: bool = True, code: str = "") -> p.Workspace:
        """One more. With `code` the app is installed by oauth.v2.access, given that code."""
        return await self.ask(v.AddWorkspace(name=name, installed=installed, code=code), p.Workspace)

    async def organisation(self, name: str, workspaces: Sequence[str]) -> list[p.Workspace]:
        """Several at once, with one installation and one token for all of them."""
        return await self.ask(v.AddOrganisation(name=name, workspaces=tuple(workspaces)), list[p.Workspace])

    async def user(
        self,
        name: str,
        *,
        real_name: str = "",
        workspace: Where | None = None,
        is_bot: bool = False,
        is_restricted: bool | None = None,
        is_ultra_restricted: bool | None = None,
        is_stranger: bool | None = None,
        deleted: bool | None = None,
    ) -> p.Person:
        """`name` is what is seen and typed after an @. Guests are is_restricted, or is_ultra_restricted."""
        team = team_of(workspace)
        person = await self.ask(v.AddUser(name=name, real_name=real_name, team=team, is_bot=is_bot), p.Person)
        if (is_restricted, is_ultra_restricted, is_stranger, deleted) == (None, None, None, None):
            return person
        return await self.change_user(
            person,
            is_restricted=is_restricted,
            is_ultra_restricted=is_ultra_restricted,
            is_stranger=is_stranger,
            deleted=deleted,
        )

    async def change_user(
        self,
        who: Who,
        *,
        display_name: str | None = None,
        is_restricted: bool | None = None,
        is_ultra_restricted: bool | None = None,
        is_stranger: bool | None = None,
        deleted: bool | None = None,
    ) -> p.Person:
        verb = v.SetUser(
            user=id_of(who),
            display_name=display_name,
            is_restricted=is_restricted,
            is_ultra_restricted=is_ultra_restricted,
            is_stranger=is_stranger,
            deleted=deleted,
        )
        return await self.ask(verb, p.Person)

    async def private_chat(self, who: Who, *, workspace: Where | None = None) -> p.Place:
        """The direct messages of a person with the bot."""
        return await self.ask(v.OpenIm(user=id_of(who), team=team_of(workspace)), p.Place)

    async def channel(
        self,
        title: str,
        *,
        members: Sequence[Who] = (),
        private: bool = False,
        bot: bool = True,
        workspaces: Sequence[Where] = (),
    ) -> p.Place:
        """Its name without #. Several `workspaces`: shared with them (Slack Connect), the first is the host."""
        return await self._add(title, "private" if private else "public", members, bot, workspaces)

    async def mpim(self, members: Sequence[Who], *, bot: bool = True) -> p.Place:
        """A group of direct messages."""
        return await self._add("mpdm-group-1", "mpim", members, bot, ())

    async def _add(
        self,
        title: str,
        kind: Literal["public", "private", "mpim"],
        members: Sequence[Who],
        bot: bool,
        workspaces: Sequence[Where],
    ) -> p.Place:
        people = tuple(map(id_of, members))
        teams = tuple(team for where in workspaces if (team := team_of(where)))
        return await self.ask(v.AddChannel(name=title, kind=kind, members=people, bot=bot, teams=teams), p.Place)

    async def join(self, chat: Chat, who: Who | None = None, *, inviter: Who | None = None) -> p.Told:
        """Someone joins; without `who` the bot is invited."""
        return await self.ask(v.Join(chat=id_of(chat), user=maybe_id(who), inviter=maybe_id(inviter)), p.Told)

    async def leave(self, chat: Chat, who: Who) -> None:
        await self.ask(v.Leave(chat=id_of(chat), user=id_of(who)), p.Done)

    async def remove_bot(self, chat: Chat) -> None:
        """No event tells the bot."""
        await self.ask(v.Leave(chat=id_of(chat)), p.Done)

    async def archive(self, chat: Chat, *, archived: bool = True) -> None:
        await self.ask(v.Archive(chat=id_of(chat), archived=archived), p.Done)

    # What people do.

    async def write(
        self,
        chat: Chat,
        who: Who,
        text: str,
        *,
        thread: str | None = None,
        broadcast: bool = False,
        subtype: str | None = None,
    ) -> p.Sent:
        """As it is typed: "@Guide hello", "a < b", "#general", "https://…". `broadcast`: a reply also sent to the channel."""
        verb = v.Write(
            chat=id_of(chat), user=id_of(who), text=text, thread=thread, broadcast=broadcast, subtype=subtype
        )
        return await self.ask(verb, p.Sent)

    async def edit(self, chat: Chat, message: str, text: str) -> p.Sent:
        """The writer changes the text of an earlier message."""
        return await self.ask(v.Edit(chat=id_of(chat), message=message, text=text), p.Sent)

    async def delete(self, chat: Chat, message: str) -> p.Sent:
        """Someone deletes a message."""
        return await self.ask(v.Delete(chat=id_of(chat), message=message), p.Sent)

    async def send_file(
        self,
        chat: Chat,
        who: Who,
        *,
        name: str = "notes.txt",
        mime: str = "text/plain",
        content: bytes = b"hello",
        caption: str = "",
        thread: str | None = None,
    ) -> p.Sent:
        verb = v.SendFile(
            chat=id_of(chat),
            user=id_of(who),
            name=name,
            mime=mime,
            content=content.hex(),
            caption=caption,
            thread=thread,
        )
        return await self.ask(verb, p.Sent)

    async def set_topic(self, chat: Chat, who: Who, topic: str) -> p.Told:
        return await self.ask(v.Topic(chat=id_of(chat), user=id_of(who), topic=topic), p.Told)

    async def pin(self, chat: Chat, who: Who, message: str) -> p.Told:
        return await self.ask(v.Pin(chat=id_of(chat), user=id_of(who), message=message), p.Told)

    async def react(self, chat: Chat, who: Who, message: str, name: str) -> p.Sent:
        return await self.ask(v.React(chat=id_of(chat), user=id_of(who), message=message, name=name), p.Sent)

    async def press(
        self,
        chat: Chat,
        who: Who,
        message: str,
        label: str | None = None,
        *,
        data: str | None = None,
        row: int | None = None,
        option: str | None = None,
        action_id: str | None = None,
        forged: bool = False,
    ) -> p.Pressed:
        """Press a button of a message, by its label or its data; a dialog that asks again is agreed to.

        `option`: the label of what is chosen in a list. `forged` sends `data` that need not be there.
        """
        verb = v.Press(
            chat=id_of(chat),
            user=id_of(who),
            message=message,
            label=label,
            data=data,
            row=row,
            option=option,
            action_id=action_id,
            forged=forged,
        )
        return await self.ask(verb, p.Pressed)

    async def press_in_view(
        self, view: p.Modal, label: str | None = None, *, data: str | None = None, option: str | None = None
    ) -> p.Pressed:
        """A button of a modal or of the home tab."""
        return await self.ask(v.PressInView(view=view.id, label=label, data=data, option=option), p.Pressed)

    async def submit(
        self, view: p.Modal, values: Mapping[str, Any] | None = None, *, forged: bool = False
    ) -> p.Pressed:
        """`values` by label, block_id or action_id; an option by its label. `forged`: without the client's own checks."""
        return await self.ask(v.Submit(view=view.id, values=dict(values or {}), forged=forged), p.Pressed)

    async def close_view(self, view: p.Modal, *, everything: bool = False) -> p.Pressed | None:
        """None when the app did not ask to be told."""
        verb = v.CloseView(view=view.id, everything=everything)
        return await self.ask(verb, p.Pressed | None)  # type: ignore[arg-type]  # a union is no type, but TypeAdapter takes it

    async def command(self, chat: Chat, who: Who, command: str, text: str = "") -> p.Pressed:
        """A slash command: `command(chat, ada, "/askfirst", "help")`. There are none in threads."""
        return await self.ask(v.Command(chat=id_of(chat), user=id_of(who), command=command, text=text), p.Pressed)

    async def start_thread(self, who: Who, context: Mapping[str, Any] | None = None) -> p.Sent:
        """Someone opens the assistant: `message_id` is the thread in the direct messages."""
        return await self.ask(v.StartThread(user=id_of(who), context=dict(context or {})), p.Sent)

    async def change_context(self, who: Who, thread: str, context: Mapping[str, Any]) -> p.Told:
        """Someone looks at another channel while the assistant is open."""
        return await self.ask(v.ChangeContext(user=id_of(who), thread=thread, context=dict(context)), p.Told)

    async def open_home(self, who: Who, tab: Literal["home", "messages"] = "home") -> p.Told:
        return await self.ask(v.OpenHome(user=id_of(who), tab=tab), p.Told)

    async def stop_stream(self, chat: Chat, message: str) -> None:
        """Someone stops what the bot is writing."""
        await self.ask(v.StopStream(chat=id_of(chat), message=message), p.Done)
