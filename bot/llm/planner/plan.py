"""One message and the offers -> calls to make, or one thing to say."""

import re
from dataclasses import dataclass

from bot.llm.planner import sentences
from bot.llm.planner.arguments import QUOTED, fill
from bot.llm.planner.asks import Ask, ask, polite, talk
from bot.llm.planner.questions import FORM, form
from bot.llm.planner.skills import Skill, choose, is_delegate, skills
from bot.llm.planner.wording import ACTIONS
from bot.llm.port import Json, Offer

_NEEDS_NOUN = frozenset(ACTIONS.values()) - {"search"}
_NEXT = re.compile(r"(?<!\s)(?:\s*[;；]\s*|,?\s+(?:and )?then\s+(?=\S)|\s*\n\s*)", re.IGNORECASE)
_MOST_AT_ONCE = 10
_COMMAND = re.compile(r"^(?P<slash>/?)(?P<tool>[A-Za-z0-9][\w-]*)(?P<rest>\s.*|)$", re.DOTALL)
_BLANK = re.compile(rf'^/(?P<tool>[\w-]+)(?: [\w-]+=.*)? [\w-]+="{sentences.BLANK}"$')
_QUOTE = re.compile(r"^(?:> ?.*(?:\n+|$))+")  # what a message answers to, set before it
SPEAKER = re.compile(r"^[^:\n]{1,64}: ", re.MULTILINE)
"""How the words of a group begin."""
_LAST_BLANK = re.compile(rf' [\w-]+="{sentences.BLANK}"$')


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Reply:
    text: str


@dataclass(frozen=True, slots=True)
class _Unknown:
    """Not understood as a request."""


Step = Call | Reply


def plan(
    message: str, offers: tuple[Offer, ...], asked_back: str = "", *, named: bool = False
) -> tuple[Call, ...] | Reply:
    """`asked_back` is what was said before this message: its open question may be answered by it. `named`: in this
    conversation words may begin with the name of who speaks."""
    house = _House(offers)
    message = _QUOTE.sub("", message).strip()
    steps = _steps(house, message)
    if steps is None and named:
        message = SPEAKER.sub("", message)
        steps = _steps(house, message)
    if steps is not None:
        waiting = next((step for step in steps if isinstance(step, Reply)), None)
        return waiting or tuple(step for step in steps if isinstance(step, Call))
    kind = talk(message)
    if kind == "dropped":
        return Reply(sentences.dropped())
    pending = asked_back.rsplit("\n", 1)[-1]
    if kind is None and pending.count(sentences.BLANK) == 1 and _BLANK.match(pending):
        step = house.completed(pending, message.strip())
        if not isinstance(step, _Unknown):
            return (step,) if isinstance(step, Call) else step
    return Reply(_said(kind, offers))


def _said(kind: str | None, offers: tuple[Offer, ...]) -> str:
    if kind == "greeting":
        return sentences.greeting(offers)
    if kind == "thanks":
        return sentences.thanks()
    return sentences.about(offers) if kind == "about" else sentences.unsure(offers)


def _steps(house: "_House", message: str) -> tuple[Step, ...] | None:
    """One step a clause if every clause is a request, else the message as one; None if it is no request at all."""
    clauses = _clauses(message)
    if len(clauses) > 1:
        steps = [house.step(clause) for clause in clauses[:_MOST_AT_ONCE]]
        if not any(isinstance(step, _Unknown) for step in steps):
            if len(clauses) > _MOST_AT_ONCE:
                return (Reply(sentences.too_many(len(clauses), _MOST_AT_ONCE)),)
            return tuple(step for step in steps if not isinstance(step, _Unknown))
    whole = house.step(message.strip())
    return None if isinstance(whole, _Unknown) else (whole,)


def _clauses(message: str) -> list[str]:
    """The message cut at its separators; quoted ones do not count."""
    hidden = QUOTED.sub(lambda match: "\0" * len(match.group()), message)
    parts: list[str] = []
    start = 0
    for match in _NEXT.finditer(hidden):
        parts.append(message[start : match.start()])
        start = match.end()
    parts.append(message[start:])
    return [part.strip(" ;；") for part in parts if part.strip(" ;；")]


