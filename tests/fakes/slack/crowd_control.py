"""The verbs about people, places, and what people do there."""

import json

from tests.fakes.slack import answers as p
from tests.fakes.slack import crowd_verbs as v
from tests.fakes.slack.blocks_seen import Control, rows
from tests.fakes.slack.errors import Impossible
from tests.fakes.slack.fake import Fake
from tests.fakes.slack.filling import fill
from tests.fakes.slack.interactions import Interaction
from tests.fakes.slack.looking import controls_of, person, place, workspace
from tests.fakes.slack.typed import escaped, typed
from tests.fakes.slack.verb import verb
from tests.fakes.slack.views import View
from tests.fakes.slack.world import Channel, Install, Message, User


def channel(fake: Fake, number: str) -> Channel:
    return fake.world.channels[number]


def user(fake: Fake, number: str) -> User:
    return fake.world.users[number]


def _begun(interaction: Interaction) -> p.Pressed:
    return p.Pressed(
        id=interaction.id, kind=interaction.kind, trigger_id=interaction.trigger, response_url=interaction.url
    )


def add_workspace(fake: Fake, wanted: v.AddWorkspace) -> p.Workspace:
    team = fake.world.add_team(wanted.name)
    if wanted.code:
        fake.desk.codes[wanted.code] = (team.id,)
        return workspace(team, None)
    return workspace(team, fake.world.install((team.id,)) if wanted.installed else None)


def add_organisation(fake: Fake, wanted: v.AddOrganisation) -> list[p.Workspace]:
    enterprise = fake.world.new_id("E")
    teams = [fake.world.add_team(name, enterprise) for name in wanted.workspaces]
    install = fake.world.install(tuple(team.id for team in teams), enterprise=enterprise)
    return [workspace(team, install) for team in teams]


def add_user(fake: Fake, wanted: v.AddUser) -> p.Person:
    made = fake.world.add_user(
        wanted.team or fake.team.id, wanted.name, real_name=wanted.real_name, is_bot=wanted.is_bot
    )
    if wanted.is_bot:
        made.bot_id = fake.world.new_id("B")
    return person(made)


def set_user(fake: Fake, wanted: v.SetUser) -> p.Person:
    there = user(fake, wanted.user)
    for name, value in wanted.model_dump(exclude={"user"}, exclude_none=True).items():
        setattr(there, name, value)
    return person(there)


def open_im(fake: Fake, wanted: v.OpenIm) -> p.Place:
    there = user(fake, wanted.user)
    return place(fake.world.im(fake.world.install_in(wanted.team or there.team), there))


def add_channel(fake: Fake, wanted: v.AddChannel) -> p.Place:
    teams = list(wanted.teams or (fake.team.id,))
    made = fake.world.add_channel(wanted.kind, wanted.name, teams, wanted.members[0] if wanted.members else "")
    made.members = {user(fake, number).id: None for number in wanted.members}
    if wanted.bot:
        made.members[_bot(fake, made).bot.id] = None
    return place(made)


def _bot(fake: Fake, there: Channel) -> Install:
    for team in there.teams:
        if any(team in install.teams and not install.uninstalled for install in fake.world.installs):
            return fake.world.install_in(team)
    raise Impossible("the app is installed in none of the channel's workspaces")


def join(fake: Fake, wanted: v.Join) -> p.Told:
    there = channel(fake, wanted.chat)
    who = user(fake, wanted.user) if wanted.user else _bot(fake, there).bot
    inviter = user(fake, wanted.inviter) if wanted.inviter else None
    return p.Told(event_ids=tuple(fake.people.join(there, who, inviter)))


def leave(fake: Fake, wanted: v.Leave) -> p.Done:
    there = channel(fake, wanted.chat)
    there.members.pop(wanted.user or _bot(fake, there).bot.id, None)
    return p.Done()


def archive(fake: Fake, wanted: v.Archive) -> p.Done:
    channel(fake, wanted.chat).archived = wanted.archived
    return p.Done()


