"""The outbox: messages as they should look, and as they were last shown.

A row is `due` until what it says is shown, `sending` while it is on its way (the intent), then `sent`; `failed` if the
platform will not have it, `dropped` if the conversation went. An empty body means: take the message away.
"""

from dataclasses import dataclass, replace
from typing import Literal

import sqlalchemy as sa

from bot.store.database import Tx
from bot.store.prepared import Prepared
from bot.store.tables import outbox
from channels.events import Conversation
from channels.outgoing import MessageRef, Outgoing, outgoing_json

SendState = Literal["due", "sending", "sent", "failed", "dropped"]

REMOVED = ""


@dataclass(frozen=True, slots=True)
class Post:
    """A message on its way. `ref`: the platform's id of it, once it has one; then it is edited, not posted.

    `doubtful` counts posts of which it is not known whether they arrived.
    """

    id: int
    key: str
    conversation: str
    subject: str | None
    body: str
    version: int
    ref: str | None
    state: SendState
    attempts: int
    doubtful: int
    created_at: float
    not_before: float
    sent_at: float | None

    @property
    def message(self) -> Outgoing | None:
        """What it should say; None: it should go."""
        return None if self.body == REMOVED else outgoing_json.validate_json(self.body)


_COLUMNS = (
    outbox.c.id,
    outbox.c.key,
    outbox.c.conversation,
    outbox.c.subject,
    outbox.c.body,
    outbox.c.version,
    outbox.c.ref,
    outbox.c.state,
    outbox.c.attempts,
    outbox.c.doubtful,
    outbox.c.created_at,
    outbox.c.not_before,
    outbox.c.sent_at,
)
_UNSETTLED = outbox.c.state.in_(("due", "sending"))
_HELD_EDIT = outbox.c.ref.is_not(None) & (outbox.c.not_before > sa.bindparam("now"))
"""What stands in the chat already may wait for its newer look; what was not said yet does not wait for that."""
_ADD = Prepared(sa.insert(outbox))
_HEAD = Prepared(
    sa.select(*_COLUMNS)
    .where(outbox.c.conversation == sa.bindparam("conversation"), outbox.c.state == "due")
    .order_by(sa.case((_HELD_EDIT, 1), else_=0), outbox.c.id)
    .limit(1)
)
_BEGIN = Prepared(
    sa.update(outbox).where(outbox.c.id == sa.bindparam("post"), outbox.c.state == "due").values(state="sending")
)
_SENT = Prepared(
    sa.update(outbox)
    .where(outbox.c.id == sa.bindparam("post"), outbox.c.state == "sending")
    .values(
        ref=sa.bindparam("shown_as"),
        sent_version=sa.bindparam("shown"),
        sent_at=sa.bindparam("now"),
        attempts=0,
        state=sa.case((outbox.c.version > sa.bindparam("shown"), "due"), else_="sent"),
    )
)


def post(tx: Tx, key: str, to: Conversation, message: Outgoing, now: float, subject: str | None = None) -> None:
    """A new message. `key` is its name among all messages ever; `subject` what it is about (an approval, a run)."""
    tx.run(
        _ADD,
        {
            "key": key,
            "channel": to.channel,
            "conversation": to.key,
            "subject": subject,
            "body": _json(message),
            "version": 1,
            "sent_version": 0,
            "state": "due",
            "attempts": 0,
            "doubtful": 0,
            "created_at": now,
            "not_before": now,
        },
    )
    tx.tell("deliver", to.key)


def amend(tx: Tx, post: Post, message: Outgoing | None) -> None:
    """Let a message say something else, or take it away. What is on its way is shown first, then this."""
    body = REMOVED if message is None else _json(message)
    tx.execute(
        sa.update(outbox)
        .where(outbox.c.id == post.id, outbox.c.state.in_(("due", "sending", "sent")))
        .values(
            body=body,
            version=outbox.c.version + 1,
            state=sa.case((outbox.c.state == "sending", "sending"), else_="due"),
        )
    )
    tx.tell("deliver", post.conversation)


def adopt(tx: Tx, key: str, ref: MessageRef, twin: Post, now: float) -> Post:
    """A message that is on the platform and was not known here: a lost first showing of `twin`."""
    values = {
        "key": key,
        "channel": Conversation.parse(ref.conversation).channel,
        "conversation": ref.conversation,
        "subject": twin.subject,
        "body": twin.body,
        "version": 1,
        "sent_version": 1,
        "ref": ref.id,
        "state": "sent",
        "attempts": 0,
        "doubtful": 0,
        "created_at": now,
        "not_before": now,
        "sent_at": now,
    }
    return Post(*tx.execute(sa.insert(outbox).values(values).returning(*_COLUMNS)).one())


