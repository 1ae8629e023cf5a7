"""Plain words -> what is asked for. Only requests in the form of a request count: small talk and stories do not."""

import re
from dataclasses import dataclass

from bot.llm.planner.forms import FORMS, TALKS, Talk
from bot.llm.planner.wording import ACTIONS, PARTICLES, noun, telling, words


@dataclass(frozen=True, slots=True)
class Ask:
    """What a clause asks for. `rest` is what is left of it for the arguments; `vague`: a question that only a search
    could help with."""

    action: str
    nouns: frozenset[str]
    rest: str = ""
    vague: bool = False


_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|well|so|now|then|and|please|pls|kindly|just|also)[\s,!.:]+"
    r"|(?:can|could|would|will) you (?:please |kindly |just )?(?!do\b)"
    r"|(?:i want|i need|i would like|i'd like|i’d like) (?:you )?to |go ahead and |let(?:'s|’s| us) )+",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"^(?:do not|don't|don’t|dont|never)\b|^(?:不要|别)", re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:what|who|where|when|which|why|how|is there|are there|does|do we)\b(?P<rest>.+)$", re.I | re.DOTALL
)
_PERSONAL = re.compile(r"\b(?:you|your|yourself|u)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"^(?:'s|’s)?\s*(?:is|are|was|were|does|do|did|can|the|a|an|our|my|about|\s)*", re.IGNORECASE)
_TAIL_LENGTH = 160
_TAIL = re.compile(
    r"(?<=\S)\s+(?:to|in|into|from|on|as)\s+(?:(?:a|an|the|my|your|our|new)\s+)*(?P<noun>[\w-]+)(?: base| list)?$"
)
_LINK = re.compile(
    r"^[\s,]*(?:(?:for|about|on|that|which|saying|says|say|called|named|titled"
    r"|with(?: the)? text|of|to|as|into|regarding|with)\b(?!\s?=)\s*)?[:：–—-]?\s*",
    re.IGNORECASE,
)


def polite(clause: str) -> str:
    """The clause without its courtesies and its final mark."""
    bare = clause.strip().rstrip("?!。？！").rstrip()
    if bare.endswith(".") and not bare.endswith(".."):
        bare = bare[:-1]
    return _POLITE.sub("", bare, count=1).strip() or bare


def talk(clause: str) -> Talk | None:
    """What kind of talk a clause is that asks for nothing."""
    bare = clause.strip().rstrip("?!.。？！ ").strip()
    plain = re.sub(r"^(?:hi|hello|hey|ok|well|so)[\s,!.]+(?=\S)", "", bare, flags=re.I)
    for pattern, kind in TALKS:
        if pattern.match(bare) or pattern.match(plain):
            return kind
    return "dropped" if _REFUSED.match(bare) else None


def ask(clause: str, nouns: frozenset[str], verbs: frozenset[str]) -> Ask | None:
    """What the clause asks for; None if it is not a request. `nouns` and `verbs` are those of the offers."""
    text = polite(clause)
    for form in FORMS:
        match = form.pattern.match(text)
        if match:
            found = match.groupdict()
            about = form.noun or noun(found["noun"])
            rest = (found.get("rest") or "").strip()
            return Ask(form.action, frozenset({about}), telling(rest) if form.action == "search" else rest)
    return _imperative(text, nouns, verbs) or _question(text)


def _imperative(text: str, nouns: frozenset[str], verbs: frozenset[str]) -> Ask | None:
    found = words(text)
    if not found or found[0][1] != 0:
        return None
    verb = found[0][0].lower()
    action = ACTIONS.get(verb, verb)
    if verb not in ACTIONS and verb not in verbs:
        return None
    about, end = _object(found, nouns)
    rest = _LINK.sub("", text[end:], count=1).strip()
    if about:
        return Ask(action, about, rest)
    tail, rest = _tail(rest, nouns)
    return Ask(action, tail, rest)


def _object(found: list[tuple[str, int, int]], nouns: frozenset[str]) -> tuple[frozenset[str], int]:
    """The nouns right behind the verb, and where they end. Without a noun the words before it are kept."""
    about: set[str] = set()
    end = found[0][2]
    if found[0][0].lower() == "look" and len(found) > 1 and found[1][0].lower() in ("up", "for"):
        end = found[1][2]
    for word, _, stop in found[1:]:
        if noun(word) in nouns:
            about.add(noun(word))
            end = stop
            continue
        if word.lower() in ("base", "list") and about:
            end = stop
            continue
        if word.lower() not in PARTICLES and word.lower() not in ("in", "through", "as"):
            break
        if word.lower() in ("that", "with") and about:
            break
    return frozenset(about), end


def _tail(rest: str, nouns: frozenset[str]) -> tuple[frozenset[str], str]:
    """A noun at the end: "buy milk to my notes"."""
    match = _TAIL.search(rest, max(0, len(rest) - _TAIL_LENGTH))
    if not match or noun(match["noun"]) not in nouns:
        return frozenset(), rest
    return frozenset({noun(match["noun"])}), rest[: match.start()]


def _question(text: str) -> Ask | None:
    match = _QUESTION.match(text)
    if not match or _PERSONAL.search(text):
        return None
    rest = _SUBJECT.sub("", match["rest"], count=1).strip()
    return Ask("search", frozenset({"document"}), telling(rest), vague=True) if rest else None
