"""Answers of any length, in pieces that Slack takes."""

import re

from tests.fakes.model.script import Reply
from tests.flows.slack.scene import Scene
from tests.flows.slack.ways import by_socket, in_the_long_play

pytestmark = [in_the_long_play, by_socket]


async def pieces(scene: Scene, answer: str) -> list[str]:
    """The messages in which an answer comes, each of which Slack took, and took to edit."""
    await scene.model.answer(answer, "The end.")
    await scene.say("tell me", chat=scene.direct)
    await scene.slack.wait_confirmed()
    await scene.tells("and then?", "The end.")
    assert all(call.verdict == "ok" for call in await scene.slack.calls("chat.postMessage", chat=scene.direct))
    return (await scene.there(chat=scene.direct))[:-1]


async def test_an_answer_of_any_length_arrives_whole_and_in_order(scene: Scene) -> None:
    """B067: all blocks of a message together count."""
    paragraphs = [f"Paragraph {n}: " + "some words & <marks> " * 20 for n in range(60)]
    told = await pieces(scene, "\n\n".join(paragraphs))
    assert len(told) > 3
    assert "".join("".join(told).split()) == "".join("".join(paragraphs).split())


async def test_a_line_of_any_length_is_cut(scene: Scene) -> None:
    """B063: code in one line of 9,000 characters stays code in each piece."""
    told = await pieces(scene, "```\n" + "x" * 9_000 + "\n```")
    assert sum(text.count("x") for text in told) == 9_000
    shown = await scene.ours(chat=scene.direct)
    assert all(any(style.kind == "pre" for style in each.styles) for each in shown[:-1])


async def test_a_long_table_is_cut_at_its_rows_and_keeps_its_header(scene: Scene) -> None:
    """B064."""
    rows = [f"| row {n} | {'some words ' * 8}|" for n in range(80)]
    told = await pieces(scene, "\n".join(["| name | what |", "|---|---|", *rows]))
    assert len(told) > 1
    assert all("name" in text and "what" in text for text in told)
    assert re.findall(r"row (\d+)\b", "\n".join(told)) == [str(n) for n in range(80)]


async def test_an_answer_of_many_parts_keeps_to_the_number_of_blocks(scene: Scene) -> None:
    """B068: each heading and each rule would be a block of its own."""
    told = await pieces(scene, "\n\n".join(f"# Heading {n}\n\nText {n}\n\n---" for n in range(60)))
    joined = "\n".join(told)
    assert all(f"Heading {n}" in joined and f"Text {n}" in joined for n in range(60))
    posts = await scene.slack.calls("chat.postMessage", chat=scene.direct)
    assert all(len(call.args["blocks"]) <= 50 for call in posts)


async def test_a_long_answer_takes_the_place_of_the_status_line_and_loses_nothing(scene: Scene) -> None:
    """B061, B069: chat.update takes less than chat.postMessage, so it gets the first piece, and the rest is posted. B085: an
    edit is written like a post. B230: to us alone there is no status below, so a line says that something goes on."""
    answer = "\n\n".join(f"Paragraph {n}: " + "some words & <marks> " * 20 for n in range(30))
    await scene.model.answer(Reply(text=f"**Now**: {answer}", hold="ponder"))
    await scene.say("ponder", chat=scene.direct)
    status = await scene.reads("… thinking", chat=scene.direct)
    await scene.model.release("ponder")
    await scene.reads("Paragraph 29", chat=scene.direct)
    first = await scene.reads("Now: Paragraph 0:", chat=scene.direct, message=status.id)
    assert [style.text for style in first.styles] == ["Now"]
    told = await scene.there(chat=scene.direct)
    assert "".join("".join(told).split()) == "Now:" + "".join(answer.split())
