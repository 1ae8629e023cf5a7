"""Who may talk and who may decide, by ids alone."""

import pytest

from bot.domain.access import Decider, House, invited
from bot.domain.policy import Rules
from channels.events import Conversation, Sender, Standing

ADMINS = frozenset({"tg:1"})


@pytest.mark.parametrize(
    ("approvers", "deny_self", "person", "may"),
    [
        (("requester", "admins"), False, "tg:2", True),
        (("requester", "admins"), False, "tg:1", True),
        (("requester", "admins"), False, "tg:3", False),
        (("requester", "admins"), True, "tg:2", False),
        (("requester", "admins"), True, "tg:1", True),
        (("admins",), False, "tg:2", False),
        (("tg:3",), False, "tg:3", True),
        (("tg:3",), False, "tg:1", False),
        (("tg:2", "requester"), True, "tg:2", False),
        (("requester",), False, "web:2", False),
    ],
)
def test_who_may_decide_what_tg_2_asked_for(
    approvers: tuple[str, ...], deny_self: bool, person: str, may: bool
) -> None:
    channel, _colon, user = person.partition(":")
    rules = Rules(approvers, deny_self)
    assert House(ADMINS).may_decide(Sender(channel, user, "Someone"), "tg:2", rules) is may


def test_an_admin_who_asked_may_not_decide_where_that_is_denied() -> None:
    assert not House(ADMINS).may_decide(Sender("tg", "1", "Ann"), "tg:1", Rules(deny_self=True))


@pytest.mark.parametrize(
    ("standing", "deciding", "may"),
    [
        ("member", {}, True),
        ("guest", {}, False),
        ("external", {}, False),
        ("guest", {"team": ("member", "guest")}, True),
        ("guest", {"other": ("member", "guest")}, False),
        ("external", {"team": ("member", "guest")}, False),
        ("member", {"team": ("external",)}, False),
        (None, {"team": ("member",)}, False),
        (None, {}, True),
    ],
)
def test_guests_and_externals_do_not_decide_by_having_asked(
    standing: Standing | None, deciding: dict[str, tuple[Standing, ...]], may: bool
) -> None:
    house, rules = House(frozenset(), deciding), Rules(("requester", "team:U3"))
    assert house.may_decide(Sender("team", "U2", "Guest", standing), "team:U2", rules) is may
    assert house.may_decide(Sender("team", "U3", "Named", standing), "team:U2", rules)


CHAT = Conversation("tg", "-100", "7")


@pytest.mark.parametrize(
    ("allow", "private", "standing", "let"),
    [
        ((), True, "member", False),
        (("anyone",), True, None, True),
        (("tg:2",), True, None, True),
        (("tg:3",), True, None, False),
        (("web:2",), True, None, False),
        (("workspace",), True, "member", True),
        (("workspace",), True, None, False),
        (("workspace",), True, "guest", False),
        (("workspace",), True, "external", False),
        (("guests",), True, "guest", True),
        (("guests",), True, "external", False),
        (("guests", "externals"), True, "external", True),
        (("group:-100",), False, None, True),
        (("group:-100",), True, None, False),
        (("group:-1007",), False, None, False),
        (("Guest",), True, None, False),
    ],
)
def test_whom_a_channel_lets_in(allow: tuple[str, ...], private: bool, standing: Standing | None, let: bool) -> None:
    """B127: names are shown and never matched."""
    assert invited(Sender("tg", "2", "Guest", standing), CHAT, private, allow) is let


@pytest.mark.parametrize(
    ("place", "standing", "may"),
    [
        ("team:C1", "member", True),
        ("team:C1:7.1", "member", True),
        ("team:C1", "guest", False),
        ("team:C2", "member", False),
        ("tg:C1", "member", False),
        (None, "member", False),
    ],
)
def test_members_decide_where_it_is_asked(place: str | None, standing: Standing, may: bool) -> None:
    person = Sender("team", "U9", "Eve", standing)
    present = Decider(person, place).is_at("team:C1:3.1")
    assert House(frozenset()).may_decide(person, "tg:2", Rules(("members",)), present=present) is may
