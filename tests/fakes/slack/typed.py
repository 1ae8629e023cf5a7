"""What a person types, as Slack puts it on the wire: mrkdwn with entities, and a rich_text block, whose texts are literal."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fakes.slack.errors import Json
from tests.fakes.slack.world import Channel, World

_BROADCASTS = ("here", "channel", "everyone")
_LINK = re.compile(r"https?://[^\s<>]*[^\s<>.,;:!?)\]'\"]")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_EMOJI = re.compile(r":([a-z0-9_+-]+):")
_STYLED = re.compile(r"(?<![\w*_~`])([*_~`])(?=\S)([^\n]+?)(?<=\S)\1(?![\w*_~`])")
_FENCED = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_STYLES = {"*": "bold", "_": "italic", "~": "strike", "`": "code"}


@dataclass(frozen=True, slots=True)
class Typed:
    text: str
    blocks: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a line: how it stands in `text`, and its element in the rich_text block."""

    text: str
    element: Json


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def new_block_id() -> str:
    return secrets.token_urlsafe(4)[:5]


def typed(world: World, channel: Channel, text: str) -> Typed:
    """Names are looked for among the channel's members first: `@Ada`, `#general`, `@here`; links and styles are found."""
    names = _Names(world, channel)
    written: list[str] = []
    elements: list[Json] = []
    last = 0
    for match in _FENCED.finditer(text):
        _section(names, text[last : match.start()], written, elements)
        written.append(f"```{escaped(match[1])}```")
        code = {"type": "text", "text": match[1]}
        elements.append({"type": "rich_text_preformatted", "elements": [code], "border": 0})
        last = match.end()
    _section(names, text[last:], written, elements)
    block: Json = {"type": "rich_text", "block_id": new_block_id(), "elements": elements}
    return Typed("".join(written), (block,) if elements else ())


def _section(names: "_Names", text: str, written: list[str], elements: list[Json]) -> None:
    if not text:
        return
    pieces = list(_pieces(names, text))
    written.extend(piece.text for piece in pieces)
    if found := [piece.element for piece in pieces]:
        elements.append({"type": "rich_text_section", "elements": found})


def _pieces(names: "_Names", text: str) -> Iterator[_Piece]:
    """Styles outside, names and links within; a code span holds neither."""
    last = 0
    for match in _STYLED.finditer(text):
        yield from _plain(names, text[last : match.start()])
        mark, inner = match[1], match[2]
        style = {_STYLES[mark]: True}
        if mark == "`":
            yield _Piece(f"`{escaped(inner)}`", {"type": "text", "text": inner, "style": style})
        else:
            within = list(_plain(names, inner))
            for number, piece in enumerate(within):
                before = mark if number == 0 else ""
                after = mark if number == len(within) - 1 else ""
                yield _Piece(f"{before}{piece.text}{after}", {**piece.element, "style": style})
        last = match.end()
    yield from _plain(names, text[last:])


def _plain(names: "_Names", text: str) -> Iterator[_Piece]:
    last = start = 0
    while start < len(text):
        found = names.at(text, start)
        if found is None:
            start += 1
            continue
        piece, length = found
        if start > last:
            yield _words(text[last:start])
        yield piece
        last = start = start + length
    if last < len(text):
        yield _words(text[last:])


def _words(text: str) -> _Piece:
    return _Piece(escaped(text), {"type": "text", "text": text})


class _Names:
    """Who and what can be named in a channel."""

    def __init__(self, world: World, channel: Channel) -> None:
        self._people: dict[str, str] = {}
        self._channels = {c.name: c.id for c in world.channels.values() if c.name and c.teams[0] in channel.teams}
        for user in world.users.values():
            if user.team in channel.teams or user.id in channel.members:
                self._people.setdefault(user.shown_name, user.id)
        for member in reversed(channel.members):
            self._people[world.users[member].shown_name] = member  # whoever is there goes before those elsewhere
        self._longest_first = sorted(self._people, key=len, reverse=True)

    def at(self, text: str, start: int) -> tuple[_Piece, int] | None:
        """What is named at this place, and how many characters name it."""
        mark = text[start]
        before = text[start - 1] if start else " "
        if mark == "@" and not before.isalnum():
            return self._person(text, start)
        if mark == "#" and not before.isalnum():
            return self._channel(text, start)
        if mark == "h" and not before.isalnum() and (link := _LINK.match(text, start)):
            return _Piece(f"<{escaped(link[0])}>", {"type": "link", "url": link[0]}), len(link[0])
        if mark == ":" and (emoji := _EMOJI.match(text, start)):
            return _Piece(emoji[0], {"type": "emoji", "name": emoji[1]}), len(emoji[0])
        if mark.isalnum() and not before.isalnum() and (mail := _MAIL.match(text, start)):
            element = {"type": "link", "url": f"mailto:{mail[0]}", "text": mail[0]}
            return _Piece(f"<mailto:{mail[0]}|{mail[0]}>", element), len(mail[0])
        return None

    def _person(self, text: str, start: int) -> tuple[_Piece, int] | None:
        for word in _BROADCASTS:
            if _stands(text, start + 1, word):
                return _Piece(f"<!{word}>", {"type": "broadcast", "range": word}), len(word) + 1
        for name in self._longest_first:
            if _stands(text, start + 1, name):
                person = self._people[name]
                return _Piece(f"<@{person}>", {"type": "user", "user_id": person}), len(name) + 1
        return None

    def _channel(self, text: str, start: int) -> tuple[_Piece, int] | None:
        for name in sorted(self._channels, key=len, reverse=True):
            if _stands(text, start + 1, name):
                channel = self._channels[name]
                return _Piece(f"<#{channel}|{name}>", {"type": "channel", "channel_id": channel}), len(name) + 1
        return None


def _stands(text: str, start: int, word: str) -> bool:
    end = start + len(word)
    return text.startswith(word, start) and not text[end : end + 1].isalnum()
