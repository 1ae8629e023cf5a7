"""What admins type to give, take and show rights: what is meant, what is told, and what is asked first."""

from dataclasses import replace

import pytest

from bot.commands import granting
from bot.commands.desk import Typed
from bot.domain.capability import Effect, Grant
from bot.errors import Impossible
from bot.health import Health
from bot.inventory import KnownSkill
from bot.store import buttons, grants, mcp_servers, personas
from bot.store.database import Store, Tx
from bot.store.mcp_servers import Server
from channels.adapter import Receipt
from channels.events import ButtonPress, Command
from channels.outgoing import Outgoing
from channels.telegram.limits import LIMITS
from tests.bot.governed import Connected, Library, tool
from tests.bot.parts import ANN, CHAT, GUIDE, NOW, Parts

OFFERED = [
    tool("github", "look", reads=True),
    tool("github", "find", reads=True),
    tool("github", "comment"),
    tool("github", "drop", destructive=True),
    tool("gitlab", "look", reads=True),
    tool("notes", "add_note"),
]
PARTS = Parts(
    catalogue=Connected(OFFERED), skills=Library([KnownSkill("poems", False, "rhymes"), KnownSkill("notes", True, "")])
)
DESK = PARTS.desk(Health(lambda: NOW))
HOUR = 3600.0


def furnish(tx: Tx) -> None:
    personas.put(tx, GUIDE)
    personas.put(tx, replace(GUIDE, id="reader", default_builtin="read"))
    for name in ("github", "gitlab", "quiet"):
        mcp_servers.add(tx, Server(name, "{}", True, None, "tg:1", NOW))
    mcp_servers.add(tx, Server("wished", "{}", True, "poems", "tg:1", NOW))


def typed(tx: Tx, text: str) -> Outgoing:
    name, _space, arguments = text.partition(" ")
    command = Typed(Command("u1", NOW, CHAT, ANN, True, name, arguments), "guide", NOW, LIMITS)
    handler = {"grant": granting.grant, "revoke": granting.revoke, "grants": granting.grants}[name]
    return handler(DESK, tx, command)


async def answered(store: Store, text: str) -> str:
    """What is told, or why nothing was done."""
    await store.tx(furnish)
    try:
        return words(await store.tx(typed, text))
    except Impossible as reason:
        return str(reason)


def words(answer: Outgoing) -> str:
    return str(answer.blocks)


def row(who: str, what: str, effect: Effect = "allow", until: float | None = None) -> Grant:
    return Grant(who, what, effect, until, "", "tg:1", NOW)


async def pressed(store: Store, preview: Outgoing, now: float = NOW) -> Receipt:
    def work(tx: Tx) -> Receipt:
        token = preview.rows[0][0].token
        meaning = buttons.find(tx, token)
        assert meaning is not None
        return granting.answer_preview(DESK, tx, meaning, ButtonPress("u2", now, CHAT, ANN, True, token), now)

    return await store.tx(work)


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("mcp/github/*", "mcp/github/*"),
        ("github", "mcp/github/*"),
        ("gith", "mcp/github/*"),
        ("git", None),
        ("qui", "mcp/quiet/*"),
        ("mcp/quiet", "mcp/quiet/*"),
        ("comment", "mcp/github/comment"),
        ("mcp/github/comm", "mcp/github/comment"),
        ("look", None),
        ("poems", "skill/poems"),
        ("skill/po", "skill/poems"),
        ("add_note", "builtin/add_note"),
        ("notes", "skill/notes"),
        ("builtin/add", None),
        ("*", None),
        ("mcp/*", None),
        ("mcp/github/co*", None),
        ("mcp__github__comment", None),
        ("mcp/git/*", None),
        ("wished", None),
        ("mcp/wished/*", None),
        ("GitHub", None),
        ("builtin/*", None),
        ("skill/*", None),
        ("frobnicate", None),
    ],
)
async def test_a_capability_is_what_it_is_called_or_the_only_one_that_begins_so(
    store: Store, wanted: str, meant: str | None
) -> None:
    """M065, M113, M123, M125, M128, M131, M132: nothing is guessed, and only all of one server is a pattern."""
    told = await answered(store, f"revoke guide {wanted}")
    if meant is None:
        assert "Nothing changed." in told
        assert await store.tx(grants.everything) == []
    else:
        assert f"guide may no longer use {meant}" in told


async def test_what_was_meant_perhaps_is_named(store: Store) -> None:
    assert "look may be mcp/github/look, mcp/gitlab/look: write more of it." in await answered(
        store, "grant guide look"
    )
    told = await answered(store, "grant guide gitub")
    assert "There is no capability called gitub. There is: " in told
    assert "mcp/github/*" in told
    assert "There is no persona called gide. There is: guide." in await answered(store, "grant gide github")


async def test_a_server_is_granted_after_a_preview_with_its_tools(store: Store) -> None:
    await store.tx(furnish)
    preview = await store.tx(typed, "grant guide github for 2h because moving")
    told = words(preview)
    assert "guide may then write with github: 2 tools, asking each time, until " in told
    assert "At once, since it says that they only read: look, find." in told
    assert await store.tx(grants.everything) == []
    assert "Granted: guide mcp/github/* allow until" in ((await pressed(store, preview)).notice or "")
    [made] = await store.tx(grants.everything)
    assert (made.persona_id, made.capability, made.until, made.reason) == (
        "guide", "mcp/github/*", NOW + 2 * HOUR, "moving",
    )  # fmt: skip


