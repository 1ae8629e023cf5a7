"""How much context a request takes, and what is left out so that it fits. Pure; the stored log stays whole."""

import json
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.llm.port import Answered, Asked, Offer, Request, Result, Said, Turn

# Measured against o200k on prose, code, JSON and Chinese: within 0.83 to 1.41 of the truth, where characters / 4
# counts Chinese 2.6 times too low.
_ASCII_A_TOKEN = 3.8
_CJK_A_TOKEN = 1.3
_OTHER_A_TOKEN = 3.2
_ASTRAL_TOKENS = 2.0

_TURN_TOKENS = 4
"""What a message costs beside its text."""
_MOST_FOR_ANSWER = 4096
_MARGIN = 0.15
_RESULT_STEPS = (4000, 1000, 250, 60)
"""Tokens that a tool result may keep; tried from the gentlest."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the provider counted last time: `tokens` for the instructions, the offers and the first `turns` turns of
    the history (its input and output together, the answer being the last of these turns)."""

    tokens: int
    turns: int


def estimate(text: str) -> int:
    """Tokens of a text by classes of characters."""
    if text.isascii():
        return round(len(text) / _ASCII_A_TOKEN + 0.5) if text else 0
    ascii_ = cjk = other = astral = 0
    for char in text:
        code = ord(char)
        if code < 0x80:
            ascii_ += 1
        elif code > 0xFFFF:
            astral += 1
        elif (
            0x2E80 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF or 0xF900 <= code <= 0xFAFF or 0xFF00 <= code <= 0xFFEF
        ):
            cjk += 1
        else:
            other += 1
    tokens = ascii_ / _ASCII_A_TOKEN + cjk / _CJK_A_TOKEN + other / _OTHER_A_TOKEN + astral * _ASTRAL_TOKENS
    return round(tokens + 0.5)


def of_turn(turn: Turn) -> int:
    """Tokens of one turn."""
    if isinstance(turn, Answered):
        return _TURN_TOKENS + estimate(turn.text) + sum(_of_call(call) for call in turn.calls)
    return _TURN_TOKENS + estimate(turn.text if isinstance(turn, Said) else turn.content)


def of_request(request: Request) -> int:
    """Tokens of a whole request."""
    return _of_frame(request) + sum(of_turn(turn) for turn in request.history)


def _of_frame(request: Request) -> int:
    return estimate(request.instructions) + sum(_of_offer(offer) for offer in request.offers)


@lru_cache(maxsize=1024)
def _of_offer(offer: Offer) -> int:
    """Remembered: the same offers come with every turn."""
    return _TURN_TOKENS + estimate(offer.name + offer.description + json.dumps(offer.schema, ensure_ascii=False))


def _of_call(call: Asked) -> int:
    arguments = call.raw if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)
    return _TURN_TOKENS + estimate(call.name + arguments)


def room(window: int) -> int:
    """Tokens that a request may take of a window: the answer and 15 % for wrong guesses are kept free."""
    return int((window - min(_MOST_FOR_ANSWER, window // 4)) * (1 - _MARGIN))


def fit(request: Request, window: int, measured: Measured | None = None) -> Request:
    """The request cut to fit: long tool results first, then whole turns from the front.

    A call is never parted from its results, the newest words and what followed them last are kept; where even those
    are too long they are sent, and the provider has the last word.
    """
    limit = room(window)
    scale = _scale(request, measured)

    if of_request(request) * scale <= limit:
        return request
    most = int(limit / scale)
    for keep in _RESULT_STEPS:
        request = _cut_results(request, keep, most)
        if of_request(request) <= most:
            return request
    return _drop_turns(request, most)


def _scale(request: Request, measured: Measured | None) -> float:
    """How far the estimate is off by what the provider counted; never trusted below half or above three times."""
    if measured is None or measured.turns <= 0 or measured.turns > len(request.history):
        return 1.0
    guessed = of_request(replace(request, history=request.history[: measured.turns]))
    whole = of_request(request)
    if not guessed or not whole:
        return 1.0
    factor = min(3.0, max(0.5, measured.tokens / guessed))
    return (guessed * factor + (whole - guessed)) / whole


def _cut_results(request: Request, keep: int, most: int) -> Request:
    """Results shortened from the oldest on, no more of them than needed."""
    history = list(request.history)
    over = of_request(request) - most
    for index, turn in enumerate(history):
        if over <= 0:
            break
        if isinstance(turn, Result):
            history[index] = replace(turn, content=shortened(turn.content, keep))
            over -= of_turn(turn) - of_turn(history[index])
    return replace(request, history=tuple(history))


def _drop_turns(request: Request, most: int) -> Request:
    """Whole exchanges dropped from the front; then, after the newest words, whole rounds of calls and results."""
    over = of_request(request) - most
    newest = max((index for index, turn in enumerate(request.history) if isinstance(turn, Said)), default=0)
    kept: list[Turn] = []
    for block in _blocks(request.history[:newest], Said):
        if over > 0:
            over -= sum(of_turn(turn) for turn in block)
        else:
            kept += block
    words, rounds = request.history[newest : newest + 1], _blocks(request.history[newest + 1 :], Answered)
    kept += words
    for number, block in enumerate(rounds, 1):
        if over > 0 and number < len(rounds):
            over -= sum(of_turn(turn) for turn in block)
        else:
            kept += block
    return replace(request, history=tuple(kept))


def _blocks(history: tuple[Turn, ...], head: type[Said] | type[Answered]) -> list[list[Turn]]:
    """The history cut before each turn of that kind."""
    blocks: list[list[Turn]] = []
    for turn in history:
        if isinstance(turn, head) or not blocks:
            blocks.append([])
        blocks[-1].append(turn)
    return blocks


def shortened(content: str, keep: int) -> str:
    """Head and tail of a long text, about `keep` tokens, with a mark that says how much is gone."""
    tokens = estimate(content)
    if tokens <= keep:
        return content
    length = max(40, int(len(content) * keep / tokens))
    head, tail = length * 2 // 3, length - length * 2 // 3
    gone = len(content) - head - tail
    mark = f"\n[… {gone:,} of {len(content):,} characters cut …]\n"
    return content if gone <= len(mark) else content[:head] + mark + content[-tail:]
