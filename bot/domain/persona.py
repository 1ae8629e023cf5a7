"""A persona: a named character with a model, instructions and grants of its own."""

import re
from dataclasses import dataclass
from typing import Literal

from bot.domain.capability import DefaultBuiltin

Mode = Literal["direct", "supervisor"]

_ID = re.compile(r"[a-z][a-z0-9_-]{0,31}")

LONGEST_NAME = 64


def is_persona_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None and text != "group"


@dataclass(frozen=True, slots=True)
class Persona:
    """`mode`: it uses its tools itself (direct), or hands work to specialists that do (supervisor).

    `preload_skills`: names of skills whose text it always has before it, as long as it may use them.
    """

    id: str
    display_name: str
    model: str
    instructions: str
    mode: Mode
    default_builtin: DefaultBuiltin
    preload_skills: tuple[str, ...] = ()
