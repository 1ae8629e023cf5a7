"""The views of the grants: what each shows, what each changes, and what it leaves to another."""

import asyncio
from dataclasses import replace
from typing import cast

import psycopg
import pytest

from bot.domain.capability import Effect, Grant
from bot.domain.views import AssignedItem, CapabilityView, Kind, McpGrants, ServerGrant
from bot.errors import Impossible, Unknown
from bot.inventory import KnownSkill
from bot.store import audit, grants, mcp_servers, personas
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
from tests.bot.governed import HOUSE_SKILL, PARTS, POEMS, SERVERS, Library
from tests.bot.parts import GUIDE, NOW
from tests.databases import ON_POSTGRES, someone_waits

BY = "api:console"
VIEWS = PARTS.admin.assignments
REGISTRAR = PARTS.admin.registrar
GIT = Server("git", "{}", True, None, "tg:1", NOW)
PEOPLE = ("ann", "bea", "cid")


def furnish(tx: Tx, *rows: Grant) -> None:
    for persona_id in PEOPLE:
        personas.put(tx, replace(GUIDE, id=persona_id, display_name=persona_id.title()))
    for name in SERVERS:
        mcp_servers.add(tx, replace(GIT, name=name))
    mcp_servers.add(tx, replace(GIT, name="wished", proposed_by="poems"))
    for row in rows:
        grants.put(tx, row)


def row(who: str, what: str = "mcp/git/*", effect: Effect = "allow", until: float | None = None) -> Grant:
    return Grant(who, what, effect, until, "", "tg:1", NOW)


async def allowed(store: Store, name: str = "git") -> list[str]:
    return await store.tx(VIEWS.allowed, name, NOW)


async def overrides(store: Store, persona_id: str = "ann") -> dict[str, bool]:
    return dict((await store.tx(VIEWS.capabilities, persona_id, NOW)).overrides)


# Lists


async def test_a_list_is_set_to_what_is_said(store: Store) -> None:
    await store.tx(furnish, row("*", effect="ask"), row("*", "mcp/git-hub/*"))
    assert await store.tx(VIEWS.set_allowed, "git", ["cid", "ann", "ann"], BY, NOW) == ["ann", "cid"]
    assert {each.effect for each in await store.tx(grants.of_pattern, "mcp/git/*")} == {"ask"}
    assert await store.tx(VIEWS.set_allowed, "git", ["cid", "*"], BY, NOW) == ["*", "cid"]
    assert await store.tx(VIEWS.set_allowed, "git", [], BY, NOW) == []
    assert await allowed(store, "git-hub") == ["*"]
    [entry] = await store.tx(audit.latest, 1)
    assert (entry.who, entry.action, entry.subject) == (BY, "list_set", "mcp/git/*")
    assert '"was": "*, cid"' in entry.detail


async def test_a_list_that_says_so_already_is_no_change(store: Store) -> None:
    await store.tx(furnish, row("ann", effect="ask"))
    await store.tx(VIEWS.set_allowed, "git", ["ann"], BY, NOW)
    assert await store.tx(audit.latest, 1) == []
    assert await store.tx(grants.everything) == [row("ann", effect="ask")]


@pytest.mark.parametrize("persona_ids", [["nobody"], ["ann", ""], ["ann", "*ann"]])
async def test_a_list_of_somebody_unknown_is_not_set(store: Store, persona_ids: list[str]) -> None:
    await store.tx(furnish, row("bea"))
    with pytest.raises(Unknown, match="There is no persona") as caught:
        await store.tx(VIEWS.set_allowed, "git", persona_ids, BY, NOW)
    assert (caught.value.code, caught.value.field) == ("unknown_persona", "allowed_persona_ids")
    assert await allowed(store) == ["bea"]


@pytest.mark.parametrize("name", ["nothing", "wished", "git/*", "gi%", ""])
async def test_a_server_that_is_not_registered_has_no_list(store: Store, name: str) -> None:
    """One that a skill only wishes for is not there until an admin has accepted it."""
    await store.tx(furnish)
    with pytest.raises(Unknown) as caught:
        await store.tx(VIEWS.set_allowed, name, ["ann"], BY, NOW)
    assert caught.value.code == "unknown_server"
    assert await store.tx(grants.everything) == []


