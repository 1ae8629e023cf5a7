import random
import string

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from bot.store import documents
from bot.store.database import Store, Tx
from bot.store.tables import personas
from bot.store.words import fold, holds, passage, pattern, phrase, words

NOW = 1_800_000_000.0


async def keep(store: Store, title: str, text: str, persona: str = "guide") -> int:
    return await store.tx(documents.add, persona, title, text, "web:admin", NOW)


def check_trigrams(tx: Tx) -> None:
    """SQLite compares its index with the copies and raises an error where they differ; PostgreSQL keeps its own."""
    if not tx.postgres:
        command = (
            "INSERT INTO search_documents_trigrams (search_documents_trigrams, rank) VALUES ('integrity-check', 1)"
        )
        tx.execute(sa.text(command))


async def found(store: Store, query: str, persona: str = "guide", limit: int = 10) -> list[str]:
    return [hit.title for hit in await store.tx(documents.search, persona, query, limit)]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("opening", id="one word"),
        pytest.param("OPENING Hours", id="another case"),
        pytest.param("hours monday", id="words apart and in another order"),
        pytest.param("penin", id="a piece of a word"),
        pytest.param("9", id="one character"),
        pytest.param("at 9", id="two short words"),
        pytest.param("“hours?”", id="marks around a word"),
        pytest.param("Shop", id="in the title alone"),
        pytest.param("shop monday", id="one word in the title, one in the text"),
        pytest.param("ÉTÉ", id="capitals with accents"),
        pytest.param("É", id="one capital with an accent"),
        pytest.param("ΣΊΣΥΦΟΣ", id="a letter with two small forms"),
        pytest.param("straße", id="a letter whose folded form is longer"),
        pytest.param("100%", id="a percent sign"),
        pytest.param("a_b", id="an underscore"),
        pytest.param("营业时间", id="a long word in Chinese"),
        pytest.param("时间", id="two characters in Chinese"),
        pytest.param("点", id="one character in Chinese"),
        pytest.param("九点 营业", id="two words in Chinese"),
    ],
)
async def test_document_is_found_by_its_words(store: Store, query: str) -> None:
    await keep(
        store, "The shop", "Opening hours: monday at 9. En été 100% Σίσυφος, Straße a_b 营业时间：上午九点到下午五点。"
    )
    await keep(store, "Something else", "Nothing of this kind.")
    assert await found(store, query) == ["The shop"]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("opening tuesday", id="one of two words is missing"),
        pytest.param("ete", id="without its accents"),
        pytest.param("shopopening", id="across title and text"),
        pytest.param("%", id="percent"),
        pytest.param("_", id="underscore"),
        pytest.param("op%ing", id="percent inside"),
        pytest.param("open_ng", id="underscore inside"),
        pytest.param("a/b", id="the escape character"),
        pytest.param('"', id="a quotation mark"),
        pytest.param('opening" OR "nothing', id="a quotation mark that would end a string"),
        pytest.param("opening*x", id="a star"),
        pytest.param("opening NOT nothing", id="an operator"),
        pytest.param("NEAR(opening hours, 5)", id="a function"),
        pytest.param("body:opening", id="a column"),
        pytest.param("'; drop table documents; --", id="a statement"),
        pytest.param("\\", id="a backslash"),
        pytest.param("   ", id="blank"),
    ],
)
async def test_query_is_text_and_never_an_instruction(store: Store, query: str) -> None:
    await keep(store, "The shop", "Opening hours: monday, all été.")
    assert await found(store, query) == []
    assert await found(store, "opening") == ["The shop"]


@pytest.mark.parametrize(
    "text",
    ["50% off", "snake_case", 'x="ah"y', "path/to", "c:\\dir", "a*b", "f(x)", "NEAR(a b)", "x AND y", "it's", "<b>&"],
)
async def test_marks_are_found_as_they_are(store: Store, text: str) -> None:
    await keep(store, "With marks", f"Here: {text}, there.")
    await keep(store, "Without", "Here: 50 off snakeXcase x=ahy pathto c:dir ab fx, there.")
    assert (await found(store, text))[0] == "With marks"
    assert "Without" not in await found(store, f"{text} here")


async def test_best_has_the_words_in_its_title_then_the_most_then_is_the_newest(store: Store) -> None:
    await keep(store, "Older", "refund")
    await keep(store, "Newer", "refund")
    await keep(store, "Often", "refund, refund and Refund")
    await keep(store, "Refund", "how it goes")
    await keep(store, "The refund policy", "refund")
    assert await found(store, "refund") == ["The refund policy", "Refund", "Often", "Newer", "Older"]
    assert await found(store, "refund", limit=2) == ["The refund policy", "Refund"]
    assert await found(store, "refund policy") == ["The refund policy"]


