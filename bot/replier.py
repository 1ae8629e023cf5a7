"""Puts what a run says into the outbox: in parts that fit, with what must not be taken for done."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from gettext import gettext as _

from bot.closer import STATUS_AFTER_S, status_key
from bot.domain.run import Call, Run
from bot.llm.port import Answer
from bot.store import calls, outbox
from bot.store.database import Tx
from bot.tools.spec import FailureCode
from channels.adapter import Limits
from channels.events import Conversation
from channels.outgoing import Block, Outgoing, Paragraph, Span, Style, outgoing_json, plain
from channels.text.parse import blocks
from channels.text.split import split

Parts = tuple[Outgoing, ...]
"""What is said, as messages that each keep to the channel's limits."""

LONGEST_ANSWER = 100_000
"""Characters of an answer that are shown: what a model writes beyond that is a fault of the model."""

READ_ASIDE = 2_000
"""An answer longer than this is read in a thread: a hostile one may take seconds."""

EDITED_IN_WITHIN_S = 30.0
"""An answer that comes this soon replaces the status line; a later one is a new message, so that phones notify."""

REPORTED: dict[FailureCode, str] = {
    "not_connected": "not connected",
    "not_authorized": "not authorized",
    "unavailable": "unavailable",
    "failed": "the tool said that it failed",
    "timeout": "timeout",
    "unknown_outcome": "unknown outcome: it may or may not have happened, please check",
}
"""Failures that the reader of a reply is told of in any case, whatever the model makes of them."""

ITALIC: frozenset[Style] = frozenset({"italic"})


class Replier:
    def __init__(self, limits: Callable[[str], Limits]) -> None:
        """`limits` are those of a channel by its name."""
        self._limits = limits

    async def written(self, run: Run, answer: Answer) -> Parts:
        """An answer as it will be shown; done before the transaction that stores it, which must not wait for this."""
        if len(answer.text) <= READ_ASIDE:
            return self._written(run, answer)
        return await asyncio.to_thread(self._written, run, answer)

    def reply(self, tx: Tx, run: Run, parts: Parts, now: float) -> None:
        """The end of a run: put into the status line if that is the last thing in the chat and still young, else posted."""
        footer = self._footer(tx, run, parts)
        if footer:
            parts = self._with_footer(run, parts, footer)
        status = outbox.find(tx, status_key(run.id)) if now - run.created_at >= STATUS_AFTER_S else None
        if status is None or status.state in ("failed", "dropped"):
            self._post(tx, run, f"answer:{run.id}", parts, now)
            return
        young = now - status.created_at <= EDITED_IN_WITHIN_S
        if young and outbox.newest_in(tx, run.conversation) == status.id:
            outbox.amend(tx, status, parts[0])
            parts = parts[1:]
        else:
            outbox.amend(tx, status, None)
        self._post(tx, run, f"answer:{run.id}", parts, now)

    def sentence(self, tx: Tx, run: Run, text: str, now: float) -> None:
        """The end of a run in words of our own."""
        self.reply(tx, run, split(self._message(run, plain(text)), self._limits(run.channel)), now)

    def aside(self, tx: Tx, run: Run, parts: Parts, now: float) -> None:
        """Words of the model that come before a card."""
        self._post(tx, run, f"said:{run.id}:{run.steps}", parts, now)

    def _written(self, run: Run, answer: Answer) -> Parts:
        text = answer.text[:LONGEST_ANSWER]
        if answer.cut or len(text) < len(answer.text):
            text += "\n\n" + _("(The answer stops here: it reached the length limit.)")
        return split(self._message(run, blocks(text)), self._limits(run.channel))

    def _message(self, run: Run, said: Sequence[Block]) -> Outgoing:
        return Outgoing(tuple(said), (), None if run.private else run.message_ref)

    def _post(self, tx: Tx, run: Run, key: str, parts: Parts, now: float) -> None:
        to = Conversation.parse(run.conversation)
        for number, part in enumerate(parts):
            outbox.post(tx, f"{key}:{number}", to, part, now, subject=run.id)

    def _with_footer(self, run: Run, parts: Parts, footer: tuple[Block, ...]) -> Parts:
        """Below the last part; a message of its own where that part is long, since this is done in a transaction."""
        if len(outgoing_json.dump_json(parts[-1])) > READ_ASIDE:
            return (*parts, Outgoing(footer))
        last = replace(parts[-1], blocks=(*parts[-1].blocks, *footer))
        return (*parts[:-1], *split(last, self._limits(run.channel)))

    def _footer(self, tx: Tx, run: Run, parts: Parts) -> tuple[Block, ...]:
        """What failed in this run and must not be taken for done, unless the text says it in the same words."""
        mine = calls.of_runs(tx, [run.id]) if run.steps else []
        if not mine:
            return ()
        text = "".join(outgoing_json.dump_json(part).decode() for part in parts).casefold()
        done = {call.digest for call in mine if call.failure is None and call.result is not None}
        lines: dict[str, None] = {}
        for call in mine:
            words = _reported(call)
            if words is None or (call.digest and call.digest in done) or words.split(":")[0] in text:
                continue
            lines[f"⚠ {call.tool[:64]}: {_(words)}"] = None
        return tuple(Paragraph((Span(line, ITALIC),)) for line in lines)


def _reported(call: Call) -> str | None:
    """What the reader is told of a call; a write that had begun and has no result has an unknown outcome."""
    if call.state == "started" and not call.repeatable:
        return REPORTED["unknown_outcome"]
    return next((words for code, words in REPORTED.items() if code == call.failure), None)
