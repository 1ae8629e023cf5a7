"""Keeps the register of personas and MCP servers: makes them, changes them, and takes them away with all that hangs on
them, so that a namesake starts with nothing."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from gettext import gettext as _

from bot.closer import Closer
from bot.domain.capability import DefaultBuiltin, is_server_name, server_pattern
from bot.domain.persona import LONGEST_NAME, Mode, Persona, is_persona_id
from bot.errors import Impossible, InUse, Taken, Unknown
from bot.granter import Granter
from bot.store import audit, grants, mcp_servers, personas
from bot.store.database import Tx
from bot.store.mcp_servers import Server


@dataclass(frozen=True, slots=True)
class PersonaChanges:
    """What is to be different; None leaves it as it is."""

    display_name: str | None = None
    model: str | None = None
    instructions: str | None = None
    mode: Mode | None = None
    default_builtin: DefaultBuiltin | None = None
    preload_skills: tuple[str, ...] | None = None


class Registrar:
    def __init__(self, granter: Granter, closer: Closer, models: Collection[str], answering: Mapping[str, str]) -> None:
        """`models`: names of those that are configured. `answering`: the persona of each configured channel."""
        self._granter = granter
        self._closer = closer
        self._models = frozenset(models)
        self._answering = answering

    # Personas

    def create_persona(self, tx: Tx, persona: Persona, by: str, now: float) -> None:
        """Raises Impossible (a bad name), Taken or Unknown (model, skill), and then nothing changed."""
        if not is_persona_id(persona.id):
            words = _("{name} is no name for a persona: a small letter, then up to 31 small letters, digits, _ or -.")
            raise Impossible(words.format(name=persona.id[:80] or "–"), "bad_name", "id")
        grants.hold(tx)  # who is known now is read and written back there
        self._check(tx, persona, [field.name for field in fields(persona)])
        if not personas.put_missing(tx, persona):
            words = _("There is a persona {name} already. Nothing changed.")
            raise Taken(words.format(name=persona.id), "persona_taken", "id")
        audit.record(tx, now, by, "persona_created", persona.id, {"model": persona.model})

    def change_persona(self, tx: Tx, persona_id: str, changes: PersonaChanges, by: str, now: float) -> Persona:
        """The persona as it is afterwards. What it waits for and may no longer do is closed. Raises Unknown or
        Impossible, and then nothing changed."""
        grants.hold(tx)
        before = self._persona(tx, persona_id)
        given = {field.name: getattr(changes, field.name) for field in fields(changes)}
        wanted = replace(before, **{name: value for name, value in given.items() if value is not None})
        changed = [field.name for field in fields(wanted) if getattr(before, field.name) != getattr(wanted, field.name)]
        if not changed:
            return before
        self._check(tx, wanted, changed)
        personas.put(tx, wanted)
        audit.record(tx, now, by, "persona_changed", persona_id, {"fields": ", ".join(changed)})
        self._granter.recheck_persona(tx, persona_id, _("the persona was changed"), now)
        return wanted

    def delete_persona(self, tx: Tx, persona_id: str, by: str, now: float) -> None:
        """With its grants, sessions, runs, and what it knows and remembers. Raises Unknown, or InUse while a channel of the
        configuration is answered by it: there would be nobody to answer."""
        grants.hold(tx)
        self._persona(tx, persona_id)
        channels = sorted(name for name, answers in self._answering.items() if answers == persona_id)
        if channels:
            words = _(
                "{persona} answers on {channels}, as the configuration says, so it stays. Name another persona there "
                "and start the service again; then delete it. Nothing changed."
            )
            raise InUse(words.format(persona=persona_id, channels=", ".join(channels)), "in_use", "id")
        ended = self._closer.persona_gone(tx, persona_id, by, _("the persona was deleted"), now)
        rows = grants.remove_persona(tx, persona_id)
        personas.delete(tx, persona_id)
        audit.record(tx, now, by, "persona_deleted", persona_id, {"sessions": str(ended), "grants": str(rows)})

    # Servers and skills

    def add_server(self, tx: Tx, server: Server, by: str, now: float) -> None:
        """Raises Impossible (a bad name) or Taken, and then nothing changed."""
        if not is_server_name(server.name):
            words = _("{name} is no name for a server: up to 64 letters, digits, _ or -. Nothing changed.")
            raise Impossible(words.format(name=server.name[:80] or "–"), "bad_name", "name")
        if not mcp_servers.add(tx, server):
            words = _("There is an MCP server {name} already. Nothing changed.")
            raise Taken(words.format(name=server.name), "server_taken", "name")
        action = "server_added" if server.registered else "server_proposed"
        audit.record(tx, now, by, action, server.name, {"for": server.proposed_by})
        tx.tell("server", f"settle {server.name}")

    def change_server(self, tx: Tx, server: Server, by: str, now: float) -> None:
        """Make the row of this name say this. What waits for one that is switched off, or is another by now, is closed.
        Raises Unknown."""
        grants.hold(tx)
        before = self._server(tx, server.name)
        mcp_servers.change(tx, server)
        changed = [field.name for field in fields(server) if getattr(before, field.name) != getattr(server, field.name)]
        if not changed:
            return
        audit.record(tx, now, by, "server_changed", server.name, {"fields": ", ".join(changed)})
        tx.tell("server", f"settle {server.name}")
        if before.enabled and not server.enabled:
            reason = _("the server {name} was disabled").format(name=server.name)
            self._granter.close_waiting(tx, server_pattern(server.name), reason, now)
        elif before.spec != server.spec:
            reason = _("the server {name} was changed").format(name=server.name)
            self._granter.close_waiting(tx, server_pattern(server.name), reason, now)

    def server(self, tx: Tx, name: str) -> Server:
        """Also one that is only proposed. Raises Unknown."""
        return self._server(tx, name)

    def respecify_server(self, tx: Tx, name: str, spec: str, by: str, now: float) -> None:
        """Another way of reaching it. Raises Unknown."""
        self.change_server(tx, replace(self._server(tx, name), spec=spec), by, now)

    def switch_server(self, tx: Tx, name: str, enabled: bool, by: str, now: float) -> Server:
        """On or off, as it is afterwards. One that a skill wished for is accepted by being switched on. Raises Unknown."""
        before = self._server(tx, name)
        after = replace(before, enabled=enabled, proposed_by=None if enabled else before.proposed_by)
        self.change_server(tx, after, by, now)
        return after

    def delete_server(self, tx: Tx, name: str, by: str, now: float) -> None:
        """With its grants. Raises Unknown."""
        grants.hold(tx)
        self._server(tx, name)
        reason = _("the server {name} was deleted").format(name=name)
        rows = self._granter.forget(tx, server_pattern(name), reason, now)
        mcp_servers.delete(tx, name)
        audit.record(tx, now, by, "server_deleted", name, {"grants": str(rows)})
        tx.tell("server", f"settle {name}")

    def forget_skill(self, tx: Tx, name: str, now: float) -> int:
        """A skill was deleted: who had it granted, preloaded or chosen has it no more, nor one of the same name. How many
        grants there were."""
        grants.hold(tx)
        rows = self._granter.forget(tx, f"skill/{name}", _("the skill {name} was deleted").format(name=name), now)
        personas.forget_skill(tx, name)
        return rows

    def _check(self, tx: Tx, persona: Persona, changed: Collection[str]) -> None:
        """What is not changed is not looked at: a model may have left the configuration since."""
        if "display_name" in changed and not 0 < len(persona.display_name.strip()) <= LONGEST_NAME:
            words = _("A persona needs a name to show, of at most {most} characters. Nothing changed.")
            raise Impossible(words.format(most=LONGEST_NAME), "bad_display_name", "display_name")
        if "model" in changed and persona.model not in self._models:
            words = _("There is no model {name}. There is: {known}. Nothing changed.")
            known = ", ".join(sorted(self._models))
            raise Unknown(words.format(name=persona.model[:80], known=known), "unknown_model", "model")
        skills = self._granter.inventory.skill_names(tx)
        unknown = [name for name in persona.preload_skills if name not in skills]
        if "preload_skills" in changed and unknown:
            words = _("There is no skill {names}. Nothing changed.")
            raise Unknown(words.format(names=", ".join(unknown)[:400]), "unknown_skill", "preload_skills")

    def _persona(self, tx: Tx, persona_id: str) -> Persona:
        persona = personas.find(tx, persona_id)
        if persona is None:
            words = _("There is no persona {name}. Nothing changed.")
            raise Unknown(words.format(name=persona_id[:80]), "unknown_persona", "persona_id")
        return persona

    def _server(self, tx: Tx, name: str) -> Server:
        server = mcp_servers.find(tx, name)
        if server is None:
            words = _("There is no MCP server {name}. Nothing changed.")
            raise Unknown(words.format(name=name[:80]), "unknown_server", "name")
        return server
