"""What the configuration creates where it is missing; what admins changed at run time stays."""

from gettext import gettext as _

from bot.closer import SERVICE, Closer
from bot.config.models import Config, GrantConfig, PersonaConfig
from bot.domain.capability import Grant
from bot.domain.persona import Persona
from bot.store import audit, channels, conversations, grants, outbox, personas
from bot.store.database import Tx

CONFIG = "config"


def sow(tx: Tx, config: Config, closer: Closer, now: float) -> None:
    """Personas, grants and channels that are new; a channel that went from the configuration is cleared."""
    for persona_id, given in config.personas.items():
        personas.put_missing(tx, _persona(persona_id, given))
    for row in config.grants:
        grants.put_missing(tx, _grant(row, now))
    _channels(tx, config, closer, now)


def reset(tx: Tx, config: Config, closer: Closer, now: float) -> list[str]:
    """Make the store say what the configuration says; what that changed, a line each."""
    changed: list[str] = []
    for persona_id, given in config.personas.items():
        wanted = _persona(persona_id, given)
        if personas.find(tx, persona_id) != wanted:
            personas.put(tx, wanted)
            changed.append(_("persona {name} is as configured").format(name=persona_id))
    wanted_rows = {(row.persona, row.capability): _grant(row, now) for row in config.grants}
    for row in grants.everything(tx):
        if (row.persona_id, row.capability) not in wanted_rows:
            grants.remove(tx, row.persona_id, row.capability)
            changed.append(_("grant {who} {what} is gone").format(who=row.persona_id, what=row.capability))
    have = {(row.persona_id, row.capability): row for row in grants.everything(tx)}
    for key, wanted_row in wanted_rows.items():
        before = have.get(key)
        if before is None or (before.effect, before.until) != (wanted_row.effect, wanted_row.until):
            grants.put(tx, wanted_row)
            changed.append(
                _("grant {who} {what} is {effect}").format(who=key[0], what=key[1], effect=wanted_row.effect)
            )
    _channels(tx, config, closer, now)
    connected = [name for name in config.channels if channels.connect(tx, name)]
    changed += [_("channel {name} is connected").format(name=name) for name in connected]
    audit.record(tx, now, SERVICE, "reset_from_config", CONFIG, {"changed": "; ".join(changed)[:2000] or None})
    return changed


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
            outbox.drop(tx, keys)
            channels.forget(tx, name)


def _persona(persona_id: str, given: PersonaConfig) -> Persona:
    return Persona(persona_id, given.display_name, given.model, given.instructions, given.mode, given.default_builtin)


def _grant(row: GrantConfig, now: float) -> Grant:
    until = None if row.until is None else row.until.timestamp()
    return Grant(row.persona, row.capability, row.effect, until, row.reason, CONFIG, now)
