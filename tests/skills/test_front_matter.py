"""The bounds of a header: none of them can be used to hold the service up."""

import time

import pytest

from skills import front_matter, skill_md
from skills.errors import ContentRefused
from skills.front_matter import LONGEST_FILE, LONGEST_HEADER
from skills.plain_yaml import DEEPEST

HEAD = b"---\nname: x\ndescription: y\n"


def rules(data: bytes) -> list[str]:
    with pytest.raises(ContentRefused) as refusal:
        skill_md.read(data)
    return [fault.rule for fault in refusal.value.faults]


def filled(length: int) -> bytes:
    return b"---\n" + b"#" * (length - 1) + b"\n---\n"


def test_a_header_of_the_longest_length_is_read_and_a_longer_one_refused() -> None:
    room = LONGEST_HEADER - len("name: x\ndescription: y\n#") - 1
    assert skill_md.read(HEAD + b"#" + b"x" * room + b"\n---\nText.").name == "x"
    assert rules(HEAD + b"#" + b"x" * (room + 1) + b"\n---\nText.") == ["header_too_long"]


def test_a_file_of_the_longest_length_is_read_and_a_longer_one_refused() -> None:
    body = b"x" * (LONGEST_FILE - len(HEAD) - len(b"---\n"))
    assert len(skill_md.read(HEAD + b"---\n" + body).instructions) == len(body)
    assert rules(HEAD + b"---\n" + body + b"x") == ["file_too_long"]


def test_values_are_nested_so_deeply_and_not_deeper() -> None:
    def nested(depth: int) -> bytes:
        return HEAD + b"other: " + b"[" * depth + b"a" + b"]" * depth + b"\n---\n"

    assert skill_md.read(nested(DEEPEST - 1)).name == "x"
    assert rules(nested(DEEPEST)) == ["too_deep"]


HEAVY = {
    "open brackets": b"a: " + b"[" * 30_000,
    "open braces": b"a: " + b"{" * 30_000,
    "dashes": b"a:\n" + b"- " * 15_000,
    "question marks": b"? " * 15_000,
    "colons": b"a: " * 10_000,
    "a flow of keys": b"a: {" + b"b:," * 10_000 + b"}",
    "quotes": b"a: " + b"'" * 30_001,
    "escapes": b'a: "' + b"\\x41" * 7_500 + b'"',
    "many keys": b"\n".join(b"k%d: v" % number for number in range(4_000)),
    "anchors": b"\n".join(b"k%d: &a%d v" % (number, number) for number in range(2_500)),
    "laughs": b"a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]",
    "commas": b"allowed-tools: " + b"," * 30_000,
    "brackets in a limit": b"allowed-tools: '" + b"(" * 30_000 + b"'",
    "lines of text": b"description: a\n" + b"  b: c\n" * 4_500,
}


@pytest.mark.parametrize("header", HEAVY.values(), ids=HEAVY)
def test_no_header_takes_long_to_read(header: bytes) -> None:
    """Ten seconds are far more than any takes, and far less than one that grows with the square of its length."""
    begun = time.process_time()
    with pytest.raises(ContentRefused) as refusal:
        skill_md.read(b"---\nname: x\n" + header + b"\n---\n")
    assert 1 <= len(refusal.value.faults) <= 50
    assert time.process_time() - begun < 10


def test_lines_are_those_of_the_file() -> None:
    parts = front_matter.read(b"\n---\n# a comment\nname: x\nmetadata:\n  a: b\n---\nText.\n", "x")
    assert parts.lines[("name",)] == 4
    assert parts.lines[("metadata", "a")] == 6
    assert parts.body_line == 8
    assert parts.body == "Text.\n"


def test_directives_and_further_documents_are_refused() -> None:
    assert rules(b"---\n%YAML 1.1\nname: x\n---\n") == ["yaml"]
    assert rules(b"---\nname: x\n...\ndescription: y\n---\n") == ["yaml"]


def test_a_message_never_holds_a_whole_value() -> None:
    secret = b"k" * 4000
    with pytest.raises(ContentRefused) as refusal:
        skill_md.read(b"---\nname: " + secret + b"\nx" + secret + b": {" + secret + b": 1\n---\n")
    assert all(len(fault.message) < 400 for fault in refusal.value.faults)