async def test_passage_surrounds_the_hit(store: Store) -> None:
    text = "before " * 1_000 + "the Needle is here " + "after " * 1_000
    number = await keep(store, "Haystack", text)
    (hit,) = await store.tx(documents.search, "guide", "needle", 5)
    assert hit.id == number
    assert "the Needle is here" in hit.passage
    assert hit.passage.startswith("…before")
    assert hit.passage.endswith("after…")
    assert len(hit.passage) <= documents.PASSAGE


async def test_passages_share_the_room(store: Store) -> None:
    for number in range(10):
        await keep(store, f"Long {number}", "needle " + "hay " * 2_000)
    hits = await store.tx(documents.search, "guide", "needle", 10)
    assert len(hits) == 10
    assert sum(len(hit.passage) for hit in hits) <= 5_500


async def test_longest_query_is_answered(store: Store) -> None:
    many = [f"{a}{b}" for a in string.ascii_lowercase for b in string.ascii_lowercase][:166]
    await keep(store, "Pairs", " ".join(many))
    await keep(store, "Digits", " ".join(string.digits))
    assert await found(store, " ".join(many)) == ["Pairs"]
    assert await found(store, "x" * 500) == []


async def test_what_another_persona_knows_is_not_there(store: Store) -> None:
    number = await keep(store, "Secret plan", "of the other", persona="other")
    assert await found(store, "secret") == []
    assert await store.tx(documents.get, "guide", number) is None
    assert await store.tx(documents.listed, "guide", 10) == ()
    assert await store.tx(documents.count, "guide") == 0
    assert not await store.tx(documents.delete, "guide", number)
    assert await found(store, "secret", persona="other") == ["Secret plan"]


async def test_deleted_document_is_found_no_more(store: Store) -> None:
    number = await keep(store, "Opening hours", "monday")
    assert await store.tx(documents.delete, "guide", number)
    assert not await store.tx(documents.delete, "guide", number)
    assert await found(store, "monday") == []
    assert await found(store, "mo") == []
    await store.tx(check_trigrams)
    assert await store.tx(documents.get, "guide", number) is None


async def test_search_stays_in_step_when_another_shelf_deletes(store: Store) -> None:
    await keep(store, "Opening hours", "monday", persona="leaving")
    await store.tx(lambda tx: tx.execute(sa.text("DELETE FROM documents WHERE persona_id = 'leaving'")))
    await keep(store, "New ones", "tuesday", persona="leaving")
    assert await found(store, "monday", persona="leaving") == []
    assert await found(store, "tuesday", persona="leaving") == ["New ones"]
    assert await store.tx(lambda tx: tx.scalar(sa.text("SELECT count(*) FROM search_documents"))) == 1
    await store.tx(check_trigrams)


async def test_list_shows_the_newest_first_with_lengths(store: Store) -> None:
    first = await keep(store, "First", "时间")
    second = await keep(store, "Second", "x" * 100_000)
    await keep(store, "Third", "x")
    listed = await store.tx(documents.listed, "guide", 2)
    assert [(document.title, document.length) for document in listed] == [("Third", 1), ("Second", 100_000)]
    assert await store.tx(documents.count, "guide") == 3
    assert await store.tx(documents.get, "guide", first) == documents.Document(first, "First", 2, "web:admin", NOW)
    assert second > first


async def test_persona_without_a_row_is_called_by_its_id(store: Store) -> None:
    def named(tx: Tx) -> None:
        row = {
            "id": "guide",
            "display_name": "Guide",
            "model": "",
            "instructions": "",
            "mode": "",
            "default_builtin": "",
        }
        tx.execute(personas.insert().values(row))

    assert await store.tx(documents.knower, "guide") == "guide"
    await store.tx(named)
    assert await store.tx(documents.knower, "guide") == "Guide"


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)


@given(st.text(min_size=1), st.text(max_size=30), st.integers(min_value=20, max_value=60))
def test_passage_is_a_piece_of_the_text_within_its_width(text: str, query: str, width: int) -> None:
    shown = passage(text, words(query), width)
    assert len(shown) <= width
    assert shown.removeprefix("…").removesuffix("…").strip() in text


def test_patterns_and_phrases_hold_no_operators() -> None:
    assert pattern("5%_/") == "%5/%/_//%"
    assert phrase('a"b') == '"a""b"'
    assert words("  What’s “UP”?  up ?! ") == ("what’s", "up", "?!")


async def test_database_finds_what_plain_reading_finds(store: Store) -> None:
    chance = random.Random(7)
    letters = "aAbBéÉß%_\"'*/(-营业:. \n"

    def some(most: int) -> str:
        return "x" + "".join(chance.choices(letters, k=chance.randint(0, most)))

    shelf = {f"{number} {some(5)}": some(40) for number in range(30)}
    for title, text in shelf.items():
        await keep(store, title, text)
    for _ in range(60):
        query = some(5)[1:]
        expected = (
            {title for title, text in shelf.items() if holds(f"{title}\n{text}", words(query))}
            if query.split()
            else set()
        )
        assert set(await found(store, query, limit=30)) == expected, query
