"""Personas and MCP servers: made, changed, and taken away with all that hangs on them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.domain.capability import Grant
from bot.domain.persona import Persona
from bot.errors import Impossible, InUse, Taken, Unknown
from bot.registrar import PersonaChanges
from bot.store import audit, conversations, documents, grants, mcp_servers, memories, personas
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
from bot.store.memories import Owner
from tests.bot.governed import PARTS
from tests.bot.parts import CHAT, GUIDE, NOW, Parts

BY = "tg:1"
REGISTRAR = PARTS.admin.registrar
GIT = Server("git", '{"command": "git-mcp"}', True, None, BY, NOW)


async def entries(store: Store) -> list[tuple[str, str]]:
    return [(link.action, link.subject) for link in await store.tx(audit.latest, 10)]


async def test_a_persona_is_made_as_it_is_said(store: Store) -> None:
    persona = Persona("poet-1", "The Poet", "main", "Rhyme.", "supervisor", "none", ("house", "poems"))
    await store.tx(REGISTRAR.create_persona, persona, BY, NOW)
    assert await store.tx(personas.find, "poet-1") == persona
    assert await entries(store) == [("persona_created", "poet-1")]


@pytest.mark.parametrize("persona_id", ["", "*", "group", "Guide", "1st", "a/b", "a b", "é", "a" * 33, "a\n"])
async def test_a_name_that_could_mean_something_else_is_refused(store: Store, persona_id: str) -> None:
    with pytest.raises(Impossible) as caught:
        await store.tx(REGISTRAR.create_persona, replace(GUIDE, id=persona_id), BY, NOW)
    assert (caught.value.code, caught.value.field) == ("bad_name", "id")
    assert await store.tx(personas.ids) == []


@pytest.mark.parametrize(
    ("wrong", "code", "field"),
    [
        ({"model": "gpt-gone"}, "unknown_model", "model"),
        ({"display_name": " "}, "bad_display_name", "display_name"),
        ({"display_name": "x" * 65}, "bad_display_name", "display_name"),
        ({"preload_skills": ("house", "odes")}, "unknown_skill", "preload_skills"),
    ],
)
async def test_what_is_wrong_with_a_persona_is_told_by_its_field(
    store: Store, wrong: dict[str, str], code: str, field: str
) -> None:
    with pytest.raises(Impossible) as made:
        await store.tx(REGISTRAR.create_persona, replace(GUIDE, **wrong), BY, NOW)  # type: ignore[arg-type]  # by name
    await store.tx(personas.put, GUIDE)
    with pytest.raises(Impossible) as changed:
        await store.tx(REGISTRAR.change_persona, "guide", PersonaChanges(**wrong), BY, NOW)  # type: ignore[arg-type]
    for caught in (made, changed):
        assert (caught.value.code, caught.value.field) == (code, field)
    assert await store.tx(personas.everyone) == [GUIDE]
    assert await entries(store) == []


async def test_there_is_one_persona_of_a_name(store: Store) -> None:
    await store.tx(personas.put, GUIDE)
    with pytest.raises(Taken) as caught:
        await store.tx(REGISTRAR.create_persona, replace(GUIDE, model="main", instructions="Another."), BY, NOW)
    assert caught.value.code == "persona_taken"
    assert await store.tx(personas.everyone) == [GUIDE]


async def test_only_what_is_said_is_changed(store: Store) -> None:
    await store.tx(personas.put, replace(GUIDE, model="has left the configuration"))
    changes = PersonaChanges(instructions="", preload_skills=("house",))
    changed = await store.tx(REGISTRAR.change_persona, "guide", changes, BY, NOW)
    assert changed == replace(GUIDE, model="has left the configuration", preload_skills=("house",))
    assert await store.tx(personas.find, "guide") == changed
    await store.tx(REGISTRAR.change_persona, "guide", changes, BY, NOW)
    assert await entries(store) == [("persona_changed", "guide")], "the second time nothing was another"


async def test_a_namesake_of_a_deleted_persona_starts_with_nothing(store: Store) -> None:
    """M133, M172."""

    def before(tx: Tx) -> None:
        personas.put(tx, GUIDE)
        personas.put(tx, replace(GUIDE, id="other"))
        conversations.meet(tx, CHAT)
        conversations.switch_persona(tx, CHAT.key, "guide")
        for persona_id in ("guide", "other"):
            memories.add(tx, Owner(persona_id, "user:tg:5"), "likes tea", NOW)
            documents.add(tx, persona_id, "Tea", "Green.", "tg:5", NOW)
            grants.put(tx, Grant(persona_id, "builtin/add_note", "allow", None, "", BY, NOW))

    await store.tx(before)
    await store.tx(REGISTRAR.delete_persona, "guide", BY, NOW)
    assert await entries(store) == [("persona_deleted", "guide")]
    await store.tx(REGISTRAR.create_persona, GUIDE, BY, NOW)
    assert await store.tx(memories.read, Owner("guide", "user:tg:5")) == ()
    assert await store.tx(documents.listed, "guide", 10) == ()
    assert await store.tx(grants.own, "guide") == []
    known = await store.tx(conversations.find, CHAT.key)
    assert known is not None
    assert known.persona_id is None
    assert len(await store.tx(memories.read, Owner("other", "user:tg:5"))) == 1
    assert len(await store.tx(documents.listed, "other", 10)) == 1
    assert len(await store.tx(grants.own, "other")) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda tx: REGISTRAR.change_persona(tx, "nobody", PersonaChanges(model="main"), BY, NOW), "unknown_persona"),
        (lambda tx: REGISTRAR.delete_persona(tx, "nobody", BY, NOW), "unknown_persona"),
        (lambda tx: REGISTRAR.delete_persona(tx, "*", BY, NOW), "unknown_persona"),
        (lambda tx: REGISTRAR.change_server(tx, GIT, BY, NOW), "unknown_server"),
        (lambda tx: REGISTRAR.delete_server(tx, "git", BY, NOW), "unknown_server"),
    ],
)
async def test_what_does_not_exist_is_neither_changed_nor_deleted(
    store: Store, change: Callable[[Tx], object], code: str
) -> None:
    with pytest.raises(Unknown) as caught:
        await store.tx(change)
    assert caught.value.code == code
    assert await entries(store) == []


@pytest.mark.parametrize("name", ["", "*", "a/b", "a b", "a%", "mcp/x", "é", "a" * 65, "a\n"])
async def test_a_server_whose_name_could_be_a_pattern_is_refused(store: Store, name: str) -> None:
    with pytest.raises(Impossible) as caught:
        await store.tx(REGISTRAR.add_server, replace(GIT, name=name), BY, NOW)
    assert caught.value.code == "bad_name"
    assert await store.tx(mcp_servers.everything) == []


async def test_a_server_is_added_changed_and_deleted(store: Store) -> None:
    await store.tx(REGISTRAR.add_server, replace(GIT, proposed_by="poems"), BY, NOW)
    assert await store.tx(PARTS.inventory.servers) == []
    with pytest.raises(Taken) as caught:
        await store.tx(REGISTRAR.add_server, GIT, BY, NOW)
    assert caught.value.code == "server_taken"
    await store.tx(REGISTRAR.change_server, GIT, BY, NOW)
    assert await store.tx(PARTS.inventory.servers) == ["git"]
    assert await store.tx(mcp_servers.find, "git") == GIT
    await store.tx(grants.put, Grant("*", "mcp/git/*", "allow", None, "", BY, NOW))
    await store.tx(grants.put, Grant("*", "mcp/git-hub/*", "allow", None, "", BY, NOW))
    await store.tx(REGISTRAR.delete_server, "git", BY, NOW)
    assert [row.capability for row in await store.tx(grants.everything)] == ["mcp/git-hub/*"]
    await store.tx(REGISTRAR.add_server, GIT, BY, NOW)
    assert await store.tx(PARTS.admin.assignments.allowed, "git", NOW) == []
    assert await entries(store) == [
        ("server_added", "git"),
        ("server_deleted", "git"),
        ("server_changed", "git"),
        ("server_proposed", "git"),
    ]


async def test_a_deleted_skill_is_granted_preloaded_and_chosen_no_more(store: Store) -> None:
    """M172: a namesake starts with none."""

    def before(tx: Tx) -> None:
        personas.put(tx, replace(GUIDE, preload_skills=("poems", "house")))
        for name in ("poems", "house"):
            grants.put(tx, Grant("guide", f"skill/{name}", "allow", None, "", BY, NOW))

    await store.tx(before)
    assert await store.tx(REGISTRAR.forget_skill, "poems", NOW) == 1
    guide = await store.tx(personas.find, "guide")
    assert guide is not None
    assert guide.preload_skills == ("house",)
    assert [row.capability for row in await store.tx(grants.everything)] == ["skill/house"]


async def test_a_persona_that_a_channel_is_answered_by_is_not_deleted(store: Store) -> None:
    """The next message there would find nobody."""
    answered = Parts(answering={"tg": "guide", "web": "guide", "team": "other"}).admin.registrar
    await store.tx(personas.put, GUIDE)
    with pytest.raises(InUse, match="guide answers on tg, web,") as refused:
        await store.tx(answered.delete_persona, "guide", BY, NOW)
    assert refused.value.code == "in_use"
    assert await store.tx(personas.find, "guide") == GUIDE
