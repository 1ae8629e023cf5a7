"""Who may talk and who may decide, by ids alone."""

import pytest

from bot.domain.access import House, invited
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
    assert House(ADMINS, approvers, deny_self).may_decide(Sender(channel, user, "Someone"), "tg:2") is may


def test_an_admin_who_asked_may_not_decide_where_that_is_denied() -> None:
    assert not House(ADMINS, ("requester", "admins"), deny_self=True).may_decide(Sender("tg", "1", "Ann"), "tg:1")


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
    ],
)
def test_guests_and_externals_do_not_decide_by_having_asked(
    standing: Standing, deciding: dict[str, tuple[Standing, ...]], may: bool
) -> None:
    house = House(frozenset(), ("requester", "team:U3"), deny_self=False, deciding=deciding)
    assert house.may_decide(Sender("team", "U2", "Guest", standing), "team:U2") is may
    assert house.may_decide(Sender("team", "U3", "Named", standing), "team:U2")


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
