"""All tools of a server, page by page, within bounds."""

from dataclasses import dataclass
from typing import Any

from bot.mcp_client.definitions import Rejected, definition
from bot.mcp_client.rejections import Rejections
from bot.mcp_client.spoken import Definition
from bot.mcp_client.talk import Talk

MOST_PAGES = 100
MOST_TOOLS = 1_000


@dataclass(frozen=True, slots=True)
class Listing:
    definitions: tuple[Definition, ...]
    rejected: tuple[str, ...]


async def listed(server: str, talk: Talk) -> Listing:
    """What it offers now. A server that pages for ever is stopped where its pages bring nothing new."""
    rejections = Rejections()
    found: dict[str, Definition] = {}
    seen: set[str | None] = {None}
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        raw, callable_names = await talk.page(cursor)
        before = len(found)
        _take(server, raw, callable_names, found, rejections)
        following = raw.get("nextCursor")
        if not isinstance(following, str):
            return Listing(tuple(found.values()), rejections.told)
        if following in seen or len(found) == before:
            rejections.add("Its list of tools goes in circles, so it was read up to there.")
            return Listing(tuple(found.values()), rejections.told)
        if len(found) >= MOST_TOOLS:
            break
        seen.add(following)
        cursor = following
    rejections.add(f"It lists more than {MOST_TOOLS} tools, or {MOST_PAGES} pages; the rest was left out.")
    return Listing(tuple(found.values()), rejections.told)


def _take(
    server: str,
    raw: dict[str, Any],
    callable_names: frozenset[str],
    found: dict[str, Definition],
    rejections: Rejections,
) -> None:
    tools = raw.get("tools")
    if not isinstance(tools, list):
        rejections.add("It answered the question for its tools with something else than a list.")
        return
    if len(tools) > MOST_TOOLS - len(found):
        rejections.add(f"It lists more than {MOST_TOOLS} tools; the rest was left out.")
    for tool in tools[: MOST_TOOLS - len(found)]:
        try:
            made = definition(server, tool)
        except Rejected as rejected:
            rejections.add(str(rejected))
            continue
        if made.name not in callable_names:
            rejections.add(f"The tool {made.name!r} asks for its arguments as headers in a way that is not allowed.")
        elif made.name in found:
            rejections.add(f"It lists the tool {made.name!r} more than once; the first one counts.")
        else:
            found[made.name] = made
