"""Whatever is done to grants, and in whatever order: all views say the same, and nobody gets what nobody gave."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from bot.domain.capability import EVERYONE, DefaultBuiltin, Effect, Grant, pattern_server, server_of, server_pattern
from bot.domain.persona import Persona
from bot.domain.views import Kind
from bot.errors import Impossible
from bot.registrar import PersonaChanges
from bot.store import grants, mcp_servers, personas
from bot.store.database import Tx
from bot.store.mcp_servers import Server
from tests.bot.governed import PARTS, SERVERS, Held, Memory, Seen, look, typed
from tests.bot.parts import NOW

ADMIN = "tg:1"
HOUR = 3600.0
PERSONAS = ("ann", "bea", "cid", "dan")
PATTERNS = tuple(map(server_pattern, SERVERS))
EXACT = ("builtin/list_notes", "builtin/add_note", "skill/poems", "mcp/git/look", "mcp/git-hub/change")
ITEMS: tuple[tuple[Kind, str], ...] = (
    ("tool", "builtin/add_note"),
    ("tool", "list_notes"),
    ("tool", "mcp/git/look"),
    ("skill", "house"),
    ("skill", "skill/poems"),
    *(("mcp", name) for name in SERVERS),
    *(("mcp", pattern) for pattern in PATTERNS),
)

WHO = st.sampled_from(PERSONAS)
ANYONE = st.sampled_from((*PERSONAS, EVERYONE))
SERVER = st.sampled_from(SERVERS)
CAPABILITY = st.sampled_from((*EXACT, *PATTERNS))
DEFAULT: st.SearchStrategy[DefaultBuiltin] = st.sampled_from(("allow", "read", "none"))
EFFECT: st.SearchStrategy[Effect] = st.sampled_from(("deny", "deny", "ask", "allow", "auto"))


Concerns = Callable[[str, str], bool]
"""May what this persona has of this capability change?"""


class Step(NamedTuple):
    before: Seen
    after: Seen


class Governing(RuleBasedStateMachine):
    template: Path
    """A migrated database, to be copied."""
    seen: Seen

    def __init__(self) -> None:
        super().__init__()
        self.memory = Memory(self.template)
        self.now = NOW
        self.granter, self.assignments, self.registrar = PARTS.granter, PARTS.admin.assignments, PARTS.admin.registrar

    def teardown(self) -> None:
        self.memory.close()

    @initialize(rows=st.dictionaries(st.tuples(ANYONE, CAPABILITY), EFFECT, min_size=4, max_size=12))
    def furnish(self, rows: dict[tuple[str, str], Effect]) -> None:
        for persona_id in PERSONAS:
            self.memory.tx(personas.put, Persona(persona_id, persona_id, "main", "", "direct", "allow"))
        for name in SERVERS:
            self.memory.tx(mcp_servers.add, Server(name, "{}", True, None, ADMIN, self.now))
        for (persona_id, capability_id), effect in rows.items():
            if effect != "deny" or pattern_server(capability_id) is None:
                self.memory.tx(grants.put, Grant(persona_id, capability_id, effect, None, "", ADMIN, self.now))
        self.look()

    # What is done

    @rule(persona_id=WHO, default=DEFAULT)
    def change_a_persona(self, persona_id: str, default: DefaultBuiltin) -> None:
        def concerns(who: str, what: str) -> bool:
            return who == persona_id and not what.startswith("mcp/")

        changes = PersonaChanges(default_builtin=default)
        self.does(concerns, self.registrar.change_persona, persona_id, changes, ADMIN, self.now)

    @rule(persona_id=WHO, default=DEFAULT)
    def delete_a_persona_or_make_it(self, persona_id: str, default: DefaultBuiltin) -> None:
        if persona_id in self.seen.people:
            assert self.does(_nothing, self.registrar.delete_persona, persona_id, ADMIN, self.now)
            return
        persona = Persona(persona_id, persona_id, "main", "", "direct", default)
        step = self.does(_nothing, self.registrar.create_persona, persona, ADMIN, self.now)
        assert step is not None
        assert step.after.own(persona_id) == [], "a namesake starts with none"
        for name in step.after.lists:
            assert step.after.held[persona_id, server_pattern(name)].granted is step.after.is_everyones(name)

    @rule(name=SERVER)
    def delete_a_server_or_add_it(self, name: str) -> None:
        if name in self.seen.lists:
            assert self.does(_nothing, self.registrar.delete_server, name, ADMIN, self.now)
            return
        server = Server(name, "{}", True, None, ADMIN, self.now)
        assert self.does(_nothing, self.registrar.add_server, server, ADMIN, self.now)
        assert self.seen.lists[name] == [], "a namesake starts with none"

    @rule(name=SERVER, wanted=st.sets(ANYONE))
    def set_the_list_of_a_server(self, name: str, wanted: set[str]) -> None:
        concerns = _only(EVERYONE, server_pattern(name))
        step = self.does(concerns, self.assignments.set_allowed, name, sorted(wanted), ADMIN, self.now)
        if step is None:
            return
        assert set(step.after.lists[name]) == wanted
        for persona_id in step.after.people:
            place = persona_id, server_pattern(name)
            assert step.after.held[place].granted is bool({persona_id, EVERYONE} & wanted)
            if persona_id in wanted and step.before.held[place].granted:
                kept = {each: held for each, held in step.before.held.items() if each[0] == persona_id}
                assert kept.items() <= step.after.held.items(), "who was on it keeps how and until when"

    @rule(persona_id=WHO, wanted=st.sets(SERVER))
    def put_the_servers_of_a_persona(self, persona_id: str, wanted: set[str]) -> None:
        everyones = {name for name in self.seen.lists if self.seen.is_everyones(name)}

        def concerns(who: str, what: str) -> bool:
            return who == persona_id and server_of(what) not in (None, *everyones)

        step = self.does(concerns, self.assignments.put_mcp_grants, persona_id, sorted(wanted), ADMIN, self.now)
        if step is None:
            return
        untouched = [[row for row in seen.rows if server_of(row.capability) in everyones] for seen in step]
        assert untouched[0] == untouched[1], "a * stays as it is"
        for name in step.after.lists.keys() - everyones:
            assert step.after.held[persona_id, server_pattern(name)].granted is (name in wanted)

    @rule(persona_id=WHO, item=st.sampled_from(ITEMS), assigned=st.booleans())
    def assign(self, persona_id: str, item: tuple[Kind, str], assigned: bool) -> None:
        kind, item_id = item
        capability_id = item_id if "/" in item_id else _capability_id(kind, item_id)
        concerns = _only(persona_id, capability_id)
        step = self.does(concerns, self.assignments.assign, persona_id, kind, item_id, assigned, ADMIN, self.now)
        if step is None:
            return
        assert step.after.held[persona_id, capability_id].granted is assigned
        server = pattern_server(capability_id)
        assert step.after.is_everyones(server) is (step.before.is_everyones(server) and assigned)

    @rule(persona_id=WHO, given=st.dictionaries(CAPABILITY, st.sampled_from((True, False, None)), max_size=3))
    def override(self, persona_id: str, given: dict[str, bool | None]) -> None:
        def concerns(who: str, what: str) -> bool:
            return any(_only(persona_id, each)(who, what) for each in given)

        step = self.does(concerns, self.assignments.put_overrides, persona_id, given, ADMIN, self.now)
        if step is None:
            return
        shown = self.memory.tx(self.assignments.capabilities, persona_id, self.now).overrides
        for capability_id, wanted in given.items():
            server = pattern_server(capability_id)
            if wanted is None:
                unlisted = server is not None and not step.after.is_everyones(server)
                assert shown.get(capability_id) is (False if unlisted else None)
            else:
                assert shown[capability_id] is step.after.held[persona_id, capability_id].granted is wanted

    @rule(persona_id=ANYONE, capability_id=CAPABILITY, effect=EFFECT, hours=st.sampled_from((None, None, 1, 3)))
    def grant_in_the_chat(self, persona_id: str, capability_id: str, effect: Effect, hours: int | None) -> None:
        span = "" if hours is None else f" for {hours}h"
        text = f"grant {persona_id} {capability_id} {effect}{span}"
        step = self.does(_only(persona_id, capability_id), typed, text, self.now)
        if step is None:
            return
        if persona_id != EVERYONE:
            until = None if hours is None else self.now + hours * HOUR
            assert step.after.held[persona_id, capability_id] == Held(effect, until)
        elif pattern_server(capability_id) is not None:
            assert step.after.is_everyones(pattern_server(capability_id)) is (effect != "deny")

    @rule(persona_id=ANYONE, capability_id=CAPABILITY)
    def revoke_in_the_chat(self, persona_id: str, capability_id: str) -> None:
        step = self.does(_only(persona_id, capability_id), typed, f"revoke {persona_id} {capability_id}", self.now)
        if step is None:
            return
        if persona_id != EVERYONE:
            assert not step.after.held[persona_id, capability_id].granted
            return
        own = [[row for row in seen.rows if row.persona_id != EVERYONE and row.standing(self.now)] for seen in step]
        assert own[0] == own[1], "what is somebody's own stays"

    @rule(hours=st.sampled_from((0.5, 1.0, 2.0)))
    def wait(self, hours: float) -> None:
        before = self.seen.held
        self.now += hours * HOUR
        self.look()
        for (persona_id, capability_id), held in self.seen.held.items():
            if pattern_server(capability_id) is not None and held.granted:
                assert before[persona_id, capability_id].granted, "nothing widens by itself"

    @rule()
    def sweep(self) -> None:
        self.does(_nothing, self.granter.end_past, self.now)
        assert all(row.holds(self.now) for row in self.seen.rows)

    # What always holds

    @invariant()
    def all_views_say_the_same(self) -> None:
        self.memory.tx(self.compare)

    def compare(self, tx: Tx) -> None:
        seen, view = self.seen, self.assignments.view(tx, self.now)
        default = {_capability_id(item.kind, item.id): item.default_assigned for item in view.items}
        shown = {item.name: list(item.allowed_persona_ids or ()) for item in view.items if item.kind == "mcp"}
        assert shown == seen.lists
        for persona_id in seen.people:
            for capability_id, assigned in default.items():
                has = view.overrides[persona_id].get(capability_id, assigned)
                assert has is seen.held[persona_id, capability_id].granted
            overrides = self.assignments.capabilities(tx, persona_id, self.now).overrides
            for server in self.assignments.mcp_grants(tx, persona_id, self.now):
                pattern, listed = server_pattern(server.name), seen.lists[server.name]
                assert server.is_global is (EVERYONE in listed) is default[pattern]
                assert server.authorized is (server.is_global or persona_id in listed)
                assert server.authorized is seen.held[persona_id, pattern].granted
                assert overrides.get(pattern) is (True if persona_id in listed else None if server.is_global else False)

    @invariant()
    def no_row_is_left_over(self) -> None:
        assert all(held.until is None or held.until > self.now for held in self.seen.held.values()), "an end is an end"
        for row in self.seen.rows:
            assert row.persona_id in (EVERYONE, *self.seen.people)
            assert server_of(row.capability) in (None, *self.seen.lists)
            assert row.effect != "deny" or pattern_server(row.capability) is None, "a server is denied by no row"

    # How it is looked at

    def does(self, concerns: Concerns, work: Callable[..., Any], *args: Any) -> Step | None:
        """Do it: nothing changes but what it concerns, and nothing at all if it is impossible, which gives None."""
        before = self.seen
        try:
            self.memory.tx(work, *args)
        except Impossible:
            assert self.memory.tx(grants.everything) == before.rows
            return None
        self.look()
        for place in before.held.keys() & self.seen.held.keys():
            assert before.held[place] == self.seen.held[place] or concerns(*place), place
        return Step(before, self.seen)

    def look(self) -> None:
        self.seen = self.memory.tx(look, self.now)


def _nothing(_who: str, _what: str) -> bool:
    return False


def _only(persona_id: str, capability_id: str) -> Concerns:
    """Of this persona (or everyone) and this capability (or all of its server)."""
    server = pattern_server(capability_id)

    def concerns(who: str, what: str) -> bool:
        return persona_id in (who, EVERYONE) and (server_of(what) == server if server else what == capability_id)

    return concerns


def _capability_id(kind: Kind, item_id: str) -> str:
    if kind == "mcp":
        return server_pattern(item_id)
    return item_id if "/" in item_id else f"{'builtin' if kind == 'tool' else kind}/{item_id}"


def test_whatever_is_done_to_grants_all_views_agree(sqlite_template: Path) -> None:
    """M123, M128, M133."""

    class Here(Governing):
        template = sqlite_template

    limits = settings(max_examples=100, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Here, settings=limits)
