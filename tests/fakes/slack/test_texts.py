"""What people type goes onto the wire as Slack puts it; what the bot sends is read as people do."""

from typing import Any

import pytest

from tests.fakes.slack.client import Slack
from tests.fakes.slack.raw import Api, socket
from tests.fakes.slack.samples import plain, section

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        pytest.param("a < b & c > d", "a &lt; b &amp; c &gt; d", id="entities"),
        pytest.param("<@U123> <!here>", "&lt;@U123&gt; &lt;!here&gt;", id="typed brackets are no mention"),
        pytest.param("@Guide hello", "<@{bot}> hello", id="mention"),
        pytest.param("hi @Guide, you", "hi <@{bot}>, you", id="mention before a comma"),
        pytest.param("@Guides", "@Guides", id="longer than a name"),
        pytest.param("mail@Guide", "mail@Guide", id="inside a word"),
        pytest.param("@Ada Lovelace and @Ada", "<@{lovelace}> and <@{ada}>", id="the longer name first"),
        pytest.param("@here @channel @everyone", "<!here> <!channel> <!everyone>", id="broadcasts"),
        pytest.param("see #general.", "see <#{room}|general>.", id="channel"),
        pytest.param("#nowhere", "#nowhere", id="no such channel"),
        pytest.param("https://a.org/b?c=1&d=2.", "<https://a.org/b?c=1&amp;d=2>.", id="link"),
        pytest.param("ada@a.org", "<mailto:ada@a.org|ada@a.org>", id="mail"),
        pytest.param("*bold* `a < @Guide`", "*bold* `a &lt; @Guide`", id="styles"),
        pytest.param("```x < y\n@Guide```", "```x &lt; y\n@Guide```", id="code block"),
        pytest.param("*@Guide*", "*<@{bot}>*", id="styled mention"),
        pytest.param("ok :eyes:", "ok :eyes:", id="emoji"),
    ],
)
async def test_typed_text_on_the_wire(slack: Slack, api: Api, typed: str, text: str) -> None:
    ada, lovelace = await slack.user("Ada"), await slack.user("Ada Lovelace")
    room = await slack.channel("general", members=[ada, lovelace])
    async with socket(api) as line:
        await slack.write(room, ada, typed)
        event = await line.event("message")
    names = {"bot": slack.bot_user_id, "ada": ada.id, "lovelace": lovelace.id, "room": room.id}
    assert event["text"] == text.format(**names)
    assert event["blocks"][0]["type"] == "rich_text"
    [shown] = await slack.messages(room)
    assert shown.text.replace("\n", "") == typed.replace("*", "").replace("`", "").replace("\n", "")


async def test_rich_text_of_what_was_typed(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    room = await slack.channel("general", members=[ada])
    async with socket(api) as line:
        await slack.write(room, ada, "@Guide *so* #general @here :eyes:")
        elements = (await line.event("message"))["blocks"][0]["elements"][0]["elements"]
    assert elements == [
        {"type": "user", "user_id": slack.bot_user_id},
        {"type": "text", "text": " "},
        {"type": "text", "text": "so", "style": {"bold": True}},
        {"type": "text", "text": " "},
        {"type": "channel", "channel_id": room.id},
        {"type": "text", "text": " "},
        {"type": "broadcast", "range": "here"},
        {"type": "text", "text": " "},
        {"type": "emoji", "name": "eyes"},
    ]


@pytest.mark.parametrize(
    ("sent", "seen", "styles"),
    [
        ("a &lt; b &amp;amp; c", "a < b &amp; c", []),
        ("*bold* and _italic_ and ~gone~", "bold and italic and gone", ["bold", "italic", "strike"]),
        ("*_both_*", "both", ["italic", "bold"]),
        ("2*3*4 and snake_case_name", "2*3*4 and snake_case_name", []),
        ("`*code* &lt;x&gt;`", "*code* <x>", ["code"]),
        ("<https://a.org?b&amp;c|the *page*>", "the *page*", ["link"]),
        ("<https://a.org>", "https://a.org", ["link"]),
        ("&gt; quoted", "quoted", ["quote"]),
        ("```a\n*b*```", "a\n*b*", ["pre"]),
        ("&lt;!here&gt;", "<!here>", []),
    ],
)
async def test_mrkdwn_is_read(slack: Slack, api: Api, sent: str, seen: str, styles: list[str]) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await api.ok("chat.postMessage", {"channel": chat.id, "text": sent})
    await api.ok("chat.postMessage", {"channel": chat.id, "text": "x", "blocks": [section(sent)]})
    for message in await slack.messages(chat):
        assert (message.text, [style.kind for style in message.styles]) == (seen, styles)
        assert message.mentions == ()


@pytest.mark.parametrize(
    ("sent", "seen", "styles"),
    [
        ("# Title\n**bold** *weak* ~~gone~~", "Title\nbold weak gone", ["header", "bold", "strike", "italic"]),
        ("[page](https://a.org) `**x**`", "page **x**", ["code", "link"]),
        (r"2 \* 3 &lt; 7", "2 * 3 < 7", []),
        ("```python\na = '**'\n```", "a = '**'", ["pre"]),
    ],
)
async def test_markdown_is_read(slack: Slack, api: Api, sent: str, seen: str, styles: list[str]) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await api.ok("chat.postMessage", {"channel": chat.id, "markdown_text": sent})
    await api.ok("chat.postMessage", {"channel": chat.id, "blocks": [{"type": "markdown", "text": sent}]})
    for message in await slack.messages(chat):
        assert (message.text, [style.kind for style in message.styles]) == (seen, styles)


def rich(*elements: Json) -> list[Json]:
    return [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}]


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"text": "hi <@{ada}>"}, id="text"),
        pytest.param({"blocks": [section("hi <@{ada}>")]}, id="section"),
        pytest.param({"text": "<@{ada}>", "blocks": [section("hi")]}, id="behind the blocks"),
        pytest.param({"markdown_text": "hi <@{ada}>"}, id="markdown"),
        pytest.param({"blocks": rich({"type": "user", "user_id": "{ada}"})}, id="rich text"),
        pytest.param({"text": "x", "attachments": [{"text": "<@{ada}>"}]}, id="attachment"),
        pytest.param(
            {"blocks": [{"type": "context", "elements": [{"type": "mrkdwn", "text": "<@{ada}>"}]}]}, id="context"
        ),
    ],
)
async def test_whoever_is_notified_is_listed(slack: Slack, api: Api, message: Json) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    named = _named(message, ada.id)
    assert isinstance(named, dict)
    await api.ok("chat.postMessage", {"channel": chat.id, **named})
    assert (await slack.messages(chat))[0].mentions == (ada.id,)


