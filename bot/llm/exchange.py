"""One request to a provider and its streamed answer. Imported on first use: it loads the provider layer."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from decimal import Decimal

import httpx2
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelResponse, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from bot.llm import budget, clients, messages
from bot.llm.port import Answer, ModelFailure, OnText, Request, Usage

MAKERS = {"openai": clients.openai, "anthropic": clients.anthropic}


class Exchange:
    """A provider's model with its own connections."""

    def __init__(self, provider: str, name: str, base_url: str, api_key: str, timeout_s: float) -> None:
        """ImportError if the provider's library is not installed."""
        self._http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, 10)), follow_redirects=False
        )
        self._model: Model = MAKERS[provider](name, base_url, api_key, self._http)
        # Retries are the caller's: only there /stop is seen between two tries.
        self._settings = ModelSettings(max_retries=0, timeout=timeout_s)

    async def turn(self, request: Request, on_text: OnText) -> Answer:
        """Raises ModelFailure; what `on_text` raises goes through as it is and ends the request."""
        answers: list[ModelResponse] = []
        async with aclosing(self._stream(request, answers)) as pieces:
            async for piece in pieces:
                await on_text(piece)
        return _answer(request, answers[0])

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _stream(self, request: Request, answers: list[ModelResponse]) -> AsyncGenerator[str, None]:
        """The pieces of text as they come; at the end the whole answer is put into `answers`."""
        parameters = ModelRequestParameters(function_tools=messages.tools(request.offers))
        started = False
        try:
            history = messages.sent(request, self._model.system)
            async with model_request_stream(
                self._model,
                history,
                model_settings=self._settings,
                model_request_parameters=parameters,
                instrument=False,
            ) as stream:
                async for event in stream:
                    piece = _piece(event)
                    if not piece:
                        continue
                    if isinstance(event, PartStartEvent) and started:
                        yield "\n\n"
                    started = True
                    yield piece
            answers.append(stream.get())
        except Exception as error:
            # The layer lets bare IndexErrors and the like of odd answers through.
            raise clients.failure(error) from error


def _piece(event: object) -> str:
    """The text that an event adds; events of kinds not known here add none."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _answer(request: Request, response: ModelResponse) -> Answer:
    response = messages.with_own_ids(response)
    text, calls = messages.text(response), messages.calls(response)
    if not text.strip() and not calls:
        raise ModelFailure("rejected" if response.finish_reason == "content_filter" else "broken")
    usage = _usage(request, response, text)
    return Answer(
        text=text,
        calls=calls,
        usage=usage,
        cost=None if usage.estimated else _cost(response),
        cut=_is_cut(response),
        native=messages.native(response),
    )


def _is_cut(response: ModelResponse) -> bool:
    """At a length limit, or by a stream that ended without saying why (the layer then calls it "stop")."""
    said_why = "finish_reason" in (response.provider_details or {})
    return response.finish_reason == "length" or not said_why


def _usage(request: Request, response: ModelResponse, text: str) -> Usage:
    counted = response.usage
    if counted.input_tokens or counted.output_tokens:
        return Usage(counted.input_tokens, counted.output_tokens)
    written = text + "".join(call.name + call.raw for call in messages.calls(response))
    return Usage(budget.of_request(request), budget.estimate(written), estimated=True)


def _cost(response: ModelResponse) -> Decimal | None:
    try:
        return response.cost().total_price
    except (LookupError, ValueError, AssertionError):  # unknown model, or a price that cannot be worked out
        return None
