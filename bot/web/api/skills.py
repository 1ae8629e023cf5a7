"""Skills: what there is, what was brought, and their switches."""

from collections.abc import Mapping
from dataclasses import dataclass
from gettext import gettext as _
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import Field, JsonValue

from bot.curator import Turn
from bot.skillset import Holding
from bot.store.database import Tx
from bot.web.api.desk import Desk
from bot.web.api.endpoint import Apart, Asked, ByName, Endpoint, Given, InTx, Nothing, Shown
from bot.web.api.paging import Page, Paged, listed
from bot.web.api.skill_tools import TOOLS
from bot.web.api.uploading import uploaded
from bot.web.errors import EntryDetail, Refusal
from skills import json_form, skill_md
from skills.errors import ArchiveRefused, ContentRefused, Refused
from skills.limits import MB
from skills.package import Format, Skill

SWITCHES = ("enabled", "trusted", "scripts_enabled")

Words = list[Annotated[str, Field(max_length=400)]]
Text = Annotated[str, Field(max_length=200_000)]
Servers = dict[str, dict[str, JsonValue]]


class SkillShown(Shown):
    """`changed`: its files are not those any more that its switches were set for, so that they count as off."""

    name: str
    description: str
    instructions: str
    prompt_hint: str
    tool_names: list[str]
    allowed_tools: list[str] | None
    builtin: bool
    format: Format
    enabled: bool
    trusted: bool
    scripts_enabled: bool
    changed: bool
    scripts: list[str]
    files: list[str]
    metadata: dict[str, str]
    version: str | None = Field(default=None, exclude_if=lambda version: version is None)
    bind_shells: list[str]
    mcp_servers: list[str]
    warnings: list[str]


class NewSkill(Given):
    """`tool_names`: tools that there are. `allowed_tools`: also those of other services, which do nothing here."""

    name: Text
    description: Text
    instructions: Text = ""
    prompt_hint: Text = ""
    tool_names: Words = Field(default_factory=list)
    allowed_tools: Words | None = None
    display_name: Text = ""
    version: Text = ""
    author: Text = ""
    tags: Words = Field(default_factory=list)
    bind_shells: Words = Field(default_factory=list)
    mcp_servers: Servers = Field(default_factory=dict)
    license: Text = ""
    compatibility: Text = ""
    metadata: dict[str, str] = Field(default_factory=dict)
    enabled: bool = False


class SkillPatch(Given):
    """What is left out, or null, stays as it is; but after any other change than of switches it is neither trusted nor are
    its scripts run, unless the same request says so."""

    description: Text | None = None
    instructions: Text | None = None
    prompt_hint: Text | None = None
    tool_names: Words | None = None
    allowed_tools: Words | None = None
    display_name: Text | None = None
    version: Text | None = None
    author: Text | None = None
    tags: Words | None = None
    bind_shells: Words | None = None
    mcp_servers: Servers | None = None
    license: Text | None = None
    compatibility: Text | None = None
    metadata: dict[str, str] | None = None
    enabled: bool | None = None
    trusted: bool | None = None
    scripts_enabled: bool | None = None


class Brought(Shown):
    installed: list[str]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class _Change:
    """Other values for a skill. Raises ContentRefused where they do not fit."""

    values: Mapping[str, Any]

    def __call__(self, skill: Skill) -> Skill:
        return json_form.change(skill, dict(self.values)).skill


def _all(desk: Desk, tx: Tx, asked: Asked[Nothing, Paged, Nothing]) -> Page[SkillShown]:
    held = desk.admin.curator.everything(tx)
    return listed(held, asked.query, lambda holding: _shown(desk, tx, holding), lambda holding: holding.name)


def _one(desk: Desk, tx: Tx, asked: Asked[ByName, Nothing, Nothing]) -> SkillShown:
    return _known(tx, desk, asked.path.name)


async def _make(desk: Desk, asked: Asked[Nothing, Nothing, NewSkill], _request: web.Request) -> SkillShown | Refusal:
    try:
        given = json_form.read(asked.body.model_dump(exclude_unset=True))
        package = skill_md.packed(given.skill)
        turn = Turn(enabled=True) if given.enabled else Turn()
        await desk.librarian.install([package], asked.by.who, turn=turn)
    except ContentRefused as refusal:
        return _refusal(422, "bad_skill", refusal)
    return await desk.store.light(_known, desk, given.skill.name)


