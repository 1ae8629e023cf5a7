"""Skills on a real disk beside a bare database: what tests bring in, grant, trust and take away."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.curator import Turn
from bot.domain.persona import Persona
from bot.granter import Wish
from bot.health import Health
from bot.librarian import Installed, Librarian
from bot.store import personas
from bot.store.database import Store, Tx
from skills.bundle import bundled
from skills.library import Library, builtin_directory
from skills.limits import Limits
from skills.package import Package
from tests.bot.parts import GUIDE, NOW, Parts, with_skills

ANN = "tg:1"
ON = Turn(enabled=True, trusted=True)
ALL_ON = Turn(enabled=True, trusted=True, scripts_enabled=True)

SCRIPT = b"#!/usr/bin/env python3\nimport sys\nprint('counted', *sys.argv[1:])\n"


def packed(name: str, text: str = "Do it well.", front: str = "", files: Mapping[str, bytes] | None = None) -> Package:
    """`front`: further lines of the front matter."""
    head = f"---\nname: {name}\ndescription: Helps with {name}.\n{front}---\n\n{text}\n"
    [package] = bundled({"SKILL.md": head.encode(), **(files or {})}).packages
    return package


def scripted(name: str, script: bytes = SCRIPT) -> Package:
    return packed(name, files={"scripts/count.py": script, "references/words.md": b"One, two, three."})


@dataclass(frozen=True, slots=True)
class Room:
    """`folder`: where skills are installed."""

    store: Store
    parts: Parts
    librarian: Librarian
    folder: Path
    health: Health

    async def install(self, *packages: Package, turn: Turn | None = None) -> Installed:
        return await self.librarian.install(packages, ANN, turn=turn or Turn())

    async def bring(self, *packages: Package, turn: Turn = ON) -> None:
        """In, switched on and granted."""
        await self.install(*packages, turn=turn)
        for package in packages:
            await self.grant(package.skill.name)

    async def grant(self, name: str, persona: str = "guide") -> None:
        wish = Wish(persona, f"skill/{name}", "allow", None, "", ANN)
        await self.store.tx(self.parts.granter.grant, wish, NOW)

    async def turn(self, name: str, turn: Turn) -> None:
        await self.store.tx(self.parts.admin.curator.turn, name, turn, ANN, NOW)

    async def at_hand(self, persona: Persona = GUIDE, channel: str = "tg") -> list[str]:
        """Skills that were installed and that this persona may use."""
        usable = await self.store.tx(self.parts.skillsets.usable, persona, channel, NOW)
        return [each.name for each in usable if not each.skill.builtin]


async def open_room(store: Store, folder: Path, *, builtin: bool = False) -> Room:
    """With the persona `guide`; `builtin`: with the skills that come with the service."""
    parts = with_skills()
    nothing = folder / "none"
    nothing.mkdir(parents=True, exist_ok=True)
    library = Library(folder / "skills", builtin_directory() if builtin else nothing)
    health = Health(lambda: NOW)
    librarian = Librarian(store, library, Limits(), parts.admin.curator, health, lambda: NOW)
    await store.tx(_settle)
    await librarian.open()
    return Room(store, parts, librarian, folder / "skills", health)


def _settle(tx: Tx) -> None:
    if personas.find(tx, GUIDE.id) is None:
        personas.put(tx, GUIDE)
