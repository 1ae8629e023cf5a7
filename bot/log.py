"""The log: JSON lines with run and session ids, and no secret in any of them."""

import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from channels.config import MASK

SHAPES = re.compile(
    r"bot\d{5,}:[A-Za-z0-9_-]{20,}"  # a Telegram token in a URL
    r"|\b\d{5,}:[A-Za-z0-9_-]{30,}"  # the token itself
    r"|\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}"  # Slack
    r"|\baskfirst_[A-Za-z0-9_-]{40,}"  # the HTTP API
    r"|\bsk-[A-Za-z0-9_-]{16,}"  # model providers
    r"|(?i:\bbearer )\S{8,}"
)

SHORTEST_SECRET = 6
"""A shorter value is too likely to be an ordinary word to be struck out everywhere."""


class Scrubber:
    """Strikes known secrets, and what looks like one, out of everything that is logged."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= SHORTEST_SECRET}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def clean(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(MASK, text)
        return SHAPES.sub(MASK, text)

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {key: self._value(value) for key, value in event.items()}

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, dict):
            return {key: self._value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(inner) for inner in value]
        if value is None or isinstance(value, bool | int | float):
            return value
        return self.clean(str(value))


def set_up(secrets: Iterable[str], *, level: str = "INFO", to: TextIO = sys.stderr) -> None:
    """Send our log and the libraries' through one chain. Libraries that log addresses with tokens keep to warnings."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            Scrubber(secrets),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )
    handler = logging.StreamHandler(to)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for chatty in (
        "httpx",
        "httpx2",
        "httpcore",
        "telegram",
        "aiohttp.access",
        "alembic",
        "procrastinate",
        "openai",
        "mcp",
    ):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    for sdk in ("mcp", "client"):  # MCP's: a traceback for each odd line; what matters of it, we say ourselves
        logging.getLogger(sdk).setLevel(logging.CRITICAL)


def logger(name: str) -> structlog.stdlib.BoundLogger:
    bound: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return bound
