"""Hands what a tool gave as files over to the chat: kept with the outcome of the call, posted as messages of their own."""

from collections.abc import Sequence
from gettext import gettext as _

from bot.clock import new_token
from bot.domain.run import Call, Run
from bot.store import files as shelf
from bot.store import outbox
from bot.store.database import Tx
from channels.events import Conversation
from channels.files import File, FileRef, size_words
from channels.outgoing import Outgoing, Paragraph, Span, Style

CODE: frozenset[Style] = frozenset({"code"})
"""So that no platform takes a name for an address or a command."""

MOST_NAMED = 20
"""Files left out that are told by name."""
LONGEST_TOOL = 100


def told(text: str, files: Sequence[File], left_out: Sequence[str]) -> str:
    """What the model reads, with what becomes of the files in words of ours; names, which are a stranger's, in quotes."""
    words = [f"[“{file.name}”, {size_words(len(file.content))}, is sent to the chat as a file]" for file in files]
    if left_out:
        words.append(f"[not sent to the chat, since too large or too many: “{_listed(left_out)}”]")
    return "\n".join((text, *words))


def hand_over(
    tx: Tx, run: Run, call: Call, where: str, files: Sequence[File], left_out: Sequence[str], now: float
) -> None:
    """In the transaction that writes the outcome of the call. `where`: the key of the run's conversation."""
    to, reply_to = Conversation.parse(where), None if run.private else run.message_ref
    tool = call.tool[:LONGEST_TOOL]
    for place, file in enumerate(files):
        ref = FileRef(new_token(), file.name, file.mime, len(file.content))
        shelf.add(tx, ref.id, run.id, where, file, now)
        size = _(" ({size}), from {tool}").format(size=size_words(ref.size), tool=tool)
        caption = Outgoing((Paragraph((Span(file.name, CODE), Span(size))),), (), reply_to, file=ref)
        outbox.post(tx, f"file:{call.id}:{place}", to, caption, now, subject=run.id)
    if left_out:
        words = _("{tool} gave files that are too large or too many to be sent here, so they were left out: ")
        said = Paragraph((Span(words.format(tool=tool)), Span(_listed(left_out), CODE)))
        outbox.post(tx, f"files:{call.id}", to, Outgoing((said,), (), reply_to), now, subject=run.id)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return _("{shown} and {more} more").format(shown=shown, more=more) if more > 0 else shown