# A persona's place in them


async def test_the_servers_of_a_persona_are_set_and_a_list_of_everyone_is_left(store: Store) -> None:
    star = row("*", "mcp/git-hub/*", "ask")
    await store.tx(furnish, row("ann"), row("bea"), star)
    answer = await store.tx(VIEWS.put_mcp_grants, "ann", ["GIT", "git-hub"], BY, NOW)
    assert answer == McpGrants(server_names=("GIT",), is_global=("git-hub",))
    assert await allowed(store) == ["bea"]
    assert await store.tx(grants.of_pattern, "mcp/git-hub/*") == [star]
    answer = await store.tx(VIEWS.put_mcp_grants, "ann", [], BY, NOW)
    assert answer == McpGrants(server_names=(), is_global=("git-hub",))
    assert await store.tx(VIEWS.mcp_grants, "ann", NOW) == [
        ServerGrant("GIT", authorized=False, is_global=False),
        ServerGrant("git", authorized=False, is_global=False),
        ServerGrant("git-hub", authorized=True, is_global=True),
    ]


async def test_a_place_of_its_own_beside_everyones_is_left_as_well(store: Store) -> None:
    """It may be stricter: without it more would be allowed."""
    rows = [row("*"), row("ann", effect="ask")]
    await store.tx(furnish, *rows)
    answer = await store.tx(VIEWS.put_mcp_grants, "ann", [], BY, NOW)
    assert answer == McpGrants(server_names=("git",), is_global=("git",))
    assert await store.tx(grants.everything) == rows


# Single items


async def test_taking_one_off_everyones_list_leaves_a_later_one_without(store: Store) -> None:
    await store.tx(furnish, row("*", effect="ask", until=NOW + 60))
    await store.tx(VIEWS.assign, "bea", "mcp", "git", False, BY, NOW)
    assert await allowed(store) == ["ann", "cid"]
    rows = await store.tx(grants.of_pattern, "mcp/git/*")
    assert {(each.effect, each.until) for each in rows} == {("ask", NOW + 60)}
    await store.tx(REGISTRAR.create_persona, replace(GUIDE, id="dan"), BY, NOW)
    assert not any(server.authorized for server in await store.tx(VIEWS.mcp_grants, "dan", NOW))


async def test_assigning_what_everyone_has_changes_nothing(store: Store) -> None:
    await store.tx(furnish, row("*"))
    await store.tx(VIEWS.assign, "bea", "mcp", "git", True, BY, NOW)
    assert await allowed(store) == ["*"]


@pytest.mark.parametrize(
    ("kind", "item_id", "capability_id"),
    [
        ("tool", "add_note", "builtin/add_note"),
        ("tool", "builtin/add_note", "builtin/add_note"),
        ("skill", "poems", "skill/poems"),
        ("skill", "skill/poems", "skill/poems"),
        ("mcp", "git", "mcp/git/*"),
        ("mcp", "mcp/git/*", "mcp/git/*"),
    ],
)
async def test_an_item_is_named_as_the_view_names_it_or_by_its_capability(
    store: Store, kind: Kind, item_id: str, capability_id: str
) -> None:
    await store.tx(furnish)
    for assigned in (True, False):
        await store.tx(VIEWS.assign, "ann", kind, item_id, assigned, BY, NOW)
        assert (await overrides(store))[capability_id] is assigned
        view = await store.tx(VIEWS.view, NOW)
        default = next(item for item in view.items if item.name == capability_id.removesuffix("/*").split("/")[1])
        assert view.overrides["ann"].get(capability_id, default.default_assigned) is assigned


