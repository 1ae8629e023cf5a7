"""A flood is noticed, told once, and forgotten."""

from bot.pace import MOST_CONVERSATIONS, Pace


def test_a_flood_is_told_once_and_ends_after_a_minute() -> None:
    pace = Pace(3)
    assert [pace.judge("a", now) for now in (0, 1, 2)] == ["fine"] * 3
    assert [pace.judge("a", now) for now in (3, 4, 59)] == ["first_over", "over", "over"]
    assert pace.judge("a", 60) == "fine"
    assert pace.judge("a", 60.5) == "over"


def test_a_flood_that_lasts_is_told_again_after_a_minute() -> None:
    pace = Pace(1)
    assert pace.judge("a", 0) == "fine"
    assert pace.judge("a", 1) == "first_over"
    assert pace.judge("a", 60) == "fine"
    assert pace.judge("a", 61) == "first_over"


def test_conversations_are_counted_apart() -> None:
    pace = Pace(1)
    assert [pace.judge(key, 0) for key in ("a", "b", "a")] == ["fine", "fine", "first_over"]


def test_what_is_remembered_is_bounded() -> None:
    pace = Pace(1)
    for number in range(MOST_CONVERSATIONS + 5):
        pace.judge(f"chat {number}", 0)
    assert pace.judge("chat 0", 1) == "fine"
    assert pace.judge(f"chat {MOST_CONVERSATIONS}", 1) == "first_over"
