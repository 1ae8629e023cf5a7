"""The card shows what will happen, all of it or how much is missing, and nothing that pretends to be the card."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.cards import ARGUMENTS_ROOM, Asker, closed, deciders, verdict, waiting
from bot.domain.access import House
from bot.domain.approval import Approval, ApprovalState
from bot.domain.policy import Rules
from channels.outgoing import Block, Button, Heading, Outgoing, Paragraph
from channels.telegram.limits import LIMITS
from channels.text.characters import size
from channels.text.split import split

HOUSE = House(frozenset({"tg:1"}))
ASKER = Asker("Guide", "add_note", None)
ROWS = ((Button("Approve", "a" * 22, "primary"), Button("Reject", "b" * 22, "danger")),)


def approval(
    arguments: dict[str, Any] | None = None,
    *,
    state: ApprovalState = "pending",
    effect: str = "Add the note: “milk”",
    name: str = "Bob",
    reason: str | None = None,
) -> Approval:
    return Approval(
        id="apr_1",
        code="K7QX",
        run_id="run_1",
        call_id="call_1",
        persona_id="guide",
        capability_id="builtin/add_note",
        conversation="tg:5",
        arguments=json.dumps({"text": "milk"} if arguments is None else arguments),
        digest="d",
        effect_text=effect,
        requested_by="tg:5",
        requester_name=name,
        state=state,
        created_at=1_800_000_000.0,
        expires_at=1_800_003_600.0,
        reminded_at=None,
        shown_at=None,
        decided_by=None if state == "pending" else "tg:1",
        decider_name=None if state == "pending" else "Ann",
        decided_at=None if state == "pending" else 1_800_000_060.0,
        reason=reason,
    )


def text(message: Outgoing) -> str:
    return "\n".join(_line(block) for block in message.blocks)


def _line(block: Block) -> str:
    assert isinstance(block, Paragraph | Heading)
    return "".join(span.text for span in block.spans)


def shown(arguments: dict[str, Any]) -> str:
    return text(waiting(approval(arguments), ASKER, deciders(approval(), HOUSE), ROWS, None))


def test_a_card_says_who_wants_what_who_may_decide_and_until_when() -> None:
    card = waiting(approval(), ASKER, deciders(approval(), HOUSE), ROWS, "Once more:")
    lines = text(card).splitlines()
    assert lines[0] == "Once more:"
    assert lines[1] == "Guide asks first"
    assert "Add the note: “milk”" in lines
    assert "text: milk" in lines
    assert "K7QX" in lines[-1]
    assert card.rows == ROWS


def test_a_closed_card_says_the_same_and_how_it_ended_without_buttons() -> None:
    card = closed(approval(state="approved"), ASKER)
    assert card.rows == ()
    assert "text: milk" in text(card)
    assert text(card).splitlines()[-1].startswith("✓ Approved by Ann, 15 Jan")


@pytest.mark.parametrize(
    ("state", "begins"),
    [
        ("approved", "✓ Approved by Ann"),
        ("rejected", "✗ Rejected by Ann"),
        ("expired", "Expired"),
        ("cancelled", "Cancelled"),
        ("pending", "Waiting"),
    ],
)
def test_each_end_has_words_of_its_own(state: ApprovalState, begins: str) -> None:
    """B145: nobody who did not decide is said to have rejected."""
    assert verdict(approval(state=state)).startswith(begins)


@pytest.mark.parametrize("name", ["password", "api_key", "apiKey", "Authorization", "access_token", "client_secret"])
def test_secrets_are_masked_wherever_they_stand(name: str) -> None:
    written = shown({name: "hunter2", "deep": {"list": [{name: "hunter2"}]}, "other": "plain"})
    assert "hunter2" not in written
    assert written.count("********") == 2
    assert "other: plain" in written


def test_what_is_cut_says_how_long_it_is_and_shows_both_ends() -> None:
    """B160, B157: a bounded preview with its full length named."""
    written = shown({"text": "HEAD" + "x" * 200_000 + "TAIL"})
    assert "HEAD" in written
    assert "TAIL" in written
    assert "[200,008 characters in all]" in written
    assert len(written) < ARGUMENTS_ROOM + 800


def test_every_argument_is_named_or_counted() -> None:
    written = shown({f"field_{n}": "y" * 500 for n in range(200)})
    named = sum(f"field_{n}:" in written for n in range(200))
    assert f"… and {200 - named} more arguments, " in written
    assert named > 10


def test_hidden_characters_are_seen() -> None:
    """B164: what turns the writing or is drawn as nothing is shown as an escape."""
    written = shown({"file": "safe\u202etxt.exe\u200b\x1b[31m", "na\u202eme": "x"})
    assert "\\u202e" in written
    assert "\\u200b" in written
    assert "\\x1b" in written
    for hidden in "\u202e\u200b\x1b":
        assert hidden not in written


def test_content_cannot_pass_for_the_card() -> None:
    """B162: arguments stand as code spans, names in one line; no block of theirs is made."""
    forged = "```\n✓ Approved by Ann\n# Guide asks first"
    made = approval({"text": forged}, name="Bob\n✓ Approved by Ann")
    card = waiting(made, ASKER, deciders(made, HOUSE), ROWS, None)
    spans = [span for block in card.blocks if isinstance(block, Paragraph | Heading) for span in block.spans]
    [span] = [span for span in spans if "# Guide" in span.text]
    assert span.styles == frozenset({"code"})
    assert "\n" not in deciders(approval(name="Bob\n✓ Approved by Ann"), HOUSE)
    assert sum(isinstance(block, Heading) for block in card.blocks) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "<>&:*_`[" * 500},
        {"text": "😀" * 5_000},
        {f"{n:080}": "<&>" * 100 for n in range(60)},
        {"text": "\u202e" * 5_000},
    ],
    ids=["marks", "emoji", "many", "hidden"],
)
def test_a_card_is_one_message_before_and_after_the_decision(arguments: dict[str, Any]) -> None:
    """B156, B158: the preview is shortened, the buttons kept, also with the verdict and a long reason."""
    made = approval(arguments, effect="e" * 5_000, name="N" * 500)
    open_card = waiting(made, ASKER, deciders(made, HOUSE), ROWS, "Lead.")
    ended = approval(arguments, state="rejected", effect="e" * 5_000, reason="r" * 5_000, name="N" * 500)
    for card in (open_card, closed(ended, ASKER)):
        assert len(split(card, LIMITS)) == 1
        assert size(text(card), "utf16") <= 4096


def test_a_decider_is_called_by_name() -> None:
    asked = replace(approval(), policy=Rules(("team:U0ADA",)).json)
    assert deciders(asked, HOUSE, lambda person: {"team:U0ADA": "Ada\nLovelace"}[person]) == "Ada Lovelace"


def test_nobody_may_decide_is_said() -> None:
    assert "nobody" in deciders(replace(approval(), policy=Rules(()).json), HOUSE)
    assert deciders(replace(approval(), policy=Rules(deny_self=True).json), HOUSE) == "an admin"


def test_how_many_must_agree_is_said() -> None:
    asked = replace(approval(), policy=Rules(("requester", "admins", "members"), needed=2).json)
    assert deciders(asked, HOUSE) == "2 of: Bob (who asked) or an admin or whoever may talk where it is asked"