@pytest.mark.parametrize(
    ("kind", "item_id", "code"),
    [
        ("tool", "nothing", "unknown_item"),
        ("tool", "skill/poems", "unknown_item"),
        ("tool", "*", "unknown_item"),
        ("tool", "mcp/nothing/look", "unknown_item"),
        ("tool", "mcp/git/look", "assign_by_server"),
        ("tool", "mcp/git/*", "assign_by_server"),
        ("mcp", "mcp/git/look", "assign_by_server"),
        ("mcp", "wished", "unknown_item"),
        ("mcp", "*", "unknown_item"),
        ("mcp", "builtin/add_note", "unknown_item"),
        ("skill", "*", "unknown_item"),
        ("skill", "builtin/add_note", "unknown_item"),
    ],
)
async def test_what_cannot_be_assigned_is_told_by_its_code(store: Store, kind: Kind, item_id: str, code: str) -> None:
    """M123, M131: a `*` means all of one server, and only there."""
    await store.tx(furnish)
    with pytest.raises(Impossible) as caught:
        await store.tx(VIEWS.assign, "ann", kind, item_id, True, BY, NOW)
    assert (caught.value.code, caught.value.field) == (code, "id")
    assert isinstance(caught.value, Unknown) is (code == "unknown_item")
    assert await store.tx(grants.everything) == []


@pytest.mark.parametrize("persona_id", ["nobody", "*", ""])
async def test_nobody_has_no_views(store: Store, persona_id: str) -> None:
    def calls(tx: Tx, number: int) -> object:
        return (
            lambda: VIEWS.assign(tx, persona_id, "mcp", "git", True, BY, NOW),
            lambda: VIEWS.put_mcp_grants(tx, persona_id, ["git"], BY, NOW),
            lambda: VIEWS.put_overrides(tx, persona_id, {"mcp/git/*": True}, BY, NOW),
            lambda: VIEWS.capabilities(tx, persona_id, NOW),
            lambda: VIEWS.mcp_grants(tx, persona_id, NOW),
        )[number]()

    await store.tx(furnish)
    for number in range(5):
        with pytest.raises(Unknown) as caught:
            await store.tx(calls, number)
        assert (caught.value.code, caught.value.field) == ("unknown_persona", "persona_id")
    assert await store.tx(grants.everything) == []


# Overrides


async def test_overrides_are_set_and_cleared(store: Store) -> None:
    await store.tx(furnish, row("*", "mcp/git-hub/*"), row("ann", "builtin/add_note", "ask"))
    given = {"builtin/add_note": True, "builtin/list_notes": False, "mcp/git/*": True, "mcp/git/look": False}
    await store.tx(VIEWS.put_overrides, "ann", given, BY, NOW)
    shown = given | {"mcp/GIT/*": False}
    assert await overrides(store) == shown, "absent for what everyone has"
    [kept] = [each for each in await store.tx(grants.own, "ann") if each.capability == "builtin/add_note"]
    assert kept.effect == "ask", "what it has already stays as it is"
    await store.tx(VIEWS.put_overrides, "ann", dict.fromkeys(given), BY, NOW)
    assert await overrides(store) == {"mcp/GIT/*": False, "mcp/git/*": False}


async def test_one_that_is_wrong_leaves_all_of_them_unset(store: Store) -> None:
    await store.tx(furnish)
    given = {"builtin/add_note": False, "mcp/git/lo*": True}
    with pytest.raises(Unknown) as caught:
        await store.tx(VIEWS.put_overrides, "ann", given, BY, NOW)
    assert (caught.value.code, caught.value.field) == ("unknown_capability", "overrides")
    assert await store.tx(grants.everything) == []


async def test_a_row_for_what_is_not_there_any_more_can_be_cleared(store: Store) -> None:
    await store.tx(furnish, row("ann", "skill/gone"))
    await store.tx(VIEWS.put_overrides, "ann", {"skill/gone": None}, BY, NOW)
    assert await store.tx(grants.everything) == []


async def test_what_everyone_has_can_be_denied_to_one(store: Store) -> None:
    await store.tx(furnish, row("*"))
    await store.tx(VIEWS.put_overrides, "ann", {"mcp/git/*": False}, BY, NOW)
    assert await allowed(store) == ["bea", "cid"]


# What is shown


