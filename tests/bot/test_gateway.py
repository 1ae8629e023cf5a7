"""The one entrance: each event counts once, whole or not at all, and only where we still are."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest

from bot.commands.table import Commands
from bot.doorman import Door, Doorman
from bot.errors import StoreUnavailable
from bot.gateway import Bounds, Gateway
from bot.health import Health
from bot.librarian import Librarian
from bot.metrics import Metrics
from bot.pace import Pace
from bot.porter import Porter
from bot.store import (
    approvals,
    calls,
    channels,
    conversations,
    entries,
    inbox,
    outbox,
    people,
    personas,
    runs,
    sessions,
)
from bot.store.database import SqliteStore, Store, Tx
from bot.store.outbox import Post
from channels.adapter import Limits
from channels.errors import NotSent
from channels.events import ButtonPress, Command, Conversation, Edited, Gone, Message, Moved, Sender
from skills.library import Library
from skills.limits import Limits as ArchiveLimits
from tests.bot.parts import ANN, BOB, CHAT, EVE, GUIDE, NOW, Parts, begin, by, telegram_limits
from tests.databases import ON_POSTGRES, someone_waits

PARTS = Parts()


def gateway(
    store: Store,
    allow: tuple[str, ...] = ("anyone",),
    queue: int = 3,
    pace: int = 100,
    limits: Callable[[str], Limits] = telegram_limits,
) -> Gateway:
    health = Health(lambda: NOW)
    return Gateway(
        store,
        Doorman(PARTS.house, {"tg": Door(allow, knock=True)}, ["tg"]),
        PARTS.asker,
        PARTS.approver,
        PARTS.questioner,
        PARTS.hearer,
        PARTS.editor(store),
        PARTS.closer,
        nobody_fetches(store),
        Commands(PARTS.desk(health)),
        PARTS.toolbox,
        {"tg": "guide"},
        limits,
        Bounds(queue, 100),
        Pace(pace),
        health,
        lambda: NOW,
        Metrics(),
    )


def nobody_fetches(store: Store) -> Porter:
    """One that is never run."""
    nowhere = Path("nowhere")
    librarian = Librarian(
        store, Library(nowhere, nowhere), ArchiveLimits(), PARTS.admin.curator, Health(lambda: NOW), lambda: NOW
    )
    return Porter(store, librarian, PARTS.house, lambda _channel: None, lambda: NOW, alone=True)


def message(
    number: int, text: str = "hello", *, sender: Sender = BOB, where: Conversation = CHAT, at: float = NOW
) -> Message:
    return Message(f"u{number}", at, where, sender, True, text, True, f"m{number}")


async def waiting(store: Store, key: str = CHAT.key) -> list[str]:
    return [run_id for run_id, _state in await store.tx(runs.waiting_line, key)]


async def said(store: Store) -> list[str]:
    def work(tx: Tx) -> list[str]:
        found: list[Post] = []
        while (post := outbox.take(tx, CHAT.key, NOW)) is not None:
            found.append(post)
        return [post.body for post in found]

    return await store.tx(work)


async def test_one_delivery_that_comes_many_times_at_once_is_one_run(store: Store) -> None:
    """B001, B004, B011: claimed by one insert in the shared store, on either database."""
    door = gateway(store)
    await asyncio.gather(*(door.receive(message(1)) for _ in range(8)))
    await door.receive(message(1))
    assert len(await waiting(store)) == 1


async def test_other_ids_in_between_do_not_make_a_repeat_forgotten(store: Store) -> None:
    """B003: what was seen is kept by age, not by count."""
    door = gateway(store)
    await door.receive(message(0))
    await store.tx(lambda tx: [inbox.add(tx, "tg", f"other {n}", NOW) for n in range(1_100)])
    await door.receive(message(0))
    assert len(await waiting(store)) == 1
    assert await store.tx(inbox.forget_old, NOW + inbox.KEPT_S - 1) == 0
    assert await store.tx(inbox.forget_old, NOW + inbox.KEPT_S + 1) == 1_101


async def test_an_event_that_fails_half_way_leaves_nothing_and_may_come_again(store: Store) -> None:
    """B113: no half-taken event; its repeat is not mistaken for one that was taken."""
    door = gateway(store)
    poison = replace(message(1), where=Conversation("unheard-of", "5"))
    with pytest.raises(KeyError):
        await door.receive(poison)
    assert await store.tx(inbox.add, "unheard-of", "u1", NOW), "it was not noted as taken"
    await door.set_aside("tg", "u9", '{"odd": "\\u0000"}', "it cannot be read")
    [aside] = await store.tx(inbox.recent_set_aside, 5)
    assert (aside.event_id, aside.trouble) == ("u9", "it cannot be read")
    await door.receive(message(2))
    assert len(await waiting(store)) == 1


async def test_words_that_name_a_tool_behind_a_slash_reach_the_model(store: Store) -> None:
    """So the planner shows how to ask, and so one may ask."""
    typed = Command("u1", NOW, CHAT, BOB, True, "add_note", 'text="milk"', "m1")
    await gateway(store).receive(typed)
    [run_id] = await waiting(store)
    [entry] = await store.tx(entries.of_runs, [run_id], ["queued"])
    assert entry.body["prompt"] == '/add_note text="milk"'


async def test_what_is_not_meant_for_us_is_not_kept(store: Store) -> None:
    await gateway(store).receive(replace(message(1), addressed=False))
    assert await store.tx(inbox.add, "tg", "u1", NOW)
    assert await waiting(store) == []


@pytest.mark.parametrize(
    "event",
    [
        message(2, sender=EVE),
        Command("u2", NOW, CHAT, EVE, True, "stop", ""),
        Command("u2", NOW, CHAT, EVE, True, "new", ""),
        Command("u2", NOW, CHAT, EVE, True, "reject", "no"),
        message(2, "reject because I say so", sender=EVE),
        Edited("u2", NOW, CHAT, EVE, "something else", "m1"),
        ButtonPress("u2", NOW, CHAT, EVE, True, "made up"),
    ],
    ids=["message", "stop", "new", "reject", "typed reject", "edit", "press"],
)
async def test_a_stranger_changes_nothing(store: Store, event: Message | Command | Edited | ButtonPress) -> None:
    """B131: the check comes before everything else."""

    def work(tx: Tx) -> str:
        run = begin(tx)
        approval = PARTS.ask(tx, run)
        runs.suspend(tx, run)
        return approval.id

    approval_id = await store.tx(work)
    before = await store.tx(sessions.everything, None, 10)
    await gateway(store, allow=(BOB.id,)).receive(event)
    approval = await store.tx(approvals.find, approval_id)
    assert approval is not None
    assert approval.state == "pending"
    assert len(await waiting(store)) == 1
    assert await store.tx(sessions.everything, None, 10) == before


async def test_a_stranger_is_told_once_and_each_admin_is_asked_once(store: Store) -> None:
    """B133."""
    door = gateway(store, allow=())
    for number in range(30):
        await door.receive(message(number, sender=EVE))
    assert len([body for body in await said(store) if "private assistant" in body]) == 1
    assert len(await store.tx(outbox.about, f"knock:{EVE.id}")) == 1
    person = await store.tx(people.find, EVE.id)
    assert person is not None
    assert person.state == "knocked"


async def test_the_queue_is_bounded(store: Store) -> None:
    door = gateway(store, queue=2)
    for number in range(4):
        await door.receive(message(number))
    assert len(await waiting(store)) == 2
    assert sum("was not taken" in body for body in await said(store)) == 2


async def test_after_the_end_an_earlier_event_does_not_open_a_session(store: Store) -> None:
    door = gateway(store)
    await door.receive(message(1))
    await door.receive(Gone("u2", NOW + 10, "tg", CHAT, "chat", "blocked"))
    assert await waiting(store) == []
    await door.receive(message(3, at=NOW + 9))
    assert await waiting(store) == []
    assert await store.tx(sessions.everything, None, 10) == []
    await door.receive(message(4, at=NOW + 11))
    assert len(await waiting(store)) == 1


async def test_a_channel_that_is_switched_off_takes_nothing_in(store: Store) -> None:
    door = gateway(store)
    await store.tx(channels.note, "tg")
    await store.tx(PARTS.admin.disconnect, "tg", ANN.id, NOW)
    receipt = await door.receive(message(1))
    assert receipt.notice == "This channel is disconnected. Nothing was done."
    assert await waiting(store) == []


@ON_POSTGRES
async def test_what_comes_while_its_channel_is_being_switched_off_leaves_no_session(
    store: Store, database_url: str
) -> None:
    """On PostgreSQL the two pass each other, unless one waits for the other."""
    door = gateway(store)
    await store.tx(channels.note, "tg")
    with closing(psycopg.connect(database_url)) as other:
        other.execute("UPDATE channels SET disconnected_at = 1, disconnected_by = 'tg:1' WHERE name = 'tg'")
        receiving = asyncio.create_task(door.receive(message(1)))
        await someone_waits(database_url)
        other.commit()
        receipt = await receiving
    assert receipt.notice == "This channel is disconnected. Nothing was done."
    assert await store.tx(sessions.everything, None, 10) == []
    assert await waiting(store) == []


async def test_a_tool_that_ends_after_the_disconnection_writes_nothing(store: Store) -> None:
    """A finishing tool cannot bring a cleared session back."""

    def work(tx: Tx) -> tuple[str, str]:
        channels.note(tx, "tg")
        run = begin(tx)
        return run.id, PARTS.call(tx, run, "list_notes", {}, "started").id

    run_id, call_id = await store.tx(work)
    await store.tx(PARTS.admin.disconnect, "tg", ANN.id, NOW)
    run = await store.tx(runs.find, run_id)
    call = await store.tx(calls.find, call_id)
    assert run is not None
    assert call is not None
    assert (run.state, run.session_id, call.state) == ("cancelled", None, "started")
    assert not await store.tx(runs.alive, run_id)


async def test_a_chat_that_moved_takes_its_session_and_its_queue_along(store: Store) -> None:
    door = gateway(store)
    old, new = Conversation("tg", "-5"), Conversation("tg", "-1005")
    await door.receive(message(1, where=old))
    await door.receive(Moved("u2", NOW, old, new))
    await door.receive(message(3, where=old))
    await door.receive(message(4, where=new))
    assert len(await waiting(store, new.key)) == 3
    assert await waiting(store, old.key) == []
    assert len(await store.tx(sessions.everything, None, 10)) == 1


async def test_only_the_writer_may_change_what_is_queued(store: Store) -> None:
    """B174: an edit counts before the run begins, and only that of whoever wrote."""
    door = gateway(store)
    await door.receive(message(1, "first"))
    [run_id] = await waiting(store)

    async def prompt() -> str:
        [line] = await store.tx(entries.of_runs, [run_id])
        return str(line.body["prompt"])

    await door.receive(Edited("u2", NOW, CHAT, EVE, "hers", "m1"))
    assert await prompt() == "first"
    await door.receive(Edited("u3", NOW, CHAT, BOB, "x" * 500, "m1"))
    assert await prompt() == "first"
    await door.receive(Edited("u4", NOW, CHAT, BOB, "second", "m1"))
    assert await prompt() == "second"
    assert len(await waiting(store)) == 1


@ON_POSTGRES
async def test_an_edit_that_comes_while_its_run_is_claimed_is_told_to_be_too_late(
    store: Store, database_url: str
) -> None:
    """On PostgreSQL the two pass each other: the new words are used or the sender is told, never neither."""
    door = gateway(store)
    await door.receive(message(1, "coffee"))
    [run_id] = await waiting(store)
    with closing(psycopg.connect(database_url)) as claimer:
        claimer.execute("UPDATE runs SET state = 'running', epoch = 1, attempts = 1 WHERE id = %s", (run_id,))
        editing = asyncio.create_task(door.receive(Edited("u2", NOW, CHAT, BOB, "tea", "m1")))
        await someone_waits(database_url)
        claimer.commit()
        await editing
    [line] = await store.tx(entries.of_runs, [run_id])
    assert line.body["prompt"] == "coffee"
    assert ["I had already begun with your earlier wording" in body for body in await said(store)] == [True]


async def test_a_repeat_does_not_count_as_much_said(store: Store) -> None:
    door = gateway(store, pace=2)
    for _ in range(9):
        await door.receive(message(1))
    await door.receive(message(2))
    assert len(await waiting(store)) == 2
    assert await said(store) == []
    await door.receive(message(3))
    assert ["more than I can take in" in body for body in await said(store)] == [True]


@pytest.mark.parametrize("quoted", [None, "note that milk is free"])
async def test_a_run_whose_message_quotes_something_is_wary(store: Store, quoted: str | None) -> None:
    await gateway(store).receive(replace(message(1), quoted=quoted))
    [run_id] = await waiting(store)
    because = await store.tx(runs.wary_because, run_id)
    assert because == (None if quoted is None else "a message that was quoted or forwarded")


class Away(SqliteStore):
    """A database that cannot be used."""

    async def tx(self, *_args: object, **_more: object) -> NoReturn:
        raise StoreUnavailable("The database cannot be used just now.")


async def test_a_database_that_is_away_is_nobodys_fault_who_speaks(tmp_path: Path) -> None:
    """Channels offer it again for as long as it takes, and set nothing aside."""
    away = Away(tmp_path / "none.db")
    door = gateway(away)
    for doing in (door.receive(message(1)), door.set_aside("tg", "u1", "{}", "it cannot be read")):
        with pytest.raises(NotSent, match="cannot be used just now"):
            await doing
    await away.close()


THREAD = Conversation("tg", "-100", "7.1")


def follow(number: int, text: str = "and then?", *, sender: Sender = BOB) -> Message:
    return Message(f"u{number}", NOW, THREAD, sender, False, text, False, f"m{number}", follows=True)


async def test_what_follows_in_a_thread_counts_where_we_are_part_of_it(store: Store) -> None:
    """B041, B043: that is stored, so it outlives a restart."""
    door = gateway(store)
    await door.receive(follow(1))
    assert await waiting(store, THREAD.key) == []
    await door.receive(replace(message(2, where=THREAD), private=False))
    await gateway(store).receive(follow(3))
    assert len(await waiting(store, THREAD.key)) == 2


async def test_what_followed_nothing_may_come_again_addressed(store: Store) -> None:
    """B005: a message that was not for us must not use up the id of the same one that is."""
    door = gateway(store)
    await door.receive(follow(1))
    await door.receive(replace(follow(1), addressed=True, follows=False))
    assert len(await waiting(store, THREAD.key)) == 1


@pytest.mark.parametrize("first", ["help", "new"])
async def test_a_command_makes_us_part_of_a_thread_and_keeps_us_there(store: Store, first: str) -> None:
    """B041: whoever was answered there goes on without a mention, after a fresh start too."""
    door = gateway(store)
    await door.receive(Command("u1", NOW, THREAD, BOB, False, first, "", "m1"))
    await door.receive(replace(follow(2), where=replace(THREAD, thread="8.1")))
    await door.receive(follow(3))
    assert await waiting(store, "tg:-100:8.1") == []
    assert len(await waiting(store, THREAD.key)) == 1


async def test_what_we_do_not_take_part_in_stays_so(store: Store) -> None:
    """Neither does a stranger bring us into a thread, nor a command typed aside, nor one that switches the channel off."""
    await store.tx(channels.note, "tg")
    door = gateway(store, allow=(BOB.id,))
    await door.receive(replace(message(1, where=THREAD, sender=EVE), private=False))
    await door.receive(replace(aside("status"), where=THREAD))
    await door.receive(Command("u2", NOW, THREAD, ANN, False, "disconnect", "tg", "m2"))
    assert not await store.tx(sessions.any_in, THREAD.key)


async def test_a_command_that_follows_nothing_is_not_ours(store: Store) -> None:
    door = gateway(store)
    typed = Command("u1", NOW, THREAD, BOB, False, "status", "", "m1", follows=True)
    await door.receive(typed)
    assert await store.tx(outbox.busy) == []


def aside(name: str, arguments: str = "", *, sender: Sender = ANN, number: int = 1) -> Command:
    return Command(f"c{number}", NOW, CHAT, sender, False, name, arguments, aside=True)


async def test_a_command_typed_aside_is_answered_aside(store: Store) -> None:
    """B017: and nothing is posted where others would see it."""
    receipt = await gateway(store).receive(aside("status"))
    assert "Persona" in str(receipt.answer)
    assert await store.tx(outbox.busy) == []


async def test_what_only_admins_may_ask_is_whispered_where_that_can_be(store: Store) -> None:
    door = gateway(store, limits=lambda _channel: replace(telegram_limits("tg"), whispers=True))
    typed = Command("c1", NOW, THREAD, ANN, False, "audit", "", "m1")
    assert (await door.receive(typed)).answer
    assert await store.tx(outbox.busy) == []
    assert not (await door.receive(replace(typed, id="c2", name="tools"))).answer
    assert await store.tx(outbox.busy) == [THREAD.key]


async def test_one_that_is_not_known_is_said_to_be_so(store: Store) -> None:
    receipt = await gateway(store).receive(aside("sing"))
    assert "sing" in str(receipt.answer)


async def test_a_stranger_who_types_aside_is_told_aside_and_the_admins_are_asked(store: Store) -> None:
    receipt = await gateway(store, allow=()).receive(aside("status", sender=EVE))
    assert "private assistant" in str(receipt.answer)
    assert await store.tx(outbox.busy) == ["tg:1"]
    again = await gateway(store, allow=()).receive(aside("status", sender=EVE, number=2))
    assert again.answer == ()


async def test_what_cannot_be_read_yet_is_kept_once_until_it_is_released(store: Store) -> None:
    door = gateway(store)
    assert await door.keep("tg", "e:1", '{"one": "\\u0000"}')
    assert not await door.keep("tg", "e:1", "{}")
    await door.keep("web", "e:1", "{}")
    await door.keep("tg", "e:2", "{}")
    assert await door.kept("tg") == [("e:1", '{"one": "\\u0000"}'), ("e:2", "{}")]
    await door.release("tg", "e:1")
    assert [kept for kept, _raw in await door.kept("tg")] == ["e:2"]
    assert not await door.keep("tg", "e:1", "{}"), "what was read is known as read"
    assert await store.tx(inbox.recent_set_aside, 5) == []


async def test_a_thread_has_the_persona_of_its_chat(store: Store) -> None:
    door = gateway(store)
    await door.receive(replace(message(1, where=replace(THREAD, thread=None)), private=False))
    await store.tx(conversations.switch_persona, "tg:-100", "boss")
    await door.receive(replace(message(2, where=THREAD), private=False))
    [run_id] = await waiting(store, THREAD.key)
    run = await store.tx(runs.find, run_id)
    assert run is not None
    assert run.persona_id == "boss"


@pytest.mark.parametrize("name", ["stop", "new"])
async def test_what_concerns_a_thread_is_not_done_beside_it(store: Store, name: str) -> None:
    door = gateway(store)
    await door.receive(replace(message(1, where=THREAD), private=False))
    typed = Command("c1", NOW, replace(THREAD, thread=None), ANN, False, name, "", aside=True)
    receipt = await door.receive(typed)
    assert f"write /{name} there" in str(receipt.answer)
    assert len(await waiting(store, THREAD.key)) == 1


async def test_what_waits_in_the_threads_of_a_channel_is_told_beside_them(store: Store) -> None:
    approval = await store.tx(lambda tx: PARTS.ask(tx, begin(tx, THREAD)))
    for name in ("pending", "status"):
        typed = Command(name, NOW, replace(THREAD, thread=None), BOB, False, name, "", aside=True)
        assert approval.code in str((await gateway(store).receive(typed)).answer)


async def test_who_was_heard_is_called_by_name(store: Store) -> None:
    """Ids tell a reader nothing; a name that changed is shown as it is now."""
    door = gateway(store)
    await store.tx(personas.put, GUIDE)
    await door.receive(Command("u1", NOW, CHAT, ANN, True, "grant", "guide builtin/list_notes ask because audit"))
    await door.receive(Command("u2", NOW, CHAT, ANN, True, "grants", "guide"))
    assert "by Ann, audit" in " ".join(await said(store))
    await door.receive(Command("u3", NOW, CHAT, replace(ANN, name="Anne\nB."), True, "tools", ""))
    assert "granted by Anne B." in " ".join(await said(store))


async def test_what_somebody_may_not_do_is_in_the_audit(store: Store) -> None:
    door = gateway(store)
    await door.receive(Command("u1", NOW, CHAT, BOB, True, "grant", "guide builtin/list_notes"))
    await door.receive(Command("u2", NOW, CHAT, ANN, True, "audit", "1"))
    assert "command refused grant" in " ".join(await said(store))
    await door.receive(Command("u3", NOW, CHAT, ANN, True, "audit", "99"))
    assert "a number up to 30" in " ".join(await said(store))


async def test_the_audit_names_an_approval_as_its_card_did(store: Store) -> None:
    door = gateway(store)
    approval = await store.tx(lambda tx: PARTS.ask(tx, begin(tx, CHAT)))
    await store.tx(PARTS.approver.take, approval, True, by(ANN), None, NOW)
    await door.receive(Command("u1", NOW, CHAT, ANN, True, "audit", "1"))
    assert f"approval approved {approval.capability_id} {approval.code}" in " ".join(await said(store))
