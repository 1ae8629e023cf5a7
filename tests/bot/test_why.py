"""Why something may be used, or may not: the chain in order, and one remedy."""

import pytest

from bot.domain.capability import Effect, Grant
from bot.domain.policy import Rules
from bot.errors import Unknown
from bot.inventory import KnownSkill
from bot.store import calls, grants, mcp_servers, names, personas
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
from bot.why import Chain
from tests.bot.parts import GUIDE, NOW, Parts, begin

SKILLS = (KnownSkill("review", False, "d", enabled=True, trusted=False), KnownSkill("off", False, "d", enabled=False))
PARTS = Parts(skills=lambda _tx: SKILLS)
HUB = Server("github", "{}", enabled=True, proposed_by=None, made_by="tg:1", created_at=NOW)


async def why(store: Store, capability: str, *rows: Grant, parts: Parts = PARTS) -> Chain:
    def work(tx: Tx) -> Chain:
        personas.put(tx, GUIDE)
        names.note(tx, "tg:1", "Ann")
        for row in rows:
            grants.put(tx, row)
        return parts.explainer.why(tx, "guide", capability, NOW)

    return await store.tx(work)


def row(capability: str, effect: Effect, until: float | None = None, who: str = "guide") -> Grant:
    return Grant(who, capability, effect, until, "moving day", "tg:1", NOW - 60)


def told(chain: Chain) -> dict[str, tuple[bool, str]]:
    return {step.link: (step.ok, step.text) for step in chain.steps}


async def test_what_a_default_gives_is_said_to_be_so(store: Store) -> None:
    chain = await why(store, "builtin/add_note")
    assert chain.holds
    assert chain.remedy == ""
    links = told(chain)
    assert list(links) == ["registered", "granted", "confirmation"]
    assert links["granted"] == (True, "by default (default_builtin: allow)")
    assert links["confirmation"][1] == "every call asks, because it writes; who asked or an admin decides"


async def test_a_row_is_shown_with_who_when_and_until(store: Store) -> None:
    chain = await why(store, "builtin/list_notes", row("builtin/list_notes", "ask", NOW + 7200))
    links = told(chain)
    assert links["granted"][1].startswith("ask for guide by Ann, ")
    assert ", until " in links["granted"][1]
    assert links["granted"][1].endswith(": moving day")
    assert links["confirmation"][1].startswith("every call asks, because the row says so")


async def test_what_is_denied_says_what_granting_it_would_change(store: Store) -> None:
    chain = await why(store, "builtin/add_note", row("builtin/add_note", "deny"))
    assert not chain.holds
    assert chain.remedy == "grant guide builtin/add_note"
    assert told(chain)["confirmation"][1] == (
        "if it were granted, guide could use it when asked each time; who asked or an admin decides"
    )
    read = await why(store, "builtin/list_notes", row("builtin/list_notes", "deny"))
    assert told(read)["confirmation"][1] == "if it were granted, guide could use it at once: it reads"


async def test_the_rules_of_a_capability_are_told(store: Store) -> None:
    parts = Parts(own_rules={"builtin/add_note": Rules(("admins", "members"), needed=2)})
    chain = await why(store, "builtin/add_note", parts=parts)
    assert "2 of these decide: an admin or whoever may talk where it is asked" in told(chain)["confirmation"][1]


async def test_what_does_not_exist_is_not_registered(store: Store) -> None:
    chain = await why(store, "builtin/nothing")
    assert told(chain) == {"registered": (False, "there is nothing called builtin/nothing")}
    assert not chain.holds
    assert chain.remedy == "tools"


@pytest.mark.parametrize(
    ("skill", "remedy"), [("skill/review", "skill trust review"), ("skill/off", "skill enable off")]
)
async def test_a_skill_that_is_not_ready_names_its_switch(store: Store, skill: str, remedy: str) -> None:
    chain = await why(store, skill, row(skill, "allow"))
    assert not told(chain)["enabled"][0]
    assert chain.remedy == remedy


@pytest.mark.parametrize(("enabled", "remedy"), [(False, "mcp enable github"), (True, "mcp reload github")])
async def test_a_server_that_is_not_there_names_what_brings_it(store: Store, enabled: bool, remedy: str) -> None:
    def add(tx: Tx) -> None:
        mcp_servers.add(tx, Server("github", "{}", enabled, None, "tg:1", NOW))

    await store.tx(add)
    chain = await why(store, "mcp/github/*", row("mcp/github/*", "allow"))
    assert not chain.holds
    assert chain.remedy == remedy


async def test_the_last_failure_is_told_and_changes_nothing(store: Store) -> None:
    def fail(tx: Tx) -> None:
        call = PARTS.call(tx, begin(tx), "add_note", {"text": "x"}, "started")
        calls.answer(tx, call.id, "started", "done", "no", "timeout")

    await store.tx(fail)
    chain = await why(store, "builtin/add_note")
    assert told(chain)["last_failure"] == (False, "last time: timeout")
    assert chain.holds


async def test_a_persona_that_is_not_there_is_unknown(store: Store) -> None:
    with pytest.raises(Unknown):
        await store.tx(PARTS.explainer.why, "nobody", "builtin/add_note", NOW)


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("add_note", "builtin/add_note"),
        ("builtin/add_n", "builtin/add_note"),
        ("current", "builtin/current_time"),
        ("review", "skill/review"),
        ("add_", "add_"),
        ("nothing", "nothing"),
    ],
)
async def test_a_short_name_will_do_where_it_is_the_only_one(store: Store, wanted: str, meant: str) -> None:
    assert await store.tx(PARTS.explainer.named, wanted) == meant
