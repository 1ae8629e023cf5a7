"""A library of its own for a test, and skills to put into it."""

from pathlib import Path

from skills import json_form, skill_md
from skills.library import Library, builtin_directory
from skills.package import Package, Skill
from tests.skills.zips import named


def library(directory: Path) -> Library:
    made = Library(directory, builtin_directory())
    made.open()
    return made


def skill(name: str, description: str = "Does something.", **others: object) -> Skill:
    return json_form.read({"name": name, "description": description, "instructions": "Text.", **others}).skill


def package(name: str, **files: bytes) -> Package:
    """With files whose names have an underscore for the slash and one for the dot: `scripts_a_py`."""
    content = {name.replace("_", "/", 1).replace("_", "."): data for name, data in files.items()}
    read = skill_md.read(named(name), files=tuple(sorted(content)))
    return Package(read, {"SKILL.md": named(name), **content})


def on_disk(directory: Path) -> dict[str, bytes]:
    """Path → content of all that lies in a library, without what is ours."""
    found = {str(path.relative_to(directory)): path for path in directory.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".staging")}
