"""Channels: how they are, and switching them on and off."""

from bot.errors import Unknown
from bot.store import channels
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Asked, ByName, Endpoint, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, listed


class ChannelShown(Shown):
    """`state`: as it said last on the machine that answers; `disconnected` while an admin keeps it off."""

    name: str
    type: str
    state: str
    detail: str
    since: float | None


def _shown(desk: Desk, name: str, off: set[str]) -> ChannelShown:
    part = desk.health.parts.get(f"channel:{name}")
    if name in off or part is None:
        since = part.since if part is not None and part.state == "disconnected" else None
        return ChannelShown(
            name=name,
            type=desk.channels[name],
            state="disconnected" if name in off else "connecting",
            detail="",
            since=since,
        )
    state = "connecting" if part.state == "disconnected" else part.state
    return ChannelShown(
        name=name, type=desk.channels[name], state=state, detail=desk.clean(part.detail), since=part.since
    )


def _all(desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[ChannelShown]:
    off = channels.disconnected(tx)
    return listed(list(desk.channels), asked.query, lambda name: _shown(desk, name, off), str)


def _connect(desk: Desk, tx: Tx, asked: Asked[ByName, Nothing, Nothing]) -> ChannelShown:
    desk.admin.connect(tx, _known(desk, asked.path.name), asked.by.who, asked.now)
    return _shown(desk, asked.path.name, channels.disconnected(tx))


def _disconnect(desk: Desk, tx: Tx, asked: Asked[ByName, Nothing, Nothing]) -> ChannelShown:
    """One that is off stays off, and nothing is done."""
    name = _known(desk, asked.path.name)
    if name not in channels.disconnected(tx):
        desk.admin.disconnect(tx, name, asked.by.who, asked.now)
    return _shown(desk, name, channels.disconnected(tx))


def _known(desk: Desk, name: str) -> str:
    """Raises Unknown."""
    if name not in desk.channels:
        raise Unknown(f"There is no channel {name}.", "unknown_channel")
    return name


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/channels",
        "The channels",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[ChannelShown],
        handler=InTx(_all),
    ),
    Endpoint(
        "POST",
        "/api/channels/{name}/connect",
        "Switch a channel on",
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=Nothing,
        answer=ChannelShown,
        handler=InTx(_connect),
    ),
    Endpoint(
        "POST",
        "/api/channels/{name}/disconnect",
        "Switch a channel off: its runs, cards, queue and sessions end",
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=Nothing,
        answer=ChannelShown,
        handler=InTx(_disconnect),
    ),
)
