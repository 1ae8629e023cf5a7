"""What the model does with skills: loads them, reads beside them, has a script of one run if somebody agrees."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.curator import Turn
from bot.domain.approval import SCRIPTS, Approval
from bot.errors import Impossible
from bot.granter import Wish
from bot.llm.port import Answer
from bot.store import approvals, outbox, personas, runs
from bot.store.database import Store, Tx
from bot.store.tables import calls, entries
from tests.bot.parts import BOB, CHAT, GUIDE, NOW, by, queue
from tests.bot.reading_room import ALL_ON, ANN, ON, Room, open_room, packed, scripted
from tests.bot.rehearsal import Lines, runner, says, wants

RUN = ("run_skill_script", {"skill": "counting", "script": "scripts/count.py", "arguments": ["--all", "a b; rm -rf /"]})


@pytest.fixture
async def room(store: Store, tmp_path: Path) -> Room:
    return await open_room(store, tmp_path)


async def asks(room: Room, *answers: Answer) -> tuple[Lines, list[Approval]]:
    """A message is answered with these; what waits then."""
    lines = Lines(list(answers))
    await room.store.tx(queue)
    await runner(room.store, lines, room.parts).take(CHAT.key)
    return lines, await room.store.tx(approvals.pending, 10)


async def approved(room: Room, lines: Lines, waiting: Approval) -> None:
    await room.store.tx(room.parts.approver.take, waiting, True, by(BOB, CHAT), None, NOW)
    await runner(room.store, lines, room.parts).take(CHAT.key)


async def test_a_script_asks_in_words_and_runs_as_it_was_shown(room: Room) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    lines, [waiting] = await asks(room, wants(RUN), says("Done."))
    assert waiting.effect_text.startswith(
        "Run the script scripts/count.py of the skill counting on the machine of this service, with: “--all”, “a b; rm -rf /”."
    )
    await approved(room, lines, waiting)
    assert lines.results(2) == ["The script has run.\nIt wrote:\ncounted --all a b; rm -rf /"]
    assert await room.store.tx(runs.wary_because, waiting.run_id) == "what run_skill_script found"


@pytest.mark.parametrize(
    "turn",
    [Turn(True, True, False), Turn(True, False, True), Turn(False, True, True)],
    ids=["scripts off", "not trusted", "disabled"],
)
async def test_without_all_three_switches_nobody_is_even_asked(room: Room, turn: Turn) -> None:
    await room.bring(scripted("counting"), turn=turn)
    lines, waiting = await asks(room, wants(RUN), says("No."))
    assert waiting == []
    assert "Nothing was" in lines.results(2)[0]


async def test_without_a_grant_nobody_is_even_asked(room: Room) -> None:
    await room.install(scripted("counting"), turn=ALL_ON)
    lines, waiting = await asks(room, wants(RUN), says("No."))
    assert waiting == []
    assert "no skill counting that may be used here" in lines.results(2)[0]


@pytest.mark.parametrize(
    "script", ["scripts/none.py", "references/words.md", "../counting/scripts/count.py", "SKILL.md"]
)
async def test_only_what_lies_among_its_scripts_is_run(room: Room, script: str) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    call = ("run_skill_script", {"skill": "counting", "script": script})
    lines, waiting = await asks(room, wants(call), says("No."))
    assert waiting == []
    assert "There is no script" in lines.results(2)[0]


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (Turn(trusted=False), "the skill counting is not trusted any more"),
        (Turn(enabled=False), "the skill counting was disabled"),
        (Turn(scripts_enabled=False), "the scripts of the skill counting were switched off"),
    ],
    ids=["untrusted", "disabled", "scripts off"],
)
async def test_what_waits_is_closed_when_a_switch_goes(room: Room, end: Turn, reason: str) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    await room.bring(scripted("other"), turn=ALL_ON)
    beside = ("run_skill_script", {"skill": "other", "script": "scripts/count.py"})
    _lines, waiting = await asks(room, wants(RUN, beside), says("No."))
    assert len(waiting) == 2
    await room.turn("counting", end)
    [still] = await room.store.tx(approvals.pending, 10)
    assert '"other"' in still.arguments
    [closed] = [each for each in waiting if each.id != still.id]
    ended = await room.store.tx(approvals.find, closed.id)
    assert ended is not None
    assert (ended.state, ended.reason) == ("cancelled", reason)
    [card] = [post for post in await room.store.tx(outbox.about, closed.id) if post.conversation == CHAT.key]
    assert reason in str(card.body)


async def test_what_waits_is_closed_when_a_grant_of_the_skill_or_of_scripts_goes(room: Room) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    for capability in ("skill/counting", SCRIPTS):
        await room.grant("counting")
        _lines, [_waiting] = await asks(room, wants(RUN), says("No."))
        await room.store.tx(room.parts.granter.revoke, "guide", capability, ANN, NOW)
        assert await room.store.tx(approvals.pending, 10) == []
        await room.store.tx(room.parts.closer.stop, CHAT.key, ANN, NOW)


async def test_what_waits_is_closed_when_the_skill_is_changed_or_deleted(room: Room) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    await asks(room, wants(RUN), says("No."))
    await room.librarian.amend("counting", lambda skill: replace(skill, description="Other."), ANN, Turn())
    assert await room.store.tx(approvals.pending, 10) == []
    await room.turn("counting", ALL_ON)
    await room.store.tx(room.parts.closer.stop, CHAT.key, ANN, NOW)
    _lines, [_waiting] = await asks(room, wants(RUN), says("No."))
    await room.librarian.delete("counting", ANN)
    assert await room.store.tx(approvals.pending, 10) == []


async def test_files_that_changed_after_the_agreement_are_not_run(room: Room) -> None:
    """Though nobody has noticed the change yet: the copy that is run is of the very files that were trusted."""
    await room.bring(scripted("counting"), turn=ALL_ON)
    lines, [waiting] = await asks(room, wants(RUN), says("Not done."))
    (room.folder / "counting" / "scripts" / "count.py").write_text("print('evil')")
    await approved(room, lines, waiting)
    assert "have changed" in lines.results(2)[0]
    assert "Nothing was run" in lines.results(2)[0]


async def test_scripts_are_never_granted_without_asking(room: Room) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    with pytest.raises(Impossible, match="never given for what deletes"):
        await room.store.tx(room.parts.granter.grant, Wish("guide", SCRIPTS, "auto", NOW + 60, "", ANN), NOW)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (b"import sys\nprint('half')\nsys.exit(3)\n", "ended with the code 3"),
        (b"print('x' * 100000)\n", "It wrote:\nxxxx"),
        (b"raise ValueError('wrong')\n", "It wrote as errors:\n"),
        (b"pass\n", "It wrote nothing."),
    ],
    ids=["a code", "much", "an error", "silence"],
)
async def test_what_a_script_says_is_told_as_it_ended(room: Room, script: bytes, told: str) -> None:
    await room.bring(scripted("counting", script), turn=ALL_ON)
    lines, [waiting] = await asks(room, wants(RUN), says("Done."))
    await approved(room, lines, waiting)
    assert told in lines.results(2)[0]
    assert len(lines.results(2)[0]) < 10_000


async def test_files_are_read_in_pages_and_only_those_that_were_looked_at(room: Room) -> None:
    files = {"long.md": ("ab" * 5_000).encode(), "picture.png": b"\x89PNG\xff", "short.md": b"x"}
    await room.bring(packed("counting", files=files))
    reads = [("long.md", 0), ("long.md", 7_000), ("picture.png", 0), ("../../askfirst.db", 0), ("SKILL.md", 0)]
    wanted = [("read_skill_file", {"skill": "counting", "path": path, "start": start}) for path, start in reads]
    lines, _waiting = await asks(room, wants(*wanted), says("Read."))
    first, second, picture, outside, itself = lines.results(2)
    assert first.endswith("go on with start 7000.)")
    assert second == "ab" * 1_500
    assert "is not a text" in picture
    assert "There is no file" in outside
    assert "There is no file" in itself
    (room.folder / "counting" / "short.md").write_text("now evil")
    again = wants(("read_skill_file", {"skill": "counting", "path": "short.md"}))
    lines, _waiting = await asks(room, again, says("Read."))
    assert "not the one that was looked at" in lines.results(2)[0]


async def test_a_loaded_skill_says_what_lies_beside_it(room: Room) -> None:
    await room.bring(scripted("counting"), turn=ON)
    lines, _waiting = await asks(room, wants(("load_skill", {"skill": "counting"})), says("Yes."))
    assert lines.results(2) == [
        "The text of the skill counting is before you now, to the end of this message. "
        "Beside it lie: references/words.md, scripts/count.py. Its scripts are switched off."
    ]


async def test_a_run_that_is_taken_up_again_has_what_it_had_loaded(room: Room) -> None:
    """The log says that it was loaded, and holds not a word of it."""
    await room.bring(scripted("counting"), turn=ALL_ON)
    _lines, [waiting] = await asks(room, wants(("load_skill", {"skill": "counting"})), wants(RUN))
    afterwards = Lines([says("Done.")])
    await approved(room, afterwards, waiting)
    assert '<skill name="counting">' in afterwards.heard[0].instructions
    assert "Do it well." not in await room.store.tx(_log)


async def test_another_persona_has_nothing_of_it(room: Room) -> None:
    await room.bring(scripted("counting"), turn=ALL_ON)
    await room.store.tx(personas.put, replace(GUIDE, id="helper"))
    assert await room.at_hand(replace(GUIDE, id="helper")) == []
    assert await room.at_hand() == ["counting"]


def _log(tx: Tx) -> str:
    return str([tuple(row) for table in (calls, entries) for row in tx.execute(table.select())])
