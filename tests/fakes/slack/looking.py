"""The state as the control API shows it; pure."""

import json
from collections import defaultdict
from collections.abc import Iterable

from tests.fakes.slack import answers as p
from tests.fakes.slack import blocks_seen, markdown, mrkdwn
from tests.fakes.slack import watch_verbs as v
from tests.fakes.slack.deliveries import Delivery
from tests.fakes.slack.errors import Json
from tests.fakes.slack.record import Call
from tests.fakes.slack.seen import Name, Seen, unescaped
from tests.fakes.slack.shapes import message_json
from tests.fakes.slack.views import View
from tests.fakes.slack.world import Channel, Install, Message, Team, User, World


def person(user: User) -> p.Person:
    return p.Person(id=user.id, name=user.shown_name, team=user.team)


def place(channel: Channel) -> p.Place:
    return p.Place(id=channel.id, kind=channel.kind, title=channel.name, team=channel.teams[0])


def workspace(team: Team, install: Install | None) -> p.Workspace:
    return p.Workspace(
        team_id=team.id,
        name=team.name,
        bot_token=install.token if install else "",
        bot_user_id=install.bot.id if install else "",
        bot_id=install.bot.bot_id if install else "",
        enterprise_id=team.enterprise,
    )


def naming(world: World) -> Name:
    """How ids are shown in texts."""

    def name(number: str) -> str:
        if number in world.users:
            return world.users[number].shown_name
        return world.channels[number].name if number in world.channels else number

    return name


def shown(world: World, channel: Channel, message: Message) -> p.Shown:
    name = naming(world)
    text = _text(message, name)
    body = blocks_seen.read(message.blocks, name) if message.blocks else text
    for attachment in message.attachments:
        _attach(attachment, name, body)
    controls = [[_button(control) for control in row] for row in blocks_seen.rows(_all_blocks(message))]
    return p.Shown(
        id=message.ts,
        sender=message.user,
        by_bot=bool(message.bot_id) and any(install.bot.bot_id == message.bot_id for install in world.installs),
        text=body.text,
        fallback=text.text,
        styles=tuple(p.StyledText(kind=s.kind, text=s.text, url=s.url) for s in body.styles),
        mentions=tuple(dict.fromkeys((*body.mentions, *text.mentions))),
        buttons=tuple(tuple(button.label for button in row) for row in controls),
        data=tuple(tuple(button.data for button in row) for row in controls),
        styles_of_buttons=tuple(tuple(button.style for button in row) for row in controls),
        controls=tuple(map(tuple, controls)),
        thread=message.thread,
        broadcast=message.broadcast,
        subtype=message.subtype,
        ephemeral_to=message.ephemeral_to,
        edits=message.edits,
        deleted=message.deleted,
        stream=message.stream,
        reactions=tuple(message.reactions),
        raw=message_json(world, channel, message),
    )


def _text(message: Message, name: Name) -> Seen:
    if message.markdown:
        return markdown.read(message.text, name)
    return mrkdwn.read(message.text, name, loose=message.loose_mentions)


def _attach(attachment: Json, name: Name, seen: Seen) -> None:
    for field in ("pretext", "title", "text"):
        if attachment.get(field):
            seen.line()
            seen.write(seen.take(mrkdwn.read(attachment[field], name)))
    if blocks := attachment.get("blocks"):
        seen.line()
        seen.write(seen.take(blocks_seen.read(blocks, name)))


def _all_blocks(message: Message) -> list[Json]:
    return [*message.blocks, *(block for each in message.attachments for block in each.get("blocks") or ())]


def controls_of(message: Message) -> list[list[blocks_seen.Control]]:
    return list(blocks_seen.rows(_all_blocks(message)))


def _button(control: blocks_seen.Control) -> p.Button:
    element = control.element
    asked = element.get("confirm") or {}
    texts = tuple(unescaped(asked[part]["text"]) for part in ("title", "text", "confirm", "deny") if part in asked)
    return p.Button(
        label=control.label,
        data=control.data,
        action_id=element.get("action_id", ""),
        style=element.get("style", ""),
        url=element.get("url", ""),
        confirm=texts,
    )