def _named(value: object, ada: str) -> object:
    if isinstance(value, dict):
        return {name: _named(inner, ada) for name, inner in value.items()}
    if isinstance(value, list):
        return [_named(inner, ada) for inner in value]
    return value.replace("{ada}", ada) if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("message", "mentions"),
    [
        ({"text": "<!here> <!channel> <!everyone> <!subteam^S1|@team>"}, ("here", "channel", "everyone", "S1")),
        ({"text": "@here @ada", "link_names": True}, ("here", "ada")),
        ({"text": "@here @ada"}, ()),
        ({"blocks": [{"type": "header", "text": plain("<!here>")}]}, ()),
        ({"text": "<#C1|general> <!date^1^{date}|today>"}, ()),
        ({"blocks": rich({"type": "broadcast", "range": "channel"})}, ("channel",)),
    ],
)
async def test_groups_are_listed_too(slack: Slack, api: Api, message: Json, mentions: tuple[str, ...]) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    await api.ok("chat.postMessage", {"channel": chat.id, **message})
    assert (await slack.messages(chat))[0].mentions == mentions


async def test_blocks_are_read_from_top_to_bottom(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    items = [{"type": "rich_text_section", "elements": [{"type": "text", "text": word}]} for word in ("one", "two")]
    blocks: list[Json] = [
        {"type": "header", "text": plain("Title &amp; more")},
        {"type": "divider"},
        {"type": "section", "fields": [plain("left"), plain("right")]},
        {"type": "context", "elements": [plain("small"), {"type": "mrkdwn", "text": "*print*"}]},
        {"type": "rich_text", "elements": [{"type": "rich_text_list", "style": "ordered", "elements": items}]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}]]},
        {"type": "image", "image_url": "https://a.org/x.png", "alt_text": "a picture"},
    ]
    await api.ok("chat.postMessage", {"channel": chat.id, "text": "x", "blocks": blocks})
    [message] = await slack.messages(chat)
    assert message.text.splitlines() == [
        "Title & more",
        "left",
        "right",
        "small print",
        "1. one",
        "2. two",
        "a\tb",
        "a picture",
    ]


async def test_controls_stand_in_rows(slack: Slack, api: Api) -> None:
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    confirm = {"title": plain("Sure?"), "text": plain("It is final"), "confirm": plain("Yes"), "deny": plain("No")}
    more = {"type": "button", "text": plain("More &gt;"), "action_id": "more", "confirm": confirm}
    link = {"type": "button", "text": plain("Page"), "action_id": "page", "url": "https://a.org"}
    blocks = [{**section("x"), "accessory": link}, {"type": "actions", "elements": [more]}]
    await api.ok("chat.postMessage", {"channel": chat.id, "text": "x", "blocks": blocks})
    [message] = await slack.messages(chat)
    assert (message.buttons, message.data) == ((("Page",), ("More >",)), (("page",), ("more",)))
    assert message.controls[0][0].url == "https://a.org"
    assert message.controls[1][0].confirm == ("Sure?", "It is final", "Yes", "No")


async def test_texts_come_back_with_entities(slack: Slack, api: Api) -> None:
    """What the API shows of a message is escaped, also where the text was plain."""
    ada = await slack.user("Ada")
    chat = await slack.private_chat(ada)
    blocks = [{"type": "header", "text": plain("a > b &lt; c")}]
    answer = await api.ok("chat.postMessage", {"channel": chat.id, "text": "x & y &lt; z", "blocks": blocks})
    assert answer["message"]["text"] == "x &amp; y &lt; z"
    assert answer["message"]["blocks"][0]["text"]["text"] == "a &gt; b &lt; c"
