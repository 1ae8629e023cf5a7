"""Makes and revokes task tokens: with one, another program acts for a persona, within what the persona may do."""

import secrets
from collections.abc import Collection
from gettext import gettext as _

from bot.clock import new_id
from bot.domain.capability import EVERYONE
from bot.domain.run import Run
from bot.domain.task_token import TaskToken
from bot.errors import Impossible, Unknown
from bot.store import audit, channels, outside, personas, runs, task_tokens
from bot.store.database import Tx
from channels.events import Conversation

PREFIX = "askfirst_task_"
"""What a secret begins with, so that it is known for one wherever it turns up."""

LONGEST_S = 7 * 24 * 3600.0
"""However long a run waits for people, what it gave away ends after a week."""

LISTED_S = 3650 * 24 * 3600.0
"""A token for listing ends when its server is let go of, however long that takes."""

Minted = tuple[TaskToken, str]
"""A token and its secret, which is nowhere else."""


def for_run(tx: Tx, run: Run, by: str, now: float) -> Minted:
    """For what works within a run: all that its persona may use, until the run ends."""
    return _mint(tx, _token(run.persona_id, run.user, run.id, None, None, by, now, LONGEST_S), now)


def for_run_named(
    tx: Tx, run_id: str, capabilities: Collection[str] | None, by: str, now: float, ttl_s: float
) -> Minted:
    """Raises Unknown, or Impossible for a run that has ended or is itself a call of another program."""
    run = runs.find(tx, run_id)
    if run is None:
        raise Unknown(_("There is no run {id}, so no token was made.").format(id=run_id), "unknown_run", "run_id")
    runs.hold(tx, run_id)
    if not runs.alive(tx, run_id) or outside.is_one(tx, run_id):
        raise Impossible(
            _("This is no run for a message that is still open, so no token was made for it."), "run_ended", "run_id"
        )
    return _mint(tx, _token(run.persona_id, run.user, run.id, None, capabilities, by, now, ttl_s), now)


def for_person(
    tx: Tx, persona_id: str, person: str, capabilities: Collection[str] | None, by: str, now: float, ttl_s: float
) -> Minted:
    """For what works for one person (`tg:4242`), who is asked in their private chat. Raises Unknown or Impossible."""
    if personas.find(tx, persona_id) is None:
        words = _("There is no persona {id}, so no token was made.")
        raise Unknown(words.format(id=persona_id), "unknown_persona", "persona_id")
    channel, _colon, user = person.partition(":")
    if channel not in channels.known(tx):
        words = _("There is no channel {name}, so no token was made.")
        raise Unknown(words.format(name=channel), "unknown_channel", "user")
    if channel in channels.disconnected(tx):
        words = _("The channel {name} is disconnected, so nobody could be asked there and no token was made.")
        raise Impossible(words.format(name=channel), "channel_disconnected", "user")
    where = Conversation(channel, user).key
    return _mint(tx, _token(persona_id, person, None, where, capabilities, by, now, ttl_s), now)


def for_listing(tx: Tx, server: str, now: float) -> Minted:
    """For looking at what an MCP server offers that takes our tokens: nothing can be called with it."""
    nothing: frozenset[str] = frozenset()
    by = f"mcp:{server}"
    return _mint(tx, TaskToken(new_id("task"), None, EVERYONE, by, None, nothing, by, now, now + LISTED_S), now)


def revoke(tx: Tx, token_id: str, by: str, now: float) -> None:
    """Raises Unknown."""
    if not task_tokens.revoke(tx, token_id, now):
        words = _("No task token {id} is alive, so nothing was done.")
        raise Unknown(words.format(id=token_id), "unknown_token", "id")
    audit.record(tx, now, by, "task_token_revoked", token_id, {})


def _token(
    persona_id: str,
    user: str,
    run_id: str | None,
    conversation: str | None,
    capabilities: Collection[str] | None,
    by: str,
    now: float,
    ttl_s: float,
) -> TaskToken:
    allowed = None if capabilities is None else frozenset(capabilities)
    ends = now + min(ttl_s, LONGEST_S)
    return TaskToken(new_id("task"), run_id, persona_id, user, conversation, allowed, by, now, ends)


def _mint(tx: Tx, token: TaskToken, now: float) -> Minted:
    secret = PREFIX + secrets.token_urlsafe(32)
    task_tokens.add(tx, token, secret)
    allowed = None if token.capabilities is None else ", ".join(sorted(token.capabilities))[:1000]
    about = {"persona": token.persona_id, "user": token.user, "run": token.run_id, "capabilities": allowed}
    audit.record(tx, now, token.made_by, "task_token_made", token.id, about)
    return token, secret
