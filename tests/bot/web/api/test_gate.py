"""Who is let in, and what is written down of it."""

import pytest

from bot.store import api_tokens
from bot.web.api.guesses import AT_ONCE, MOST_ADDRESSES, Guesses, place
from bot.web.api.table import TABLE
from tests.bot.web.api.house import ADMIN, House, Told, open_house, token_for

WRONG = "Bearer askfirst_this-is-not-a-token"


def some_path(path: str) -> str:
    """An address under a path of the table."""
    return path.replace("{", "").replace("}", "")


EVERY = [pytest.param(each.method, some_path(each.path), id=f"{each.method} {each.path}") for each in TABLE]
CHANGING = [
    pytest.param(each.method, some_path(each.path), id=f"{each.method} {each.path}") for each in TABLE if each.changes
]


@pytest.mark.parametrize(("method", "path"), EVERY)
async def test_nobody_is_let_in_without_a_token_or_with_a_wrong_one(house: House, method: str, path: str) -> None:
    for headers in ({}, {"Authorization": WRONG}):
        told = await house.call(method, path, token=None, headers=headers)
        assert (told.status, told.code) == (401, "unauthorized")
        assert told.headers["WWW-Authenticate"] == "Bearer"
        assert told.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {ADMIN}",
        ADMIN,
        f"Bearer {ADMIN}x",
        f"Bearer {ADMIN[:-1]}",
        "Bearer " + "x" * 2000,
    ],
)
async def test_what_is_not_quite_the_token_is_none(house: House, authorization: str) -> None:
    told = await house.call("GET", "/api/personas", token=None, headers={"Authorization": authorization})
    assert told.status == 401


async def test_two_tokens_at_once_are_none(house: House) -> None:
    headers = [("Authorization", f"Bearer {ADMIN}"), ("Authorization", WRONG)]
    async with house.program.get(f"{house.url}/api/personas", headers=headers) as answer:
        assert answer.status == 401


async def test_the_word_bearer_is_read_in_any_case(house: House) -> None:
    told = await house.call("GET", "/api/personas", token=None, headers={"Authorization": f"bearer {ADMIN}"})
    assert told.status == 200


async def test_without_a_configured_token_everything_is_closed_but_health(each_house: House) -> None:
    _id, secret = await token_for(each_house, "ci", "admin")
    async with open_house(each_house.store, admin_token=None) as closed:
        for token in (None, ADMIN, "", secret):
            for path in ("/api/personas", "/api/openapi.json", "/api/nothing"):
                told = await closed.call("GET", path, token=token)
                assert (told.status, told.code) == (401, "api_closed")
        for path in ("/healthz", "/readyz", "/metrics"):
            assert (await closed.call("GET", path, token=None)).status == 200


async def test_who_may_only_read_reads(each_house: House) -> None:
    _id, secret = await token_for(each_house, "eyes")
    assert (await each_house.call("GET", "/api/personas", token=secret)).status == 200
    [token] = await each_house.store.tx(api_tokens.everything)
    assert token.used_at == each_house.now[0]


@pytest.mark.parametrize(("method", "path"), CHANGING)
async def test_who_may_only_read_changes_nothing_and_the_audit_says_that_they_tried(
    house: House, method: str, path: str
) -> None:
    _id, secret = await token_for(house, "eyes")
    told = await house.call(method, path, token=secret)
    assert (told.status, told.code) == (403, "scope_too_small")
    assert (await house.audit())[-1] == ("api:eyes", "api_refused", f"{method} {path}")


async def test_a_revoked_token_opens_nothing(each_house: House) -> None:
    token_id, secret = await token_for(each_house, "ci", "admin")
    assert (await each_house.call("GET", "/api/personas", token=secret)).status == 200
    assert await each_house.store.tx(api_tokens.revoke, token_id, each_house.now[0]) is not None
    assert (await each_house.call("GET", "/api/personas", token=secret)).status == 401


async def test_what_is_changed_bears_the_name_of_the_token(each_house: House) -> None:
    _id, secret = await token_for(each_house, "ci", "admin")
    body = {"id": "clerk", "display_name": "Clerk", "model": "main"}
    assert (await each_house.call("POST", "/api/personas", body, token=secret)).status == 201
    assert [entry for entry in await each_house.audit() if entry[0] == "api:ci"] == [
        ("api:ci", "persona_created", "clerk"),
        ("api:ci", "api_called", "POST /api/personas"),
    ]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_the_page_of_another_site_changes_nothing(house: House, headers: dict[str, str]) -> None:
    told = await house.call("DELETE", "/api/personas/guide", headers=headers)
    assert (told.status, told.code) == (403, "foreign_origin")
    assert (await house.audit())[-1] == ("api:admin", "api_refused", "DELETE /api/personas/guide")
    assert (await house.call("GET", "/api/personas/guide", headers=headers)).status == 200


async def test_a_page_of_our_own_changes_things(house: House) -> None:
    headers = {"Origin": house.url, "Sec-Fetch-Site": "same-origin"}
    told = await house.call("PATCH", "/api/personas/guide", {"display_name": "G"}, headers=headers)
    assert told.status == 200


async def test_another_name_is_not_answered(house: House) -> None:
    told = await house.call("GET", "/api/personas", headers={"Host": "evil.example"})
    assert (told.status, told.code) == (421, "unknown_host")


async def guess(house: House) -> Told:
    return await house.call("GET", "/api/personas", token=None, headers={"Authorization": WRONG})


async def test_who_guesses_too_often_has_to_wait_also_with_the_right_token(house: House) -> None:
    for _ in range(AT_ONCE):
        assert (await guess(house)).status == 401
    told = await guess(house)
    assert (told.status, told.code) == (429, "too_many_failures")
    assert told.headers["Retry-After"] == "1"
    assert (await house.call("GET", "/api/personas")).status == 429
    assert (await house.call("GET", "/api/personas", token=None)).status == 401
    house.now[0] += 1
    assert (await house.call("GET", "/api/personas")).status == 200


def test_guesses_come_back_one_by_one() -> None:
    guesses = Guesses()
    for _ in range(AT_ONCE):
        guesses.wrong("192.0.2.1", 0.0)
    assert guesses.wait("192.0.2.1", 0.25) == 1
    assert guesses.wait("192.0.2.1", 1.0) == 0
    guesses.wrong("192.0.2.1", 1.0)
    assert guesses.wait("192.0.2.1", 1.0) == 1
    assert guesses.wait("192.0.2.2", 1.0) == 0


def test_what_is_remembered_of_addresses_is_bounded() -> None:
    guesses = Guesses()
    for number in range(MOST_ADDRESSES + 5):
        guesses.wrong(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", 0.0)
    assert len(guesses) == MOST_ADDRESSES


def test_one_network_of_ipv6_is_one_address() -> None:
    assert place("2001:db8::1") == place("2001:db8::ffff:1") != place("2001:db8:0:1::1")
    assert place("::ffff:192.0.2.1") == place("192.0.2.1") != place("192.0.2.2")
    assert place("fe80::1%eth0") == place("fe80::1")
