"""The state as the control API shows it; pure."""

import json
from collections import defaultdict
from collections.abc import Iterable

from tests.fakes.telegram import protocol as p
from tests.fakes.telegram.record import Call
from tests.fakes.telegram.updates import Update
from tests.fakes.telegram.verbs import watch
from tests.fakes.telegram.world import Chat, Message, User


def place(chat: Chat) -> p.Place:
    return p.Place(id=chat.id, kind=chat.kind, title=chat.title, forum=chat.forum)


def text_of(message: Message) -> str:
    return str(message.body.get("text", message.body.get("caption", "")))


def shown(message: Message, bot: User) -> p.Shown:
    rows = (message.markup or {"inline_keyboard": []})["inline_keyboard"]
    return p.Shown(
        id=message.id,
        sender=message.sender.id,
        by_bot=message.sender.id == bot.id,
        text=text_of(message),
        entities=tuple(message.body.get("entities") or message.body.get("caption_entities") or ()),
        buttons=tuple(tuple(button["text"] for button in row) for row in rows),
        data=tuple(tuple(button.get("callback_data", "") for button in row) for row in rows),
        thread=message.thread,
        reply_to=message.reply_to,
        edits=message.edits,
        deleted=message.deleted,
        reactions=tuple(reaction.get("emoji", reaction["type"]) for reaction in message.reactions),
        body=message.body,
    )


def fitting_messages(chat: Chat, bot: User, wanted: watch.WaitMessage) -> list[Message]:
    return [message for message in chat.messages.values() if _fits(message, bot, wanted)]


def _fits(message: Message, bot: User, wanted: watch.WaitMessage) -> bool:
    text = text_of(message)
    rows = (message.markup or {"inline_keyboard": []})["inline_keyboard"]
    labels = [button["text"] for row in rows for button in row]
    return (
        message.id > wanted.after
        and message.deleted == wanted.deleted
        and message.edits >= wanted.edits
        and wanted.message in (None, message.id)
        and wanted.by_bot in (None, message.sender.id == bot.id)
        and wanted.thread in (None, message.thread)
        and wanted.text in (None, text)
        and (wanted.containing is None or wanted.containing in text)
        and (wanted.button is None or wanted.button in labels)
        and not (wanted.no_buttons and labels)
    )


def called(call: Call) -> p.Called:
    return p.Called(
        number=call.number,
        method=call.method,
        args=call.args,
        chat=call.chat,
        connection=call.connection,
        time=call.time,
        at=call.at,
        ended=call.ended,
        verdict=call.verdict,
        status=call.status,
        response=call.response,
        held=call.held,
    )


def fitting_calls(calls: Iterable[Call], wanted: watch.WaitCalls) -> list[Call]:
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


def latencies(updates: Iterable[Update], calls: Iterable[Call], method: str | None) -> list[p.Latency]:
    """Each update of a chat with the first call for that chat that came after it was made."""
    by_chat: defaultdict[int, list[float]] = defaultdict(list)
    for call in calls:
        if call.chat is not None and method in (None, call.method):
            by_chat[call.chat].append(call.at)
    found: list[p.Latency] = []
    for update in updates:
        if update.chat is None:
            continue
        moment = next((at for at in by_chat[update.chat] if at >= update.created), None)
        seconds = None if moment is None else moment - update.created
        found.append(p.Latency(update_id=update.id, chat=update.chat, seconds=seconds))
    return found
