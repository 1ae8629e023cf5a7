"""The table of chat commands: name, arguments, right, help, handler. The same on every channel."""

from gettext import gettext as _

from bot.commands import admins, everyone, granting, servers, skills
from bot.commands.desk import Desk, Entry, Typed
from bot.commands.wording import fact, sentence
from bot.errors import Impossible
from bot.store import audit, personas
from bot.store.buttons import Meaning
from bot.store.database import Tx
from channels.adapter import Receipt
from channels.events import ButtonPress, Command
from channels.outgoing import Listing, Outgoing, plain

MORE_FOR_ADMINS = ("skill", "status")
"""Commands for everyone that tell admins what is not for others."""

ALIASES = {"start": "help"}
"""Telegram sends /start when someone opens the chat for the first time."""


class Commands:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def knows(self, name: str) -> bool:
        """Is this one of the commands, and not words that begin with a slash?"""
        return name in COMMAND_NAMES

    def is_aside(self, event: Command) -> bool:
        """What it says is not for whoever happens to be there: commands of admins, and where admins are told more than
        others. What changes the conversation is told to all who are in it."""
        if any(entry.right == "admin" for entry in TABLE if entry.name == event.name):
            return True
        verb = event.arguments.lower().split()[0] if event.arguments.strip() else ""
        shared = event.name == "skill" and verb and any(each.startswith(verb) for each in ("use", "drop"))
        return event.name in MORE_FOR_ADMINS and not shared and self._desk.house.is_admin(event.sender.id)

    def run(self, tx: Tx, typed: Typed) -> Outgoing | None:
        """The answer; None where silence is right (a command in a group that may be meant for another bot)."""
        name = ALIASES.get(typed.event.name, typed.event.name)
        entry = next((entry for entry in TABLE if entry.name == name), None)
        if entry is None:
            if not typed.event.private and not typed.event.aside:
                return None
            words = _("There is no command {mark}{name}. {mark}help lists them all.")
            return sentence(words.format(mark=typed.event.mark, name=name[:32]))
        if entry.right == "admin" and not self._desk.house.is_admin(typed.event.sender.id):
            audit.record(tx, typed.now, typed.event.sender.id, "command_refused", name, {})
            return sentence(_("{mark}{name} is for admins. Nothing was done.").format(mark=typed.event.mark, name=name))
        try:
            return entry.handler(self._desk, tx, typed)
        except Impossible as reason:
            return sentence(str(reason))

    def press(self, tx: Tx, meaning: Meaning, event: ButtonPress, now: float) -> Receipt:
        """A button of a preview was pressed, or of a card about an MCP server."""
        if meaning.action == "accept_tool":
            return self._desk.surveyor.press(tx, meaning, event.sender, now)
        if meaning.action in ("accept_server", "refuse_server"):
            return servers.answer_proposal(self._desk, tx, meaning, event, now)
        return granting.answer_preview(self._desk, tx, meaning, event, now)


def _help(desk: Desk, tx: Tx, typed: Typed) -> Outgoing:
    admin = desk.house.is_admin(typed.event.sender.id)
    persona = personas.find(tx, typed.persona_id)
    who = persona.display_name if persona else typed.persona_id
    lines = [
        fact(f"{typed.event.mark}{entry.name} {entry.arguments}".strip(), entry.help)
        for entry in TABLE
        if entry.right == "talk" or admin
    ]
    intro = _("I am {who}. Write what you need. Before I change anything I ask, with buttons.").format(who=who)
    return Outgoing((*plain(intro), Listing(tuple(lines))))


TABLE: tuple[Entry, ...] = (
    Entry("help", "", "talk", _("what I can do"), _help),
    Entry("status", "", "talk", _("persona, model, run and waiting approvals"), everyone.status),
    Entry("tools", "", "talk", _("what this persona may use, and why"), everyone.tools),
    Entry("why", "<capability> [persona]", "talk", _("why it may use something, or may not"), everyone.why),
    Entry("new", "", "talk", _("a fresh session"), everyone.new),
    Entry("stop", "", "talk", _("end the run and what is queued"), everyone.stop),
    Entry("pending", "", "talk", _("what waits for a decision"), everyone.pending),
    Entry("persona", "[name]", "talk", _("show or switch the persona"), everyone.persona),
    Entry("skill", skills.USAGE, "talk", _("skills: what there is, use one here; admins switch them"), skills.skill),
    Entry("approve", "<code>", "talk", _("approve what waits; one that waits alone needs no code"), everyone.approve),
    Entry(
        "reject", "<code> [reason]", "talk", _("reject what waits; one that waits alone needs no code"), everyone.reject
    ),
    Entry("grants", "[persona or capability]", "admin", _("who may use what"), granting.grants),
    Entry(
        "grant",
        "<persona or *> <capability> [ask, allow or auto] [for 2h] [because …]",
        "admin",
        _("allow something"),
        granting.grant,
    ),
    Entry("revoke", "<persona or *> <capability>", "admin", _("take something back at once"), granting.revoke),
    Entry("mcp", servers.USAGE, "admin", _("MCP servers: how they are, switch them"), servers.mcp),
    Entry("sessions", "[channel]", "admin", _("the sessions"), admins.sessions),
    Entry("disconnect", "<channel>", "admin", _("switch a channel off and end its sessions"), admins.disconnect),
    Entry("connect", "<channel>", "admin", _("switch a channel on"), admins.connect),
    Entry("audit", "[n]", "admin", _("the latest entries of the audit"), admins.audit),
)

COMMAND_NAMES = frozenset({entry.name for entry in TABLE} | set(ALIASES))
"""What may be typed."""
