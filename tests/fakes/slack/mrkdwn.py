"""Reads mrkdwn as Slack's clients do: `*bold*`, `<@U…>`, `<https://…|label>`, entities."""

import re

from tests.fakes.slack.seen import Name, Seen, Style, unescaped

_FENCED = re.compile(r"```(.+?)```", re.DOTALL)
_TOKEN = re.compile(r"<([^<>\n]+)>")
_STYLED = re.compile(r"(?<![\w*_~`])([*_~`])(?=\S)([^\n]+?)(?<=\S)\1(?![\w*_~`])")
_BARE = re.compile(r"(?<![\w@])@(here|channel|everyone|[A-Za-z0-9][\w.-]*)")
_STYLES = {"*": "bold", "_": "italic", "~": "strike", "`": "code"}
_MARKED = re.compile("\x00(\\d+)\x00")


def read(text: str, name: Name, *, loose: bool = False) -> Seen:
    """`loose`: bare names notify as well."""
    seen = Seen()
    last = 0
    for match in _FENCED.finditer(text):
        _flowing(text[last : match.start()], name, seen, loose=loose)
        code = _filled(*_tokens(match[1].strip("\n"), name, seen, []))
        seen.line()
        seen.write(code)
        seen.write("\n")
        seen.styles.append(Style("pre", code))
        last = match.end()
    _flowing(text[last:], name, seen, loose=loose)
    return seen


def _flowing(text: str, name: Name, seen: Seen, *, loose: bool) -> None:
    if loose:
        for match in _BARE.finditer(_TOKEN.sub("", text)):
            seen.mention(match[1])
    marked, shown = _tokens(text, name, seen, [])
    for number, line in enumerate(marked.split("\n")):
        if number:
            seen.write("\n")
        quoted = line.startswith(("&gt;", ">"))
        line = re.sub(r"^(&gt;|>) ?", "", line) if quoted else line
        plain = _filled(_styles(line, seen, shown), shown)
        if quoted:
            seen.styles.append(Style("quote", plain))
        seen.write(plain)


def _tokens(text: str, name: Name, seen: Seen, shown: list[str]) -> tuple[str, list[str]]:
    """The text with a mark where something in angle brackets stood, and how each of these is shown."""

    def put(match: re.Match[str]) -> str:
        shown.append(_token(match[1], name, seen))
        return f"\x00{len(shown) - 1}\x00"

    marked = _TOKEN.sub(put, text)
    return marked, shown


def _token(inner: str, name: Name, seen: Seen) -> str:
    target, _, label = inner.partition("|")
    if target.startswith("@"):
        seen.mention(target[1:])
        return f"@{name(target[1:])}"
    if target.startswith("!subteam^"):
        seen.mention(target.removeprefix("!subteam^"))
        return label or f"@{name(target.removeprefix('!subteam^'))}"
    if target in ("!here", "!channel", "!everyone"):
        seen.mention(target[1:])
        return f"@{target[1:]}"
    if target.startswith("!"):
        return unescaped(label)  # dates and the like show their fallback
    if target.startswith("#"):
        return f"#{label or name(target[1:])}"
    shown = unescaped(label or target.removeprefix("mailto:"))
    seen.styles.append(Style("link", shown, unescaped(target)))
    return shown


def _styles(line: str, seen: Seen, shown: list[str]) -> str:
    """The line without its marks; innermost last, as people nest them."""

    def strip(match: re.Match[str]) -> str:
        kind = _STYLES[match[1]]
        inner = match[2] if kind == "code" else _styles(match[2], seen, shown)
        seen.styles.append(Style(kind, _filled(inner, shown)))
        return inner

    return _STYLED.sub(strip, line)


def _filled(marked: str, shown: list[str]) -> str:
    """Entities are read last, so that what they stand for means nothing."""
    return _MARKED.sub(lambda match: shown[int(match[1])], unescaped(marked))
