"""What a server was given as secrets is taken out of all that it answered."""

from bot.mcp_client.spoken import Result
from bot.mcp_client.striking import struck
from channels.files import File

KEY = "made-up-schlüssel"
ANSWER = Result(False, f"a {KEY}", f'"{KEY}"', (File(f"{KEY}.txt", "text/plain", f"all {KEY}".encode()),), (), (KEY,))


def test_a_key_is_in_no_part_of_it_files_included() -> None:
    made = struck(ANSWER, (KEY, "not there"))
    [file] = made.files
    assert (made.text, made.whole, made.left_out) == ("a ********", '"********"', ("********",))
    assert file == File("********.txt", "text/plain", b"all ********")


def test_a_key_that_another_one_begins_with_leaves_nothing_of_the_longer_one() -> None:
    assert struck(ANSWER, (KEY, KEY[:8])).text == "a ********"


def test_without_keys_it_is_the_same() -> None:
    assert struck(ANSWER, ()) is ANSWER
