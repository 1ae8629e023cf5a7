"""Brings one post of the outbox to its platform: posted, edited or taken away, with its file where it has one."""

import hashlib
from dataclasses import dataclass, replace
from gettext import gettext as _

from bot.errors import StoreUnavailable
from bot.log import logger
from bot.reach import Reach
from bot.store import files
from bot.store.database import Store
from bot.store.outbox import Post
from channels.errors import ChannelError, FileGone, FileTooLarge, NotSent, Refused
from channels.events import Conversation
from channels.files import FileRef
from channels.outgoing import MessageRef, Outgoing, Paragraph, Span, plain
from channels.text.split import split

log = logger("askfirst.courier")

CLOCKS_APART_S = 300.0
"""How far the platform's clock may be from ours when a message is looked for."""

MAYBE_A_REPEAT = "↻ This may be a repeat: the connection broke while it was sent."


@dataclass(frozen=True, slots=True)
class Shown:
    """The message is on the platform as it should be; `ref` is None if it was taken away."""

    ref: str | None


class Showing:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, reach: Reach, post: Post) -> Shown | ChannelError:
        try:
            return Shown(await self._shown(reach, post, post.message))
        except ChannelError as error:
            return error
        except StoreUnavailable as error:
            return NotSent(str(error))

    async def _shown(self, reach: Reach, post: Post, message: Outgoing | None) -> str | None:
        """Post, edit or remove; the id of what is there now."""
        if post.ref is None:
            if message is None:
                return None
            if message.file is not None:
                return await self._with_file(reach, post, message, message.file)
            return await _posted(reach, post, replace(message, mark=_mark(post)))
        ref = MessageRef(post.conversation, post.ref)
        if message is not None:
            await reach.adapter.edit(ref, message)
            return post.ref
        if reach.removes is not None:
            await reach.removes.remove(ref)
        return None

    async def _with_file(self, reach: Reach, post: Post, message: Outgoing, ref: FileRef) -> str:
        """Where it cannot be sent, that is said in its place. No platform can be asked whether a file arrived."""
        to = Conversation.parse(post.conversation)
        caption = _doubted(message) if post.doubtful else message
        if reach.uploads is None:
            return await _instead(reach, to, caption, _("Files cannot be sent here, so it was not sent."))
        file = await self._store.light(files.find, ref.id)
        if file is None:
            return await _instead(reach, to, caption, _("It is not kept any more, so it was not sent."))
        try:
            return (await reach.uploads.upload(to, file, caption)).id
        except (Refused, FileTooLarge, FileGone) as refusal:
            log.warning("a file was not taken", key=post.key, why=str(refusal))
            return await _instead(reach, to, caption, _("It was not sent. {why}").format(why=refusal))


async def _instead(reach: Reach, to: Conversation, caption: Outgoing, why: str) -> str:
    said = replace(caption, blocks=(*caption.blocks, *plain(why)), file=None)
    return (await reach.adapter.send(to, said)).id


async def _posted(reach: Reach, post: Post, message: Outgoing) -> str:
    """Where nobody knows whether it was posted before, the platform is asked; one that cannot say gets it marked."""
    to = Conversation.parse(post.conversation)
    if not post.doubtful:
        return (await reach.adapter.send(to, message)).id
    if reach.finds is not None and message.mark is not None:
        try:
            found = await reach.finds.find(to, message.mark, post.created_at - CLOCKS_APART_S)
        except Refused as refusal:
            log.warning("nobody can say whether a message was posted", key=post.key, why=str(refusal))
        else:
            if found is None:
                return (await reach.adapter.send(to, message)).id
            await reach.adapter.edit(found, message)
            return found.id
    # What fitted without the words may not fit with them.
    shown = [await reach.adapter.send(to, part) for part in split(_doubted(message), reach.adapter.limits)]
    return shown[-1].id


def _mark(post: Post) -> str:
    """Names this message among all of ours, and tells nobody anything else."""
    return hashlib.sha256(post.key.encode()).hexdigest()[:24]


def _doubted(message: Outgoing) -> Outgoing:
    words = Paragraph((Span(_(MAYBE_A_REPEAT), frozenset({"italic"})),))
    return replace(message, blocks=(words, *message.blocks))
