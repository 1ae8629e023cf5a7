"""Takes in the archives of skills that admins send into a private chat: the message is stored first, the file is fetched
after that, and goes the way of an upload by the API.

Fetching is begun once. Where nobody knows how far it came before the service was interrupted, the sender is told so.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from gettext import gettext as _
from gettext import ngettext
from io import BytesIO

from bot.clock import Clock
from bot.domain.access import House
from bot.errors import AskfirstError
from bot.librarian import Installed, Librarian
from bot.log import logger
from bot.reach import Connected, Reach
from bot.store import audit, outbox, parcels
from bot.store.database import Signal, Store, Tx
from bot.store.parcels import Parcel
from bot.supervisor import Crash, attempt
from channels.adapter import Downloads
from channels.errors import ChannelError, FileGone, NotSent, OutcomeUnknown, RateLimited
from channels.events import Attachment, Conversation, Message
from channels.outgoing import Block, Listing, Outgoing, Paragraph, Span, plain
from channels.text.characters import visible
from channels.text.split import split
from skills.errors import Refused
from skills.limits import MB

LOOKS_EVERY_S = 5.0
LONGEST_S = 120.0
"""How long fetching one file may take."""
CUT_OFF_S = 300.0
"""A file that was taken up so long ago is in nobody's hands any more."""
ELSEWHERE_S = 60.0
"""How long a file may be in the hands of another process that serves the same channel."""
KEPT_S = 3600.0
"""How long one waits for its channel to be connected again."""
TRIES = 3
NAMED = 100
"""Characters of a file's name that are said."""
FAULTS_SHOWN = 20

_ENDINGS = (".zip", ".skill")
_KINDS = ("application/zip", "application/x-zip-compressed")

log = logger("askfirst.porter")


class Porter:
    def __init__(
        self, store: Store, librarian: Librarian, house: House, connected: Connected, clock: Clock, *, alone: bool
    ) -> None:
        """`alone`: no other process works on this store, so that what was taken up before this one began is cut off."""
        self._store = store
        self._librarian = librarian
        self._house = house
        self._connected = connected
        self._clock = clock
        self._began = clock() if alone else 0.0
        self._news = asyncio.Event()

    def accept(self, tx: Tx, event: Message, now: float) -> str | None:
        """What its sender is told at once, "" for nothing yet. None: no archive came with it, so that it is about its words."""
        archives = [each for each in event.attachments if _is_archive(each)]
        if not archives:
            return None
        trouble = self._trouble(event, archives)
        if trouble:
            named = ", ".join(_called(each.name) for each in archives)
            audit.record(tx, now, event.sender.id, "upload_refused", named, {"why": trouble})
            return trouble
        for number, each in enumerate(archives):
            key = f"{event.where.channel}/{event.id}/{number}"
            parcels.add(tx, Parcel(key, event.where.key, event.sender.id, each.id, _called(each.name), now))
        return ""

    def heed(self, signal: Signal) -> None:
        if signal.topic == "parcel":
            self._news.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self._news.clear()
            now = self._clock()
            for parcel in await self._store.light(parcels.cut_off, max(self._began, now - CUT_OFF_S)):
                words = _(
                    "I was interrupted while I took in {name}. Look whether it is there ({mark}skill list); else send it again."
                )
                await self._answer(parcel, plain(words.format(name=parcel.name, mark=self._mark(parcel))))
            for parcel in await self._store.light(parcels.waiting):
                if isinstance(await attempt("parcel", self.take(parcel)), Crash):
                    await self._answer(parcel, plain(_not_taken(parcel, _("Something went wrong here."))))
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOKS_EVERY_S):
                    await self._news.wait()

    async def take(self, parcel: Parcel) -> None:
        """Fetch it and install what it holds, or say why not. Nothing happens while its channel is not connected."""
        age = self._clock() - parcel.at
        reach = self._connected(_where(parcel).channel)
        if reach is None:
            if age > KEPT_S:
                await self._store.tx(parcels.done, parcel)
            return
        if not await self._store.tx(parcels.take, parcel, self._clock()):
            return
        fetched = await self._fetched(parcel, reach, age)
        if fetched is not None:
            blocks = fetched if isinstance(fetched, tuple) else await self._installed(parcel, fetched)
            await self._answer(parcel, blocks)

    def _trouble(self, event: Message, archives: Sequence[Attachment]) -> str:
        """Why it is not even fetched; empty if it is."""
        if not self._house.is_admin(event.sender.id):
            return _("An archive is taken as skills, and only an admin may bring those. Nothing was fetched.")
        if not event.private:
            return _("Send me archives of skills in our private chat. Nothing was fetched.")
        most = self._librarian.limits.zip_mb
        large = [each for each in archives if (each.size or 0) > most * MB]
        if large:
            words = _("{name} has more than {most} MB, which is the most that is taken. Nothing was fetched.")
            return words.format(name=_called(large[0].name), most=most)
        return ""

    async def _fetched(self, parcel: Parcel, reach: Reach, age: float) -> bytes | tuple[Block, ...] | None:
        """The file, or what is said instead; None if it is tried again."""
        if reach.downloads is None:
            return plain(_not_taken(parcel, _("Files cannot be fetched from here.")))
        try:
            return await self._download(parcel, reach.downloads)
        except (NotSent, OutcomeUnknown, RateLimited, TimeoutError) as error:
            log.warning("a file could not be fetched", parcel=parcel.id, why=str(error) or type(error).__name__)
            if parcel.tries + 1 < TRIES:
                await self._store.tx(parcels.put_back, parcel)
                return None
            return plain(_not_taken(parcel, _("It could not be fetched.")))
        except FileGone as error:
            if age < ELSEWHERE_S:
                await self._store.tx(parcels.put_back, parcel)
                return None
            return plain(_not_taken(parcel, str(error)))
        except ChannelError as error:
            return plain(_not_taken(parcel, str(error)))

    async def _download(self, parcel: Parcel, downloads: Downloads) -> bytes:
        async with asyncio.timeout(LONGEST_S):
            return await downloads.download(Attachment(parcel.file, parcel.name), self._librarian.limits.zip_mb * MB)

    async def _installed(self, parcel: Parcel, content: bytes) -> tuple[Block, ...]:
        if not self._house.is_admin(parcel.sender):  # the configuration changed meanwhile
            return plain(_not_taken(parcel, _("Only an admin may bring skills.")))
        try:
            bundle = await self._librarian.unpack(BytesIO(content))
            done = await self._librarian.install(bundle.packages, parcel.sender, bundle.warnings)
        except Refused as refusal:
            return _refused(parcel, refusal)
        except AskfirstError as error:
            return plain(_not_taken(parcel, str(error)))
        return _told(done, self._mark(parcel))

    async def _answer(self, parcel: Parcel, blocks: tuple[Block, ...]) -> None:
        await self._store.tx(self._post, parcel, blocks)

    def _post(self, tx: Tx, parcel: Parcel, blocks: tuple[Block, ...]) -> None:
        where, reach = _where(parcel), self._connected(_where(parcel).channel)
        if not parcels.done(tx, parcel) or reach is None:
            return
        for number, part in enumerate(split(Outgoing(blocks), reach.adapter.limits)):
            outbox.post(tx, f"parcel:{parcel.id}:{number}", where, part, self._clock())

    def _mark(self, parcel: Parcel) -> str:
        reach = self._connected(_where(parcel).channel)
        return "/" if reach is None else reach.adapter.limits.mark


