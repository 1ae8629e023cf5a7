"""“Ask me for my name and a date” → a form with a blank for each."""

import re

from bot.llm.port import Json

FORM = "ask_form"
"""The name of the tool."""
_MOST = 10
_LONGEST = 60
_ASKED = re.compile(r"^(?:ask|question|interview) me for (?P<what>.+)$", re.IGNORECASE | re.DOTALL)
_BETWEEN = re.compile(r"\s*(?:,\s*and\s+|,|;|\s+and\s+|\n)\s*", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:my|the|a|an|our|some)\s+", re.IGNORECASE)
_NO_NAME = re.compile(r"[^a-z0-9]+")


def form(clause: str) -> dict[str, Json] | None:
    """The arguments of the call; None if the clause asks for no form. `clause` is without courtesies."""
    match = _ASKED.match(clause)
    if match is None:
        return None
    labels = [_ARTICLE.sub("", part.strip(" .?!")) for part in _BETWEEN.split(match["what"])]
    labels = list(dict.fromkeys(label for label in labels if label))
    if not 0 < len(labels) <= _MOST or any(len(label) > _LONGEST for label in labels):
        return None
    names = [_name(label, place) for place, label in enumerate(labels, 1)]
    if len(set(names)) < len(names):
        names = [f"field_{place}" for place in range(1, len(labels) + 1)]
    fields: list[Json] = [{"name": name, "label": label} for name, label in zip(names, labels, strict=True)]
    return {"message": "You asked me to ask for this.", "fields": fields}


def _name(label: str, place: int) -> str:
    plain = _NO_NAME.sub("_", label.lower()).strip("_")[:40]
    return plain if plain[:1].isalpha() else f"field_{place}"