class _House:
    """The offers of one request, read once."""

    def __init__(self, offers: tuple[Offer, ...]) -> None:
        self._offers = offers
        self._skills = skills(offers)
        self._plain = tuple(skill for skill in self._skills if skill.tool not in sentences.UNSAID)
        known = frozenset({"note", "memory", "document", "time"})
        self._nouns = known.union(*(skill.nouns for skill in self._plain))
        self._verbs = frozenset(word for skill in self._plain for word in skill.actions)

    def step(self, clause: str) -> Step | _Unknown:
        explicit = self.explicit(clause)
        if not isinstance(explicit, _Unknown):
            return explicit
        if talk(clause):
            return _Unknown()
        blanks = form(polite(clause)) if any(offer.name == FORM for offer in self._offers) else None
        if blanks is not None:
            return Call(FORM, blanks)
        wanted = ask(clause, self._nouns, self._verbs)
        return _Unknown() if wanted is None else self._wanted(clause, wanted)

    def explicit(self, clause: str) -> Step | _Unknown:
        """`/tool name=value …`; without the slash only where it cannot be an ordinary word."""
        match = _COMMAND.match(clause.strip())
        if not match or not (match["slash"] or "_" in match["tool"] or "=" in match["rest"]):
            return _Unknown()
        found = self._by_name(match["tool"])
        if len(found) == 1:
            return self._call(found[0], clause, match["rest"].strip(), explicit=True)
        if len(found) > 1:
            return Reply(sentences.which(skill.offer.name for skill in found))
        return Reply(sentences.unknown_tool(match["tool"], self._offers)) if match["slash"] else _Unknown()

    def completed(self, pending: str, words: str) -> Step | _Unknown:
        """A command with one blank, filled in by the words as they are, else by the value that they hold."""
        whole = self.explicit(pending.replace(f'"{sentences.BLANK}"', sentences.written(words)))
        if isinstance(whole, Call):
            return whole
        within = self.explicit(_LAST_BLANK.sub("", pending) + f" {words}")
        return within if isinstance(within, Call) else whole

    def _by_name(self, name: str) -> list[Skill]:
        low = name.lower().replace("-", "_")
        exact = [skill for skill in self._skills if skill.tool.lower().replace("-", "_") == low]
        short = [skill for skill in self._skills if skill.tool.lower().replace("-", "_").endswith(f"__{low}")]
        return exact[:1] or short

    def _wanted(self, clause: str, wanted: Ask) -> Step | _Unknown:
        found = choose(self._plain, wanted.action, wanted.nouns)
        if not found and wanted.action == "search" and not wanted.vague and not wanted.rest:
            found = choose(self._plain, "read", wanted.nouns)
        if not found and wanted.vague:
            return Reply(sentences.refuse_vague() + "\n" + sentences.listed(self._offers))
        if not found:
            return Reply(sentences.unable(self._offers)) if wanted.nouns else _Unknown()
        if not wanted.nouns and wanted.action in _NEEDS_NOUN:
            return _Unknown()
        if len(found) > 1:
            return Reply(sentences.which(skill.offer.name for skill in found))
        return self._call(found[0], clause, wanted.rest, explicit=False)

    def _call(self, skill: Skill, clause: str, rest: str, *, explicit: bool) -> Step:
        if is_delegate(skill.offer) and skill.tool != skill.offer.name:
            return Call(skill.offer.name, {"task": clause.strip()})
        if is_delegate(skill.offer) and not explicit:
            return Call(skill.offer.name, {"task": polite(clause)})
        filled = fill(skill.offer.schema, rest)
        if filled.wrong:
            return Reply(sentences.wrong(skill.offer, filled.wrong))
        if filled.left:
            return Reply(sentences.unclear(skill.offer, filled.values, filled.left))
        if filled.missing:
            return Reply(sentences.missing(skill.offer.name, filled.values, filled.missing))
        return Call(skill.offer.name, filled.values)
