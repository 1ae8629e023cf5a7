"""Reads Markdown as a `markdown` block shows it; only as much as tests look at."""

import re

from tests.fakes.slack.seen import Name, Seen, Style, unescaped

_FENCED = re.compile(r"^```[^\n]*\n(.*?)\n?```[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(`+)(.+?)\1")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\(([^()\s]+)\)")
_MENTION = re.compile(r"<([@!#])([^<>|\n]+)(?:\|([^<>\n]*))?>")
_AUTO = re.compile(r"<(https?://[^<>\s|]+)>")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_WEAK = re.compile(r"(?<![\w*_\\])([*_])(?=[^\s*_])(.+?)(?<=[^\s*_])\1(?![\w*_])")
_STRIKE = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKED = re.compile("\x00(\\d+)\x00")


def read(text: str, name: Name) -> Seen:
    seen = Seen()
    last = 0
    for match in _FENCED.finditer(text):
        _lines(text[last : match.start()], name, seen)
        seen.styles.append(Style("pre", unescaped(match[1])))
        seen.write(unescaped(match[1]))
        last = match.end()
    _lines(text[last:], name, seen)
    return seen


def _lines(text: str, name: Name, seen: Seen) -> None:
    for number, line in enumerate(text.split("\n")):
        if number:
            seen.write("\n")
        heading = re.match(r"#{1,6} +", line)
        quote = re.match(r"> ?", line)
        plain = _inline(line[(heading or quote).end() :] if (heading or quote) else line, name, seen)  # type: ignore[union-attr]  # one of the two matched
        if heading or quote:
            seen.styles.append(Style("header" if heading else "quote", plain))
        seen.write(plain)


def _inline(line: str, name: Name, seen: Seen) -> str:
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return f"\x00{len(kept) - 1}\x00"

    def code(match: re.Match[str]) -> str:
        seen.styles.append(Style("code", unescaped(match[2])))
        return keep(unescaped(match[2]))

    def link(match: re.Match[str]) -> str:
        seen.styles.append(Style("link", unescaped(match[1]), match[2]))
        return match[1]

    def auto(match: re.Match[str]) -> str:
        seen.styles.append(Style("link", match[1], match[1]))
        return keep(match[1])

    def mention(match: re.Match[str]) -> str:
        kind, target, label = match[1], match[2], match[3] or ""
        if kind == "#":
            return keep(f"#{label or name(target)}")
        target = target.removeprefix("subteam^")
        seen.mention(target)
        return keep(f"@{label or (target if kind == '!' else name(target))}")

    def styled(kind: str, group: int, line: str, pattern: re.Pattern[str]) -> str:
        def strip(match: re.Match[str]) -> str:
            seen.styles.append(Style(kind, unescaped(match[group])))
            return match[group]

        return pattern.sub(strip, line)

    line = _CODE.sub(code, line)
    line = _ESCAPE.sub(lambda match: keep(match[1]), line)
    line = _AUTO.sub(auto, _MENTION.sub(mention, _LINK.sub(link, line)))
    line = styled("bold", 2, line, _STRONG)
    line = styled("strike", 1, line, _STRIKE)
    line = styled("italic", 2, line, _WEAK)
    return _MARKED.sub(lambda match: kept[int(match[1])], unescaped(line))
