"""What a reader sees: pieces of text with their styles, links, and whom they notify."""

from collections.abc import Callable
from dataclasses import dataclass, field

Name = Callable[[str], str]
"""How an id (of a person, a channel, a group) is shown."""


@dataclass(frozen=True, slots=True)
class Style:
    """`kind`: bold, italic, strike, code, pre, quote, link, header, emoji; `url` for links."""

    kind: str
    text: str
    url: str = ""


@dataclass(slots=True)
class Seen:
    """`mentions`: ids of people and groups, and `here`, `channel`, `everyone`."""

    parts: list[str] = field(default_factory=list)
    styles: list[Style] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.parts.append(text)

    def line(self) -> None:
        """End the line, unless nothing stands there yet."""
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")

    def mention(self, who: str) -> None:
        if who not in self.mentions:
            self.mentions.append(who)

    def take(self, other: "Seen") -> str:
        """Take over styles and mentions of a part that was read by itself; its text."""
        self.styles.extend(other.styles)
        for who in other.mentions:
            self.mention(who)
        return other.text

    @property
    def text(self) -> str:
        return "".join(self.parts).strip("\n")


def unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
