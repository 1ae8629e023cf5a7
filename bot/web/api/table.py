"""The table of the API, written out."""

from importlib.metadata import version
from typing import Any

from pydantic import RootModel

from bot.store.database import Tx
from bot.web.api import (
    approvals,
    assignments,
    audit,
    calls,
    capabilities,
    channels,
    events,
    mcp_servers,
    openapi,
    personas,
    runs,
    sessions,
    skills,
    task_tokens,
    why,
    workers,
)
from bot.web.api.desk import Desk
from bot.web.api.endpoint import AnyEndpoint, Asked, Endpoint, InTx, Nothing


class Document(RootModel[dict[str, Any]]):
    """An OpenAPI document."""


def _document(_desk: Desk, _tx: Tx, _asked: Asked[Nothing, Nothing, Nothing]) -> Document:
    return Document(openapi.document(TABLE, version("askfirst")))


TABLE: tuple[AnyEndpoint, ...] = (
    Endpoint(
        "GET",
        "/api/openapi.json",
        "This document",
        "read",
        in_path=Nothing,
        in_query=Nothing,
        in_body=Nothing,
        answer=Document,
        handler=InTx(_document),
    ),
    *personas.ENDPOINTS,
    *capabilities.ENDPOINTS,
    *why.ENDPOINTS,
    *assignments.ENDPOINTS,
    *skills.ENDPOINTS,
    *mcp_servers.ENDPOINTS,
    *workers.ENDPOINTS,
    *channels.ENDPOINTS,
    *sessions.ENDPOINTS,
    *runs.ENDPOINTS,
    *calls.ENDPOINTS,
    *events.ENDPOINTS,
    *approvals.ENDPOINTS,
    *task_tokens.ENDPOINTS,
    *audit.ENDPOINTS,
)
