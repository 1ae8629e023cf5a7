"""Capabilities that are decided by rules of their own: elsewhere, by several, by whoever is there."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.fakes.slack.answers import Person, Place
from tests.fakes.slack.client import Slack, slack_process
from tests.fakes.slack.client import connected as slack_connected
from tests.flows.stage import Stage

WRITE = "add a note: milk"


@dataclass(frozen=True)
class Office:
    """A channel on Slack where approvals are asked, with two people in it."""

    slack: Slack
    room: Place
    bob: Person
    eve: Person

    @property
    def place(self) -> str:
        return f"team:{self.room.id}"

    def plan(self, **policy: Any) -> dict[str, Any]:
        """The service on both platforms, notes being added by this policy."""
        team = {
            "type": "slack",
            "persona": "guide",
            "bot_token": "${OFFICE_BOT_TOKEN}",
            "app_token": "${OFFICE_APP_TOKEN}",
            "api_url": self.slack.api_url,
        }
        policies = [{"capability": "builtin/add_note", **policy}]
        return {"channels": {"team": team}, "approvals": {"policies": policies}}

    async def card(self, **more: Any) -> Any:
        return await self.slack.wait_message(self.room, timeout=30, **more)

    async def press(self, card: Any, label: str, who: Person) -> str:
        pressed = await self.slack.press(self.room, who, card.id, label)
        return (await self.slack.wait_answer(pressed, expect_notice=True)).text


@pytest.fixture(scope="module")
def slack_ready() -> Iterator[Mapping[str, Any]]:
    with slack_process() as ready:
        yield ready


@pytest.fixture
async def office(slack_ready: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Office]:
    async with slack_connected(slack_ready) as slack:
        bob, eve = await slack.user("Bob"), await slack.user("Eve")
        monkeypatch.setenv("OFFICE_BOT_TOKEN", slack.bot_token)
        monkeypatch.setenv("OFFICE_APP_TOKEN", slack.app_token)
        yield Office(slack, await slack.channel("approvals", members=[bob, eve]), bob, eve)


async def test_asked_in_telegram_decided_in_slack(stage: Stage, office: Office) -> None:
    """Both cards end up telling the same."""
    extra = office.plan(place=office.place, approvers=["members"])
    async with stage.service(model_url="", extra=extra):
        await stage.say(WRITE)
        told = await stage.reads("This is decided in another conversation")
        assert told.buttons == ()
        card = await office.card(button="Approve", containing="milk")
        assert "Asked for by Ann." in card.text
        assert await office.press(card, "Approve", office.eve) == "Approved."
        await office.card(containing="Approved by Eve", message=card.id, no_buttons=True)
        await stage.reads("Approved by Eve", message=told.id)
        await stage.reads("was added")


async def test_two_must_agree_and_the_second_counts(stage: Stage, office: Office) -> None:
    extra = office.plan(place=office.place, approvers=["members"], needed=2)
    async with stage.service(model_url="", extra=extra):
        await stage.say(WRITE)
        card = await office.card(button="Approve")
        assert await office.press(card, "Approve", office.bob) == "Noted: 1 of 2 have agreed."
        card = await office.card(button="Approve", containing="1 of 2 have agreed: Bob.")
        assert (await office.press(card, "Approve", office.bob)).startswith("You agreed before")
        assert await office.press(card, "Approve", office.eve) == "Approved."
        await office.card(containing="Approved by Bob and Eve", no_buttons=True)
        await stage.reads("was added")


async def test_who_is_not_there_does_not_decide(stage: Stage, office: Office) -> None:
    """The requester reads the code and types it where they are: that is not where it is asked."""
    extra = office.plan(place=office.place, approvers=["members"])
    async with stage.service(model_url="", extra=extra):
        await stage.say(WRITE)
        told = await stage.reads("This is decided in another conversation")
        code = told.text.rpartition("/approve ")[2].split()[0]
        said = await stage.say(f"/approve {code}")
        await stage.reads("You may not decide this", after=said)
        card = await office.card(button="Reject")
        assert await office.press(card, "Reject", office.bob) == "Rejected. It will not be done."
        await stage.reads("Rejected by Bob", message=told.id)


async def test_a_place_that_we_are_not_in_ends_it_in_words(stage: Stage, office: Office) -> None:
    await office.slack.remove_bot(office.room)
    extra = office.plan(place=office.place, approvers=["members"])
    async with stage.service(model_url="", extra=extra):
        await stage.say(WRITE)
        told = await stage.reads("This is decided in another conversation")
        await stage.reads("Cancelled", message=told.id)


async def test_a_grant_that_ends_while_a_card_waits_closes_it(stage: Stage) -> None:
    """The card says why; what was revoked before is revoked again."""
    async with stage.service(model_url=""):
        said = await stage.say("/revoke guide add_note")
        await stage.reads("may no longer use", after=said)
        said = await stage.say("/grant guide add_note for 5s because moving day")
        preview = await stage.reads("Confirm?", after=said)
        await stage.press(preview, "Confirm")
        await stage.say(WRITE)
        waiting = await stage.card(after=preview.id)
        ended = await stage.settled(waiting, "Cancelled")
        assert "ended" in ended.text
