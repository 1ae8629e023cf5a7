"""Several workspaces on one app, and an app that lacks something."""

import pytest

from channels.events import Conversation, Message
from channels.outgoing import Outgoing, plain
from channels.slack.switch import Switch, teams
from tests.channels.slack.house import made, running
from tests.fakes.slack.client import Slack

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_where_there_is_no_status_it_is_not_tried_again(slack: Slack) -> None:
    await slack.reset()
    await slack.set_scopes(remove=["assistant:write", "chat:write"])
    async with running(slack, made(slack)) as house:
        where = Conversation("team", "C1", "1.1")
        assert not await house.adapter.show(where, "thinking")
        assert not await house.adapter.show(where, "acting")
    assert len(await slack.calls("assistant.threads.setStatus")) == 1
    await slack.violations(forget=True)


async def test_two_workspaces_of_one_app_are_never_mixed(slack: Slack) -> None:
    """Any socket of the app may hear for either; each is answered with its own token."""
    await slack.reset()
    second, switch = await slack.workspace("Second"), Switch()
    one = made(slack, name="one", switch=switch)
    two = made(slack, name="two", workspace=second, switch=switch)
    async with running(slack, one) as first_house, running(slack, two) as second_house:
        for house, workspace, name in ((first_house, None, "one"), (second_house, second, "two")):
            user = await slack.user("Ada", workspace=workspace)
            chat = await slack.private_chat(user, workspace=workspace)
            where = Conversation(name, chat.id)
            for number in range(6):
                await slack.write(chat, user, f"number {number}")
            message = await house.inlet.next(Message, where, count=6)
            assert message.sender.id == f"{name}:{user.id}"
            await house.adapter.send(where, Outgoing(plain("hello")))
        for house, name in ((first_house, "one"), (second_house, "two")):
            assert {event.where.channel for event in house.inlet.events if isinstance(event, Message)} == {name}
            assert "another program" not in house.inlet.states[-1][1]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"team_id": "T1"}, ("T1",)),
        ({"team_id": "T2", "authorizations": [{"team_id": "T1", "enterprise_id": None}]}, ("T1", "T2")),
        ({"team": {"id": "T1"}, "enterprise": {"id": "E1"}}, ("T1", "E1")),
        ({"team_id": "T1", "enterprise_id": "E1"}, ("T1", "E1")),
        ({"team_id": 5, "authorizations": "x"}, ()),
        ([], ()),
        (None, ()),
    ],
)
async def test_whom_a_delivery_is_for(body: object, found: tuple[str, ...]) -> None:
    assert teams(body) == found
