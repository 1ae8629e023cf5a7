"""What is wrong with a configuration, in words for the person who mends it."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import AskfirstError


@dataclass(frozen=True, slots=True)
class Mistake:
    """`key` is dotted (`channels.tg.token`, `grants[0].until`; empty: the file as a whole), `line` counts from 1 (0: none).

    `what` goes on after the key; `remedy` is a sentence of its own. Neither ever holds a secret.
    """

    key: str
    line: int
    what: str
    remedy: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        return f"{place}{self.key or 'the file'} {self.what}. {self.remedy}"


class ConfigError(AskfirstError):
    """The configuration cannot be used, so nothing was started. `mistakes` are all there are, in the order of the file."""

    def __init__(self, name: str, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda mistake: (mistake.line, mistake.key)))
        count = "one mistake" if len(self.mistakes) == 1 else f"{len(self.mistakes)} mistakes"
        lines = "\n".join(f"  {mistake}" for mistake in self.mistakes)
        super().__init__(f"{name} has {count}; nothing was started.\n{lines}")
