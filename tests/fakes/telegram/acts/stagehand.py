"""What all who carry out verbs have at hand."""

from tests.fakes.telegram.fake import Fake
from tests.fakes.telegram.world import Chat, User


class Stagehand:
    """`fake` is what they act on; `Reset` puts an empty one in its place."""

    def __init__(self, fake: Fake) -> None:
        self.fake = fake

    def chat(self, number: int) -> Chat:
        return self.fake.world.chats[number]

    def user(self, number: int) -> User:
        return self.fake.world.users[number]
