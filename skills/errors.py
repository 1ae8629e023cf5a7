"""What can be wrong with a skill, in words for whoever brought it."""

from collections.abc import Sequence
from dataclasses import dataclass

from skills.rules import Rule

MOST_FAULTS = 50
"""Most faults that one answer lists."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`entry`: the path that it concerns, in the archive or in the library (empty: the whole). `message`: a
    sentence with the key and the line, where there are any; never a whole value."""

    entry: str
    rule: Rule
    message: str

    def __str__(self) -> str:
        return f"{self.entry}: {self.message}" if self.entry else self.message


class SkillError(Exception):
    """Something is wrong with a skill."""


class Refused(SkillError):
    """What was brought is not taken, so nothing was written. `faults` says why, the first ones of many."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        assert faults
        self.faults = tuple(faults[:MOST_FAULTS])
        super().__init__("\n".join(str(fault) for fault in self.faults))


class ArchiveRefused(Refused):
    """It is no archive that may be unpacked, whatever it holds."""


class ContentRefused(Refused):
    """What it holds is no skill, or one that cannot be read whole."""


class UnknownSkill(SkillError):
    """There is no skill of this name, or no file of this name in it."""


class Taken(SkillError):
    """There is a skill of this name already, so nothing was written. `names` are the taken ones."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        super().__init__(", ".join(names))


class Protected(SkillError):
    """This is the name of a skill that comes with the service: it cannot be changed, deleted or replaced."""


class NotRunnable(SkillError):
    """This script cannot be run, so nothing was started. The message says why."""
