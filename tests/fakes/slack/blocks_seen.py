"""Reads blocks as a person does, and the buttons that stand in them. In rich_text, and raw_text, every text is literal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.fakes.slack import markdown, mrkdwn
from tests.fakes.slack.errors import Json
from tests.fakes.slack.seen import Name, Seen, Style, unescaped


@dataclass(frozen=True, slots=True)
class Control:
    """Something that can be pressed or chosen, and the block it stands in."""

    block_id: str
    element: Json

    @property
    def label(self) -> str:
        text = self.element.get("text") or self.element.get("placeholder") or {}
        return unescaped(str(text.get("text", "")))

    @property
    def data(self) -> str:
        """The value, or the action_id where there is none."""
        return str(self.element.get("value") or self.element.get("action_id", ""))


def read(blocks: Iterable[Json], name: Name) -> Seen:
    seen = Seen()
    for block in blocks:
        seen.line()
        _block(block, name, seen)
    return seen


def text_object(text: Json | None, name: Name) -> Seen:
    """plain_text or mrkdwn."""
    if not text:
        return Seen()
    if text["type"] == "mrkdwn":
        return mrkdwn.read(text["text"], name)
    seen = Seen()
    seen.write(unescaped(text["text"]))
    return seen


def _block(block: Json, name: Name, seen: Seen) -> None:
    kind = block["type"]
    if kind == "section":
        texts = [block["text"]] if block.get("text") else []
        seen.write("\n".join(seen.take(text_object(text, name)) for text in [*texts, *block.get("fields", ())]))
    elif kind in ("header", "alert"):
        text = seen.take(text_object(block["text"], name))
        seen.styles.append(Style(kind, text))
        seen.write(text)
    elif kind == "context":
        shown = (
            e.get("alt_text", "") if e["type"] == "image" else seen.take(text_object(e, name))
            for e in block["elements"]
        )
        seen.write(" ".join(shown))
    elif kind == "markdown":
        seen.write(seen.take(markdown.read(block["text"], name)))
    elif kind == "rich_text":
        _rich(block["elements"], name, seen)
    elif kind == "table":
        rows = ("\t".join(_cell(cell, name, seen) for cell in row) for row in block["rows"])
        seen.write("\n".join(rows))
    elif kind == "image":
        seen.write(seen.take(text_object(block.get("title"), name)) or block.get("alt_text", ""))
    elif kind == "task_card":
        seen.write(unescaped(block["title"]))
    elif kind == "plan":
        titles = [block["title"], *(task.get("title", "") for task in block.get("tasks", ()))]
        seen.write("\n".join(map(unescaped, titles)))
    elif kind == "input":
        seen.write(seen.take(text_object(block["label"], name)))


def _cell(cell: Json, name: Name, seen: Seen) -> str:
    if cell["type"] == "rich_text":
        inner = Seen()
        _rich(cell["elements"], name, inner)
        return seen.take(inner)
    return str(cell.get("text", cell.get("value", "")))


def _rich(elements: Iterable[Json], name: Name, seen: Seen) -> None:
    for element in elements:
        kind = element["type"]
        seen.line()
        if kind == "rich_text_list":
            for number, item in enumerate(element["elements"], start=1 + element.get("offset", 0)):
                seen.line()
                sign = f"{number}. " if element.get("style") == "ordered" else "• "
                seen.write("    " * element.get("indent", 0) + sign)
                _run(item["elements"], name, seen)
            continue
        inner = Seen()
        _run(element["elements"], name, inner)
        text = seen.take(inner)
        if kind in ("rich_text_quote", "rich_text_preformatted"):
            seen.styles.append(Style("quote" if kind == "rich_text_quote" else "pre", text))
        seen.write("".join(inner.parts))


def _run(elements: Iterable[Json], name: Name, seen: Seen) -> None:
    for element in elements:
        text = _rich_element(element, name, seen)
        seen.write(text)
        for style, on in (element.get("style") or {}).items():
            if on:
                seen.styles.append(Style(style, text))


def _rich_element(element: Json, name: Name, seen: Seen) -> str:
    kind = element["type"]
    if kind == "user":
        seen.mention(element["user_id"])
        return f"@{name(element['user_id'])}"
    if kind == "usergroup":
        seen.mention(element["usergroup_id"])
        return f"@{name(element['usergroup_id'])}"
    if kind == "broadcast":
        seen.mention(element["range"])
        return f"@{element['range']}"
    if kind == "channel":
        return f"#{name(element['channel_id'])}"
    if kind == "link":
        text = str(element.get("text") or element["url"])
        seen.styles.append(Style("link", text, element["url"]))
        return text
    if kind == "emoji":
        return f":{element['name']}:"
    return str(element.get("text") or element.get("fallback") or "")


def rows(blocks: Iterable[Json]) -> Iterator[list[Control]]:
    """The controls of each block that has any: an actions block is a row, an accessory a row of its own."""
    for block in blocks:
        found = list(block.get("elements", ())) if block["type"] in ("actions", "context_actions") else []
        if block.get("accessory", {}).get("type", "image") != "image":
            found = [block["accessory"]]
        if block["type"] == "card":
            found = list(block.get("actions", ()))
        if found:
            yield [Control(block.get("block_id", ""), element) for element in found]
