"""What would let somebody write is previewed as it will be, and confirmed in time or not at all."""

from dataclasses import replace

import pytest

from bot.commands.desk import Typed
from bot.commands.granting import answer_preview, grant
from bot.domain.capability import Effect, Grant
from bot.errors import Impossible
from bot.granter import Wish
from bot.health import Health
from bot.store import buttons, grants, personas
from bot.store.database import Store, Tx
from channels.adapter import Receipt
from channels.events import ButtonPress, Command
from channels.outgoing import Outgoing
from channels.telegram.limits import LIMITS
from tests.bot.parts import ANN, CHAT, GUIDE, NOW, Parts

PARTS = Parts()
DESK = PARTS.desk(Health(lambda: NOW))
READER = replace(GUIDE, id="reader", default_builtin="read")
HOUR = 3600.0


async def typed(store: Store, arguments: str, row: Grant | None = None) -> Outgoing:
    """The answer to `/grant …`; `row` was there before."""
    event = Command("u1", NOW, CHAT, ANN, True, "grant", arguments)

    def work(tx: Tx) -> Outgoing:
        personas.put(tx, GUIDE)
        personas.put(tx, READER)
        if row is not None:
            grants.put(tx, row)
        return grant(DESK, tx, Typed(event, "guide", NOW, LIMITS))

    return await store.tx(work)


def row(effect: Effect, hours: float | None, who: str = "reader") -> Grant:
    until = None if hours is None else NOW + hours * HOUR
    return Grant(who, "builtin/add_note", effect, until, "", "tg:1", NOW)


async def pressed(store: Store, preview: Outgoing, label: str, now: float) -> Receipt:
    [token] = [button.token for button in preview.rows[0] if button.label == label]

    def work(tx: Tx) -> Receipt:
        meaning = buttons.find(tx, token)
        assert meaning is not None
        return answer_preview(DESK, tx, meaning, ButtonPress("u2", now, CHAT, ANN, True, token), now)

    return await store.tx(work)


@pytest.mark.parametrize(
    ("arguments", "before", "previews"),
    [
        ("reader add_note ask", None, True),
        ("reader add_note", None, True),
        ("guide add_note ask", None, False),
        ("reader add_note for 3h", row("allow", 2), True),
        ("reader add_note", row("allow", 2), True),
        ("reader add_note for 1h", row("allow", 2), False),
        ("reader add_note for 2h", row("allow", None), False),
        ("reader add_note auto for 3h", row("auto", 2), True),
        ("reader add_note auto for 1h", row("auto", 2), False),
        ("reader add_note deny", None, False),
        ("reader list_notes ask", None, False),
    ],
)
async def test_what_lets_somebody_write_who_could_not_or_for_longer_is_previewed(
    store: Store, arguments: str, before: Grant | None, previews: bool
) -> None:
    answer = await typed(store, arguments, before)
    assert ("Confirm?" in str(answer.blocks)) is previews
    kept = await store.tx(grants.everything)
    assert (kept == ([] if before is None else [before])) is previews


@pytest.mark.parametrize(
    ("differs", "previews"),
    [
        (None, False),
        (row("ask", None, "p07"), False),
        (row("deny", None, "p07"), False),
        (row("allow", None, "*"), False),
        (row("deny", None, "*"), True),
        (row("allow", 2, "*"), True),
    ],
)
async def test_among_many_who_are_alike_the_one_who_differs_counts(
    store: Store, differs: Grant | None, previews: bool
) -> None:
    """For everyone; a row of one's own goes on deciding for its persona."""

    def people(tx: Tx) -> None:
        for number in range(10):
            personas.put(tx, replace(GUIDE, id=f"p{number:02}"))
        personas.put(tx, GUIDE)
        if differs is not None:
            grants.put(tx, differs)

    await store.tx(people)
    wish = Wish("*", "builtin/add_note", "allow", None, "", ANN.id)
    assert await store.tx(PARTS.granter.widens_a_write, wish, NOW) is previews
    await store.tx(personas.put, replace(READER, id="p99"))
    already = differs is not None and differs.persona_id == "*" and differs.effect == "allow" and differs.until is None
    assert await store.tx(PARTS.granter.widens_a_write, wish, NOW) is not already


@pytest.mark.parametrize(
    ("arguments", "until"),
    [("reader add_note for 3h", "asking each time, until "), ("reader add_note", "asking each time. Confirm?")],
)
async def test_a_preview_says_until_when(store: Store, arguments: str, until: str) -> None:
    told = str((await typed(store, arguments)).blocks)
    assert until in told


@pytest.mark.parametrize("label", ["Confirm", "Cancel"])
async def test_a_preview_that_is_too_old_changes_nothing(store: Store, label: str) -> None:
    preview = await typed(store, "reader add_note")
    receipt = await pressed(store, preview, label, NOW + HOUR + 1)
    assert receipt == Receipt("This preview is too old. Nothing changed: send the command again.", alert=True)
    assert await store.tx(grants.everything) == []


async def test_a_preview_is_confirmed_within_the_hour(store: Store) -> None:
    preview = await typed(store, "reader add_note")
    assert not (await pressed(store, preview, "Confirm", NOW + HOUR)).alert
    assert len(await store.tx(grants.everything)) == 1


@pytest.mark.parametrize("span", ["99999999999d", "3000000d", "3651d", "soon", "0s"])
async def test_what_is_no_length_of_time_is_answered_in_words(store: Store, span: str) -> None:
    with pytest.raises(Impossible) as caught:
        await typed(store, f"reader add_note for {span}")
    assert str(caught.value) == f"{span} is not a length of time; write 30m, 2h or 1d. Nothing changed."
    assert await store.tx(grants.everything) == []
