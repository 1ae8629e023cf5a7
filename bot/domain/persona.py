"""A persona: a named character with a model, instructions and grants of its own."""

from dataclasses import dataclass
from typing import Literal

from bot.domain.capability import DefaultBuiltin

Mode = Literal["direct", "supervisor"]


@dataclass(frozen=True, slots=True)
class Persona:
    """`mode`: it uses its tools itself (direct), or hands work to specialists that do (supervisor)."""

    id: str
    display_name: str
    model: str
    instructions: str
    mode: Mode
    default_builtin: DefaultBuiltin
