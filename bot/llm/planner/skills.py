"""What each offered tool can be asked for, read out of its name and description alone."""

import re
from dataclasses import dataclass
from functools import lru_cache

from bot.llm.planner.wording import ACTIONS, PARTICLES, name_words, noun, words
from bot.llm.port import Offer

DELEGATE = "delegate_to_"
_NOISE = PARTICLES | {"mcp", "builtin", "tool", "server", "api"}
_IDENTIFIER = re.compile(r"\b[a-z][a-z0-9]*(?:_+[a-z0-9]+)+\b")
_SENTENCE = re.compile(r"[.;:\n,•]+")


@dataclass(frozen=True, slots=True)
class Skill:
    """One thing an offer can do. `hints` are weaker nouns, from the description; `tool` is the name of what does it,
    which a delegate only mentions. `broad`: what it does is not known, only what it is about."""

    offer: Offer
    tool: str
    actions: frozenset[str]
    nouns: frozenset[str]
    hints: frozenset[str] = frozenset()
    broad: bool = False


def is_delegate(offer: Offer) -> bool:
    """Whether the offer hands a task to a worker."""
    return offer.name.startswith(DELEGATE) and "task" in offer.schema.get("properties", {})


def skills(offers: tuple[Offer, ...]) -> tuple[Skill, ...]:
    """Everything that the offers can do; a delegate can do what its description lists."""
    found: list[Skill] = []
    for offer in offers:
        found.extend(_delegate(offer) if is_delegate(offer) else (_named(offer, offer.name, offer.description),))
    return tuple(found)


def _named(offer: Offer, tool: str, description: str) -> Skill:
    return Skill(offer, tool, *_read(tool, description))


@lru_cache(maxsize=512)
def _read(tool: str, description: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Actions, nouns and hints: the same offers come with every turn, and reading them takes longer than the rest."""
    parts = name_words(tool)
    actions = {ACTIONS.get(part, part) for part in parts}
    nouns = {noun(part) for part in parts if part not in ACTIONS and part not in _NOISE}
    if not actions & set(ACTIONS.values()):
        first = next((word.lower() for word, _, _ in words(description)), "")
        actions.add(ACTIONS.get(first, "read"))
    hints = {noun(word) for word, _, _ in words(description) if len(word) > 3 and word.lower() not in ACTIONS}
    return frozenset(actions), frozenset(nouns), frozenset(hints - _NOISE)


def _delegate(offer: Offer) -> list[Skill]:
    listed = sorted(set(_IDENTIFIER.findall(offer.description)) - {offer.name})
    if listed:
        return [_named(offer, tool, "") for tool in listed]
    room = {noun(part) for part in name_words(offer.name[len(DELEGATE) :])}
    found = [Skill(offer, offer.name, frozenset(ACTIONS.values()), frozenset(room), broad=True)]
    for sentence in _SENTENCE.split(offer.description):
        parts = [word.lower() for word, _, _ in words(sentence)]
        actions = {ACTIONS[part] for part in parts if part in ACTIONS}
        nouns = {noun(part) for part in parts if part not in ACTIONS and part not in _NOISE}
        if actions and nouns:
            found.append(Skill(offer, offer.name, frozenset(actions), frozenset(nouns | room)))
    return found


def choose(candidates: tuple[Skill, ...], action: str, nouns: frozenset[str]) -> tuple[Skill, ...]:
    """The skills that fit best, one per offer: none if nothing fits, several if they fit equally well."""
    best: list[Skill] = []
    top = 0.0
    for skill in candidates:
        score = _score(skill, action, nouns)
        if score <= 0 or score < top:
            continue
        if score > top:
            best, top = [], score
        if all(other.offer is not skill.offer for other in best):
            best.append(skill)
    return tuple(best)


def _score(skill: Skill, action: str, nouns: frozenset[str]) -> float:
    if action not in skill.actions:
        return 0.0
    if not nouns:
        return 0.0 if skill.broad else 1.0
    named = len(nouns & skill.nouns)
    hinted = len((nouns - skill.nouns) & skill.hints)
    if not named and not hinted:
        return 0.0
    # Of two that name the thing, the one that says less beside it is meant; the server's own name does not count.
    said = name_words(skill.tool.rsplit("__", 1)[-1])
    return 3.0 * named + hinted + named / (1 + len(said))