def write(fake: Fake, wanted: v.Write) -> p.Sent:
    message, told = fake.people.write(
        channel(fake, wanted.chat),
        user(fake, wanted.user),
        wanted.text,
        thread=wanted.thread,
        broadcast=wanted.broadcast,
        subtype=wanted.subtype,
    )
    return p.Sent(message_id=message.ts, event_ids=tuple(told))


def edit(fake: Fake, wanted: v.Edit) -> p.Sent:
    told = fake.people.edit(channel(fake, wanted.chat), wanted.message, wanted.text)
    return p.Sent(message_id=wanted.message, event_ids=tuple(told))


def delete(fake: Fake, wanted: v.Delete) -> p.Sent:
    told = fake.people.delete(channel(fake, wanted.chat), wanted.message)
    return p.Sent(message_id=wanted.message, event_ids=tuple(told))


def send_file(fake: Fake, wanted: v.SendFile) -> p.Sent:
    message, told = fake.people.file(
        channel(fake, wanted.chat),
        user(fake, wanted.user),
        wanted.name,
        wanted.mime,
        bytes.fromhex(wanted.content),
        wanted.caption,
        wanted.thread,
    )
    return p.Sent(message_id=message.ts, event_ids=tuple(told))


def topic(fake: Fake, wanted: v.Topic) -> p.Told:
    told = fake.people.topic(channel(fake, wanted.chat), user(fake, wanted.user), wanted.topic)
    return p.Told(event_ids=tuple(told))


def pin(fake: Fake, wanted: v.Pin) -> p.Told:
    there, who = channel(fake, wanted.chat), user(fake, wanted.user)
    extra = {"item_type": "C", "item": {"type": "message", "channel": there.id, "ts": wanted.message}}
    text = f"<@{who.id}> pinned a message to this channel."
    return p.Told(event_ids=tuple(fake.people.service(there, who, "pinned_item", text, extra)))


def react(fake: Fake, wanted: v.React) -> p.Sent:
    told = fake.people.react(channel(fake, wanted.chat), user(fake, wanted.user), wanted.message, wanted.name)
    return p.Sent(message_id=wanted.message, event_ids=tuple(told))


def press(fake: Fake, wanted: v.Press) -> p.Pressed:
    there, who = channel(fake, wanted.chat), user(fake, wanted.user)
    message = _message(there, wanted.message, who.id, hidden_too=wanted.forged)
    if not wanted.forged and who.id not in there.members:
        raise Impossible(f"{who.shown_name} does not see {there.name or there.id}")
    control = _forged(message, wanted) if wanted.forged else _control(controls_of(message), wanted)
    return _begun(fake.acting.press(there, who, message, control, wanted.option))


def _message(there: Channel, ts: str, presser: str, *, hidden_too: bool) -> Message:
    """A message of the channel, or one that only the presser was shown. A forged press may concern any."""
    for message in there.ephemerals:
        if message.ts == ts and (message.ephemeral_to == presser or hidden_too):
            return message
    message = there.messages[ts]
    if message.deleted and not hidden_too:
        raise Impossible(f"message {ts} is gone")
    return message


def _control(found: list[list[Control]], wanted: v.Press | v.PressInView) -> Control:
    row = wanted.row if isinstance(wanted, v.Press) else None
    action = wanted.action_id if isinstance(wanted, v.Press) else None
    for number, controls in enumerate(found):
        for control in controls:
            if (
                row in (None, number)
                and wanted.label in (None, control.label)
                and wanted.data in (None, control.data)
                and action in (None, control.element.get("action_id"))
            ):
                return control
    there = json.dumps([[control.label for control in row] for row in found], ensure_ascii=False)
    raise Impossible(f"there is no such button; there is {there}")


def _forged(message: Message, wanted: v.Press) -> Control:
    """As a button of the message would send it, if it held this value."""
    if wanted.data is None:
        raise Impossible("a forged press needs its data")
    like = next((control for row in controls_of(message) for control in row), Control("forged", {}))
    action_id = wanted.action_id or like.element.get("action_id", "forged")
    text = {"type": "plain_text", "text": wanted.label or like.label or "Forged", "emoji": True}
    element = {"type": "button", "action_id": action_id, "value": wanted.data, "text": text}
    return Control(like.block_id, element)


