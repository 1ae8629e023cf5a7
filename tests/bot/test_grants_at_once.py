"""What is taken away is taken away now: from what waits as well, with the reason on its card, and from nothing else."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.domain.approval import Approval
from bot.domain.capability import Effect, Grant
from bot.granter import Wish
from bot.registrar import PersonaChanges
from bot.store import approvals, audit, calls, grants, mcp_servers, outbox, personas, runs, sessions
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
from tests.bot.governed import PARTS, SERVERS
from tests.bot.parts import CHAT, GUIDE, NOW, begin

HOUR = 3600.0
GIT = Server("git", "{}", True, None, "tg:1", NOW)
Change = Callable[[Tx], object]


def furnish(tx: Tx) -> None:
    personas.put(tx, GUIDE)
    personas.put(tx, replace(GUIDE, id="reader", default_builtin="none"))
    for name in SERVERS:
        mcp_servers.add(tx, replace(GIT, name=name))


def gives(tx: Tx, capability_id: str, effect: Effect = "allow", until: float | None = None, who: str = "guide") -> None:
    grants.put(tx, Grant(who, capability_id, effect, until, "", "tg:1", NOW))


def waits(tx: Tx, capability_id: str) -> str:
    """The id of an approval of guide's that waits to use it."""
    run = begin(tx)
    call = replace(PARTS.call(tx, run, "add_note", {"text": capability_id}, "waiting"), capability_id=capability_id)
    approval = PARTS.asker.ask(tx, run, call, "Do it.", NOW)
    PARTS.asker.show(tx, [approval], NOW)
    return approval.id


def found(tx: Tx, approval_id: str) -> Approval:
    approval = approvals.find(tx, approval_id)
    assert approval is not None
    return approval


def card(tx: Tx, approval_id: str) -> str:
    """How it is to be shown now."""
    [post] = outbox.about(tx, approval_id)
    return str(post.body)


def wish(who: str, capability_id: str, effect: Effect = "deny") -> Wish:
    return Wish(who, capability_id, effect, None, "", "tg:1")


CLOSING: dict[str, tuple[str, Change, str]] = {
    "one tool is revoked": (
        "mcp/git/change",
        lambda tx: PARTS.granter.revoke(tx, "guide", "mcp/git/change", "tg:1", NOW),
        "revoked by tg:1",
    ),
    "all of the server is revoked": (
        "mcp/git/change",
        lambda tx: PARTS.granter.revoke(tx, "guide", "mcp/git/*", "tg:1", NOW),
        "revoked by tg:1",
    ),
    "all of the server is denied": (
        "mcp/git/change",
        lambda tx: PARTS.granter.grant(tx, wish("guide", "mcp/git/*"), NOW),
        "revoked by tg:1",
    ),
    "the list is set": (
        "mcp/git/change",
        lambda tx: PARTS.admin.assignments.set_allowed(tx, "git", ["reader"], "api:console", NOW),
        "revoked by api:console",
    ),
    "the servers of the persona are set": (
        "mcp/git/change",
        lambda tx: PARTS.admin.assignments.put_mcp_grants(tx, "guide", ["GIT"], "api:console", NOW),
        "revoked by api:console",
    ),
    "the tool is assigned no more": (
        "builtin/add_note",
        lambda tx: PARTS.admin.assignments.assign(tx, "guide", "tool", "add_note", False, "tg:1", NOW),
        "revoked by tg:1",
    ),
    "an override is cleared": (
        "mcp/git/change",
        lambda tx: PARTS.admin.assignments.put_overrides(tx, "guide", {"mcp/git/*": None}, "tg:1", NOW),
        "revoked by tg:1",
    ),
    "the default is narrowed": (
        "builtin/add_note",
        lambda tx: PARTS.admin.registrar.change_persona(
            tx, "guide", PersonaChanges(default_builtin="read"), "tg:1", NOW
        ),
        "the persona was changed",
    ),
    "the server is disabled": (
        "mcp/git/change",
        lambda tx: PARTS.admin.registrar.change_server(tx, replace(GIT, enabled=False), "tg:1", NOW),
        "the server git was disabled",
    ),
    "the server is deleted": (
        "mcp/git/change",
        lambda tx: PARTS.admin.registrar.delete_server(tx, "git", "tg:1", NOW),
        "the server git was deleted",
    ),
    "the persona is deleted": (
        "builtin/add_note",
        lambda tx: PARTS.admin.registrar.delete_persona(tx, "guide", "tg:1", NOW),
        "the persona was deleted",
    ),
}


@pytest.mark.parametrize(("capability_id", "change", "reason"), CLOSING.values(), ids=CLOSING.keys())
async def test_what_waits_is_closed_with_the_reason_on_its_card(
    store: Store, capability_id: str, change: Change, reason: str
) -> None:
    """M118."""

    def before(tx: Tx) -> str:
        furnish(tx)
        gives(tx, "mcp/git/*")
        return waits(tx, capability_id)

    approval_id = await store.tx(before)
    await store.tx(change)
    approval = await store.tx(found, approval_id)
    assert (approval.state, approval.reason) == ("cancelled", reason)
    assert reason in await store.tx(card, approval_id)
    call = await store.tx(calls.find, approval.call_id)
    assert call is not None
    assert call.state == "denied"


