"""Skills as the model uses them: load one, read what lies beside it, run a script of it.

What may be used is looked up anew each time; that nothing but what an admin has looked at is read or run, the digests see to.
"""

import asyncio
import tempfile
from gettext import gettext as _
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from bot import stock
from bot.domain.run import LOAD_SKILL, READ_SKILL_FILE, RUN_SKILL_SCRIPT
from bot.skillset import Holding
from bot.store import personas
from bot.store.database import Tx
from bot.tools.answers import characters, quoted
from bot.tools.spec import ToolContext, ToolFailure, ToolInput, ToolSpec
from skills import scripts
from skills.errors import NotRunnable
from skills.scripts import Outcome, ScriptLimits

SPECIALIST = "skills_worker"

LIMITS = ScriptLimits(seconds=45.0)
"""Shorter than any call may take, so that it ends with what the script has said until then."""

PAGE = 7_000
"""Characters of a file, or of what a script said, in one answer."""

FILES_NAMED = 50
ARGUMENTS_SHOWN = 300
VERSION_SHOWN = 12
"""Letters of a digest that a card shows."""


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold the character NUL")
    return text


SkillName = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
FilePath = Annotated[str, Field(min_length=1, max_length=400), AfterValidator(_storable)]
Argument = Annotated[str, Field(max_length=4_000), AfterValidator(_storable)]


class LoadSkill(ToolInput):
    skill: SkillName = Field(description="The name of the skill, as it is listed.")


class ReadSkillFile(ToolInput):
    skill: SkillName = Field(description="The name of the skill.")
    path: FilePath = Field(description="The file, as the skill or load_skill names it, such as references/forms.md.")
    start: Annotated[int, Field(ge=0, le=100_000_000)] = Field(
        default=0, description="The character to begin at, for the rest of a long file."
    )


class RunSkillScript(ToolInput):
    skill: SkillName = Field(description="The name of the skill.")
    script: FilePath = Field(description="The script, such as scripts/count.py.")
    arguments: Annotated[list[Argument], Field(max_length=LIMITS.arguments)] = Field(
        default_factory=list, description="What it is given, each as one argument; no shell reads them."
    )


async def _load(context: ToolContext, given: LoadSkill) -> str:
    holding = await context.store.tx(_usable, context, given.skill)
    said = [f"The text of the skill {holding.name} is before you now, to the end of this message."]
    if holding.skill.files:
        named = ", ".join(holding.skill.files[:FILES_NAMED])
        more = "" if len(holding.skill.files) <= FILES_NAMED else ", …"
        said.append(f"Beside it lie: {named}{more}.")
    if holding.skill.scripts and not holding.runnable:
        said.append("Its scripts are switched off.")
    return " ".join(said)


