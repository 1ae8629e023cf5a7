"""Messages as they should look and as they were shown: in order, none lost, doubt counted."""

import asyncio
from contextlib import closing

import psycopg

from bot.store import outbox
from bot.store.database import Store, Tx
from bot.store.outbox import Post
from channels.events import Conversation
from channels.outgoing import MessageRef, Outgoing, plain
from tests.bot.parts import CHAT, NOW
from tests.databases import ON_POSTGRES, someone_waits

KEY = CHAT.key


def message(text: str) -> Outgoing:
    return Outgoing(plain(text))


async def post(store: Store, key: str, text: str = "hello", to: Conversation = CHAT) -> None:
    await store.tx(outbox.post, key, to, message(text), NOW, "run_1")


async def taken(store: Store, now: float = NOW) -> Post:
    found = await store.tx(outbox.take, KEY, now)
    assert found is not None
    return found


async def state(store: Store, key: str) -> Post:
    found = await store.tx(outbox.find, key)
    assert found is not None
    return found


async def test_messages_of_a_conversation_go_out_in_order(store: Store) -> None:
    for number in range(3):
        await post(store, f"m{number}", str(number))
    for number in range(3):
        head = await taken(store)
        assert head.message == message(str(number))
        await store.tx(outbox.sent, head, f"{number}", NOW)
    assert await store.tx(outbox.take, KEY, NOW) is None


async def test_a_message_that_must_wait_holds_back_those_behind_it(store: Store) -> None:
    await post(store, "first")
    await post(store, "second")
    await store.tx(outbox.again, await taken(store), NOW + 5)
    head = await taken(store, NOW + 1)
    assert (head.key, head.state, head.not_before) == ("first", "due", NOW + 5)
    assert (await state(store, "first")).state == "due"
    head = await taken(store, NOW + 5)
    assert (head.key, head.attempts) == ("first", 1)


async def test_a_change_while_it_is_on_its_way_is_shown_after_it(store: Store) -> None:
    await post(store, "line", "one")
    head = await taken(store)
    await store.tx(lambda tx: outbox.amend(tx, _found(tx, "line"), message("two")))
    await store.tx(outbox.sent, head, "77", NOW)
    again = await taken(store)
    assert (again.message, again.ref) == (message("two"), "77"), "by edit, not as a second message"
    await store.tx(outbox.sent, again, "77", NOW)
    assert (await state(store, "line")).state == "sent"


async def test_a_message_that_is_taken_away_has_nothing_to_say(store: Store) -> None:
    await post(store, "line")
    await store.tx(outbox.sent, await taken(store), "77", NOW)
    await store.tx(lambda tx: outbox.amend(tx, _found(tx, "line"), None))
    head = await taken(store)
    assert (head.message, head.ref) == (None, "77")


async def test_after_a_crash_what_was_under_way_is_in_doubt_unless_it_can_be_edited(store: Store) -> None:
    await post(store, "new")
    await post(store, "old", to=Conversation("tg", "6"))
    other = await store.tx(outbox.take, "tg:6", NOW)
    assert other is not None
    await store.tx(outbox.sent, other, "88", NOW)
    await store.tx(lambda tx: outbox.amend(tx, _found(tx, "old"), message("changed")))
    await store.tx(outbox.take, "tg:6", NOW)
    await taken(store)
    assert await store.tx(outbox.recover) == 2
    new, old = await state(store, "new"), await state(store, "old")
    assert (new.state, new.doubtful) == ("due", 1)
    assert (old.state, old.doubtful, old.ref) == ("due", 0, "88")


async def test_a_message_is_taken_by_one(store: Store) -> None:
    await post(store, "only")
    found = await asyncio.gather(*(store.tx(outbox.take, KEY, NOW) for _ in range(4)))
    assert [each.state for each in found if each is not None].count("sending") == 1


async def test_what_is_given_up_or_dropped_is_not_sent_and_not_brought_back(store: Store) -> None:
    await post(store, "refused")
    await post(store, "dropped")
    await store.tx(outbox.fail, await taken(store), "refused")
    assert await store.tx(outbox.drop, [KEY]) == 1
    for key in ("refused", "dropped"):
        await store.tx(lambda tx, key=key: outbox.amend(tx, _found(tx, key), message("more")))  # type: ignore[misc]
    assert await store.tx(outbox.take, KEY, NOW) is None
    assert await store.tx(outbox.busy) == []
    assert await store.tx(outbox.unsettled, "tg") == 0


async def test_what_is_given_up_is_tried_again_where_it_says_something_else_by_now(store: Store) -> None:
    await post(store, "line", "one")
    head = await taken(store)
    await store.tx(lambda tx: outbox.amend(tx, _found(tx, "line"), message("two")))
    await store.tx(outbox.fail, head, "refused")
    again = await taken(store)
    assert (again.state, again.message, again.attempts) == ("sending", message("two"), 0)
    await store.tx(outbox.fail, again, "refused")
    assert (await state(store, "line")).state == "failed"


@ON_POSTGRES
async def test_a_message_that_was_dropped_as_it_was_taken_stays_dropped(store: Store, database_url: str) -> None:
    """On PostgreSQL the two pass each other: who takes has read `due`, and waits for the row."""
    await post(store, "line")
    with closing(psycopg.connect(database_url)) as closer:
        closer.execute("UPDATE outbox SET state = 'dropped'")
        taking = asyncio.create_task(store.tx(outbox.take, KEY, NOW))
        await someone_waits(database_url)
        closer.commit()
        found = await taking
    assert found is None or found.state != "sending"
    assert (await state(store, "line")).state == "dropped"


async def test_an_answer_that_comes_after_the_drop_changes_nothing(store: Store) -> None:
    await post(store, "late")
    head = await taken(store)
    await store.tx(outbox.drop, [KEY])
    await store.tx(outbox.sent, head, "77", NOW)
    assert (await state(store, "late")).state == "dropped"


async def test_a_message_is_found_by_what_the_platform_calls_it(store: Store) -> None:
    await post(store, "line")
    await store.tx(outbox.sent, await taken(store), "77", NOW)
    assert [each.key for each in await store.tx(outbox.by_ref, MessageRef(KEY, "77"))] == ["line"]
    assert await store.tx(outbox.by_ref, MessageRef("tg:6", "77")) == []
    assert await store.tx(outbox.by_ref, None) == []


async def test_old_rows_go_but_never_what_is_still_to_be_sent(store: Store) -> None:
    await post(store, "sent")
    await post(store, "due")
    await store.tx(outbox.sent, await taken(store), "77", NOW)
    assert await store.tx(outbox.forget_old, NOW + 1) == 1
    assert (await state(store, "due")).state == "due"


def _found(tx: Tx, key: str) -> Post:
    found = outbox.find(tx, key)
    assert found is not None
    return found
