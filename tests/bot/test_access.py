"""Who may talk and who may decide, by ids alone."""

import pytest

from bot.domain.access import House, invited
from channels.events import Conversation, Sender

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
    assert House(ADMINS, approvers, deny_self).may_decide(person, "tg:2") is may


def test_an_admin_who_asked_may_not_decide_where_that_is_denied() -> None:
    assert not House(ADMINS, ("requester", "admins"), deny_self=True).may_decide("tg:1", "tg:1")


CHAT = Conversation("tg", "-100", "7")


@pytest.mark.parametrize(
    ("allow", "private", "member", "let"),
    [
        ((), True, True, False),
        (("anyone",), True, False, True),
        (("tg:2",), True, False, True),
        (("tg:3",), True, False, False),
        (("web:2",), True, False, False),
        (("workspace",), True, True, True),
        (("workspace",), True, False, False),
        (("group:-100",), False, False, True),
        (("group:-100",), True, False, False),
        (("group:-1007",), False, False, False),
        (("Guest",), True, False, False),
    ],
)
def test_whom_a_channel_lets_in(allow: tuple[str, ...], private: bool, member: bool, let: bool) -> None:
    """B127: names are shown and never matched."""
    assert invited(Sender("tg", "2", "Guest", member), CHAT, private, allow) is let