async def test_a_capability_is_shown_with_what_decided_it(store: Store) -> None:
    skills = cast(Library, PARTS.skills)
    skills.known[:] = [HOUSE_SKILL, POEMS, KnownSkill("odes", False, "", enabled=True, trusted=False)]
    try:
        await store.tx(furnish, row("ann", effect="ask"), row("*", "builtin/list_notes", "deny"))
        await store.tx(mcp_servers.change, replace(GIT, name="GIT", enabled=False))
        shown = {each.capability_id: each for each in (await store.tx(VIEWS.capabilities, "ann", NOW)).capabilities}
    finally:
        skills.known[:] = [HOUSE_SKILL, POEMS]
    by_default, denied = "default_builtin of the persona: allow", "denied until it is granted"
    assert _essence(shown["builtin/add_note"]) == ("allow", True, by_default, True)
    assert _essence(shown["builtin/list_notes"]) == ("deny", False, "", True)
    assert _essence(shown["skill/house"]) == ("allow", False, by_default, True)
    assert _essence(shown["skill/poems"]) == ("deny", False, denied, True)
    assert _essence(shown["skill/odes"]) == ("deny", False, denied, False)
    assert _essence(shown["mcp/git/*"]) == _essence(shown["mcp/git/look"]) == ("ask", True, "", True)
    assert _essence(shown["mcp/git-hub/look"]) == ("deny", False, denied, True)
    assert shown["mcp/GIT/look"].reason == "The server GIT is disabled."
    assert shown["mcp/git/look"].row == row("ann", effect="ask")
    assert [shown[f"mcp/git/{name}"].mutates_data for name in ("look", "change", "*")] == [False, True, True]
    assert not any(each.startswith("mcp/wished") for each in shown)


def _essence(each: CapabilityView) -> tuple[str, bool, str, bool]:
    return each.effect, each.confirms, each.default, each.available


async def test_the_view_of_all_names_items_as_they_are_assigned(store: Store) -> None:
    def reader(tx: Tx) -> None:
        furnish(tx, row("*"), row("bea", "skill/poems"))
        personas.put(tx, replace(GUIDE, id="cid", display_name="Cid", default_builtin="read"))

    await store.tx(reader)
    view = await store.tx(VIEWS.view, NOW)
    assert [each.name for each in view.personas] == ["Ann", "Bea", "Cid"]
    items = {(item.kind, item.id): item for item in view.items}
    assert _marks(items["tool", "builtin/add_note"]) == (True, True, False)
    assert _marks(items["skill", "house"]) == (True, True, False)
    assert _marks(items["skill", "poems"]) == (False, False, False)
    assert _marks(items["mcp", "git"]) == (False, True, False)
    assert _marks(items["tool", "mcp/git-hub/look"]) == (False, False, True)
    assert items["mcp", "git"].allowed_persona_ids == ("*",)
    assert (items["skill", "poems"].enabled, items["skill", "poems"].trusted) == (True, True)
    assert (items["tool", "builtin/add_note"].enabled, items["mcp", "git"].trusted) == (None, None)
    assert view.overrides["ann"] == {}
    assert view.overrides["bea"] == {"skill/poems": True}
    assert view.overrides["cid"] == {"builtin/add_note": False, "builtin/delete_note": False}, "its default is narrower"


def _marks(item: AssignedItem) -> tuple[bool, bool, bool]:
    return item.builtin, item.default_assigned, item.locked


@ON_POSTGRES
async def test_two_who_change_one_list_at_once_both_have_their_way(store: Store, database_url: str) -> None:
    await store.tx(furnish, row("*"))
    async with await psycopg.AsyncConnection.connect(database_url) as other:
        await other.execute("LOCK TABLE grants IN SHARE ROW EXCLUSIVE MODE")  # as the other one does
        await other.execute("UPDATE grants SET persona_id = 'bea' WHERE persona_id = '*'")
        taking = asyncio.create_task(store.tx(VIEWS.assign, "bea", "mcp", "git", False, BY, NOW))
        await someone_waits(database_url)
        await other.commit()
        await taking
    assert await allowed(store) == []
