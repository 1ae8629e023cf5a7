"""Language models of providers behind the model port. Their libraries are loaded on first use, in a thread."""

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bot.llm.port import Answer, Model, ModelFailure, OnText, Request

if TYPE_CHECKING:
    from bot.llm.exchange import Exchange

Provider = Literal["openai", "anthropic"]

_UNKNOWN_WINDOW = 8_192
_LOUD = ("httpx2", "httpcore2", "openai", "anthropic")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Which model, where, and with which key.

    base_url: empty for the provider's own · window: tokens of context, None to look it up · timeout_s: the longest
    silence of the server.
    """

    provider: Provider
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    window: int | None = None
    timeout_s: float = 60


class ProviderModel:
    """A model that is asked over the network. `aclose` when it is no longer needed."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._window = config.window
        self._exchange: Exchange | None = None
        self._loading = asyncio.Lock()

    @property
    def window(self) -> int:
        """As configured, else from the price list, else a small one."""
        if self._window is None:
            self._window = _listed_window(self._config) or _UNKNOWN_WINDOW
        return self._window

    async def turn(self, request: Request, on_text: OnText) -> Answer:
        """Raises ModelFailure. Cancelling the task closes the connection at once. Nothing is tried twice."""
        exchange = await self._ready()
        return await exchange.turn(request, on_text)

    async def aclose(self) -> None:
        """Closes the connections; a later turn opens new ones."""
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            await exchange.aclose()

    async def _ready(self) -> "Exchange":
        async with self._loading:
            if self._exchange is None:
                # The libraries take seconds to load: the loop goes on meanwhile.
                self._exchange = await asyncio.to_thread(_load, self._config)
            return self._exchange


def build(config: ModelConfig) -> ProviderModel:
    """A model for the configuration; nothing is loaded and nobody is called yet."""
    return ProviderModel(config)


def _load(config: ModelConfig) -> "Exchange":
    try:
        from bot.llm.exchange import Exchange

        exchange = Exchange(config.provider, config.model, config.base_url, config.api_key, config.timeout_s)
    except ImportError as error:
        raise ModelFailure("missing") from error
    # These write urls, headers and whole requests into their logs, and a key may be in any of them.
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.WARNING)
    return exchange


def _listed_window(config: ModelConfig) -> int | None:
    try:
        from genai_prices.data_snapshot import get_snapshot

        _, model = get_snapshot().find_provider_model(config.model, None, config.provider, config.base_url or None)
    except (ImportError, LookupError):
        return None
    return model.context_window


if TYPE_CHECKING:
    _: type[Model] = ProviderModel
