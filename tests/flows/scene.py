"""A scene of the long play: one service runs for all of them, each has a person and a private chat of its own."""

from typing import Self

from tests.fakes.model.client import ModelServer
from tests.fakes.telegram.client import Telegram
from tests.fakes.telegram.protocol import Person, Place, Shown
from tests.flows.acting import Acting
from tests.flows.house import House


class Scene(Acting):
    def __init__(
        self,
        telegram: Telegram,
        model: ModelServer,
        house: House,
        person: Person,
        chat: Place,
        admin: Person,
        desk: Place,
    ) -> None:
        super().__init__(telegram, model, person, chat)
        self.house = house
        self.admin = admin
        self.desk = desk
        """The admin's private chat."""

    @classmethod
    async def open(
        cls, telegram: Telegram, model: ModelServer, house: House, name: str, admin: Person, desk: Place
    ) -> Self:
        await model.reset()
        person = await telegram.user(name)
        return cls(telegram, model, house, person, await telegram.private_chat(person), admin, desk)

    async def close(self) -> None:
        """Nothing is under way that the next scene could notice, and nobody broke a contract of the platforms."""
        await self.house.at_rest()
        assert not await self.telegram.violations(forget=True)
        assert not await self.model.violations()

    async def someone(self, name: str) -> tuple[Person, Place]:
        """One more person, and the chat of theirs with us."""
        person = await self.telegram.user(name)
        return person, await self.telegram.private_chat(person)

    async def group(self, title: str, *others: Person) -> Place:
        """A group with the person of the scene, the others, and us."""
        return await self.telegram.supergroup(title, members=[self.person, *others])

    async def order(self, command: str, answer: str) -> Shown:
        """The admin types a command in private and reads what comes back."""
        said = await self.say(command, chat=self.desk, who=self.admin)
        return await self.reads(answer, chat=self.desk, after=said)

    async def type(self, command: str, answer: str) -> Shown:
        """The person types something and reads what comes back."""
        said = await self.say(command)
        return await self.reads(answer, after=said)

    @property
    def mention(self) -> str:
        return f"@{self.telegram.bot_username}"
