"""Ends: with a run go its cards, its status line and its queue; with a conversation its sessions."""

from bot.closer import status_key
from bot.store import approvals, calls, channels, conversations, entries, outbox, runs, sessions
from bot.store.database import Signal, Store, Tx
from channels.events import Conversation
from channels.outgoing import Outgoing, plain
from tests.bot.parts import BOB, CHAT, NOW, Parts, begin, queue

PARTS = Parts()


async def test_stop_ends_what_is_open_with_all_that_hangs_on_it(store: Store) -> None:
    def before(tx: Tx) -> tuple[str, str]:
        run = begin(tx)
        outbox.post(tx, status_key(run.id), CHAT, Outgoing(plain("… thinking")), NOW, run.id)
        approval = PARTS.ask(tx, run)
        queue(tx)
        return run.id, approval.id

    run_id, approval_id = await store.tx(before)
    told: list[Signal] = []
    store.listen(told.append)
    assert await store.tx(PARTS.closer.stop, CHAT.key, BOB.id, NOW) == (2, [])
    approval = await store.tx(approvals.find, approval_id)
    assert approval is not None
    assert (approval.state, approval.reason) == ("cancelled", "stopped")
    assert Signal("cancel", run_id) in told
    line = await store.tx(outbox.find, status_key(run_id))
    assert line is not None
    assert line.message is None
    assert await store.tx(runs.open_in, [CHAT.key]) == []
    kinds = [entry.kind for entry in await store.tx(entries.of_runs, [run_id])]
    assert kinds[-1] == "cancelled"
    assert await store.tx(PARTS.closer.stop, CHAT.key, BOB.id, NOW) == (0, [])


async def test_stop_names_what_was_begun_and_may_have_happened(store: Store) -> None:
    def before(tx: Tx) -> None:
        run = begin(tx)
        PARTS.call(tx, run, "add_note", {"text": "x"}, "started")
        PARTS.call(tx, run, "list_notes", {}, "started", 1)

    await store.tx(before)
    assert await store.tx(PARTS.closer.stop, CHAT.key, BOB.id, NOW) == (1, ["add_note"])


async def test_a_conversation_that_is_gone_keeps_nothing_and_drops_what_is_to_be_sent(store: Store) -> None:
    def before(tx: Tx) -> str:
        run = begin(tx)
        return PARTS.ask(tx, run).call_id

    call_id = await store.tx(before)
    await store.tx(PARTS.closer.gone, [CHAT.key], "blocked", NOW, NOW)
    assert await store.tx(sessions.everything, None, 10) == []
    assert await store.tx(outbox.busy) == []
    call = await store.tx(calls.find, call_id)
    known = await store.tx(conversations.find, CHAT.key)
    assert call is not None
    assert known is not None
    assert (call.state, known.gone_at) == ("denied", NOW)


async def test_a_chat_takes_its_topics_with_it_and_a_topic_only_itself(store: Store) -> None:
    chat, topic, other = Conversation("tg", "-1"), Conversation("tg", "-1", "7"), Conversation("tg", "-2")
    for where in (chat, topic, other):
        await store.tx(queue, where)
    await store.tx(PARTS.closer.thread_gone, topic, NOW)
    assert await store.tx(runs.open_in, [topic.key]) == []
    assert len(await store.tx(runs.open_in, [chat.key, other.key])) == 2
    keys = await store.tx(conversations.of_chat, chat)
    assert sorted(keys) == sorted([chat.key, topic.key])
    await store.tx(PARTS.closer.gone, keys, "removed", NOW, NOW)
    assert len(await store.tx(runs.open_in, [chat.key, topic.key, other.key])) == 1


async def test_disconnecting_ends_a_channel_in_one_commit_and_leaves_others(store: Store) -> None:
    web = Conversation("web", "admin")

    def before(tx: Tx) -> str:
        for name in ("tg", "web"):
            channels.note(tx, name)
        queue(tx, web)
        return PARTS.ask(tx, begin(tx)).id

    approval_id = await store.tx(before)
    told: list[Signal] = []
    store.listen(told.append)
    assert await store.tx(PARTS.admin.disconnect, "tg", BOB.id, NOW) == 1
    approval = await store.tx(approvals.find, approval_id)
    assert approval is not None
    assert approval.state == "cancelled"
    assert await store.tx(channels.disconnected) == {"tg"}
    assert len(await store.tx(runs.open_in, [web.key])) == 1
    assert Signal("channel", "tg") in told
    await store.tx(PARTS.admin.connect, "tg", BOB.id, NOW)
    assert await store.tx(channels.disconnected) == set()
