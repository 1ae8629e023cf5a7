"""How text is searched, the same on both databases: by words, each a piece of text that must occur. No I/O.

Nothing in a query is an operator: what a person or a model types is text.
"""

from collections.abc import Iterable

EDGES = "\"'“”„‘’«»‹›「」『』《》〈〉()[]{}<>.,;:!?…。，、；：！？（）"
"""Taken from both ends of a word, so that `hours?` finds "hours"; inside a word they count."""

GAP = "…"


def fold(text: str) -> str:
    """`text` without differences of case, character for character (so a place in one is the same place in the other).

    Accents stay as they are. A letter whose folded form is longer (ß) is kept or, if that helps, put in lower case.
    """
    folded = text.casefold()
    if len(folded) == len(text):  # casefold never shortens: every character has become exactly one
        return folded
    return "".join(_folded(character) for character in text)


def _folded(character: str) -> str:
    for form in (character.casefold(), character.lower()):
        if len(form) == 1:
            return form
    return character


def words(query: str) -> tuple[str, ...]:
    """The folded words of a query, in order, each once. A word of nothing but marks stays as it is."""
    return tuple(dict.fromkeys(word.strip(EDGES) or word for word in fold(query).split()))


def pattern(word: str) -> str:
    """For `LIKE … ESCAPE '/'`: any text that holds `word`, whatever characters it is made of."""
    for special in "/%_":
        word = word.replace(special, f"/{special}")
    return f"%{word}%"


def phrase(word: str) -> str:
    """For FTS5's MATCH: the word as a string, in which nothing has a meaning."""
    return '"' + word.replace('"', '""') + '"'


def holds(text: str, wanted: Iterable[str]) -> bool:
    """All of the folded words occur in the text."""
    folded = fold(text)
    return all(word in folded for word in wanted)


def passage(text: str, wanted: tuple[str, ...], width: int) -> str:
    """At most `width` characters of `text` around its first hit: all words side by side, else the longest that occurs.

    Begins and ends between words where a space is near; `…` stands for what is left out on a side.
    """
    if len(text) <= width:
        return text.strip()
    hit = max(0, _place(fold(text), wanted))
    start = max(0, min(hit - width // 3, len(text) - width + len(GAP)))
    room = width - len(GAP) * (1 if start == 0 else 2)
    end = min(len(text), start + room)
    if start > 0:
        space = text.find(" ", start, min(start + 20, hit))
        start = space if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", max(end - 20, hit), end)
        end = space if space > start else end
    return (GAP if start > 0 else "") + text[start:end].strip() + (GAP if end < len(text) else "")


def _place(folded: str, wanted: tuple[str, ...]) -> int:
    for needle in (" ".join(wanted), *sorted(wanted, key=len, reverse=True)):
        if needle and (place := folded.find(needle)) >= 0:
            return place
    return -1