async def test_a_server_whose_tools_are_not_known_is_previewed_as_such(store: Store) -> None:
    assert "Everyone may then write with quiet: whatever tools it will have, asking each time. Confirm?" in (
        await answered(store, "grant * quiet")
    )


async def test_a_server_that_offers_something_else_by_now_is_not_granted_by_an_old_preview(store: Store) -> None:
    """M129: what was shown is what is granted."""
    await store.tx(furnish)
    preview = await store.tx(typed, "grant guide github")
    OFFERED.append(tool("github", "merge"))
    try:
        receipt = await pressed(store, preview)
    finally:
        OFFERED.pop()
    assert receipt.notice == "What this would give is another by now. Nothing changed: send the command again."
    assert await store.tx(grants.everything) == []


@pytest.mark.parametrize(
    ("rows", "text", "asks"),
    [
        ([], "grant guide github", True),
        ([], "grant guide mcp/github/look", False),
        ([], "grant guide poems", False),
        ([row("guide", "mcp/github/*")], "grant guide github ask", False),
        ([row("guide", "mcp/github/*", "ask")], "grant guide github", False),
        ([row("guide", "mcp/github/*")], "grant guide github auto for 1h", True),
        ([row("guide", "mcp/github/*", until=NOW + HOUR)], "grant guide github", True),
        ([row("*", "mcp/github/*")], "grant guide github", False),
        ([row("*", "mcp/github/*"), row("*", "mcp/github/drop", "deny")], "grant guide github", True),
        ([row("guide", "mcp/github/*")], "grant * github", True),
        ([row("guide", "mcp/github/*"), row("guide", "mcp/github/drop", "deny")], "grant guide mcp/github/drop", True),
        ([row("guide", "builtin/add_note", "deny"), row("reader", "builtin/add_note")], "grant * builtin/add_note", False),
    ],
)  # fmt: skip
async def test_only_what_lets_more_be_written_is_asked_first(
    store: Store, rows: list[Grant], text: str, asks: bool
) -> None:
    def work(tx: Tx) -> Outgoing:
        furnish(tx)
        for each in rows:
            grants.put(tx, each)
        return typed(tx, text)

    assert bool((await store.tx(work)).rows) is asks


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("grant guide github auto", "auto needs an end of at most 24 hours"),
        ("grant guide mcp/github/drop auto for 1h", "auto is never given for what deletes"),
        ("grant guide github deny for 1h", "A server is denied until it is granted again: leave the end out."),
    ],
)
async def test_what_cannot_be_given_so_is_told(store: Store, text: str, told: str) -> None:
    answer = await answered(store, text)
    assert told in answer
    assert "Nothing changed." in answer


async def test_denying_a_server_takes_it_away_without_a_row(store: Store) -> None:
    def work(tx: Tx) -> Outgoing:
        furnish(tx)
        grants.put(tx, row("*", "mcp/github/*", "ask"))
        return typed(tx, "grant guide github deny")

    assert "Denied: guide mcp/github/* deny." in words(await store.tx(work))
    [left] = await store.tx(grants.everything)
    assert (left.persona_id, left.effect) == ("reader", "ask")


async def test_what_is_still_allowed_after_a_revocation_is_named(store: Store) -> None:
    def work(tx: Tx) -> Outgoing:
        furnish(tx)
        grants.put(tx, row("guide", "mcp/github/*"))
        grants.put(tx, row("guide", "mcp/github/look"))
        grants.put(tx, row("*", "mcp/github/find"))
        grants.put(tx, row("reader", "mcp/github/drop"))
        return typed(tx, "revoke guide github")

    told = words(await store.tx(work))
    assert "still allow it for: guide (mcp/github/find), guide (mcp/github/look)." in told


async def test_the_table_fits_a_phone_and_says_that_there_is_more(store: Store) -> None:
    def work(tx: Tx) -> Outgoing:
        furnish(tx)
        for number in range(40):
            personas.put(tx, replace(GUIDE, id=f"p{number:02}"))
            grants.put(tx, row(f"p{number:02}", "mcp/github/*"))
        return typed(tx, "grants")

    told = words(await store.tx(work))
    assert "guide may use " in told
    assert told.count("mcp/github/*") == 30
    assert told.count("… and 10 more.") == 1
    assert told.count("… and 12 more.") == 1


async def test_grants_of_a_persona_and_of_a_capability(store: Store) -> None:
    def work(tx: Tx, text: str) -> str:
        furnish(tx)
        grants.put(tx, row("guide", "mcp/github/*", "ask"))
        return words(typed(tx, text))

    of_guide = await store.tx(work, "grants guide")
    for each in ("guide may", "mcp/github/drop", "asks first", "guide mcp/github/*", "ask, by tg:1"):
        assert each in of_guide
    of_server = await store.tx(work, "grants github")
    for each in ("Who may use mcp/github/*", "'guide'", "asks first", "'reader'"):
        assert each in of_server
