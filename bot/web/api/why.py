"""Why a persona may use something, or may not."""

from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ById, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.values import CapabilityId
from bot.why import Chain, Link


class About(Given):
    capability: CapabilityId


class StepShown(Shown):
    link: Link
    ok: bool
    text: str


class ChainShown(Shown):
    """`holds`: it may be used now. `remedy`: a command without its mark; empty where nothing is to be done."""

    persona_id: str
    capability_id: str
    holds: bool
    steps: list[StepShown]
    remedy: str


def _why(desk: Desk, tx: Tx, asked: Asked[ById, About, Nothing]) -> ChainShown:
    return _shown(desk.explainer.why(tx, asked.path.id, asked.query.capability, asked.now), desk)


def _shown(chain: Chain, desk: Desk) -> ChainShown:
    return ChainShown(
        persona_id=chain.persona_id,
        capability_id=chain.capability_id,
        holds=chain.holds,
        steps=[StepShown(link=step.link, ok=step.ok, text=desk.clean(step.text)) for step in chain.steps],
        remedy=chain.remedy,
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/personas/{id}/why",
        "Why a persona may use something, or may not",
        "read",
        in_path=ById,
        in_query=About,
        in_body=Nothing,
        answer=ChainShown,
        handler=InTx(_why),
    ),
)
