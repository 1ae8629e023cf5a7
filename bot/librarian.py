"""Keeps the files of the skills: brings them in, changes them, takes them away.

The disk and the database cannot change in one step, so the order is: what comes is on disk before it is entered, and until
then nobody can use it; what goes is marked as leaving, with all that hung on it gone, before its files are. Whatever a
crash leaves between the two is settled at the next start.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import BinaryIO, TypeVar

from bot import stock
from bot.clock import Clock
from bot.curator import AS_IT_IS, Curator, Turn, protected
from bot.errors import AskfirstError, Protected, Taken, Unknown
from bot.health import Health
from bot.log import logger
from bot.store import skills
from bot.store.database import Store, Tx
from bot.store.skills import LEAVING
from skills import archive
from skills import errors as of_skills
from skills.bundle import Bundle
from skills.library import Library
from skills.limits import Limits
from skills.package import Package, Skill

T = TypeVar("T")

PART = "skills"
"""What it is called in the report of health."""

NAMED = 10
"""Lost skills that are named."""

LOOKS_EVERY_S = 5.0
"""How soon it is noticed that files were changed by hand."""

log = logger("askfirst.librarian")


class LibraryUnavailable(AskfirstError):
    """The folder of the skills cannot be used just now. Make sure that it can be written and that the disk has room."""


@dataclass(frozen=True, slots=True)
class Installed:
    """`warnings`: sentences for whoever brought them."""

    names: tuple[str, ...]
    warnings: tuple[str, ...]


class Librarian:
    def __init__(
        self, store: Store, library: Library, limits: Limits, curator: Curator, health: Health, clock: Clock
    ) -> None:
        self.limits = limits
        self._store = store
        self._library = library
        self._curator = curator
        self._health = health
        self._stock = curator.skillsets.stock
        self._clock = clock
        self._changing = asyncio.Lock()

    async def open(self) -> None:
        """Settle what a process that died had begun, and look at what there is. Raises LibraryUnavailable."""
        await self._blocking(self._library.open)
        await self.settle()

    async def keep_looking(self) -> None:
        """Notice what is put there, changed or taken away by hand. Never returns."""
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            try:
                await self.settle()
            except LibraryUnavailable as error:
                self._health.note(PART, "error", str(error), ok=True)

    async def settle(self) -> None:
        """Finish what was begun, and enter what nobody has entered. Raises LibraryUnavailable."""
        async with self._changing:
            for name in await self._store.light(_leaving):
                await self._take_away(name)
            await self._look()
            found = await self._store.light(self._curator.unentered)
            if found:
                log.info("skills were found that nobody has entered", names=[skill.name for skill in found])
                await self._store.tx(self._curator.enter_found, self._clock())
            self._report(await self._store.light(self._curator.lost))

    def _report(self, lost: Sequence[str]) -> None:
        """Everything else works without them, so this alone makes the service not unready."""
        if not lost:
            self._health.note(PART, "connected", ok=True)
            return
        words = _("The files of {names} are gone. Bring them back into the folder of the skills, or delete the skills.")
        named = ", ".join(lost[:NAMED]) + (", …" if len(lost) > NAMED else "")
        self._health.note(PART, "error", words.format(names=named), ok=True)

    async def unpack(self, file: BinaryIO) -> Bundle:
        """Raises ArchiveRefused or ContentRefused; nothing is written."""
        return await asyncio.to_thread(archive.read, file, self.limits)

    async def install(
        self, packages: Sequence[Package], by: str, warnings: Sequence[str] = (), turn: Turn = AS_IT_IS
    ) -> Installed:
        """All of them or none, with their switches off but for what `turn` says. Raises ContentRefused (tools that there are
        not), Protected, Taken or LibraryUnavailable, and then nothing changed."""
        brought = [package.skill for package in packages]
        told = [*warnings, *await self._store.light(self._curator.check, brought)]
        async with self._changing:
            names = await self._blocking(self._library.install, packages)
            await self._look()
            told += await self._store.tx(self._curator.enter, brought, by, turn, self._clock())
        return Installed(names, tuple(told))

    async def amend(self, name: str, change: Callable[[Skill], Skill], by: str, turn: Turn) -> None:
        """Another text for a skill. Raises what `change` does, Unknown, Protected, ContentRefused or LibraryUnavailable."""
        async with self._changing:
            before = await self._store.light(self._curator.find_changeable, name)
            skill = change(before.skill)
            await self._store.light(self._curator.check, [skill])
            await self._blocking(self._library.amend, skill)
            await self._look()
            after = self._stock.find(name)
            if after is None:
                raise Unknown(_("The files of {name} are gone.").format(name=name), "unknown_skill", "name")
            await self._store.tx(self._curator.amended, before, after, by, turn, self._clock())

    async def delete(self, name: str, by: str) -> None:
        """With its grants, and wherever it was preloaded or chosen. Raises Unknown, Protected, or LibraryUnavailable: then
        its files go later."""
        async with self._changing:
            await self._store.tx(self._curator.let_go, name, by, self._clock())
            await self._take_away(name)
            await self._look()

    async def _look(self) -> None:
        self._stock.seen = await self._blocking(stock.look, self._library, self._stock.seen)

    async def _take_away(self, name: str) -> None:
        try:
            await self._blocking(self._library.delete, name)
        except (Unknown, Protected):
            log.info("a skill that was deleted has no files any more", skill=name)
        await self._store.tx(skills.delete_leaving, name)

    async def _blocking(self, work: Callable[..., T], *arguments: object) -> T:
        """Raises errors of the service for those of the library."""
        try:
            return await asyncio.to_thread(work, *arguments)
        except of_skills.Taken as error:
            words = _("There is a skill {names} already. Nothing changed.").format(names=", ".join(error.names))
            raise Taken(words, "skill_taken", "name") from error
        except of_skills.Protected as error:
            raise protected(str(error)) from error
        except of_skills.UnknownSkill as error:
            raise Unknown(_("There is no skill {name}.").format(name=error), "unknown_skill", "name") from error
        except OSError as error:
            raise LibraryUnavailable(LibraryUnavailable.__doc__) from error


def _leaving(tx: Tx) -> list[str]:
    return [row.name for row in skills.everything(tx) if row.digest == LEAVING]
