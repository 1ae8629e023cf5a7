"""MCP servers that a skill wishes for: rows that do nothing until an admin accepts them."""

import json
from gettext import gettext as _

from bot.errors import Impossible
from bot.registrar import Registrar
from bot.store import mcp_servers
from bot.store.database import Tx
from bot.store.mcp_servers import Server
from skills.package import Skill


def propose(tx: Tx, registrar: Registrar, skill: Skill, by: str, now: float) -> list[str]:
    """Enter what it wishes for, `${{backend_url}}` and `${{task_token}}` as they stand: they are filled in for each run and
    stored nowhere. A sentence for each that cannot be entered."""
    told: list[str] = []
    for name, wanted in skill.mcp_servers.items():
        spec = json.dumps(wanted, ensure_ascii=False, sort_keys=True)
        try:
            registrar.add_server(tx, Server(name, spec, False, skill.name, by, now), by, now)
        except Impossible as reason:
            told.append(_("{skill}: its MCP server is not proposed. {reason}").format(skill=skill.name, reason=reason))
    return told


def withdraw(tx: Tx, skill: str) -> None:
    """What a skill that goes has proposed, and nobody has accepted, goes with it."""
    for server in mcp_servers.everything(tx):
        if server.proposed_by == skill:
            mcp_servers.delete(tx, server.name)