async def _change(desk: Desk, asked: Asked[ByName, Nothing, SkillPatch], _request: web.Request) -> SkillShown | Refusal:
    said = {key: value for key, value in asked.body.model_dump(exclude_unset=True).items() if value is not None}
    turn = Turn(**{key: said.pop(key) for key in SWITCHES if key in said})
    name, by = asked.path.name, asked.by.who
    try:
        if said:
            await desk.librarian.amend(name, _Change(said), by, turn)
        else:
            await desk.store.tx(desk.admin.curator.turn, name, turn, by, asked.now)
    except ContentRefused as refusal:
        return _refusal(422, "bad_skill", refusal)
    return await desk.store.light(_known, desk, name)


async def _delete(desk: Desk, asked: Asked[ByName, Nothing, Nothing], _request: web.Request) -> Nothing:
    await desk.librarian.delete(asked.path.name, asked.by.who)
    return Nothing()


async def _upload(desk: Desk, asked: Asked[Nothing, Nothing, Nothing], request: web.Request) -> Brought | Refusal:
    librarian = desk.librarian
    async with uploaded(request, librarian.limits.zip_mb * MB) as file:
        try:
            bundle = await librarian.unpack(file)
            done = await librarian.install(bundle.packages, asked.by.who, bundle.warnings)
        except ArchiveRefused as refusal:
            return _refusal(400, "bad_archive", refusal)
        except ContentRefused as refusal:
            return _refusal(422, "bad_skill", refusal)
    return Brought(installed=list(done.names), warnings=list(done.warnings))


def _known(tx: Tx, desk: Desk, name: str) -> SkillShown:
    """Raises Unknown."""
    return _shown(desk, tx, desk.admin.curator.find(tx, name))


def _shown(desk: Desk, tx: Tx, holding: Holding) -> SkillShown:
    skill = holding.skill
    return SkillShown(
        name=skill.name,
        description=skill.description,
        instructions=skill.instructions,
        prompt_hint=skill.prompt_hint,
        tool_names=list(skill.tool_names),
        allowed_tools=None if skill.allowed_tools is None else list(skill.allowed_tools),
        builtin=skill.builtin,
        format=skill.format,
        enabled=holding.enabled,
        trusted=holding.trusted,
        scripts_enabled=holding.scripts_enabled,
        changed=holding.changed,
        scripts=list(skill.scripts),
        files=list(skill.files),
        metadata=dict(skill.metadata),
        version=skill.version or None,
        bind_shells=list(skill.bind_shells),
        mcp_servers=list(skill.mcp_servers),
        warnings=desk.admin.curator.warnings(tx, skill),
    )


def _refusal(status: Literal[400, 422], code: str, refusal: Refused) -> Refusal:
    words = _("This is not taken, and nothing was written. details names each place.")
    details = tuple(EntryDetail(entry=each.entry, rule=each.rule, message=each.message) for each in refusal.faults)
    return Refusal(status, code, words, details)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/skills",
        "The skills",
        "read",
        in_path=Nothing,
        in_query=Paged,
        in_body=Nothing,
        answer=Page[SkillShown],
        handler=InTx(_all),
    ),
    TOOLS,
    Endpoint(
        "POST",
        "/api/skills",
        "Make a skill",
        "admin",
        in_path=Nothing,
        in_query=Nothing,
        in_body=NewSkill,
        answer=SkillShown,
        handler=Apart(_make),
        status=201,
        refusals=(403, 409),
    ),
    Endpoint(
        "POST",
        "/api/skills/upload",
        "Install the skills in an archive, all of them or none, with their switches off",
        "admin",
        in_path=Nothing,
        in_query=Nothing,
        in_body=Nothing,
        answer=Brought,
        handler=Apart(_upload),
        refusals=(403, 409),
        uploads=True,
    ),
    Endpoint(
        "GET",
        "/api/skills/{name}",
        "One skill",
        "read",
        in_path=ByName,
        in_query=Nothing,
        in_body=Nothing,
        answer=SkillShown,
        handler=InTx(_one),
    ),
    Endpoint(
        "PATCH",
        "/api/skills/{name}",
        "Change a skill, or set its switches",
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=SkillPatch,
        answer=SkillShown,
        handler=Apart(_change),
    ),
    Endpoint(
        "DELETE",
        "/api/skills/{name}",
        "Delete a skill with its grants",
        "admin",
        in_path=ByName,
        in_query=Nothing,
        in_body=Nothing,
        answer=Nothing,
        handler=Apart(_delete),
        status=204,
    ),
)
