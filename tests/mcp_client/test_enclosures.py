"""Files of a result: so many, so large, and under names that do no harm."""

import base64
from typing import Any

import pytest

from bot.mcp_client.definitions import definition
from bot.mcp_client.enclosures import LARGEST, MOST, Enclosures, file_name
from bot.mcp_client.results import LONGEST_TEXT, result
from bot.mcp_client.spoken import Result


def read(*blocks: dict[str, Any], name: str = "look", **more: Any) -> Result:
    return result(definition("s", {"name": name, "inputSchema": {"type": "object"}}), {"content": list(blocks), **more})


def image(content: bytes = b"x") -> dict[str, Any]:
    return {"type": "image", "data": base64.b64encode(content).decode(), "mimeType": "image/png"}


def test_more_files_than_a_call_may_have_are_left_out_and_named() -> None:
    made = read(*[image() for _ in range(MOST + 2)])
    assert len(made.files) == MOST
    assert made.left_out == ("image-11.png (1 bytes)", "image-12.png (1 bytes)")
    assert made.text.count("too large or too many, so it was left out") == 2


def test_what_is_too_large_is_left_out_and_what_comes_after_it_is_not() -> None:
    taken = Enclosures()
    taken.binary("image", "a.png", "image/png", bytes(LARGEST + 1))
    taken.binary("image", "b.png", "image/png", bytes(LARGEST))
    assert [file.name for file in taken.files] == ["b.png"]
    assert taken.left_out == ["a.png (20.0 MB)"]


def test_all_files_of_a_call_together_are_bounded() -> None:
    taken = Enclosures()
    for number in range(3):
        taken.binary("image", f"{number}.png", "image/png", bytes(LARGEST))
    assert [file.name for file in taken.files] == ["0.png", "1.png"]
    assert taken.left_out == ["2.png (20.0 MB)"]


def test_a_file_without_a_byte_is_none() -> None:
    made = read(image(b""))
    assert (made.files, made.left_out) == ((), ())


def test_all_of_a_text_that_was_cut_is_a_file() -> None:
    long = "é" * (LONGEST_TEXT + 1)
    [file] = read({"type": "text", "text": long}).files
    assert (file.name, file.mime, file.content) == ("look-result.txt", "text/plain", long.encode())


@pytest.mark.parametrize("failed", [False, True])
def test_what_is_json_is_a_file_of_json_whether_it_failed_or_not(failed: bool) -> None:
    made = read(structuredContent=["x " * LONGEST_TEXT], isError=failed)
    assert [(file.name, file.mime) for file in made.files] == [("look-result.json", "application/json")]


def test_a_text_that_fits_is_no_file() -> None:
    assert read({"type": "text", "text": "x" * LONGEST_TEXT}).files == ()


@pytest.mark.parametrize(
    ("wanted", "made"),
    [
        ("picture.png", "picture.png"),
        ("Übersicht 名.png", "Übersicht 名.png"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("a\r\nContent-Type: x", "a_Content-Type_ x"),
        ('a"b<c>.svg', "a_b_c_.svg"),
        ("..", "otherwise"),
        ("", "otherwise"),
        ("x" * 300 + ".png", "x" * 96 + ".png"),
    ],
)
def test_a_name_is_safe_to_show_and_to_save_by(wanted: str, made: str) -> None:
    assert file_name(wanted, "otherwise") == made


def test_a_name_that_a_server_gave_its_tool_names_the_file_safely() -> None:
    [file] = read({"type": "text", "text": "x" * (LONGEST_TEXT + 1)}, name="../look/around").files
    assert file.name == "_look_around-result.txt"


@pytest.mark.parametrize("mime", [None, 7, "image/png\r\nX: y", "text/html; charset=utf-8", "x" * 200])
def test_a_type_that_is_none_is_not_taken_over(mime: Any) -> None:
    taken = Enclosures()
    taken.binary("image", "", mime, b"x")
    assert taken.files[0].mime == "application/octet-stream"
    assert taken.files[0].name == "image-1.bin"