def modal(world: World, view: View) -> p.Modal:
    body = view.body
    fields = tuple(_field(view, block) for block in body["blocks"] if block["type"] == "input")
    labels = {field.block_id: field.label for field in fields}
    rows = blocks_seen.rows(body["blocks"])
    return p.Modal(
        id=view.id,
        person=view.user.id,
        kind=body["type"],
        title=unescaped(body.get("title", {}).get("text", "")),
        submit=unescaped((body.get("submit") or {}).get("text", "")),
        close=unescaped((body.get("close") or {}).get("text", "")),
        text=blocks_seen.read([b for b in body["blocks"] if b["type"] != "input"], naming(world)).text,
        fields=fields,
        buttons=tuple(tuple(control.label for control in row) for row in rows),
        errors={labels[name]: text for name, text in view.errors.items()},
        changes=view.changes,
        raw=body,
    )


def _field(view: View, block: Json) -> p.Field:
    element = block["element"]
    return p.Field(
        block_id=block["block_id"],
        action_id=element.get("action_id", ""),
        kind=element["type"],
        label=unescaped(block["label"]["text"]),
        hint=unescaped((block.get("hint") or {}).get("text", "")),
        value=current(view, block),
        optional=block.get("optional", False),
        multiline=element.get("multiline", False),
        options=tuple(unescaped(each["text"]["text"]) for each in element.get("options", ())),
    )


def current(view: View, block: Json) -> object:
    """What stands in a field: what was typed, else what it began with; the label of an option that is chosen."""
    element = block["element"]
    state = view.values.get(block["block_id"], {}).get(element.get("action_id", ""))
    if state is None:
        chosen = element.get("initial_option")
        return unescaped(chosen["text"]["text"]) if chosen else element.get("initial_value")
    if state.get("selected_option"):
        return unescaped(state["selected_option"]["text"]["text"])
    return state.get("value", state.get("selected_options", state.get("selected_user")))


def fitting_messages(world: World, channel: Channel, wanted: v.WaitMessage) -> list[p.Shown]:
    pool: Iterable[Message] = channel.messages.values()
    if wanted.to is not None:
        pool = [message for message in channel.ephemerals if message.ephemeral_to == wanted.to]
    likely = (message for message in pool if _may_fit(message, wanted))
    return [found for message in likely if _fits(found := shown(world, channel, message), wanted)]


def _may_fit(message: Message, wanted: v.WaitMessage) -> bool:
    """What can be said without reading it."""
    return (
        message.ts > wanted.after
        and wanted.message in (None, message.ts)
        and wanted.thread in (None, message.thread)
        and message.deleted == wanted.deleted
        and message.edits >= wanted.edits
        and not (wanted.by_bot and not message.bot_id)
    )


def _fits(message: p.Shown, wanted: v.WaitMessage) -> bool:
    labels = [label for row in message.buttons for label in row]
    return (
        wanted.by_bot in (None, message.by_bot)
        and wanted.text in (None, message.text)
        and (wanted.containing is None or wanted.containing in message.text)
        and (wanted.button is None or wanted.button in labels)
        and not (wanted.no_buttons and labels)
    )


def called(call: Call) -> p.Called:
    return p.Called(
        number=call.number,
        method=call.method,
        args=call.args,
        chat=call.chat,
        team=call.team,
        connection=call.connection,
        time=call.time,
        at=call.at,
        ended=call.ended,
        verdict=call.verdict,
        status=call.status,
        response=call.response,
        held=call.held,
    )


def fitting_calls(calls: Iterable[Call], wanted: v.WaitCalls) -> list[Call]:
    return [
        call
        for call in calls
        if call.method == wanted.method
        and (wanted.arrived or call.ended > 0)
        and call.number > wanted.after
        and wanted.chat in (None, call.chat)
        and wanted.verdict in (None, call.verdict)
        and (wanted.containing is None or wanted.containing in json.dumps(call.args, ensure_ascii=False))
    ]


def latencies(deliveries: Iterable[Delivery], calls: Iterable[Call], method: str | None) -> list[p.Latency]:
    """Each event of a channel with the first call for that channel that came after it was made."""
    by_chat: defaultdict[str, list[float]] = defaultdict(list)
    for call in calls:
        if call.chat is not None and method in (None, call.method):
            by_chat[call.chat].append(call.at)
    found: list[p.Latency] = []
    for delivery in deliveries:
        if delivery.chat is None or "bot_id" in delivery.payload["event"]:
            continue  # what the bot itself caused waits for nothing
        moment = next((at for at in by_chat[delivery.chat] if at >= delivery.created), None)
        seconds = None if moment is None else moment - delivery.created
        found.append(p.Latency(event_id=delivery.event_id, chat=delivery.chat, seconds=seconds))
    return found
