"""An archive that an admin sends is stored first, fetched then, and installed or refused in words; nobody else's is fetched."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.porter import CUT_OFF_S, ELSEWHERE_S, KEPT_S, TRIES, Porter
from bot.reach import Reach
from bot.store import audit, outbox, parcels
from bot.store.database import Store, Tx
from channels.errors import ChannelError, FileGone, FileTooLarge, OutcomeUnknown, Refused
from channels.events import Attachment, Message, Sender
from skills.limits import MB
from tests.bot.parts import ANN, BOB, CHAT, NOW
from tests.bot.reading_room import Room, open_room
from tests.bot.stages import Platform
from tests.skills.zips import LINK, Written, named, zipped

ZIP = Attachment("file 1", "word-count.zip", 300, "application/zip")


@dataclass(slots=True)
class Files(Platform):
    """A platform that hands out files, and says what it was asked for."""

    content: bytes = b""
    refuses: list[ChannelError] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def download(self, attachment: Attachment, at_most: int) -> bytes:
        self.asked.append(attachment.id)
        if self.refuses:
            raise self.refuses.pop(0)
        return self.content[:at_most]


@dataclass(slots=True)
class Gate:
    """A porter at work between a platform and a room; `now` is the time."""

    room: Room
    files: Files
    connected: bool = True
    now: list[float] = field(default_factory=lambda: [NOW])

    @property
    def porter(self) -> Porter:
        def reach(_channel: str) -> Reach | None:
            return Reach.of(self.files) if self.connected else None

        return Porter(
            self.room.store, self.room.librarian, self.room.parts.house, reach, lambda: self.now[0], alone=True
        )

    async def send(self, event: Message) -> str | None:
        return await self.room.store.tx(self.porter.accept, event, self.now[0])

    async def work(self) -> list[str]:
        """What the sender reads after all that waits was tried once."""
        for parcel in await self.room.store.tx(parcels.waiting):
            await self.porter.take(parcel)
        return await self.room.store.tx(_said)

    async def waiting(self) -> int:
        return len(await self.room.store.tx(parcels.waiting))


def _said(tx: Tx) -> list[str]:
    found = []
    while (post := outbox.take(tx, CHAT.key, NOW + 1e6)) is not None:
        found.append(post.body)
        outbox.sent(tx, post, "1", NOW)
    return found


def message(*files: Attachment, sender: Sender = ANN, private: bool = True, text: str = "") -> Message:
    return Message("u1", NOW, CHAT, sender, private, text, True, "m1", attachments=files)


@pytest.fixture
async def gate(store: Store, tmp_path: Path) -> Gate:
    content = zipped([Written("word-count/SKILL.md", named("word-count"))])
    return Gate(await open_room(store, tmp_path), Files(content=content))


async def test_what_an_admin_sends_is_installed_with_its_switches_off(gate: Gate) -> None:
    assert await gate.send(message(ZIP)) == ""
    [said] = await gate.work()
    for part in ("Installed: word-count.", "its switches are off", "/skill show word-count", "/skill trust word-count"):
        assert part in said
    assert await gate.room.at_hand() == []
    assert (gate.room.folder / "word-count" / "SKILL.md").exists()
    [entry] = [each for each in await gate.room.store.tx(audit.latest, 5) if each.action == "skill_installed"]
    assert (entry.who, entry.subject) == (ANN.id, "word-count")
    assert await gate.waiting() == 0
    assert await gate.room.store.tx(parcels.cut_off, NOW + 1) == []


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([Written("../SKILL.md", named("a"))], ("../SKILL.md", "(parent_path)")),
        ([Written("a/SKILL.md", named("a")), Written("a/l", b"/etc/passwd", LINK)], ("a/l", "(link)")),
        ([Written("a/SKILL.md", named("a")), Written("b/SKILL.md", b"no header")], ("b/SKILL.md",)),
    ],
    ids=["a parent path", "a link", "one bad skill of two"],
)
async def test_what_is_refused_is_told_by_place_and_rule_and_nothing_is_written(
    gate: Gate, entries: list[Written], words: tuple[str, ...]
) -> None:
    gate.files.content = zipped(entries)
    await gate.send(message(ZIP))
    [said] = await gate.work()
    for part in ("word-count.zip was not taken, and nothing was written.", *words):
        assert part in said
    assert [path for path in gate.room.folder.iterdir() if not path.name.startswith(".")] == []


async def test_a_taken_name_is_refused_like_an_upload(gate: Gate) -> None:
    for number in range(2):
        await gate.send(replace(message(ZIP), id=f"u{number}"))
    said = await gate.work()
    assert "Installed: word-count." in said[0]
    assert "There is a skill word-count already. Nothing changed." in said[1]


LARGE = Attachment("file 2", "large.zip", 26 * MB, "application/zip")
REFUSED = (
    ("somebody else", message(ZIP, sender=BOB), "only an admin may bring those. Nothing was fetched."),
    ("with words", message(ZIP, sender=BOB, text="look at this"), "only an admin may bring those."),
    ("an admin in a group", message(ZIP, private=False), "in our private chat. Nothing was fetched."),
    ("too large", message(LARGE), "large.zip has more than 25 MB"),
)


@pytest.mark.parametrize(("event", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
async def test_what_may_not_be_brought_is_told_and_not_fetched(gate: Gate, event: Message, words: str) -> None:
    assert words in (await gate.send(event) or "")
    assert await gate.work() == []
    assert gate.files.asked == []
    [entry] = await gate.room.store.tx(audit.latest, 1)
    assert (entry.who, entry.action) == (event.sender.id, "upload_refused")


@pytest.mark.parametrize(
    ("file", "archive"),
    [
        (Attachment("1", "a.ZIP"), True),
        (Attachment("1", "a.skill"), True),
        (Attachment("1", "", None, "application/zip"), True),
        (Attachment("1", "a.zip.pdf", None, "application/pdf"), False),
        (Attachment("1", "plan.pdf", None, "application/pdf"), False),
    ],
)
async def test_only_archives_are_taken_for_skills(gate: Gate, file: Attachment, archive: bool) -> None:
    assert (await gate.send(message(file)) is not None) == archive
    assert await gate.send(message()) is None


async def test_a_name_is_said_in_one_line_in_which_nothing_hides(gate: Gate) -> None:
    gate.files.content = b"no zip"
    await gate.send(message(Attachment("1", "a\u202egpj\n**b**.zip")))
    [said] = await gate.work()
    assert r"a\\u202egpj **b**.zip was not taken" in said
    assert "\u202e" not in said


@pytest.mark.parametrize("error", [FileTooLarge("Up to 20 MB."), Refused("The app lacks the scope files:read.")])
async def test_what_the_platform_will_not_give_is_told_in_its_words(gate: Gate, error: ChannelError) -> None:
    gate.files.refuses = [error]
    await gate.send(message(ZIP))
    [said] = await gate.work()
    assert str(error) in said
    assert "nothing was installed" in said


async def test_what_could_not_be_fetched_is_tried_again_and_then_given_up(gate: Gate) -> None:
    gate.files.refuses = [OutcomeUnknown("secret address")] * TRIES
    await gate.send(message(ZIP))
    for _ in range(TRIES - 1):
        assert await gate.work() == []
    [said] = await gate.work()
    assert "It could not be fetched." in said
    assert "secret address" not in said
    gate.files.refuses = [OutcomeUnknown("")]
    await gate.send(replace(message(ZIP), id="u2"))
    assert await gate.work() == []
    assert "Installed: word-count." in (await gate.work())[0]


async def test_what_is_in_no_hand_is_looked_for_a_while(gate: Gate) -> None:
    """Another process that serves the same channel may have it."""
    gate.files.refuses = [FileGone("It is not here.")] * 2
    await gate.send(message(ZIP))
    assert await gate.work() == []
    assert await gate.waiting() == 1
    gate.now[0] += ELSEWHERE_S
    [said] = await gate.work()
    assert "It is not here." in said


async def test_it_waits_for_its_channel_and_not_for_ever(gate: Gate) -> None:
    gate.connected = False
    await gate.send(message(ZIP))
    await gate.work()
    assert await gate.waiting() == 1
    gate.now[0] += KEPT_S + 1
    await gate.work()
    assert await gate.waiting() == 0
    assert gate.files.asked == []


async def test_who_is_no_admin_any_more_brings_nothing(gate: Gate) -> None:
    await gate.room.store.tx(parcels.add, parcels.Parcel("p", CHAT.key, BOB.id, "file 1", "word-count.zip", NOW))
    [said] = await gate.work()
    assert "Only an admin may bring skills." in said
    assert not (gate.room.folder / "word-count").exists()


@pytest.mark.parametrize("later", [0.0, CUT_OFF_S], ids=["this process", "another process"])
async def test_of_what_was_cut_off_its_sender_is_told_and_it_is_not_begun_again(gate: Gate, later: float) -> None:
    await gate.send(message(ZIP))

    def begun(tx: Tx) -> None:
        [parcel] = parcels.waiting(tx)
        assert parcels.take(tx, parcel, gate.now[0] - 1)
        assert not parcels.take(tx, parcel, gate.now[0])

    await gate.room.store.tx(begun)
    gate.now[0] += later
    [said] = await told(gate)
    assert "I was interrupted while I took in word-count.zip." in said
    assert gate.files.asked == []


async def told(gate: Gate) -> list[str]:
    """What its sender reads when the porter runs."""
    posted = asyncio.Event()
    gate.room.store.listen(lambda signal: posted.set() if signal.topic == "deliver" else None)
    running = asyncio.create_task(gate.porter.run())
    try:
        async with asyncio.timeout(10):
            await posted.wait()
    finally:
        running.cancel()
    return await gate.room.store.tx(_said)
