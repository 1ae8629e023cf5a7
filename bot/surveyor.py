"""Holds what MCP servers tell of their tools against what was looked at when they were granted, and asks admins about what
is different. Until then a tool that changed is not called."""

import json
from collections.abc import Collection, Sequence
from gettext import gettext as _

from bot.approver import Approver
from bot.cards import moment
from bot.clock import new_id, new_token
from bot.closer import SERVICE
from bot.domain.access import House
from bot.domain.capability import Grant, server_pattern
from bot.domain.definitions import changes
from bot.foreign import Catalogue, McpTool
from bot.prompt import one_line
from bot.store import approvals, audit, buttons, grants, outbox, pins
from bot.store.buttons import Meaning
from bot.store.database import Tx
from bot.store.pins import Pin
from channels.adapter import Receipt
from channels.events import Conversation, Sender
from channels.outgoing import Button, Code, Outgoing, Paragraph, Span, plain
from channels.text.characters import visible


class Surveyor:
    def __init__(self, house: House, catalogue: Catalogue, approver: Approver, reachable: Collection[str]) -> None:
        """`reachable`: names of the channels that are configured."""
        self._house = house
        self._catalogue = catalogue
        self._approver = approver
        self._reachable = frozenset(reachable)

    def survey(self, tx: Tx, server: str, now: float) -> None:
        """A server was connected, or tells of other tools: enter what nobody has seen, and ask about what has changed."""
        known = pins.of_servers(tx, {server})
        rows = grants.of_server(tx, server)
        pattern = server_pattern(server)
        for tool in (each for each in self._catalogue.tools() if each.server == server):
            pin = known.get(tool.capability.id)
            given = [row for row in rows if row.capability in (tool.capability.id, pattern) and row.gives(now)]
            if pin is None:
                late = pattern in known and any(row.capability == pattern for row in given)
                pins.put(tx, _pin(tool, SERVICE, now, new_since=now if late else None))
            elif pin.fingerprint != tool.fingerprint:
                self._changed(tx, tool, pin, given, now)
        if pattern not in known:
            pins.put(tx, Pin(pattern, server, "", "{}", None, None, SERVICE, now))

    def press(self, tx: Tx, meaning: Meaning, by: Sender, now: float) -> Receipt:
        """An admin takes a tool as it is now."""
        if not self._house.is_admin(by.id):
            return Receipt(_("Only an admin may decide this. Nothing changed."), alert=True)
        wanted = json.loads(meaning.subject)
        tool = next((each for each in self._catalogue.tools() if each.capability.id == wanted["tool"]), None)
        if tool is None:
            return Receipt(_("Its server is not connected just now. Nothing changed."), alert=True)
        if tool.fingerprint != wanted["fingerprint"]:
            return Receipt(_("It has changed once more since. Nothing changed: look at the newer card."), alert=True)
        if not buttons.remove_subject(tx, meaning.subject):
            return Receipt(_("This was answered before. Nothing changed."), alert=True)
        pins.put(tx, _pin(tool, by.id, now))
        audit.record(tx, now, by.id, "tool_accepted", tool.capability.id, {"fingerprint": tool.fingerprint})
        line = _("{tool} was accepted as it is now by {by}, {time}.").format(
            tool=tool.capability.id, by=one_line(by.name), time=moment(now)
        )
        for post in outbox.about(tx, _subject(tool)):
            outbox.amend(tx, post, Outgoing(plain(line)))
        return Receipt(line)

    def _changed(self, tx: Tx, tool: McpTool, pin: Pin, given: Sequence[Grant], now: float) -> None:
        """What was granted to nobody may change as it likes."""
        if not given:
            pins.put(tx, _pin(tool, SERVICE, now))
            return
        if not pins.mark_told(tx, pin.capability, tool.fingerprint):
            return
        audit.record(
            tx, now, SERVICE, "tool_changed", pin.capability, {"was": pin.fingerprint, "now": tool.fingerprint}
        )
        for approval in approvals.pending_for(tx, pin.capability):
            self._approver.cancel(tx, approval, _("the tool has changed"), now)
        self._ask(tx, tool, pin, now)

    def _ask(self, tx: Tx, tool: McpTool, pin: Pin, now: float) -> None:
        difference = changes(pin.definition, tool.told)
        told = _(
            "The MCP server {server} has changed its tool {tool} since it was granted. It is suspended: no persona can call it "
            "until an admin accepts it as it is now, or grants it anew. What is different:"
        ).format(server=tool.server, tool=visible(one_line(tool.name)))
        blocks = (Paragraph((Span(told),)), Code(visible(difference.text)))
        card = (
            Outgoing(blocks, self._accepting(tx, tool, now))
            if difference.whole
            else Outgoing((*blocks, _in_part(tool)))
        )
        for admin in sorted(self._house.admins):
            channel, _colon, user = admin.partition(":")
            if channel in self._reachable:
                key = f"changed:{new_id('m')}"
                outbox.post(tx, key, Conversation(channel, user), card, now, subject=_subject(tool))

    def _accepting(self, tx: Tx, tool: McpTool, now: float) -> tuple[tuple[Button, ...], ...]:
        token = new_token()
        subject = json.dumps({"tool": tool.capability.id, "fingerprint": tool.fingerprint})
        buttons.add(tx, token, Meaning("accept_tool", subject), now)
        return ((Button(_("Accept as it is now"), token, "primary"),),)


def _in_part(tool: McpTool) -> Paragraph:
    """Nobody accepts what they have seen a part of."""
    words = _(
        "It is too much to be shown here whole, so it cannot be accepted here. Look at all of it with "
        "GET /api/mcp/tools, and grant {tool} anew."
    )
    return Paragraph((Span(words.format(tool=visible(one_line(tool.name)))),))


def look(tx: Tx, tools: Sequence[McpTool], by: str, now: float, *, anew: bool) -> None:
    """Somebody granted these as they are now. `anew`: also those that were seen otherwise before, or came late."""
    known = pins.of_servers(tx, {tool.server for tool in tools})
    for tool in tools:
        pin = known.get(tool.capability.id)
        if pin is None or (anew and (pin.fingerprint != tool.fingerprint or pin.new_since is not None)):
            pins.put(tx, _pin(tool, by, now))


def _pin(tool: McpTool, by: str, now: float, new_since: float | None = None) -> Pin:
    return Pin(tool.capability.id, tool.server, tool.fingerprint, tool.told, new_since, None, by, now)


def _subject(tool: McpTool) -> str:
    return f"changed:{tool.capability.id}"
