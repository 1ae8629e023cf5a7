"""What tools say, within bounds: lists for the model, and other people's words inside a sentence of ours. No I/O."""

from collections.abc import Iterable, Sequence

MOST = 8_000
"""Longest answer of a tool, in characters."""

SHOWN = 600
"""Most characters of a text that a confirmation shows."""

TURNS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of what follows: with them a text could look like another one."""


def quoted(text: str, most: int = SHOWN) -> str:
    """`text` in quotation marks and on one line; a long one is cut, and its length said.

    Characters that do not show or that turn the direction of the line are shown as `�`.
    """
    line = " ".join(text.split())
    shown = "".join("�" if character in TURNS or ord(character) < 32 else character for character in line[:most])
    if len(line) <= most:
        return f"“{shown}”"
    return f"“{shown.rstrip()}…” ({characters(len(text))})"


def characters(number: int) -> str:
    return "1 character" if number == 1 else f"{number:,} characters"


def counted(number: int, one: str, more: str) -> str:
    return f"1 {one}" if number == 1 else f"{number:,} {more}"


def listing(head: str, items: Sequence[str], total: int, rest: str) -> str:
    """`head`, then as many items as fit in MOST characters, then how many of `total` are left out, and `rest`."""
    kept = list(_fitting(items, MOST - len(head) - len(_left_out(total, rest)) - 2))
    lines = [head, *kept]
    if len(kept) < total:
        lines.append(_left_out(total - len(kept), rest))
    return "\n".join(lines)


def _left_out(number: int, rest: str) -> str:
    return f"({number:,} more left out. {rest})"


def _fitting(items: Iterable[str], room: int) -> Iterable[str]:
    for item in items:
        room -= len(item) + 1
        if room < 0:
            return
        yield item
