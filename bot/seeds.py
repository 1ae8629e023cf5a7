"""What the configuration creates where it is missing; what admins changed at run time stays."""

import json
from gettext import gettext as _

from bot.closer import SERVICE, Closer
from bot.config.mcp import McpServerConfig
from bot.config.models import Config, GrantConfig, PersonaConfig
from bot.connector import stored_form
from bot.domain import lists
from bot.domain.capability import EVERYONE, Grant, server_of
from bot.domain.persona import Persona
from bot.store import audit, channels, conversations, grants, mcp_servers, outbox, personas, sown, task_tokens
from bot.store.database import Tx
from bot.store.mcp_servers import Server

CONFIG = "config"


def sow(tx: Tx, config: Config, closer: Closer, now: float) -> None:
    """Personas, grants and channels that are new in it; a channel that went from the configuration is cleared."""
    for persona_id in sorted(sown.fresh(tx, "persona", config.personas)):
        personas.put_missing(tx, _persona(persona_id, config.personas[persona_id]))
    _servers(tx, config, now)
    _grants(tx, config, now)
    _channels(tx, config, closer, now)


def reset(tx: Tx, config: Config, closer: Closer, now: float) -> list[str]:
    """Make the store say what the configuration says; what that changed, a line each."""
    changed: list[str] = []
    sown.fresh(tx, "persona", config.personas)
    for persona_id, given in config.personas.items():
        before = personas.find(tx, persona_id)
        wanted = _persona(persona_id, given)
        if before != wanted:
            personas.put(tx, wanted)
            changed.append(_("persona {name} is as configured").format(name=persona_id))
    changed += _reset_servers(tx, config, now)
    sown.fresh(tx, "grant", [_mark(row) for row in config.grants])
    configured = lists.normal([_grant(row, now) for row in config.grants], personas.ids(tx), now)
    wanted_rows = {(row.persona_id, row.capability): row for row in configured}
    for row in grants.everything(tx):
        if (row.persona_id, row.capability) not in wanted_rows:
            grants.remove(tx, row.persona_id, row.capability)
            changed.append(_("grant {who} {what} is gone").format(who=row.persona_id, what=row.capability))
    have = {(row.persona_id, row.capability): row for row in grants.everything(tx)}
    for key, wanted_row in wanted_rows.items():
        stored = have.get(key)
        if stored is None or (stored.effect, stored.until) != (wanted_row.effect, wanted_row.until):
            grants.put(tx, wanted_row)
            changed.append(
                _("grant {who} {what} is {effect}").format(who=key[0], what=key[1], effect=wanted_row.effect)
            )
    _channels(tx, config, closer, now)
    connected = [name for name in config.channels if channels.connect(tx, name)]
    changed += [_("channel {name} is connected").format(name=name) for name in connected]
    audit.record(tx, now, SERVICE, "reset_from_config", CONFIG, {"changed": "; ".join(changed)[:2000] or None})
    return changed


def _grants(tx: Tx, config: Config, now: float) -> None:
    """Rows that are new in the configuration, where there is none yet; of a persona that was deleted none. A denial of a
    server is no row: it takes the persona off the list."""
    grants.hold(tx)
    new = sown.fresh(tx, "grant", [_mark(row) for row in config.grants])
    known = personas.ids(tx)
    rows = [_grant(row, now) for row in config.grants if _mark(row) in new and row.persona in (EVERYONE, *known)]
    denials = [row for row in rows if lists.denies_server(row)]
    for row in rows:
        if row not in denials and grants.put_missing(tx, row):
            audit.record(tx, now, CONFIG, "granted", row.capability, {"persona": row.persona_id, "effect": row.effect})
    for pattern in sorted({row.capability for row in [*denials, *grants.denying_servers(tx)]}):
        stored = grants.of_server(tx, server_of(pattern) or "")
        said = [*stored, *(row for row in denials if row.capability == pattern)]
        grants.replace(tx, stored, lists.normal(said, known, now))
        audit.record(tx, now, CONFIG, "list_set", pattern, {})


def _servers(tx: Tx, config: Config, now: float) -> None:
    for name in sorted(sown.fresh(tx, "server", config.mcp_servers)):
        if mcp_servers.add(tx, _server(name, config.mcp_servers[name], now)):
            audit.record(tx, now, CONFIG, "server_added", name, {})


def _reset_servers(tx: Tx, config: Config, now: float) -> list[str]:
    changed = []
    sown.fresh(tx, "server", config.mcp_servers)
    for name, given in config.mcp_servers.items():
        stored, wanted = mcp_servers.find(tx, name), _server(name, given, now)
        if stored is not None and (stored.spec, stored.enabled, stored.proposed_by) == (
            wanted.spec,
            wanted.enabled,
            None,
        ):
            continue
        if not mcp_servers.add(tx, wanted):
            mcp_servers.change(tx, wanted)
        changed.append(_("MCP server {name} is as configured").format(name=name))
    return changed


def _server(name: str, given: McpServerConfig, now: float) -> Server:
    return Server(name, stored_form(given), given.enabled, None, CONFIG, now)


def _channels(tx: Tx, config: Config, closer: Closer, now: float) -> None:
    for name in config.channels:
        channels.note(tx, name)
    if set(config.channels) <= channels.disconnected(tx):
        for name in config.channels:  # nobody could bring one back: no admin can be heard
            channels.connect(tx, name)
    for name in channels.known(tx):
        if name not in config.channels:
            keys = conversations.of_channel(tx, name)
            closer.clear(tx, keys, SERVICE, _("the channel was removed from the configuration"), now)
            task_tokens.revoke_on(tx, name, now)
            outbox.drop(tx, keys)
            channels.forget(tx, name)


def _persona(persona_id: str, given: PersonaConfig) -> Persona:
    said = (given.display_name, given.model, given.instructions, given.mode, given.default_builtin)
    return Persona(persona_id, *said, given.preload_skills)


def _mark(row: GrantConfig) -> str:
    """A line of the configuration: another effect or end makes it another line."""
    until = None if row.until is None else row.until.timestamp()
    return json.dumps([row.persona, row.capability, row.effect, until])


def _grant(row: GrantConfig, now: float) -> Grant:
    until = None if row.until is None else row.until.timestamp()
    return Grant(row.persona, row.capability, row.effect, until, row.reason, CONFIG, now)
