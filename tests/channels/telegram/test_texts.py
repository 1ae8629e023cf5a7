"""What a model writes → what stands in the chat: the ways in which texts are known to arrive broken."""

from typing import Any, Literal

import pytest

from channels.outgoing import Outgoing
from channels.text.characters import size
from channels.text.parse import blocks
from channels.text.split import split
from tests.channels.telegram.house import House, Visitor
from tests.fakes.telegram.protocol import Shown

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def arrived(house: House, visitor: Visitor, markdown: str) -> list[Shown]:
    """The messages that it became, one for each call: none was refused and sent anew."""
    for part in split(Outgoing(blocks(markdown)), house.adapter.limits):
        await house.adapter.send(visitor.where, part)
    shown = await house.telegram.messages(visitor.chat)
    calls = await house.telegram.calls(chat=visitor.chat)
    assert [call.method for call in calls] == ["sendMessage"] * len(shown)
    assert not any("parse_mode" in call.args for call in calls)
    return shown


def asked(shown: Shown) -> list[dict[str, Any]]:
    """The entities of our own making; bare addresses Telegram finds by itself."""
    return [entity for entity in shown.entities if entity["type"] != "url"]


@pytest.mark.parametrize("unit", ["characters", "utf16"])
@pytest.mark.parametrize(("emoji", "parts"), [(2_048, [2_048]), (2_049, [2_048, 1]), (4_096, [2_048, 2_048])])
async def test_emoji_count_two_so_that_both_readings_of_the_limit_are_kept(
    house: House, visitor: Visitor, emoji: int, parts: list[int], unit: Literal["characters", "utf16"]
) -> None:
    """B059: it is not known whether Telegram counts 4,096 characters or UTF-16 units."""
    await house.telegram.settings(text_unit=unit)
    assert [len(message.text) for message in await arrived(house, visitor, "😀" * emoji)] == parts


@pytest.mark.parametrize("mark", ["!", "(", "&", "<"])
async def test_marks_are_not_made_longer_by_escaping(house: House, visitor: Visitor, mark: str) -> None:
    """B060: as many as a message may hold are one message, and one more is another."""
    assert [message.text for message in await arrived(house, visitor, mark * 4_097)] == [mark * 4_096, mark]


async def test_the_length_is_measured_as_it_is_shown(house: House, visitor: Visitor) -> None:
    """B060: a table grows when its columns are made even."""
    table = "|a|b|\n|-|-|\n" + f"|{'w' * 24}|1|\n" + "|x|2|\n" * 400
    assert len(table) < 4_096
    shown = await arrived(house, visitor, table)
    assert len(shown) > 1
    assert all(size(message.text, "utf16") <= 4_096 for message in shown)
    assert sum(message.text.count("x") for message in shown) == 400


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/x_y and https://b.example/z_w",
        "https://a.example/a_b_c_d?e=_f_&g=%20",
        "snake_case",
        "a_b_c_d and *x and __y and `z and [w",
        "5 * 3 = 15 _ ok ~ no",
        "i < len(s) && a > b",
    ],
    ids=["addresses with one", "an address with three", "one", "unpaired", "alone", "code without its marks"],
)
async def test_marks_that_pair_with_nothing_stay_as_they_were_typed(house: House, visitor: Visitor, text: str) -> None:
    """B071: addresses arrive byte for byte. B072: nothing is refused for its marks. B075: nothing is escaped twice."""
    [shown] = await arrived(house, visitor, text)
    assert (shown.text, asked(shown)) == (text, [])


@pytest.mark.parametrize(
    ("markdown", "code"),
    [
        ("`i < len(s) && a > b`", "i < len(s) && a > b"),
        ("`&amp; &lt;`", "&amp; &lt;"),
        ("`` C:\\dir, `a` ``", "C:\\dir, `a`"),
        ("```\nif a < b && c:\n    print('\\`')\n```", "if a < b && c:\n    print('\\`')"),
    ],
    ids=["angles", "escaped", "backslash and backtick", "fence"],
)
async def test_code_is_shown_as_it_was_typed(house: House, visitor: Visitor, markdown: str, code: str) -> None:
    """B075: angles and ampersands. B076: backslashes and backticks."""
    [shown] = await arrived(house, visitor, markdown)
    assert shown.text == code
    [entity] = asked(shown)
    assert (entity["type"], entity["length"]) == ("pre" if "\n" in code else "code", len(code))


async def test_an_address_keeps_its_closing_bracket(house: House, visitor: Visitor) -> None:
    """B077: brackets in pairs belong to it."""
    address = "https://en.wikipedia.org/wiki/Apollo_(mythology)"
    [shown] = await arrived(house, visitor, f"[Apollo]({address}), see ({address})")
    assert shown.text == f"Apollo, see ({address})"
    assert [(entity["type"], entity["url"]) for entity in asked(shown)] == [("text_link", address)]


async def test_what_a_model_escapes_by_itself_shows_no_backslashes(house: House, visitor: Visitor) -> None:
    """B078: whatever it was told elsewhere about Telegram, nothing is escaped twice."""
    escaped = r"Done\! 1\.50 \(net\) \- ok \= \| \{x\} \#1 \+2 \> \~ \_a\_ \*b\* \`c\` \[d\]"
    [shown] = await arrived(house, visitor, escaped)
    assert (shown.text, asked(shown)) == ("Done! 1.50 (net) - ok = | {x} #1 +2 > ~ _a_ *b* `c` [d]", [])
