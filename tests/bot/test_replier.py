"""What a run says at its end reaches the chat, whatever became of the line that said what it was doing."""

from dataclasses import replace

import pytest

from bot.closer import status_key
from bot.domain.run import Run
from bot.llm.port import Answer
from bot.replier import Parts as Said
from bot.replier import Replier
from bot.store import calls, outbox
from bot.store.database import Store, Tx
from bot.store.outbox import Post, SendState
from channels.outgoing import Outgoing, plain
from tests.bot.parts import CHAT, NOW, Parts, begin, telegram_limits

PARTS = Parts()
REPLIER = Replier(telegram_limits)
LATE = NOW + 5
"""A run that is this old shows its status line."""


async def answered(store: Store, run: Run, text: str, now: float = LATE) -> Said:
    said = await REPLIER.written(run, Answer(text))
    await store.tx(REPLIER.reply, run, said, now)
    return said


async def bodies(store: Store, run: Run) -> list[str]:
    """What may still be shown, in order."""
    found = await store.tx(outbox.about, run.id)
    return [post.body for post in found if post.state in ("due", "sending", "sent")]


def with_line(tx: Tx) -> Run:
    run = begin(tx)
    outbox.post(tx, status_key(run.id), CHAT, Outgoing(plain("… thinking")), NOW + 4, run.id)
    return run


def line(tx: Tx, run: Run) -> Post:
    found = outbox.find(tx, status_key(run.id))
    assert found is not None
    return found


@pytest.mark.parametrize("became", ["failed", "dropped", "due", "sent"])
async def test_an_answer_is_shown_whatever_became_of_the_status_line(store: Store, became: SendState) -> None:
    run = await store.tx(with_line)

    def settle(tx: Tx) -> None:
        if became == "dropped":
            outbox.drop(tx, [CHAT.key])
        if became in ("failed", "sent"):
            post = outbox.take(tx, CHAT.key, LATE)
            assert post is not None
            outbox.fail(tx, post, "refused") if became == "failed" else outbox.sent(tx, post, "77", LATE)

    await store.tx(settle)
    await answered(store, run, "Here it is.")
    [body] = await bodies(store, run)
    assert "Here it is." in body
    assert (await store.tx(line, run)).state == ("due" if became in ("due", "sent") else became)


async def test_an_answer_is_shown_although_its_line_is_given_up_while_it_is_put_in(store: Store) -> None:
    run = await store.tx(with_line)
    on_its_way = await store.tx(outbox.take, CHAT.key, LATE)
    assert on_its_way is not None
    await answered(store, run, "Here it is.")
    await store.tx(outbox.fail, on_its_way, "refused")
    post = await store.tx(outbox.take, CHAT.key, LATE)
    assert post is not None
    assert "Here it is." in post.body


async def test_what_failed_stands_below_a_long_answer_without_cutting_it_anew(store: Store) -> None:
    def work(tx: Tx) -> Run:
        run = begin(tx)
        call = PARTS.call(tx, run, "list_notes", {}, "started")
        calls.answer(tx, call.id, "started", "done", "It is away.", "unavailable")
        return replace(run, steps=1)

    run = await store.tx(work)
    said = await answered(store, run, "A long word. " * 300, NOW)
    posts = [post.message for post in await store.tx(outbox.about, run.id)]
    assert tuple(posts[:-1]) == said
    assert "list_notes: unavailable" in str(posts[-1])
