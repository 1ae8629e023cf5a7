"""A scene of the long play on Slack: one service runs for all of them, each has a person and a channel of its own."""

from typing import Self

from tests.fakes.model.client import ModelServer
from tests.fakes.slack.answers import Person, Place, Shown
from tests.fakes.slack.client import Slack
from tests.flows.house import House
from tests.flows.slack.acting import Acting
from tests.flows.slack.plan import Transport


class Scene(Acting):
    def __init__(
        self,
        slack: Slack,
        model: ModelServer,
        house: House,
        transport: Transport,
        person: Person,
        chat: Place,
        direct: Place,
        admin: Person,
        desk: Place,
    ) -> None:
        super().__init__(slack, model, person, chat, direct)
        self.house = house
        self.transport = transport
        self.admin = admin
        """A member of the channel too."""
        self.desk = desk
        """The admin's chat with us."""

    @classmethod
    async def open(
        cls, slack: Slack, model: ModelServer, house: House, transport: Transport, admin: Person, desk: Place
    ) -> Self:
        await model.reset()
        await slack.forget()
        person = await slack.user("Guest")
        chat = await slack.channel("general", members=[person, admin])
        direct = await slack.private_chat(person)
        return cls(slack, model, house, transport, person, chat, direct, admin, desk)

    async def close(self) -> None:
        """Nothing is under way that the next scene could notice, and nobody broke a contract of the platforms."""
        await self.house.at_rest()
        broken = await self.slack.violations(forget=True)
        assert not broken, broken
        assert not await self.model.violations()

    async def order(self, command: str, answer: str) -> Shown:
        """The admin types a command to us alone and reads what comes back."""
        return await self.tells(command, answer, who=self.admin, chat=self.desk)
