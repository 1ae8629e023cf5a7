"""Rights are given and taken: checked, written down, and at once in force."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from bot.domain.capability import Effect
from bot.errors import Impossible
from bot.granter import Wish
from bot.store import approvals, grants, personas
from bot.store.database import Store, Tx
from bot.store.tables import audit
from tests.bot.parts import GUIDE, NOW, Parts, begin

PARTS = Parts()
GRANTER = PARTS.granter
READER = replace(GUIDE, id="reader", default_builtin="read")


async def furnish(store: Store) -> None:
    def work(tx: Tx) -> None:
        personas.put(tx, GUIDE)
        personas.put(tx, READER)

    await store.tx(work)


def wish(
    capability: str = "builtin/add_note", effect: Effect = "allow", who: str = "reader", hours: float | None = None
) -> Wish:
    until = None if hours is None else NOW + hours * 3600
    return Wish(who, capability, effect, until, "", "tg:1")


async def may(store: Store, persona: str, capability: str, now: float = NOW) -> tuple[bool, bool]:
    """Granted, and asking."""

    def work(tx: Tx) -> tuple[bool, bool]:
        found = personas.find(tx, persona)
        assert found is not None
        [line] = [each for each in GRANTER.effective(tx, found, now) if each.item.id == capability]
        return line.decision.granted, line.decision.confirms

    return await store.tx(work)


@pytest.mark.parametrize(
    ("wished", "widens"),
    [
        (wish(), True),
        (wish(who="guide"), False),
        (wish(who="*"), True),
        (wish(effect="ask"), True),
        (wish(effect="deny"), False),
        (wish("builtin/list_notes", who="guide"), False),
        (wish(who="guide", effect="auto", hours=1), True),
        (wish("builtin/list_notes", effect="auto", hours=1), False),
    ],
)
async def test_what_lets_somebody_write_who_could_not_widens(store: Store, wished: Wish, widens: bool) -> None:
    await furnish(store)
    assert await store.tx(GRANTER.widens_a_write, wished, NOW) is widens


@pytest.mark.parametrize(
    ("wished", "told"),
    [
        (wish("builtin/nothing"), "There is no capability builtin/nothing"),
        (wish(who="nobody"), "There is no persona nobody"),
        (wish(effect="auto"), "auto needs an end of at most 24 hours"),
        (wish(effect="auto", hours=25), "auto needs an end of at most 24 hours"),
        (wish("builtin/delete_note", effect="auto", hours=1), "auto is never given for what deletes"),
    ],
)
async def test_what_cannot_be_given_is_told_before_it_is_previewed(store: Store, wished: Wish, told: str) -> None:
    await furnish(store)
    for work in (GRANTER.grant, GRANTER.widens_a_write):
        with pytest.raises(Impossible) as caught:
            await store.tx(work, wished, NOW)
        assert told in str(caught.value)
        assert "Nothing changed." in str(caught.value)
    assert await store.tx(grants.everything) == []


async def test_a_grant_holds_until_its_end_and_is_written_down(store: Store) -> None:
    await furnish(store)
    await store.tx(GRANTER.grant, wish(hours=2), NOW)
    assert await may(store, "reader", "builtin/add_note") == (True, True)
    assert await may(store, "reader", "builtin/add_note", NOW + 7200) == (False, True)
    rows = await store.tx(lambda tx: tx.execute(sa.select(audit.c.who, audit.c.action, audit.c.subject)).all())
    assert [tuple(row) for row in rows] == [("tg:1", "granted", "builtin/add_note")]


async def test_a_second_grant_replaces_the_first(store: Store) -> None:
    await furnish(store)
    await store.tx(GRANTER.grant, wish(effect="auto", hours=1), NOW)
    assert await may(store, "reader", "builtin/add_note") == (True, False)
    await store.tx(GRANTER.grant, wish(effect="ask"), NOW)
    assert await may(store, "reader", "builtin/add_note") == (True, True)
    assert len(await store.tx(grants.everything)) == 1


async def test_a_revocation_holds_against_the_default_and_rows_for_everyone(store: Store) -> None:
    await furnish(store)
    await store.tx(GRANTER.grant, wish(who="*"), NOW)
    assert "may no longer use" in await store.tx(GRANTER.revoke, "guide", "builtin/add_note", "tg:1", NOW)
    assert await may(store, "guide", "builtin/add_note") == (False, True)
    assert await may(store, "reader", "builtin/add_note") == (True, True)


async def test_a_revocation_for_everyone_names_those_whose_own_rows_still_allow_it(store: Store) -> None:
    await furnish(store)
    await store.tx(GRANTER.grant, wish(), NOW)
    told = await store.tx(GRANTER.revoke, "*", "builtin/add_note", "tg:1", NOW)
    assert "rows of their own still allow it for: reader" in told
    assert await may(store, "guide", "builtin/add_note") == (False, True)


@pytest.mark.parametrize("how", ["revoke", "deny"])
async def test_what_waits_and_may_no_longer_be_done_is_closed(store: Store, how: str) -> None:
    def work(tx: Tx) -> str:
        run = begin(tx)
        return PARTS.ask(tx, run).id

    approval_id = await store.tx(work)
    if how == "revoke":
        await store.tx(GRANTER.revoke, "guide", "builtin/add_note", "tg:1", NOW)
    else:
        await store.tx(GRANTER.grant, wish(who="guide", effect="deny"), NOW)
    approval = await store.tx(approvals.find, approval_id)
    assert approval is not None
    assert (approval.state, approval.reason) == ("cancelled", "revoked by tg:1")
