"""What the model is told to answer, and what it was asked."""

from tests.fakes.model.client import ModelServer
from tests.fakes.model.script import Reply, Rule

PATIENCE_S = 30.0
"""A busy machine takes its time to load a provider's library; nothing waits this long where all is well."""


class Hearing:
    def __init__(self, model: ModelServer) -> None:
        self.model = model

    async def hears(self, words: str, *, first: Reply, then: Reply | str = "", result: str = "") -> None:
        """How the model answers what contains `words`, and then the result of its calls."""
        rules = [Rule(contains=words, reply=first)]
        if then:
            reply = Reply(text=then) if isinstance(then, str) else then
            rules.append(Rule(contains=words, after="results", result=result, reply=reply))
        await self.model.rules(*rules)

    async def slow(self, words: str, answer: str) -> None:
        """The model answers what contains `words` only when they are released."""
        await self.model.rules(Rule(contains=words, reply=Reply(text=answer, hold=words)))

    async def model_read(self, number: int) -> str:
        """The last thing that the model was told in its request of that number, counted from 1."""
        asked = await self.model.wait_request(number, PATIENCE_S)
        return str(asked.body["messages"][-1]["content"])

    async def asked(self) -> list[str]:
        """The last words of people in each request to the model."""
        requests = [each.body["messages"] for each in await self.model.requests()]
        return [[turn["content"] for turn in turns if turn["role"] == "user"][-1] for turns in requests]

    async def heard(self) -> list[str]:
        """What each request to the model ended with, in their order."""
        return [str(asked.body["messages"][-1]["content"]) for asked in await self.model.requests()]

    async def history(self, number: int) -> list[str]:
        """All that people and the model had said in a request, counted from 1."""
        asked = (await self.model.requests())[number - 1]
        return [str(message["content"]) for message in asked.body["messages"] if message["role"] != "system"]
