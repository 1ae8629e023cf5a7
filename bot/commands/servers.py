"""The command about MCP servers. They are made in the configuration, by a skill that wishes for one, or by the API."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext

from pydantic import ValidationError

from bot.clock import new_token
from bot.commands.desk import LISTED, Desk, Typed
from bot.commands.wording import completed, fact, sentence
from bot.config.environment import Filler
from bot.config.masking import masked
from bot.connector import in_words, spec_of
from bot.domain.capability import EVERYONE
from bot.errors import Impossible
from bot.store import buttons, mcp_servers, outbox, pins
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.store.mcp_servers import Server
from channels.adapter import Receipt
from channels.events import ButtonPress
from channels.outgoing import Block, Button, Code, Listing, Outgoing, plain
from channels.text.characters import visible

USAGE = "[list, show, enable, disable, reload or test] <server>"

TOLD = 600
"""Characters of what a server itself says, in a chat."""

SHOWN_WHOLE = 2_000
"""Characters of what would be started or reached: nobody accepts what they have seen a part of."""


@dataclass(frozen=True, slots=True)
class _Asked:
    desk: Desk
    tx: Tx
    typed: Typed
    words: tuple[str, ...]

    @property
    def server(self) -> Server:
        """Raises Impossible, naming what is near."""
        every = {server.name: server for server in mcp_servers.everything(self.tx)}
        if not every:
            raise Impossible(_("There is no MCP server yet. Put one into mcpServers in the configuration."))
        return every[completed(self.words[0] if self.words else "", list(every), _("MCP server"))]


def mcp(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    verb, *words = typed.event.arguments.split() or ["list"]
    known = completed(verb.lower(), list(_VERBS), _("command for MCP servers"))
    return _VERBS[known](_Asked(desk, tx, typed, tuple(words)))


def answer_proposal(desk: Desk, tx: Tx, meaning: Meaning, event: ButtonPress, now: float) -> Receipt:
    """A server that a skill wishes for is accepted, or left alone."""
    if not desk.house.is_admin(event.sender.id):
        return Receipt(_("Only an admin may decide this. Nothing changed."), alert=True)
    shown = json.loads(meaning.subject)
    server = mcp_servers.find(tx, shown["name"])
    if server is None or server.registered or server.spec != shown["spec"]:
        return Receipt(_("This is not what is proposed any more. Nothing changed."), alert=True)
    if not buttons.remove_subject(tx, meaning.subject):
        return Receipt(_("This was answered before. Nothing changed."), alert=True)
    line = _("{name} was left alone.").format(name=server.name)
    if meaning.action == "accept_server":
        desk.admin.registrar.switch_server(tx, server.name, True, event.sender.id, now)
        line = _("{name} was accepted and is being connected.").format(name=server.name)
    for post in outbox.by_ref(tx, event.message):
        outbox.amend(tx, post, sentence(line))
    return Receipt(line)


def _list(asked: _Asked) -> Outgoing:
    every = mcp_servers.everything(asked.tx)
    if not every:
        return sentence(
            _("There is no MCP server. Put one into mcpServers in the configuration, or send it by the API.")
        )
    lines = [fact(server.name, _state(asked, server)) for server in every[:LISTED]]
    blocks: list[Block] = [Listing(tuple(lines))]
    if len(every) > LISTED:
        blocks += plain(_("… and {count} more.").format(count=len(every) - LISTED))
    return Outgoing(tuple(blocks))


def _show(asked: _Asked) -> Outgoing:
    server = asked.server
    status = asked.desk.status(server)
    facts = [
        (_("State"), _state(asked, server)),
        *_told(server),
        (_("Who may use it"), _allowed(asked, server)),
        (_("Tools"), _tools(asked, server)),
        (_("Look twice"), _oddities(asked, server)),
        (_("Trouble"), status.error),
        (_("Exit code"), "" if status.exit_code is None else str(status.exit_code)),
        (_("Not taken"), " ".join(status.rejected)),
    ]
    listing = Listing(tuple(fact(name, visible(value)[:TOLD]) for name, value in facts if value))
    tail = (Code(visible(status.stderr_tail)[-TOLD:]),) if status.stderr_tail and status.state == "error" else ()
    return Outgoing((listing, *tail))


def _enable(asked: _Asked) -> Outgoing:
    server = asked.server
    if not server.registered:
        return _proposal(asked, server)
    if server.enabled:
        return sentence(in_words(server.name, asked.desk.status(server)))
    asked.desk.admin.registrar.switch_server(asked.tx, server.name, True, asked.typed.event.sender.id, asked.typed.now)
    return sentence(_switched_on(server.name, asked.typed.event.mark))


def _disable(asked: _Asked) -> Outgoing:
    server = asked.server
    if not server.enabled:
        return sentence(_("{name} is disabled already.").format(name=server.name))
    asked.desk.admin.registrar.switch_server(asked.tx, server.name, False, asked.typed.event.sender.id, asked.typed.now)
    words = _(
        "{name} is disabled: nothing of it is called any more, what waited for it is closed, and its process ends."
    )
    return sentence(words.format(name=server.name))


def _reload(asked: _Asked) -> Outgoing:
    server = asked.server
    if not server.enabled:
        words = _("{name} is disabled, so there is nothing to reload. {mark}mcp enable {name} connects it.")
        raise Impossible(words.format(name=server.name, mark=asked.typed.event.mark))
    asked.tx.tell("server", f"reload {server.name} {asked.typed.event.where.key}")
    return sentence(_("{name} is let go and connected anew; the outcome is told here.").format(name=server.name))


def _test(asked: _Asked) -> Outgoing:
    server = asked.server
    if not server.registered:
        raise Impossible(_("{name} is only proposed by a skill: nothing of it runs.").format(name=server.name))
    asked.tx.tell("server", f"test {server.name} {asked.typed.event.where.key}")
    return sentence(_("{name} is tried; the outcome is told here.").format(name=server.name))


def _proposal(asked: _Asked, server: Server) -> Outgoing:
    """What accepting it would start or reach, before it does."""
    try:
        spec_of(server)
    except ValidationError as error:
        words = _("What the skill {skill} wishes for as {name} cannot be understood, so it cannot be accepted.")
        raise Impossible(words.format(skill=server.proposed_by, name=server.name)) from error
    told = visible("; ".join(f"{name}: {value}" for name, value in _told(server)))
    if len(told) > SHOWN_WHOLE:
        words = _(
            "What the skill {skill} wishes for as {name} is too long to be shown here whole, so it cannot be accepted here. "
            "Look at it with GET /api/mcp/servers/{name}, and enable it there."
        )
        raise Impossible(words.format(skill=server.proposed_by, name=server.name))
    words = _("The skill {skill} wishes for the MCP server {name}. {told}. Accept it, and connect it?")
    text = words.format(skill=server.proposed_by, name=server.name, told=told)
    tokens = (new_token(), new_token())
    subject = json.dumps({"name": server.name, "spec": server.spec, "nonce": tokens[0]})
    buttons.add(asked.tx, tokens[0], Meaning("accept_server", subject), asked.typed.now)
    buttons.add(asked.tx, tokens[1], Meaning("refuse_server", subject), asked.typed.now)
    rows = ((Button(_("Accept"), tokens[0], "primary"), Button(_("Leave it"), tokens[1], "plain")),)
    return Outgoing(plain(text), rows)


def _state(asked: _Asked, server: Server) -> str:
    if not server.registered:
        return _("proposed by the skill {skill}; nothing of it runs").format(skill=server.proposed_by)
    status = asked.desk.status(server)
    words = {
        "disabled": _("disabled"),
        "starting": _("being connected"),
        "connected": ngettext("connected, {count} tool", "connected, {count} tools", status.tools),
        "error": _("not connected: {trouble}"),
    }[status.state]
    return visible(words.format(count=status.tools, trouble=status.error))[:TOLD]


def _told(server: Server) -> list[tuple[str, str]]:
    """How it is started or reached, without its secrets."""
    try:
        shown = masked(spec_of(server))
    except ValidationError:
        return [(_("Trouble"), _("what is stored of it cannot be understood"))]
    command = " ".join((shown["command"], *shown["args"]))
    address = shown["url"] if shown["transport"] != "stdio" else command
    given = ", ".join(f"{name}={value}" for name, value in {**shown["env"], **shown["headers"]}.items())
    facts = [
        (_("Reached by"), f"{shown['transport']}, {address}"),
        (_("Runs in"), shown["cwd"]),
        (_("Is given"), given),
        (_("Takes from our environment"), ", ".join(dict.fromkeys(Filler.references(server.spec)))),
        (_("May reach"), _("private and loopback addresses") if shown["allow_private"] else ""),
        (_("What for"), shown["description"]),
    ]
    return [(name, value) for name, value in facts if value]


def _allowed(asked: _Asked, server: Server) -> str:
    if not server.registered:
        return ""
    allowed = asked.desk.admin.assignments.allowed(asked.tx, server.name, asked.typed.now)
    if EVERYONE in allowed:
        return _("everyone")
    return ", ".join(allowed) or _("nobody: {mark}grant PERSONA mcp/{name}/*").format(
        mark=asked.typed.event.mark, name=server.name
    )


def _tools(asked: _Asked, server: Server) -> str:
    """Each with what sets it apart."""
    known = pins.of_servers(asked.tx, {server.name})
    named = []
    for tool in asked.desk.admin.granter.inventory.tools_of(server.name):
        pin = known.get(tool.capability.id)
        marks = [_("reads")] if tool.capability.reads else []
        if pin is not None and pin.fingerprint != tool.fingerprint:
            marks.append(_("changed, suspended"))
        elif pin is not None and pin.new_since is not None:
            marks.append(_("new"))
        named.append(f"{tool.name} ({', '.join(marks)})" if marks else tool.name)
    return ", ".join(named)


def _oddities(asked: _Asked, server: Server) -> str:
    tools = asked.desk.admin.granter.inventory.tools_of(server.name)
    return " ".join(f"{tool.name}: {' '.join(tool.flags)}" for tool in tools if tool.flags)


def _switched_on(name: str, mark: str) -> str:
    words = _("{name} is enabled and is being connected. {mark}mcp show {name} tells how it is.")
    return words.format(name=name, mark=mark)


_VERBS: Mapping[str, Callable[[_Asked], Outgoing]] = {
    "list": _list,
    "show": _show,
    "enable": _enable,
    "disable": _disable,
    "reload": _reload,
    "test": _test,
}
