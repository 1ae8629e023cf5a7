"""A task token lives as long as what it belongs to, and allows what its persona may do now and it says itself."""

import time
from collections.abc import Callable

import pytest

from bot import minter
from bot.closer import SERVICE
from bot.errors import Impossible, Unknown
from bot.store import audit, channels, notes, runs, sessions, task_tokens
from bot.store.database import Store, Tx
from channels.events import Conversation
from tests.bot.parts import BOB, CHAT, GUIDE, Parts, begin
from tests.mcp_apps.stall import Stall, said

PARTS = Parts()
NOW = 1_800_000_000.0
HOME = Conversation("tg", "5").key

End = Callable[[Tx, str], object]
"""Something that happens to the run, or around it, by its id."""


def _session(tx: Tx, _run: str) -> None:
    [session] = sessions.everything(tx, "tg", 10)
    PARTS.closer.end_session(tx, session, "tg:1", "enough", NOW)


def _disconnect(tx: Tx, _run: str) -> None:
    PARTS.admin.disconnect(tx, "tg", "tg:1", NOW)


ENDS_OF_BOTH: dict[str, End] = {
    "the session ended": _session,
    "the channel was disconnected": _disconnect,
    "the channel is gone": lambda tx, _run: PARTS.closer.channel_gone(tx, "tg", "revoked", None, NOW),
    "removed from the chat": lambda tx, _run: PARTS.closer.gone(tx, [CHAT.key], "removed", None, NOW),
    "the persona was deleted": lambda tx, _run: PARTS.admin.registrar.delete_persona(tx, GUIDE.id, "tg:1", NOW),
}
ENDS_OF_A_RUN: dict[str, End] = {
    "it completed": lambda tx, run: runs.end(tx, run, "completed", NOW),
    "it was stopped": lambda tx, _run: PARTS.closer.stop(tx, CHAT.key, "tg:5", NOW),
    "it was cancelled": lambda tx, run: PARTS.closer.cancel(tx, run, SERVICE, "enough", NOW),
    **ENDS_OF_BOTH,
}


def _opened(tx: Tx) -> str:
    for name in ("tg", "web"):
        channels.note(tx, name)
    return begin(tx).id


async def _made(store: Store, *, within: bool) -> tuple[str, str]:
    """The run, and the secret of a token."""
    run = await store.tx(_opened)
    if within:
        made = await store.tx(minter.for_run_named, run, None, "api:admin", NOW, 600)
    else:
        made = await store.tx(minter.for_person, GUIDE.id, BOB.id, None, "api:admin", NOW, 600)
    assert await store.tx(task_tokens.use, made[1], NOW) == made[0]
    return run, made[1]


@pytest.mark.parametrize("end", ENDS_OF_A_RUN.values(), ids=ENDS_OF_A_RUN)
async def test_a_token_ends_with_its_run(store: Store, end: End) -> None:
    run, secret = await _made(store, within=True)
    await store.tx(end, run)
    assert await store.tx(task_tokens.use, secret, NOW) is None


@pytest.mark.parametrize("end", ENDS_OF_BOTH.values(), ids=ENDS_OF_BOTH)
async def test_a_token_of_a_person_ends_with_what_they_are_asked_in(store: Store, end: End) -> None:
    run, secret = await _made(store, within=False)
    await store.tx(end, run)
    assert await store.tx(task_tokens.use, secret, NOW) is None


async def test_a_token_of_a_person_outlives_a_run(store: Store) -> None:
    _run, secret = await _made(store, within=False)
    await store.tx(PARTS.closer.stop, CHAT.key, "tg:5", NOW)
    assert await store.tx(task_tokens.use, secret, NOW) is not None


async def test_a_channel_that_comes_back_brings_no_token_back(store: Store) -> None:
    run, secret = await _made(store, within=False)
    await store.tx(_disconnect, run)
    await store.tx(PARTS.admin.connect, "tg", "tg:1", NOW)
    assert await store.tx(task_tokens.use, secret, NOW) is None


