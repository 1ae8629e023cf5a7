"""The words that the planner knows: verbs by what they do, nouns by what they name."""

import re

ACTIONS: dict[str, str] = {
    word: action
    for action, words in {
        "add": "add create save store write make put new record jot insert append remember memorize memorise keep take",
        "read": "read list show display view get fetch see print give recall tell",
        "search": "search find query lookup look seek",
        "delete": "delete remove erase forget drop discard clear destroy",
        "update": "update change edit correct modify replace rewrite amend set",
    }.items()
    for word in words.split()
}
"""A verb and the one of five kinds of doing it belongs to; other verbs stand for themselves."""

_NOUNS: dict[str, str] = {
    "knowledge": "document",
    "doc": "document",
    "file": "document",
    "article": "document",
    "page": "document",
    "kb": "document",
    "memo": "note",
    "fact": "memory",
    "clock": "time",
    "date": "time",
    "hour": "time",
}


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PARTICLES = _set(
    "me down up out a an the my your our their this that these those all any some new another every please of persona"
    " base current one list it number no id with by"
)
"""Words around a noun that carry nothing."""

FILLER = PARTICLES | _set(
    "now for in from here you i have there are is do to again thanks thank chat what which and on at right so just"
    " currently today s"
)
"""Words that may be left over without making a request unclear."""

_UNTELLING = _set(
    "a an the is are was were be do does did can could will would should may must of to for in on at by with from and or"
    " our my your their its we i you they it this that there much many long have has had get"
)

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_'’-]*|[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def noun(word: str) -> str:
    """The one form in which the planner compares nouns: lower case, singular, synonyms joined."""
    low = word.lower()
    if low.endswith("ies") and len(low) > 4:
        low = low[:-3] + "y"
    elif low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 3:
        low = low[:-1]
    return _NOUNS.get(low, low)


def words(text: str) -> list[tuple[str, int, int]]:
    """Each word of a text with where it starts and ends."""
    return [(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


def telling(question: str) -> str:
    """The words of a question that a search can use; the question itself if none is left."""
    if '"' in question:
        return question
    kept = [word for word in question.split() if word.lower().strip(",.;:") not in _UNTELLING]
    return " ".join(kept) or question


def name_words(name: str) -> list[str]:
    """The words inside a tool's name: `mcp__weather__getForecast` holds mcp, weather, get, forecast."""
    return [part.lower() for part in re.split(r"[_\W]+", _CAMEL.sub("_", name)) if part]