def _is_archive(attachment: Attachment) -> bool:
    return attachment.name.lower().endswith(_ENDINGS) or attachment.mime.lower() in _KINDS


def _called(name: str) -> str:
    """A name as it may be said: one line, in which nothing hides."""
    return visible(" ".join(name.split()))[:NAMED] or _("the file")


def _where(parcel: Parcel) -> Conversation:
    return Conversation.parse(parcel.conversation)


def _not_taken(parcel: Parcel, why: str) -> str:
    words = _("{name} was not taken, and nothing was installed. {why} To try again, send it again.")
    return words.format(name=parcel.name, why=why)


def _refused(parcel: Parcel, refusal: Refused) -> tuple[Block, ...]:
    """Each place and what is wrong with it."""
    words = _("{name} was not taken, and nothing was written. What is wrong with it:").format(name=parcel.name)
    lines = []
    for fault in refusal.faults[:FAULTS_SHOWN]:
        place = (Span(fault.entry, frozenset({"bold"})), Span(": ")) if fault.entry else ()
        lines.append((Paragraph((*place, Span(f"{fault.message} ({fault.rule})"))),))
    rest = len(refusal.faults) - len(lines)
    more = plain(ngettext("… and {count} more.", "… and {count} more.", rest).format(count=rest)) if rest else ()
    return (*plain(words), Listing(tuple(lines)), *more)


def _told(done: Installed, mark: str) -> tuple[Block, ...]:
    """What came, and what an admin does next."""
    first = done.names[0]
    words = _("Installed: {names}. Nobody uses it yet: its switches are off.").format(names=", ".join(done.names))
    step = _(
        "Read it with {mark}skill show {name}; then {mark}skill enable {name}, {mark}skill trust {name}, and "
        "{mark}grant PERSONA skill/{name}."
    )
    warnings = tuple((Paragraph((Span(warning),)),) for warning in done.warnings)
    return (*plain(words), *((Listing(warnings),) if warnings else ()), *plain(step.format(mark=mark, name=first)))
