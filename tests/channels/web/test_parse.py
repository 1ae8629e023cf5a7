import json
from uuid import UUID

import pytest

from channels.events import Command, Message
from channels.web.limits import TYPED
from channels.web.parse import PostedMessage, PostedPress, TooLong, Unreadable, posted, pressed, said
from channels.web.visitors import Visitor

ADA = Visitor("ada", "Ada", signed_in=True)
ID = "7c0d8a0e-5d0c-4e3c-8f0b-0d5a1c2b3d4e"


def read(text: str) -> Message | Command:
    return said("web", ADA, PostedMessage(id=UUID(ID), text=text), 100.0)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("/help", "help", ""),
        ("/HELP", "help", ""),
        ("  /help  ", "help", ""),
        ("/approve K7QM", "approve", "K7QM"),
        ("/reject K7QM  too early,\nask again", "reject", "K7QM  too early,\nask again"),
        ("/new\n", "new", ""),
    ],
)
def test_a_slash_and_a_word_are_a_command(text: str, name: str, arguments: str) -> None:
    command = read(text)
    assert isinstance(command, Command)
    assert (command.name, command.arguments, command.ref, command.private) == (name, arguments, ID, True)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("hello", "hello"),
        ("//help", "/help"),
        ("/", "/"),
        ("/ help", "/ help"),
        ("/etc/passwd is a file", "/etc/passwd is a file"),
        ("see /help", "see /help"),
        ("nul\0byte", "nulbyte"),
        ("名 😀", "名 😀"),
    ],
)
def test_everything_else_is_a_message(text: str, meant: str) -> None:
    message = read(text)
    assert isinstance(message, Message)
    assert (message.text, message.sender.id, message.where.key) == (meant, "web:ada", "web:ada")
    assert message.addressed


def test_nobody_takes_up_the_ids_of_another() -> None:
    bea = Visitor("bea", "Bea", signed_in=True)
    message = PostedMessage(id=UUID(ID), text="x")
    assert said("web", ADA, message, 1.0).id != said("web", bea, message, 1.0).id


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\0"])
def test_an_empty_message_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="empty"):
        read(text)


def test_the_longest_message_is_taken_and_one_more_character_is_not() -> None:
    read("😀" * TYPED)
    with pytest.raises(TooLong, match=f"at most {TYPED}"):
        read("x" * (TYPED + 1))


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{", id="half of it"),
        pytest.param(b'{"id": "%s"}' % ID.encode(), id="no text"),
        pytest.param(b'{"id": "%s", "text": 5}' % ID.encode(), id="a number for a text"),
        pytest.param(b'{"id": "1", "text": "x"}', id="no uuid"),
        pytest.param(b'{"id": "%s", "text": "x", "as": "web:admin"}' % ID.encode(), id="a field too many"),
        pytest.param(b'{"id": "%s", "text": "\\ud800"}' % ID.encode(), id="half a character"),
        pytest.param(b'{"id": "%s", "text": "\xff"}' % ID.encode(), id="not UTF-8"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_what_is_not_a_message_is_refused_in_words(raw: bytes) -> None:
    with pytest.raises(Unreadable, match="nothing was sent"):
        posted(PostedMessage, raw)


@pytest.mark.parametrize(
    ("token", "message"),
    [("", "m"), ("x" * 65, "m"), ("t", ""), ("t", "x" * 65), ("t", "web:ada")],
)
def test_what_is_not_a_press_is_refused(token: str, message: str) -> None:
    with pytest.raises(Unreadable):
        posted(PostedPress, json.dumps({"id": ID, "token": token, "message": message}).encode())


def test_a_token_is_measured_in_bytes() -> None:
    press = posted(PostedPress, json.dumps({"id": ID, "token": "名" * 22, "message": "m"}).encode())
    with pytest.raises(Unreadable, match="Nothing was changed"):
        pressed("web", ADA, press, 1.0)


@pytest.mark.parametrize("name", ["", "a:b", "A", "a/b", "a" * 41])
def test_a_visitor_has_a_name_that_can_be_a_chat(name: str) -> None:
    with pytest.raises(ValueError, match="not a visitor's name"):
        Visitor(name, "x", signed_in=True)
