"""Workers: the specialists that tools belong to, as the definitions of the tools say."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from bot.store.database import Tx
from bot.toolbox import Toolbox
from bot.tools.tool import Tool
from bot.web.api.desk import Desk
from bot.web.api.endpoint import ID, Asked, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, listed
from bot.web.errors import refused


class ToolShown(Shown):
    """`input_schema`: JSON Schema of the arguments, as the model sees it."""

    name: str
    capability_id: str
    server: str
    description: str
    input_schema: dict[str, Any]
    mutates_data: bool
    requires_confirmation: bool
    destructive: bool
    idempotent: bool


class Manifest(Shown):
    worker: str
    tools: list[ToolShown]


class ByWorker(Given):
    worker: Annotated[str, Field(pattern=ID)]


def manifests(toolbox: Toolbox) -> list[Manifest]:
    teams: dict[str, list[ToolShown]] = {}
    for tool in toolbox.tools:
        teams.setdefault(tool.specialist, []).append(_shown(tool))
    return [Manifest(worker=worker, tools=tools) for worker, tools in teams.items()]


def _shown(tool: Tool) -> ToolShown:
    return ToolShown(
        name=tool.name,
        capability_id=tool.capability.id,
        server=tool.server,
        description=tool.description,
        input_schema=tool.offer.schema,
        mutates_data=tool.mutates_data,
        requires_confirmation=tool.requires_confirmation,
        destructive=tool.destructive,
        idempotent=tool.idempotent,
    )


def _all(desk: Desk, _tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[Manifest]:
    return listed(manifests(desk.toolbox), asked.query, _same, lambda manifest: manifest.worker)


def _one(desk: Desk, _tx: Tx, asked: Asked[ByWorker, Nothing, Nothing]) -> Manifest:
    found = _named(manifests(desk.toolbox), asked.path.worker)
    if found is None:
        raise refused(404, "unknown_worker", "There is no worker of this name.")
    return found


def _named(known: Iterable[Manifest], worker: str) -> Manifest | None:
    return next((manifest for manifest in known if manifest.worker == worker), None)


def _same(manifest: Manifest) -> Manifest:
    return manifest


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/workers/manifests",
        "The workers and their tools",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[Manifest],
        handler=InTx(_all),
    ),
    Endpoint(
        "GET",
        "/api/workers/manifests/{worker}",
        "One worker",
        "read",
        in_path=ByWorker,
        in_query=Nothing,
        in_body=Nothing,
        answer=Manifest,
        handler=InTx(_one),
    ),
)