def find(tx: Tx, key: str) -> Post | None:
    row = tx.execute(sa.select(*_COLUMNS).where(outbox.c.key == key)).first()
    return None if row is None else Post(*row)


def about(tx: Tx, subject: str) -> list[Post]:
    """Every message about this, oldest first."""
    query = sa.select(*_COLUMNS).where(outbox.c.subject == subject).order_by(outbox.c.id)
    return [Post(*row) for row in tx.execute(query)]


def by_ref(tx: Tx, ref: MessageRef | None) -> list[Post]:
    """Our message that the platform calls this, if we still know it."""
    if ref is None:
        return []
    query = sa.select(*_COLUMNS).where(outbox.c.conversation == ref.conversation, outbox.c.ref == ref.id)
    return [Post(*row) for row in tx.execute(query)]


def newest_in(tx: Tx, conversation: str) -> int | None:
    """The id of the last message posted here."""
    newest: int | None = tx.scalar(sa.select(sa.func.max(outbox.c.id)).where(outbox.c.conversation == conversation))
    return newest


def take(tx: Tx, conversation: str, now: float) -> Post | None:
    """The next message for this conversation, in order, now `sending`; still `due` if its time has not come
    (then `not_before` says when), or if somebody else took or dropped it at this moment: look again."""
    row = tx.run(_HEAD, {"conversation": conversation, "now": now}).first()
    if row is None:
        return None
    post = Post(*row)
    if post.not_before > now or tx.run(_BEGIN, {"post": post.id}).rowcount != 1:
        return post
    return replace(post, state="sending")


def sent(tx: Tx, post: Post, ref: str | None, now: float) -> None:
    """It is shown (or taken away) as of the version that was taken."""
    tx.run(_SENT, {"post": post.id, "shown_as": ref, "shown": post.version, "now": now})


def again(tx: Tx, post: Post, not_before: float) -> None:
    """It was not shown, and may be tried again at that time."""
    _settle(tx, post, state="due", not_before=not_before, attempts=post.attempts + 1)


def doubt(tx: Tx, post: Post, now: float) -> None:
    """Nobody knows whether it was shown."""
    _settle(tx, post, state="due", not_before=now, doubtful=post.doubtful + 1)


def forget_ref(tx: Tx, post: Post) -> None:
    """The message cannot be edited any more: what it should say is posted anew."""
    _settle(tx, post, state="due", ref=None)


def fail(tx: Tx, post: Post, trouble: str) -> None:
    """The platform will not have it; if it says something else by now, that is tried."""
    newer = sa.case((outbox.c.version > post.version, "due"), else_="failed")
    _settle(tx, post, state=newer, trouble=trouble, attempts=0)


def _settle(tx: Tx, post: Post, **values: object) -> None:
    tx.execute(sa.update(outbox).where(outbox.c.id == post.id, outbox.c.state == "sending").values(values))


def drop(tx: Tx, conversations: list[str]) -> int:
    """Nothing more can be shown in these conversations."""
    statement = sa.update(outbox).where(outbox.c.conversation.in_(conversations), _UNSETTLED)
    return tx.execute(statement.values(state="dropped")).rowcount


def drop_channel(tx: Tx, channel: str) -> int:
    """Nothing more is sent on this channel of what waits now."""
    statement = sa.update(outbox).where(outbox.c.channel == channel, _UNSETTLED)
    return tx.execute(statement.values(state="dropped")).rowcount


def redirect(tx: Tx, conversation: str, to: str) -> None:
    """What is still to be sent to a conversation goes to another instead."""
    tx.execute(sa.update(outbox).where(outbox.c.conversation == conversation, _UNSETTLED).values(conversation=to))


def recover(tx: Tx) -> int:
    """After a crash: what was on its way is shown again by edit if it has a ref, else it is in doubt; how many."""
    tx.execute(
        sa.update(outbox)
        .where(outbox.c.state == "sending", outbox.c.ref.is_(None))
        .values(doubtful=outbox.c.doubtful + 1)
    )
    return tx.execute(sa.update(outbox).where(outbox.c.state == "sending").values(state="due")).rowcount


def busy(tx: Tx) -> list[str]:
    """Conversations with something to send."""
    return list(tx.execute(sa.select(outbox.c.conversation).where(outbox.c.state == "due").distinct()).scalars())


def unsettled(tx: Tx, channel: str) -> int:
    query = sa.select(sa.func.count()).select_from(outbox).where(outbox.c.channel == channel, _UNSETTLED)
    return int(tx.scalar(query) or 0)


def forget_old(tx: Tx, before: float) -> int:
    """Drop what was settled before then; how many rows went."""
    statement = sa.delete(outbox).where(outbox.c.created_at < before, outbox.c.state.in_(("sent", "failed", "dropped")))
    return tx.execute(statement).rowcount


def _json(message: Outgoing) -> str:
    return outgoing_json.dump_json(message).decode()
