"""Who may use what, and which row says so."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.capability import Capability, DefaultBuiltin, Effect, Grant, Grants, decide, decide_all

NOW = 1_000.0

READS = Capability("builtin/list_notes", reads=True)
WRITES = Capability("builtin/add_note", reads=False)
DELETES = Capability("builtin/delete_note", reads=False, destructive=True)
CAREFUL = Capability("builtin/look", reads=True, requires_confirmation=True)
MCP = Capability("mcp/files/read", reads=True)
SKILL = Capability("skill/poems", reads=True)
HOUSE_SKILL = Capability("skill/house", reads=True, shipped=True)


def row(persona: str, capability: str, effect: Effect, until: float | None = None) -> Grant:
    return Grant(persona, capability, effect, until, "", "tg:1", 0.0)


EXACT = row("guide", "mcp/files/read", "ask")
WILD = row("guide", "mcp/files/*", "deny")
ALL_EXACT = row("*", "mcp/files/read", "allow")
ALL_WILD = row("*", "mcp/files/*", "auto")
LADDER = [EXACT, WILD, ALL_EXACT, ALL_WILD]


@pytest.mark.parametrize("steps", range(5), ids=["persona", "persona server", "everyone", "everyone server", "default"])
def test_the_most_particular_row_decides_and_is_named(steps: int) -> None:
    rows = LADDER[steps:]
    decision = decide("guide", "allow", MCP, Grants(reversed(rows)), NOW)
    assert decision.row == (rows[0] if rows else None)
    assert decision.effect == (rows[0].effect if rows else "deny")


def test_rows_of_others_do_not_count() -> None:
    rows = [row("boss", "mcp/files/read", "allow"), row("guide", "mcp/file/*", "allow"), row("guide", "mcp/*", "allow")]
    assert not decide("guide", "allow", MCP, Grants(rows), NOW).granted


def test_a_row_that_ended_counts_no_more_and_the_next_one_decides() -> None:
    rows = Grants([row("guide", "mcp/files/read", "allow", until=NOW), ALL_WILD])
    assert decide("guide", "allow", MCP, rows, NOW - 1).effect == "allow"
    assert decide("guide", "allow", MCP, rows, NOW).row == ALL_WILD


@pytest.mark.parametrize(
    ("default", "capability", "granted"),
    [
        ("allow", READS, True),
        ("allow", WRITES, True),
        ("read", READS, True),
        ("read", WRITES, False),
        ("none", READS, False),
        ("none", WRITES, False),
        ("allow", MCP, False),
        ("allow", SKILL, False),
        ("read", HOUSE_SKILL, True),
        ("none", HOUSE_SKILL, False),
    ],
)
def test_what_is_granted_without_a_row(default: DefaultBuiltin, capability: Capability, granted: bool) -> None:
    decision = decide("guide", default, capability, Grants([]), NOW)
    assert decision.granted is granted
    assert decision.row is None


@pytest.mark.parametrize(
    ("effect", "capability", "confirms"),
    [
        ("allow", READS, False),
        ("allow", WRITES, True),
        ("allow", CAREFUL, True),
        ("ask", READS, True),
        ("ask", WRITES, True),
        ("auto", READS, False),
        ("auto", WRITES, False),
        ("auto", CAREFUL, False),
        ("auto", DELETES, True),
    ],
)
def test_what_asks_a_person_each_time(effect: Effect, capability: Capability, confirms: bool) -> None:
    rows = Grants([row("guide", capability.id, effect)])
    assert decide("guide", "none", capability, rows, NOW).confirms is confirms


@pytest.mark.parametrize(
    ("capability", "wildcard"),
    [("mcp/files/read", "mcp/files/*"), ("mcp/files", None), ("builtin/add_note", None), ("skill/poems", None)],
)
def test_only_tools_of_a_server_have_a_common_pattern(capability: str, wildcard: str | None) -> None:
    assert Capability(capability, reads=True).wildcard == wildcard


PATTERNS_OF_SERVERS: dict[str, tuple[str, str, bool]] = {
    "a tool of it": ("mcp/github/*", "mcp/github/list_issues", True),
    "a tool with dots and hyphens": ("mcp/github/*", "mcp/github/admin.list-all", True),
    "a tool in capitals": ("mcp/github/*", "mcp/github/LIST", True),
    "a tool with a slash": ("mcp/github/*", "mcp/github/admin/list", True),
    "a tool of another alphabet": ("mcp/github/*", "mcp/github/名前", True),
    "a server that begins so": ("mcp/github/*", "mcp/githubenterprise/list", False),
    "a server that begins so, with a hyphen": ("mcp/a/*", "mcp/a-b/list", False),
    "a server with the separator of aliases": ("mcp/a/*", "mcp/a__b/list", False),
    "a tool that names a server": ("mcp/a__b/*", "mcp/a/b__list", False),
    "a tool that is called like a path into another": ("mcp/b/*", "mcp/a/../b/list", False),
    "a server in other letters": ("mcp/GitHub/*", "mcp/github/list", False),
    "every server": ("mcp/*", "mcp/github/list", False),
    "all there is": ("*", "mcp/github/list", False),
    "the beginning of a name": ("mcp/github/list_*", "mcp/github/list_issues", False),
    "a server without its tools": ("mcp/github", "mcp/github/list", False),
    "the alias": ("mcp__github__list", "mcp/github/list", False),
    "a namesake that is built in": ("mcp/notes/*", "builtin/list_notes", False),
    "a namesake among skills": ("mcp/poems/*", "skill/poems", False),
}


@pytest.mark.parametrize(
    ("pattern", "capability", "covered"), PATTERNS_OF_SERVERS.values(), ids=PATTERNS_OF_SERVERS.keys()
)
def test_a_pattern_covers_the_tools_of_its_server_and_nothing_else(
    pattern: str, capability: str, covered: bool
) -> None:
    rows = Grants([row("guide", pattern, "allow")])
    asked = Capability(capability, reads=True)
    assert decide("guide", "none", asked, rows, NOW).granted is covered
    assert decide_all("guide", "none", [asked], rows, NOW)[0].granted is covered


@pytest.mark.parametrize("earlier", ["deny", "ask", "allow"])
def test_what_has_an_end_gives_back_what_it_has_replaced(earlier: Effect) -> None:
    """Revoked, then granted for an hour: after the hour it is revoked again."""
    stood = Grant("guide", "builtin/add_note", earlier, None, "because", "tg:1", 1.0)
    for_an_hour = Grant("guide", "builtin/add_note", "auto", 100.0, "", "tg:2", 50.0).replacing(stood, 50.0)
    longer = Grant("guide", "builtin/add_note", "allow", 200.0, "", "tg:2", 60.0).replacing(for_an_hour, 60.0)
    for row, end in ((for_an_hour, 100.0), (longer, 200.0)):
        assert row.standing(end - 1) == row
        assert row.standing(end) == stood
        assert row.gives(end) is (earlier != "deny")
    capability = Capability("builtin/add_note", reads=False)
    decision = decide("guide", "allow", capability, Grants([longer]), 200.0)
    assert (decision.effect, decision.row) == (earlier, stood)


def test_what_has_no_end_forgets_what_it_has_replaced() -> None:
    stood = Grant("guide", "builtin/add_note", "deny", None, "", "tg:1", 1.0)
    forever = Grant("guide", "builtin/add_note", "allow", None, "", "tg:2", 2.0).replacing(stood, 2.0)
    assert forever.before is None


CAPABILITIES = (READS, WRITES, DELETES, CAREFUL, MCP, Capability("mcp/files/write", reads=False), SKILL, HOUSE_SKILL)
PATTERNS = st.sampled_from([*(each.id for each in CAPABILITIES), "mcp/files/*", "mcp/file/*"])
EFFECTS: st.SearchStrategy[Effect] = st.sampled_from(("deny", "ask", "allow", "auto"))
ROWS = st.builds(
    row, st.sampled_from(("guide", "*", "boss")), PATTERNS, EFFECTS, st.sampled_from((None, NOW - 1, NOW, NOW + 1))
)
DEFAULTS: st.SearchStrategy[DefaultBuiltin] = st.sampled_from(("allow", "read", "none"))


@settings(deadline=None)
@given(st.lists(ROWS, max_size=12), DEFAULTS)
def test_many_at_once_are_decided_as_each_alone(rows: list[Grant], default: DefaultBuiltin) -> None:
    held = Grants([*rows, *(each.replacing(earlier, NOW) for earlier, each in pairwise(rows))])
    alone = [decide("guide", default, each, held, NOW) for each in CAPABILITIES]
    assert decide_all("guide", default, CAPABILITIES, held, NOW) == alone
