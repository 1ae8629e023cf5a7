"""The provider layer's model objects, and the one table of what their errors mean to us."""

import asyncio

import httpx2
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pydantic_ai.models import Model

from bot.llm.port import FailureKind, ModelFailure

_NO_KEY = "none"  # local servers ask for none; an empty one would make the libraries look into the environment
_OPENAI = "https://api.openai.com/v1"
_ANTHROPIC = "https://api.anthropic.com"

# The order matters: several of these are subclasses of one another.
_MEANINGS: tuple[tuple[type[Exception], FailureKind], ...] = (
    (ModelContextWindowExceededError, "context"),
    (ModelAuthenticationError, "auth"),
    (ModelNotFoundError, "missing"),
    (ModelQuotaExceededError, "quota"),
    (ModelRateLimitError, "rate"),
    (ModelTimeoutError, "timeout"),
    (ModelUnavailableError, "down"),
    (ModelServerError, "down"),
    (ModelConnectionError, "down"),
    (ModelRequestRejectedError, "rejected"),
    (ContentFilterError, "rejected"),
    (ModelHTTPError, "rejected"),
    (httpx2.TimeoutException, "timeout"),
    (httpx2.TransportError, "down"),
    (asyncio.TimeoutError, "timeout"),
)


def openai(name: str, base_url: str, api_key: str, http: httpx2.AsyncClient) -> Model:
    """A model behind an OpenAI-compatible server; ImportError without the library."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=base_url or _OPENAI, api_key=api_key or _NO_KEY, http_client=http)
    return OpenAIChatModel(name, provider=provider)


def anthropic(name: str, base_url: str, api_key: str, http: httpx2.AsyncClient) -> Model:
    """A model behind the Anthropic API; ImportError without the library."""
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(base_url=base_url or _ANTHROPIC, api_key=api_key or _NO_KEY, http_client=http)
    return AnthropicModel(name, provider=provider)


def failure(error: Exception) -> ModelFailure:
    """What an error of the provider layer means; what is not known is an answer that cannot be used."""
    retry_after = error.retry_after if isinstance(error, ModelAPIError) else None
    for kind, meaning in _MEANINGS:
        if isinstance(error, kind):
            return ModelFailure(meaning, retry_after)
    return ModelFailure("broken")
