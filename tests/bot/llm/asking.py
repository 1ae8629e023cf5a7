"""Asks the offline planner."""

from bot.llm.offline import answer_to
from bot.llm.port import Answer, Offer, Request, Said, Turn
from tests.bot.llm.offers import TOOLS


def ask(*turns: str | Turn, offers: tuple[Offer, ...] = TOOLS) -> Answer:
    """The planner's answer to a history; a bare text is a person's words."""
    history = tuple(Said(turn) if isinstance(turn, str) else turn for turn in turns)
    return answer_to(Request("You are a guide.", history, offers))
