"""The acting parts on a bare database: a persona, a conversation with a claimed run, and calls of it."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.admin import Admin
from bot.approver import Approver
from bot.asker import Asker
from bot.assignments import Assignments
from bot.caller import Caller
from bot.clock import Clock
from bot.closer import Closer
from bot.commands.desk import Desk
from bot.curator import Curator
from bot.domain.access import Decider, House
from bot.domain.approval import Approval
from bot.domain.persona import Persona
from bot.domain.policy import Policies, Rules
from bot.domain.run import Call, CallState, Run
from bot.editor import Editor
from bot.elicitor import Elicitor
from bot.foreign import Catalogue
from bot.granter import Granter
from bot.health import Health
from bot.hearer import Hearer
from bot.inventory import Inventory, NothingConnected, Skills, no_skills, skills_of
from bot.llm.port import Asked
from bot.mcp_client.spoken import Status
from bot.patience import Patience
from bot.presence import Presence
from bot.questioner import Questioner
from bot.registrar import Registrar
from bot.skillset import Skillsets
from bot.stock import Stock
from bot.store import calls, conversations, entries, personas, runs, sessions
from bot.store.database import Store, Tx
from bot.store.entries import Entry
from bot.store.runs import Queued
from bot.surveyor import Surveyor
from bot.toolbox import Fit, Toolbox
from bot.tools.registry import BUILT_IN
from bot.why import Explainer
from channels.adapter import Limits
from channels.events import Conversation, Sender
from channels.telegram.limits import LIMITS

NOW = 1_800_000_000.0
CHAT = Conversation("tg", "5")
GUIDE = Persona("guide", "Guide", "main", "", "direct", "allow")
ANN = Sender("tg", "1", "Ann")
"""The admin."""
BOB = Sender("tg", "5", "Bob")
"""Whose chat it is."""
EVE = Sender("tg", "9", "Eve")


def by(sender: Sender, place: Conversation | None = None) -> Decider:
    """Someone who decides; `place` where they may talk."""
    return Decider(sender, None if place is None else place.key)


_NUMBERS = itertools.count(1)


def telegram_limits(_channel: str) -> Limits:
    return LIMITS


def limits_with_forms(_channel: str) -> Limits:
    return replace(LIMITS, forms=5, field=300)


@dataclass(frozen=True, slots=True)
class Parts:
    house: House = field(default_factory=lambda: House(frozenset({"tg:1"})))
    toolbox: Toolbox = field(default_factory=lambda: Toolbox(BUILT_IN))
    rules: Rules = field(default_factory=lambda: Rules(expire_after=3600.0, remind_before=600.0))
    own_rules: Mapping[str, Rules] = field(default_factory=dict)
    limits: Callable[[str], Limits] = telegram_limits
    answering: Mapping[str, str] = field(default_factory=dict)
    """The persona of each configured channel."""
    catalogue: Catalogue = field(default_factory=NothingConnected)
    skills: Skills = no_skills
    stock: Stock = field(default_factory=Stock)
    """The skills on disk as they were seen; `skills` is what of them can be granted."""

    @property
    def skillsets(self) -> Skillsets:
        return Skillsets(self.stock, {"tg": "telegram", "web": "web"})

    @property
    def asker(self) -> Asker:
        return Asker(self.house, Policies(self.rules, self.own_rules), self.toolbox, self.limits)

    @property
    def approver(self) -> Approver:
        return Approver(self.house, self.asker)

    @property
    def questioner(self) -> Questioner:
        return Questioner(Policies(self.rules, self.own_rules), self.limits)

    @property
    def hearer(self) -> Hearer:
        return Hearer(self.questioner, self.limits)

    def caller(self, store: Store, clock: Clock = lambda: NOW) -> Caller:
        elicitor = self.elicitor(store, clock)
        return Caller(store, self.toolbox, self.skillsets, self.asker, self.questioner, elicitor, clock)

    def elicitor(self, store: Store, clock: Clock = lambda: NOW) -> Elicitor:
        """On no channel anything is shown."""
        presence = Presence(store, lambda _channel: None, clock)
        return Elicitor(store, self.questioner, presence, Patience(), clock)

    def editor(self, store: Store) -> Editor:
        return Editor(self.approver, self.caller(store), self.toolbox, self.limits)

    @property
    def closer(self) -> Closer:
        return Closer(self.approver, self.questioner)

    @property
    def inventory(self) -> Inventory:
        return Inventory(self.toolbox, self.catalogue, self.skills)

    @property
    def granter(self) -> Granter:
        return Granter(self.inventory, self.approver, self.questioner)

    @property
    def admin(self) -> Admin:
        assignments = Assignments(self.inventory, self.granter)
        registrar = Registrar(self.granter, self.closer, ["main"], self.answering)
        curator = Curator(self.skillsets, self.granter, registrar, self.inventory.tool_names)
        return Admin(self.granter, assignments, registrar, curator, self.closer, ["tg", "web"])

    @property
    def surveyor(self) -> Surveyor:
        return Surveyor(self.house, self.catalogue, self.approver, ["tg", "web"])

    def desk(self, health: Health) -> Desk:
        """What commands work with; no MCP server is ever connected."""
        parts = (self.house, self.approver, self.closer, self.admin, self.explainer, health)
        return Desk(*parts, frozenset(), lambda _server: Status("disabled"), self.surveyor)

    @property
    def explainer(self) -> Explainer:
        return Explainer(self.inventory, Policies(self.rules, self.own_rules))

    def call(
        self, tx: Tx, run: Run, name: str, arguments: dict[str, Any], state: CallState = "ready", place: int = 0
    ) -> Call:
        """A call as an answer of the model would leave it."""
        fit = self.toolbox.check(tx, GUIDE, None, "run_none", name, Asked("x", name, arguments), NOW)
        assert isinstance(fit, Fit), fit
        call = Call(
            id=f"call_{next(_NUMBERS)}",
            run_id=run.id,
            frame=None,
            turn=1,
            place=place,
            asked_id=f"asked_{next(_NUMBERS)}",
            tool=name,
            capability_id=fit.tool.capability.id,
            arguments=fit.arguments,
            digest=fit.digest,
            repeatable=fit.tool.repeatable,
            state=state,
            result=None,
            failure=None,
        )
        calls.add(tx, call)
        return call

    def ask(self, tx: Tx, run: Run, text: str = "milk", now: float = NOW, place: int = 0) -> Approval:
        """A note that waits for a person, its card in the outbox."""
        call = self.call(tx, run, "add_note", {"text": text}, "waiting", place)
        approval = self.asker.ask(tx, run, call, f"Add the note: “{text}”", now)
        self.asker.show(tx, [approval], now)
        return approval


def with_skills() -> Parts:
    """Where the skills that are seen on disk can be granted."""
    stock = Stock()
    return Parts(stock=stock, skills=skills_of(Skillsets(stock, {})))


def queue(tx: Tx, where: Conversation = CHAT, sender: Sender = BOB, now: float = NOW) -> str:
    """A message that waits for its turn; the id of its run."""
    if personas.find(tx, GUIDE.id) is None:
        personas.put(tx, GUIDE)
    conversations.meet(tx, where)
    run_id = f"run_{next(_NUMBERS)}"
    session = sessions.open_for(tx, where.key, where.channel, GUIDE.id, f"ses_{next(_NUMBERS)}", now)
    runs.add(
        tx,
        Queued(
            run_id, session, where.key, where.channel, GUIDE.id, sender.id, sender.name, True, "11", None, None, now
        ),
    )
    entries.add(
        tx, Entry(run_id, "queued", None, now, {"prompt": "hello", "quoted": None, "heard_at": 0.0, "seam": None})
    )
    return run_id


def begin(tx: Tx, where: Conversation = CHAT, sender: Sender = BOB) -> Run:
    """A message that is being worked on."""
    queue(tx, where, sender)
    run = runs.claim(tx, where.key)
    assert run is not None
    return run
