"""A post with a file: sent once, marked where that is not known, and replaced by words where it cannot be sent."""

import pytest

from bot.reach import Reach
from bot.showing import Showing, Shown
from bot.store import files, outbox
from bot.store.database import Store, Tx
from bot.store.outbox import Post
from channels.errors import ChannelError, FileGone, FileTooLarge, OutcomeUnknown, Refused
from channels.files import File, FileRef
from channels.outgoing import Outgoing, plain
from tests.bot.parts import CHAT, NOW, begin
from tests.bot.stages import Gallery, Platform

PICTURE = File("picture.png", "image/png", b"x" * 1000)


def posted(tx: Tx, kept: bool = True) -> None:
    run = begin(tx)
    if kept:
        files.add(tx, "f", run.id, CHAT.key, PICTURE, NOW)
    ref = FileRef("f", PICTURE.name, PICTURE.mime, len(PICTURE.content))
    outbox.post(tx, "file", CHAT, Outgoing(plain("picture.png"), file=ref), NOW)


async def taken(store: Store) -> Post:
    post = await store.tx(outbox.take, CHAT.key, NOW)
    assert post is not None
    assert post.state == "sending"
    return post


async def test_a_file_is_sent_with_what_it_is(store: Store) -> None:
    await store.tx(posted)
    platform = Gallery()
    assert await Showing(store).put(Reach.of(platform), await taken(store)) == Shown("f1")
    assert (platform.uploaded, platform.shown) == ([(PICTURE, "picture.png")], [])


async def test_a_crash_between_result_and_sending_sends_it_once_afterwards(store: Store) -> None:
    await store.tx(posted)
    platform = Gallery()
    assert await store.tx(outbox.recover) == 0
    post = await taken(store)
    shown = await Showing(store).put(Reach.of(platform), post)
    assert isinstance(shown, Shown)
    await store.tx(outbox.sent, post, shown.ref, NOW)
    assert await store.tx(outbox.recover) == 0
    assert await store.tx(outbox.take, CHAT.key, NOW) is None
    assert platform.uploaded == [(PICTURE, "picture.png")]


async def test_a_crash_while_it_was_sent_repeats_it_once_with_a_mark(store: Store) -> None:
    await store.tx(posted)
    await taken(store)
    assert await store.tx(outbox.recover) == 1
    platform = Gallery()
    await Showing(store).put(Reach.of(platform), await taken(store))
    [(file, caption)] = platform.uploaded
    assert file == PICTURE
    assert "may be a repeat" in caption


async def test_a_lost_answer_is_told_as_one(store: Store) -> None:
    await store.tx(posted)
    platform = Gallery(refuses=[OutcomeUnknown("cut off")])
    assert isinstance(await Showing(store).put(Reach.of(platform), await taken(store)), OutcomeUnknown)
    assert platform.shown == []


async def test_a_platform_without_files_gets_a_sentence(store: Store) -> None:
    await store.tx(posted)
    platform = Platform()
    await Showing(store).put(Reach.of(platform), await taken(store))
    assert platform.shown == ["picture.png\nFiles cannot be sent here, so it was not sent."]


@pytest.mark.parametrize(
    "refusal",
    [Refused("The app lacks the scope files:write."), FileTooLarge("It is too large."), FileGone("It got lost.")],
)
async def test_a_file_that_is_refused_is_told_with_the_reason(store: Store, refusal: ChannelError) -> None:
    await store.tx(posted)
    platform = Gallery(refuses=[refusal])
    assert isinstance(await Showing(store).put(Reach.of(platform), await taken(store)), Shown)
    assert platform.shown == [f"picture.png\nIt was not sent. {refusal}"]


async def test_a_file_that_is_not_kept_any_more_is_told_as_gone(store: Store) -> None:
    await store.tx(posted, kept=False)
    platform = Gallery()
    await Showing(store).put(Reach.of(platform), await taken(store))
    assert platform.shown == ["picture.png\nIt is not kept any more, so it was not sent."]
    assert platform.uploaded == []