def _view(fake: Fake, number: str) -> View:
    found = fake.desk.views.all.get(number)
    if found is None or not found.open:
        raise Impossible(f"view {number} is not open")
    return found


def press_in_view(fake: Fake, wanted: v.PressInView) -> p.Pressed:
    homes = {view.id: view for view in fake.desk.views.homes.values()}
    found = homes.get(wanted.view) or _view(fake, wanted.view)
    control = _control(list(rows(found.body["blocks"])), wanted)
    return _begun(fake.acting.press_in_view(found.user, found, control, wanted.option))


def submit(fake: Fake, wanted: v.Submit) -> p.Pressed:
    found = _view(fake, wanted.view)
    fill(found, wanted.values, forged=wanted.forged)
    return _begun(fake.acting.submit(found))


def close_view(fake: Fake, wanted: v.CloseView) -> p.Pressed | None:
    begun = fake.acting.close_view(_view(fake, wanted.view), everything=wanted.everything)
    return None if begun is None else _begun(begun)


def command(fake: Fake, wanted: v.Command) -> p.Pressed:
    there, who = channel(fake, wanted.chat), user(fake, wanted.user)
    if who.id not in there.members:
        raise Impossible(f"{who.shown_name} is not in {there.name or there.id}")
    text = typed(fake.world, there, wanted.text).text if fake.desk.escape_commands else escaped(wanted.text)
    return _begun(fake.acting.command(there, who, wanted.command, text))


def start_thread(fake: Fake, wanted: v.StartThread) -> p.Sent:
    who = user(fake, wanted.user)
    there = fake.world.im(fake.world.install_in(who.team), who)
    root, told = fake.people.assistant_thread(there, who, wanted.context)
    return p.Sent(message_id=root.ts, event_ids=tuple(told))


def change_context(fake: Fake, wanted: v.ChangeContext) -> p.Told:
    who = user(fake, wanted.user)
    there = fake.world.im(fake.world.install_in(who.team), who)
    kind = "assistant_thread_context_changed"
    return p.Told(event_ids=tuple(fake.people.assistant_event(kind, there, who, wanted.thread, wanted.context)))


def open_home(fake: Fake, wanted: v.OpenHome) -> p.Told:
    who = user(fake, wanted.user)
    there = fake.world.im(fake.world.install_in(who.team), who)
    return p.Told(event_ids=tuple(fake.people.home_opened(there, who, wanted.tab)))


def stop_stream(fake: Fake, wanted: v.StopStream) -> p.Done:
    message = channel(fake, wanted.chat).messages[wanted.message]
    if message.stream != "live":
        raise Impossible(f"message {wanted.message} is not being streamed")
    message.stream = "stopped"
    fake.waiters.changed()
    return p.Done()


CROWD = (
    verb(v.AddWorkspace, add_workspace),
    verb(v.AddOrganisation, add_organisation),
    verb(v.AddUser, add_user),
    verb(v.SetUser, set_user),
    verb(v.OpenIm, open_im),
    verb(v.AddChannel, add_channel),
    verb(v.Join, join),
    verb(v.Leave, leave),
    verb(v.Archive, archive),
    verb(v.Write, write),
    verb(v.Edit, edit),
    verb(v.Delete, delete),
    verb(v.SendFile, send_file),
    verb(v.Topic, topic),
    verb(v.Pin, pin),
    verb(v.React, react),
    verb(v.Press, press),
    verb(v.PressInView, press_in_view),
    verb(v.Submit, submit),
    verb(v.CloseView, close_view),
    verb(v.Command, command),
    verb(v.StartThread, start_thread),
    verb(v.ChangeContext, change_context),
    verb(v.OpenHome, open_home),
    verb(v.StopStream, stop_stream),
)
