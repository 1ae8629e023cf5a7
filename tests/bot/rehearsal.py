"""A runner with all its parts on a bare database, and a model whose answers are known beforehand."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from bot.agent import Agent, RunLimits
from bot.answers import Answers
from bot.clock import Clock
from bot.llm.port import Answer, Asked, OnText, Request, Result
from bot.metrics import Metrics
from bot.patience import Patience
from bot.presence import Presence
from bot.replier import Replier
from bot.runner import Runner
from bot.store.database import Store
from tests.bot.parts import NOW, Parts, telegram_limits


async def _nothing() -> None:
    """Nothing happens meanwhile."""


@dataclass(slots=True)
class Lines:
    """The model: gives its answers in their order. `meanwhile` is what happens while it thinks."""

    answers: list[Answer]
    window: int = 100_000
    meanwhile: Callable[[], Awaitable[None]] = _nothing
    heard: list[Request] = field(default_factory=list)

    async def turn(self, request: Request, on_text: OnText) -> Answer:
        self.heard.append(request)
        await on_text("")
        await self.meanwhile()
        return self.answers.pop(0)

    def results(self, number: int) -> list[str]:
        """What the calls of the answer before had given, by the request of that number, counted from 1."""
        found: list[str] = []
        for turn in reversed(self.heard[number - 1].history):
            if not isinstance(turn, Result):
                break
            found.append(turn.content)
        return found[::-1]


def says(text: str) -> Answer:
    return Answer(text)


def wants(*asked: tuple[str, dict[str, Any]]) -> Answer:
    """An answer that is calls alone."""
    return Answer("", tuple(Asked(f"a{n}", name, arguments) for n, (name, arguments) in enumerate(asked)))


def runner(store: Store, lines: Lines, parts: Parts | None = None, clock: Clock = lambda: NOW) -> Runner:
    """It heeds what the store tells."""
    parts = parts or Parts()
    approver = parts.approver
    caller = parts.caller(store, clock)
    replier = Replier(telegram_limits)
    answers = Answers(parts.toolbox, parts.asker, approver, caller, parts.closer, replier)
    presence = Presence(store, lambda _channel: None, clock)
    metrics = Metrics()
    limits = RunLimits(steps=12, time_s=600.0, tokens=100_000, handoffs=4)
    models = {"main": lines}
    agent = Agent(
        store,
        parts.toolbox,
        parts.skillsets,
        answers,
        replier,
        caller,
        models,
        presence,
        Patience(),
        limits,
        clock,
        metrics,
    )
    made = Runner(store, agent, answers, presence, clock, metrics)
    store.listen(made.heed)
    return made