async def test_a_token_ends_at_its_time(store: Store) -> None:
    _run, secret = await _made(store, within=True)
    assert await store.tx(task_tokens.use, secret, NOW + 599) is not None
    assert await store.tx(task_tokens.use, secret, NOW + 600) is None


async def test_a_revoked_token_is_none_and_cannot_be_revoked_again(store: Store) -> None:
    run = await store.tx(_opened)
    token, secret = await store.tx(minter.for_run_named, run, None, "api:admin", NOW, 600)
    await store.tx(minter.revoke, token.id, "api:admin", NOW)
    assert await store.tx(task_tokens.use, secret, NOW) is None
    with pytest.raises(Unknown):
        await store.tx(minter.revoke, token.id, "api:admin", NOW)


async def test_the_secret_is_stored_nowhere(store: Store) -> None:
    _run, secret = await _made(store, within=True)
    links = await store.tx(audit.latest, 10)
    assert [link.action for link in links] == ["task_token_made"]
    assert secret not in str(links)


async def test_what_a_run_hands_on_allows_all_and_ends_after_a_week_at_the_latest(store: Store) -> None:
    run = await store.tx(begin)
    token, secret = await store.tx(minter.for_run, run, SERVICE, NOW)
    assert token.capabilities is None
    assert (token.run_id, token.persona_id, token.user) == (run.id, GUIDE.id, BOB.id)
    assert await store.tx(task_tokens.use, secret, NOW + minter.LONGEST_S) is None


async def test_no_token_is_made_for_what_is_not_there(store: Store) -> None:
    run = await store.tx(_opened)
    await store.tx(runs.end, run, "completed", NOW)
    with pytest.raises(Impossible):
        await store.tx(minter.for_run_named, run, None, "api:admin", NOW, 600)
    with pytest.raises(Unknown):
        await store.tx(minter.for_run_named, "run_none", None, "api:admin", NOW, 600)
    with pytest.raises(Unknown):
        await store.tx(minter.for_person, "nobody", BOB.id, None, "api:admin", NOW, 600)
    with pytest.raises(Unknown):
        await store.tx(minter.for_person, GUIDE.id, "nowhere:5", None, "api:admin", NOW, 600)
    await store.tx(_disconnect, run)
    with pytest.raises(Impossible):
        await store.tx(minter.for_person, GUIDE.id, BOB.id, None, "api:admin", NOW, 600)


async def test_an_old_token_is_forgotten(store: Store) -> None:
    _run, secret = await _made(store, within=True)
    await store.tx(task_tokens.forget_old, NOW + 600 + task_tokens.KEPT_S + 1)
    assert await store.tx(task_tokens.use, secret, NOW) is None


async def test_a_narrowed_token_shows_and_calls_what_it_names(stall: Stall) -> None:
    token = await stall.token("builtin/list_notes")
    assert await stall.names("notes", token) == ["list_notes"]
    assert await stall.names("memory", token) == []
    assert "Unknown tool" in await stall.refusal("notes", token, "add_note")


async def test_a_token_that_is_narrowed_to_what_is_not_granted_allows_nothing(stall: Stall) -> None:
    await stall.store.tx(stall.parts.granter.revoke, GUIDE.id, "builtin/list_notes", "tg:1", time.time())
    assert await stall.names("notes", await stall.token("builtin/list_notes")) == []


async def test_each_token_acts_for_its_own_people(stall: Stall) -> None:
    """Notes belong to whom the token is for, whatever else is asked for at the same time."""
    mine, others = await stall.token(), await stall.personal("tg:77")
    await stall.store.tx(notes.add, "user:tg:5", "mine", "tg:5", NOW)
    await stall.store.tx(notes.add, "user:tg:77", "theirs", "tg:77", NOW)
    assert "mine" in said(await stall.call("notes", mine, "list_notes"))
    assert "theirs" in said(await stall.call("notes", others, "list_notes"))
