"""The embedded default: a command planner behind the model port. It is not a language model and says so."""

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from bot.llm.planner import sentences
from bot.llm.planner.plan import SPEAKER, Reply, plan
from bot.llm.port import Answer, Answered, Asked, Model, OnText, Request, Result, Said, Usage

_WINDOW = 1_000_000
_PIECE = re.compile(r"\S*\s*", re.DOTALL)


class OfflinePlanner:
    """Turns plain requests into calls of the offered tools by rules, reports their results, asks back when unsure."""

    @property
    def window(self) -> int:
        """As good as without limit: only the last turns are read."""
        return _WINDOW

    async def turn(self, request: Request, on_text: OnText) -> Answer:
        """Never raises ModelFailure; costs nothing."""
        answer = answer_to(request)
        for piece in _PIECE.findall(answer.text):
            if piece:
                await on_text(piece)
        return answer


def answer_to(request: Request) -> Answer:
    """The planner's answer, pure."""
    results = _last_results(request)
    if results:
        return _text(sentences.report(results))
    message, before = _last_words(request)
    planned = plan(message, request.offers, before, named=_is_group(request))
    if isinstance(planned, Reply):
        return _text(planned.text)
    turns = len(request.history)
    calls = tuple(Asked(f"call_{turns}_{n}", call.tool, call.arguments) for n, call in enumerate(planned, 1))
    return Answer("", calls, Usage(), Decimal(0))


def _text(text: str) -> Answer:
    return Answer(text, (), Usage(), Decimal(0))


def _last_results(request: Request) -> tuple[Result, ...]:
    found: list[Result] = []
    for turn in reversed(request.history):
        if not isinstance(turn, Result):
            break
        found.append(turn)
    return tuple(reversed(found))


def _is_group(request: Request) -> bool:
    """Whether everything that was said may begin with a name."""
    return all(SPEAKER.search(turn.text) for turn in request.history if isinstance(turn, Said))


def _last_words(request: Request) -> tuple[str, str]:
    """The newest message, and the answer right before it."""
    message: list[str] = []
    for turn in reversed(request.history):
        if isinstance(turn, Said):
            message.append(turn.text)
            continue
        before = turn.text if isinstance(turn, Answered) else ""
        return "\n".join(reversed(message)), before
    return "\n".join(reversed(message)), ""


if TYPE_CHECKING:
    _: Model = OfflinePlanner()
