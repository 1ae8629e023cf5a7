"""Who is not let in learns nothing and leaves nothing behind; the admins are asked once."""

from tests.flows.stage import Stage


async def test_strangers_knock_and_wait_outside(stage: Stage) -> None:
    """B131: the check comes before anything is stored or stopped. B133: told once, then silence."""
    bob, eve = await stage.telegram.user("Bob"), await stage.telegram.user("Eve")
    bobs, eves = await stage.telegram.private_chat(bob), await stage.telegram.private_chat(eve)
    async with stage.service(model_url="", talk={}) as house:
        await stage.say("add a note: secret", chat=bobs, who=bob)
        await stage.reads("This is a private assistant. Its admins have been told that you knocked.", chat=bobs)
        for words in ("hello?", "/status", "/grants", "/approve", "approve", "/new", "/start"):
            await stage.say(words, chat=bobs, who=bob)
        knock = await stage.telegram.wait_message(stage.chat, button="Let in", containing="“Bob”")
        assert "secret" not in knock.text
        await stage.telegram.wait_confirmed()
        said = await stage.say("/sessions")
        await stage.reads("There is no session.", after=said)
        assert len(await stage.there(chat=bobs)) == 1
        assert len([text for text in await stage.there() if "would like to talk" in text]) == 1

        told = await stage.press_data(
            knock.data[0][0], on=(await stage.telegram.messages(bobs))[-1].id, who=bob, chat=bobs
        )
        assert told == "Only an admin may decide this. Nothing changed."
        assert "was let in by Ann" in await stage.press(knock, "Let in")
        await stage.settled(knock, "was let in by Ann")
        await stage.reads("You have been let in.", chat=bobs)
        said = await stage.say("/status", chat=bobs, who=bob)
        await stage.reads("Persona: Guide", chat=bobs, after=said)
        assert "decided before" in await stage.press_old(knock, column=1)

        await stage.say("hello", chat=eves, who=eve)
        knock = await stage.telegram.wait_message(stage.chat, button="Ignore", containing="“Eve”")
        await stage.press(knock, "Ignore")
        await stage.settled(knock, "was ignored by Ann")
        await stage.say("hello", chat=eves, who=eve)
        await stage.say("/help", chat=eves, who=eve)
        await stage.telegram.wait_confirmed()
        said = await stage.say("/help")
        await stage.reads("/stop", after=said)
        assert len(await stage.there(chat=eves)) == 1
        assert "secret" not in house.log.read_text()


async def test_a_stranger_in_a_group_disturbs_nobody(stage: Stage) -> None:
    """B131: what a stranger writes beside a member's waiting call is not heard."""
    bob, eve = await stage.telegram.user("Bob"), await stage.telegram.user("Eve")
    group = await stage.telegram.supergroup("Kitchen", members=[bob, eve, stage.ann])
    mention = f"@{stage.telegram.bot_username}"
    async with stage.service(model_url="", talk={"allow": [f"tg:{bob.id}"], "knock": False}):
        await stage.say(f"{mention} add a note: milk", chat=group, who=bob)
        card = await stage.card(chat=group)
        await stage.say(f"{mention} /stop", chat=group, who=eve)
        await stage.say("/stop", chat=group, who=eve)
        await stage.say(f"{mention} reject because I say so", chat=group, who=eve)
        assert "You may not decide this" in await stage.press(card, "Reject", who=eve, chat=group)
        await stage.reads("This is a private assistant.", chat=group)
        assert await stage.press(card, "Approve", who=bob, chat=group) == "Approved."
        await stage.settled(card, "Approved by Bob", chat=group)
        assert not any("would like to talk" in text for text in await stage.there())
        assert len([text for text in await stage.there(chat=group) if "private assistant" in text]) == 1
