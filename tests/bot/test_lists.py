"""The list of a server and its rows: what each change leaves."""

from collections.abc import Sequence

import pytest

from bot.domain import lists
from bot.domain.capability import Effect, Grant
from bot.domain.lists import Change

NOW = 1000.0
ALL = "mcp/git/*"
KNOWN = ("ann", "bea", "cid")
CHANGE = Change(ALL, "tg:1", NOW)


def row(who: str, effect: Effect = "allow", what: str = ALL, until: float | None = None) -> Grant:
    return Grant(who, what, effect, until, "because", "tg:9", 1.0)


def said(rows: Sequence[Grant]) -> set[tuple[str, str, str, float | None]]:
    return {(each.persona_id, each.capability.rpartition("/")[2], each.effect, each.until) for each in rows}


@pytest.mark.parametrize(
    ("rows", "allowed"),
    [
        ([], []),
        ([row("bea"), row("*", "ask"), row("ann", "auto", until=NOW + 1)], ["*", "ann", "bea"]),
        ([row("ann", until=NOW), row("bea", what="mcp/git/look"), row("cid", what="mcp/git-hub/*")], []),
        ([row("ann", "ask", until=NOW).replacing(row("ann"), 0.0)], ["ann"]),
    ],
    ids=["nobody", "everyone comes first", "ended, one tool, another server", "ended, and what it replaced stands"],
)  # fmt: skip
def test_the_list_of_a_server(rows: list[Grant], allowed: list[str]) -> None:
    assert lists.allowed(rows, ALL, NOW) == allowed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], []),
        ([row("ann"), row("bea", "ask")], [row("bea", "ask")]),
        ([row("*", "ask", until=2000.0)], [row("bea", "ask", until=2000.0), row("cid", "ask", until=2000.0)]),
        ([row("*"), row("ann"), row("bea", "ask")], [row("bea", "ask"), row("cid")]),
        ([row("*", until=NOW), row("bea")], [row("bea")]),
        ([row("*"), row("ann", what="mcp/git/look")], [row("ann", what="mcp/git/look"), row("bea"), row("cid")]),
        ([row("*"), row("bea", "deny")], [row("cid")]),
    ],
    ids=[
        "who is not on it",
        "by name",
        "off everyone's: the others keep how and until when",
        "others have rows of their own already",
        "everyone's has ended",
        "a row for one tool is not the list",
        "who was denied is not let in",
    ],
)
def test_taking_one_off(before: list[Grant], after: list[Grant]) -> None:
    assert said(lists.taken_off(before, "ann", KNOWN, CHANGE)) == said(after)


def test_who_took_one_off_everyones_is_named_in_the_rows_that_this_makes() -> None:
    [made] = lists.taken_off([row("*", "ask")], "ann", ["ann", "bea"], CHANGE)
    assert (made.made_by, made.made_at, made.reason) == ("tg:1", NOW, "because")


def test_what_everyone_is_denied_of_one_tool_stays_denied_to_whoever_gets_a_row_for_all() -> None:
    """A row of one's own for all of a server is nearer than everyone's for one of its tools."""
    rows = [row("*"), row("*", "deny", "mcp/git/drop"), row("bea", "allow", "mcp/git/drop")]
    denied = row("cid", "deny", "mcp/git/drop")
    assert said(lists.taken_off(rows, "ann", KNOWN, CHANGE)) == said([*rows[1:], row("bea"), row("cid"), denied])
    assert said([denied]) <= said(lists.listed(rows, ["cid"], CHANGE))
    assert said([denied]) <= said(lists.put_on(rows, "cid", CHANGE))


def test_who_had_nothing_and_is_put_on_gets_all() -> None:
    rows = [row("*", "deny", "mcp/git/drop")]
    assert said(lists.put_on(rows, "ann", CHANGE)) == said([*rows, row("ann")])


def test_taking_everyone_off_leaves_who_is_named() -> None:
    assert said(lists.taken_off([row("*"), row("ann", "ask")], "*", KNOWN, CHANGE)) == said([row("ann", "ask")])


def test_a_list_that_is_set_keeps_how_and_until_when_for_who_was_on_it() -> None:
    rows = [row("*", "ask", until=2000.0), row("bea", "allow")]
    wanted = [row("ann", "ask", until=2000.0), row("bea", "allow")]
    assert said(lists.listed(rows, ["bea", "ann"], CHANGE)) == said(wanted)
    assert said(lists.listed(rows, ["*"], CHANGE)) == said(rows[:1])
    assert said(lists.listed([], ["*", "cid"], CHANGE)) == said([row("*"), row("cid")])


def test_a_denial_of_a_server_is_said_by_having_no_row() -> None:
    rows = [row("ann", "deny"), row("*"), row("ann", "deny", "mcp/git-hub/*"), row("ann", "deny", "builtin/add_note")]
    expected = [row("bea"), row("cid"), row("ann", "deny", "builtin/add_note")]
    assert said(lists.normal(rows, KNOWN, NOW)) == said(expected)
