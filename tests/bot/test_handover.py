"""Files that a tool gave: kept with the outcome of the call, posted after it, told to model and people."""

import pytest

from bot.handover import MOST_NAMED, hand_over, told
from bot.store import files, outbox
from bot.store.database import Store, Tx
from bot.store.files import KEPT_S
from channels.files import File, FileRef, size_words
from tests.bot.parts import NOW, Parts, begin
from tests.bot.stages import words

PICTURE = File("picture.png", "image/png", b"x" * 12_345)
PARTS = Parts()


def test_the_model_is_told_what_goes_to_the_chat_and_what_does_not() -> None:
    assert told("seen", (), ()) == "seen"
    assert told("seen", (PICTURE,), ("film.mp4 (30.0 MB)",)).splitlines() == [
        "seen",
        "[“picture.png”, 12 kB, is sent to the chat as a file]",
        "[not sent to the chat, since too large or too many: “film.mp4 (30.0 MB)”]",
    ]


def handed(tx: Tx, left_out: tuple[str, ...] = ()) -> list[outbox.Post]:
    run = begin(tx)
    call = PARTS.call(tx, run, "list_notes", {}, "started")
    hand_over(tx, run, call, run.conversation, (PICTURE, PICTURE), left_out, NOW)
    return outbox.about(tx, run.id)


async def test_each_file_is_kept_and_posted_under_a_name_of_its_own(store: Store) -> None:
    posts = await store.tx(handed)
    refs = []
    for post in posts:
        assert post.message is not None
        assert words(post.message).replace("\n", "") == "picture.png (12 kB), from list_notes"
        refs.append(post.message.file)
    assert len({ref.id for ref in refs if ref is not None}) == 2
    for ref in refs:
        assert ref is not None
        assert ref == FileRef(ref.id, "picture.png", "image/png", 12_345)
        assert await store.tx(files.find, ref.id) == PICTURE


async def test_a_file_is_found_in_its_conversation_alone(store: Store) -> None:
    post = (await store.tx(handed))[0]
    assert post.message is not None
    assert post.message.file is not None
    assert await store.tx(files.find_in, post.conversation, post.message.file.id) == PICTURE
    assert await store.tx(files.find_in, "tg:999", post.message.file.id) is None


async def test_what_is_left_out_is_told_to_people_in_words(store: Store) -> None:
    many = tuple(f"{number}.png" for number in range(MOST_NAMED + 3))
    last = (await store.tx(handed, many))[-1]
    assert last.message is not None
    assert "too large or too many to be sent here" in words(last.message)
    assert words(last.message).endswith("19.png and 3 more")


async def test_files_are_forgotten_after_some_days(store: Store) -> None:
    post = (await store.tx(handed))[0]
    assert post.message is not None
    assert post.message.file is not None
    assert await store.tx(files.forget_old, NOW + KEPT_S - 1) == 0
    assert await store.tx(files.forget_old, NOW + KEPT_S + 1) == 2
    assert await store.tx(files.find, post.message.file.id) is None


@pytest.mark.parametrize(("size", "said"), [(1, "1 bytes"), (2048, "2 kB"), (3_500_000, "3.3 MB")])
def test_sizes_are_told_as_people_say_them(size: int, said: str) -> None:
    assert size_words(size) == said
