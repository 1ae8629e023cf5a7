"""The context budget: what is counted, what is cut first, what is never cut."""

import pytest

from bot.llm.budget import Measured, estimate, fit, of_request, room, shortened
from bot.llm.port import Answered, Asked, Request, Result, Said, Turn

WORDS = "word " * 200  # about 265 tokens


def round_of(number: int, content: str = WORDS) -> tuple[Turn, ...]:
    return (
        Answered("", (Asked(f"a{number}", "list_notes", {}), Asked(f"b{number}", "current_time", {}))),
        Result(f"a{number}", "list_notes", content),
        Result(f"b{number}", "current_time", "noon"),
    )


def exchange(number: int) -> tuple[Turn, ...]:
    return (Said(f"question {number} {WORDS}"), *round_of(number), Answered(f"answer {number}"))


def sound(request: Request) -> bool:
    """Every call has its results right behind it, and no result stands alone."""
    open_ids: list[str] = []
    for turn in request.history:
        if isinstance(turn, Result):
            if not open_ids or open_ids.pop(0) != turn.call_id:
                return False
        elif open_ids:
            return False
        elif isinstance(turn, Answered):
            open_ids = [call.id for call in turn.calls]
    return not open_ids


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("x", 1, 1),
        ("hello world " * 100, 280, 340),
        ("你好世界" * 100, 290, 330),
        ("привет " * 100, 190, 230),
        ("🙂" * 10, 20, 21),
    ],
)
def test_tokens_are_estimated_by_class_of_character(text: str, low: int, high: int) -> None:
    assert low <= estimate(text) <= high


def test_a_request_that_fits_is_left_alone() -> None:
    request = Request("Be kind.", exchange(1))
    assert fit(request, 100_000) is request


def test_long_results_are_cut_before_anything_else_and_say_so() -> None:
    request = Request("", (*exchange(1), Said("again"), *round_of(2, "head " + "x" * 40_000 + " tail")))
    cut = fit(request, 8_000)
    assert len(cut.history) == len(request.history)
    assert [turn for turn in cut.history if isinstance(turn, Said)] == [
        turn for turn in request.history if isinstance(turn, Said)
    ]
    (long,) = (turn for turn in cut.history if isinstance(turn, Result) and "cut" in turn.content)
    assert long.content.startswith("head ")
    assert long.content.endswith(" tail")
    assert "of 40,010 characters cut" in long.content
    assert of_request(cut) <= room(8_000)


def test_old_results_are_cut_before_new_ones() -> None:
    request = Request("", (Said("a"), *round_of(1, "o" * 20_000), Said("b"), *round_of(2, "n" * 6_000)))
    results = [turn.content for turn in fit(request, 8_000).history if isinstance(turn, Result)]
    assert len(results[0]) < 20_000
    assert results[2] == "n" * 6_000


@pytest.mark.parametrize("window", [16_000, 8_000, 4_000, 2_000, 1_000, 500])
def test_whole_exchanges_go_from_the_front_and_pairs_stay_together(window: int) -> None:
    request = Request("Be kind.", (*(turn for number in range(30) for turn in exchange(number)), Said("newest words")))
    cut = fit(request, window)
    assert sound(cut)
    assert cut.history[-1] == Said("newest words")
    assert isinstance(cut.history[0], Said)
    assert request.history[-len(cut.history) :][0].__class__ is Said
    assert window < 1_000 or of_request(cut) <= room(window)


def test_old_rounds_of_the_running_exchange_go_but_its_words_and_last_results_stay() -> None:
    rounds = tuple(turn for number in range(60) for turn in round_of(number, f"result {number} {WORDS}"))
    request = Request("", (*exchange(99), Said("newest words"), *rounds))
    cut = fit(request, 2_500)
    assert sound(cut)
    assert cut.history[0] == Said("newest words")
    assert cut.history[-1] == request.history[-1]
    assert of_request(cut) <= room(2_500)


def test_the_last_results_are_kept_even_where_they_do_not_fit() -> None:
    many = tuple(Asked(f"c{number}", "list_notes", {}) for number in range(200))
    results = tuple(Result(call.id, call.name, WORDS) for call in many)
    cut = fit(Request("", (*exchange(1), Said("newest words"), *round_of(2), Answered("", many), *results)), 2_000)
    assert sound(cut)
    assert [turn for turn in cut.history if isinstance(turn, Said)] == [Said("newest words")]
    assert len(cut.history) == 202


def test_the_newest_words_are_never_cut() -> None:
    request = Request("", (*exchange(1), Said("x" * 100_000)))
    assert fit(request, 2_000).history == (Said("x" * 100_000),)


def test_what_the_provider_counted_corrects_the_estimate() -> None:
    request = Request("", (*exchange(1), *exchange(2), Said("newest")))
    guess = of_request(request)
    window = int(guess * 2)
    assert fit(request, window) is request
    turns = len(request.history) - 1
    assert len(fit(request, window, Measured(guess * 2, turns)).history) <= len(request.history)
    assert fit(request, window, Measured(guess * 2, turns)) is not request
    assert fit(request, window, Measured(guess // 2, turns)) is request


def test_a_count_of_another_history_is_not_used() -> None:
    request = Request("", (Said("hi"),))
    assert fit(request, 1_000, Measured(10**9, 7)) is request


def test_a_text_that_would_not_get_shorter_stays() -> None:
    assert shortened("short", 1) == "short"
    assert shortened("x" * 60, 1) == "x" * 60


def test_fitting_changes_nothing_in_the_request_it_was_given() -> None:
    request = Request("", (*exchange(1), Said("again"), *round_of(2, "x" * 40_000)))
    before = request.history
    fit(request, 2_000)
    assert request.history is before
    assert request.history[-2] == Result("a2", "list_notes", "x" * 40_000)