async def _read(context: ToolContext, given: ReadSkillFile) -> str:
    holding = await context.store.tx(_usable, context, given.skill)
    data = await asyncio.to_thread(stock.file_now, holding.stocked, given.path)
    if data is None:
        words = _("There is no file {path} in the skill {name}, or it is not the one that was looked at.")
        raise ToolFailure("not_found", words.format(path=given.path, name=holding.name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ToolFailure("unavailable", _("{path} is not a text.").format(path=given.path)) from error
    page = text[given.start : given.start + PAGE].replace("\0", "�")
    end = given.start + len(page)
    if end >= len(text):
        return page or "There is nothing more in it."
    return f"{page}\n(… {characters(len(text))} in all; go on with start {end}.)"


async def _run(context: ToolContext, given: RunSkillScript) -> str:
    holding = await context.store.tx(_runnable, context, given)
    with tempfile.TemporaryDirectory(prefix="askfirst-skill-", ignore_cleanup_errors=True) as room:
        folder = Path(room)
        await asyncio.to_thread(_copy, holding, folder)
        try:
            ended = await scripts.run(folder, given.script, given.arguments, LIMITS)
        except NotRunnable as reason:
            raise ToolFailure("unavailable", _("{reason} Nothing was run.").format(reason=reason)) from reason
    said = _said(ended)
    if ended.code is None:
        words = _("The script took longer than {seconds:.0f} seconds and was ended; what it had done stays done.")
        raise ToolFailure("timeout", f"{words.format(seconds=LIMITS.seconds)}\n{said}")
    if ended.code != 0:
        words = _("The script ended with the code {code}, which means that it failed.")
        raise ToolFailure("unavailable", f"{words.format(code=ended.code)}\n{said}")
    return f"The script has run.\n{said}"


def _confirm_run(tx: Tx, context: ToolContext, given: RunSkillScript) -> str:
    holding = _runnable(tx, context, given)
    words = _("Run the script {script} of the skill {name} on the machine of this service, {how}. Version {version}.")
    how = _("without arguments")
    if given.arguments:
        shown = ", ".join(quoted(argument, ARGUMENTS_SHOWN) for argument in given.arguments)
        how = _("with: {arguments}").format(arguments=shown)
    version = holding.stocked.digest[:VERSION_SHOWN]
    return words.format(script=given.script, name=holding.name, how=how, version=version)


def _usable(tx: Tx, context: ToolContext, name: str) -> Holding:
    """Raises ToolFailure, without a word about skills that the persona has nothing to do with."""
    persona = personas.find(tx, context.persona_id)
    usable = context.skills.usable(tx, persona, context.channel, context.now) if persona else []
    holding = next((each for each in usable if each.name == name), None)
    if holding is None:
        words = _("There is no skill {name} that may be used here. Nothing was done.")
        raise ToolFailure("not_authorized", words.format(name=name))
    return holding


def _runnable(tx: Tx, context: ToolContext, given: RunSkillScript) -> Holding:
    """Raises ToolFailure unless this script may be run now."""
    holding = _usable(tx, context, given.skill)
    if given.script not in holding.skill.scripts:
        words = _("There is no script {script} in the skill {name}. Nothing was run.")
        raise ToolFailure("not_found", words.format(script=given.script, name=holding.name))
    if not holding.runnable:
        words = _("The scripts of the skill {name} are switched off. Nothing was run.")
        raise ToolFailure("not_authorized", words.format(name=holding.name))
    return holding


def _copy(holding: Holding, folder: Path) -> None:
    """Just the files that the switches were set for. Blocks. Raises ToolFailure if there are others by now."""
    try:
        content, digest = stock.contents(holding.stocked.folder)
    except OSError as error:
        words = _("The files of the skill {name} cannot be read. Nothing was run.")
        raise ToolFailure("unavailable", words.format(name=holding.name)) from error
    if digest != holding.stocked.digest:
        words = _("The files of the skill {name} have changed: an admin must look at it again. Nothing was run.")
        raise ToolFailure("not_authorized", words.format(name=holding.name))
    for path, data in content.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _said(ended: Outcome) -> str:
    parts = [(_("It wrote:"), ended.stdout), (_("It wrote as errors:"), ended.stderr)]
    shown = [f"{head}\n{_cut(text)}" for head, text in parts if text.strip()]
    if ended.left_out:
        shown.append(f"({ended.left_out:,} more bytes left out.)")
    return "\n".join(shown) or "It wrote nothing."


def _cut(text: str) -> str:
    text = text.strip().replace("\0", "�")
    return text if len(text) <= PAGE // 2 else f"{text[: PAGE // 2]}\n(… {characters(len(text))} in all.)"


load_skill = ToolSpec(
    name=LOAD_SKILL,
    specialist=SPECIALIST,
    description="Puts the instructions of a listed skill before you, when what is asked is what the skill is for.",
    input=LoadSkill,
    handler=_load,
    idempotent=True,
)
read_skill_file = ToolSpec(
    name=READ_SKILL_FILE,
    specialist=SPECIALIST,
    description="Reads a file that belongs to a skill and that its instructions name.",
    input=ReadSkillFile,
    handler=_read,
    idempotent=True,
)
run_skill_script = ToolSpec(
    name=RUN_SKILL_SCRIPT,
    specialist=SPECIALIST,
    description="Runs a script of a skill, as its instructions say. A person agrees to each run.",
    input=RunSkillScript,
    handler=_run,
    confirmation=_confirm_run,
    mutates_data=True,
    requires_confirmation=True,
    destructive=True,
    untrusted=True,
)