LEAVING: dict[str, Change] = {
    "another server whose name begins alike": lambda tx: PARTS.granter.revoke(tx, "guide", "mcp/git/*", "tg:1", NOW),
    "another server whose name differs in case": lambda tx: PARTS.granter.revoke(tx, "guide", "mcp/GIT/*", "tg:1", NOW),
    "another persona": lambda tx: PARTS.granter.revoke(tx, "reader", "mcp/git-hub/*", "tg:1", NOW),
    "another tool": lambda tx: PARTS.granter.revoke(tx, "guide", "mcp/git-hub/look", "tg:1", NOW),
    "how it is asked": lambda tx: PARTS.granter.grant(tx, wish("guide", "mcp/git-hub/*", "ask"), NOW),
    "everyone's, where it has its own": lambda tx: PARTS.granter.revoke(tx, "*", "mcp/git-hub/*", "tg:1", NOW),
}


@pytest.mark.parametrize("change", LEAVING.values(), ids=LEAVING.keys())
async def test_what_is_still_granted_goes_on_waiting(store: Store, change: Change) -> None:
    """M128: a server is a name, and not the beginning of one."""

    def before(tx: Tx) -> str:
        furnish(tx)
        for name in SERVERS:
            gives(tx, f"mcp/{name}/*")
        return waits(tx, "mcp/git-hub/change")

    approval_id = await store.tx(before)
    await store.tx(change)
    assert (await store.tx(found, approval_id)).state == "pending"


async def test_a_server_that_is_disabled_closes_nothing_of_one_that_differs_in_case(store: Store) -> None:
    """M128: the database compares without regard to case."""

    def before(tx: Tx) -> str:
        furnish(tx)
        gives(tx, "mcp/git/*")
        return waits(tx, "mcp/git/change")

    approval_id = await store.tx(before)
    await store.tx(PARTS.admin.registrar.change_server, replace(GIT, name="GIT", enabled=False), "tg:1", NOW)
    await store.tx(PARTS.admin.registrar.change_server, replace(GIT, name="git-hub", spec="[]"), "tg:1", NOW)
    assert (await store.tx(found, approval_id)).state == "pending"
    await store.tx(PARTS.admin.registrar.change_server, replace(GIT, spec="[]"), "tg:1", NOW)
    assert (await store.tx(found, approval_id)).reason == "the server git was changed"


async def test_a_grant_ends_by_itself_and_what_waits_for_it_with_it(store: Store) -> None:
    def before(tx: Tx) -> str:
        furnish(tx)
        gives(tx, "mcp/git/*", until=NOW + HOUR)
        gives(tx, "builtin/add_note", "ask", until=NOW + 2 * HOUR)
        return waits(tx, "mcp/git/change")

    approval_id = await store.tx(before)
    assert await store.tx(PARTS.granter.end_past, NOW + HOUR - 1) == 0
    assert (await store.tx(found, approval_id)).state == "pending"
    assert await store.tx(PARTS.granter.end_past, NOW + HOUR) == 1
    approval = await store.tx(found, approval_id)
    assert (approval.state, approval.reason) == ("cancelled", "the grant has ended")
    assert [row.capability for row in await store.tx(grants.everything)] == ["builtin/add_note"]
    [entry] = await store.tx(audit.latest, 1)
    assert (entry.who, entry.action, entry.subject) == ("askfirst", "grant_ended", "mcp/git/*")


async def test_an_end_of_what_was_stricter_closes_nothing(store: Store) -> None:
    def before(tx: Tx) -> str:
        furnish(tx)
        gives(tx, "builtin/add_note", "ask", until=NOW + HOUR)
        return waits(tx, "builtin/add_note")

    approval_id = await store.tx(before)
    assert await store.tx(PARTS.granter.end_past, NOW + HOUR) == 1
    assert (await store.tx(found, approval_id)).state == "pending"


async def test_a_deleted_persona_takes_its_runs_and_sessions_along(store: Store) -> None:
    def before(tx: Tx) -> tuple[str, str]:
        furnish(tx)
        gives(tx, "mcp/git/*")
        gives(tx, "mcp/git/*", who="*")
        return waits(tx, "builtin/add_note"), begin(tx, replace(CHAT, chat="6")).id

    approval_id, run_id = await store.tx(before)
    await store.tx(PARTS.admin.registrar.delete_persona, "guide", "tg:1", NOW)
    for each in (run_id, (await store.tx(found, approval_id)).run_id):
        run = await store.tx(runs.find, each)
        assert run is not None
        assert run.state == "cancelled"
    assert await store.tx(sessions.everything, None, 10) == []
    assert [row.persona_id for row in await store.tx(grants.everything)] == ["*"]
