"""The configuration as frozen models. `config.example.yaml` is its manual."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from bot.config.database import Database, DatabaseUrl
from bot.config.mcp import McpServerConfig, ServerName
from bot.config.mistakes import Mistake
from bot.config.values import Capability, Duration, Moment, Pattern, Place, Url, parse_duration
from channels.config import OptionalSecret, Person, Section, is_person, wrong
from channels.slack.config import SlackConfig
from channels.telegram.config import TelegramConfig
from channels.web.config import WebConfig

Mapped = TypeVar("Mapped", bound=Mapping[str, Any])

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise wrong(
            "is not a name that can be used here", "Use a small letter, then up to 31 small letters, digits, _ or -."
        )
    if value == "group":
        raise wrong("is a word with a meaning of its own", "Choose another name.")
    return value


def _channel(value: str) -> str:
    if value == "api":
        raise wrong("is what people are called by who decide through the HTTP API", "Choose another name.")
    return value


def _approver(value: str) -> str:
    if value in ("requester", "admins", "members") or is_person(value):
        return value
    raise wrong(
        f"holds {value!r}, who cannot decide", 'Write requester, admins, members or a person, such as "tg:4242".'
    )


def _some(value: Mapped) -> Mapped:
    if not value:
        raise wrong("is empty", "Put at least one into it; config.example.yaml shows how.")
    return value


Name = Annotated[str, AfterValidator(_name)]
ChannelName = Annotated[Name, AfterValidator(_channel)]
Approver = Annotated[str, AfterValidator(_approver)]
Count = Annotated[int, Field(ge=1)]


class HttpConfig(Section):
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """0: any that is free."""
    public_url: Url = ""
    """Where others reach this service; needed for webhooks."""
    allowed_hosts: tuple[str, ...] = ()
    """Names that requests may ask for, beside loopback and that of `public_url`."""
    admin_token: OptionalSecret = None
    """For the HTTP API; without it the API answers 401 to everything but health."""


class ModelConfig(Section):
    provider: Literal["openai", "anthropic", "offline"]
    model: str = ""
    base_url: Url = ""
    """Empty: the provider's own."""
    api_key: OptionalSecret = None
    window: Annotated[int, Field(ge=1024)] | None = None
    """Tokens of context; None: what is known of the model."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.provider == "offline":
            if self.model or self.base_url or self.api_key:
                raise wrong(
                    "is the offline planner, which asks nobody",
                    "Take out model, base_url and api_key, or name a provider.",
                )
            return self
        if not self.model:
            raise wrong("names no model", "Add `model: …`, as the provider calls it.")
        if self.api_key is None and not self.base_url:
            variable = "OPENAI_API_KEY" if self.provider == "openai" else "ANTHROPIC_API_KEY"
            raise wrong(
                "has no api_key", f'Add `api_key: "${{{variable}}}"`, or the base_url of a server that needs none.'
            )
        return self


class PersonaConfig(Section):
    display_name: Annotated[str, Field(min_length=1, max_length=64)]
    model: str
    """A name under `models`."""
    instructions: str = ""
    mode: Literal["direct", "supervisor"] = "direct"
    default_builtin: Literal["allow", "read", "none"] = "allow"
    """What it may use of the built-in tools and skills that no grant names."""
    preload_skills: tuple[str, ...] = ()
    """Names of skills whose text it always has before it, as long as it may use them."""


class GrantConfig(Section):
    persona: str
    """A name under `personas`, or `*`."""
    capability: Capability
    effect: Literal["allow", "ask", "auto", "deny"] = "allow"
    until: Moment | None = None
    reason: str = ""


class PolicyConfig(Section):
    """How calls of one capability are decided; what is left out is as for all."""

    capability: Pattern
    """An id, `mcp/<server>/*`, or `*` for all."""
    approvers: tuple[Approver, ...] | None = None
    deny_self: bool | None = None
    needed: Count = 1
    """So many must agree; one is enough to reject."""
    place: Place | None = None
    """The conversation in which it is asked, such as `team:C0123ABCD`; left out: where the run is."""
    expire_after: Duration | None = None
    remind_before: Duration | None = None
    escalate_before: Duration | None = None
    """So long before its end every admin is asked."""


class ApprovalsConfig(Section):
    expire_after: Duration = parse_duration("24h")
    remind_before: Duration = parse_duration("1h")
    approvers: tuple[Approver, ...] = ("requester", "admins")
    """Who may decide; one of them is enough."""
    deny_self: bool = False
    """Whoever asked may not decide."""
    policies: tuple[PolicyConfig, ...] = ()
    """Capabilities that are decided in another way."""

    @model_validator(mode="after")
    def _someone_decides_in_time(self) -> Self:
        if self.remind_before >= self.expire_after:
            raise wrong(
                "reminds before it has begun: remind_before is not shorter than expire_after", "Shorten remind_before."
            )
        if not self.approvers:
            raise wrong("leaves nobody who may decide: approvers is empty", "Write approvers: [requester, admins].")
        if self.deny_self and set(self.approvers) == {"requester"}:
            raise wrong("leaves nobody who may decide", "Add admins or a person to approvers, or set deny_self: false.")
        return self


class LimitsConfig(Section):
    """What one conversation, one run and the whole service may take."""

    run_steps: Count = 24
    """Turns of the model in one run."""
    run_time: Duration = parse_duration("15m")
    """Working time of one run, without the time that it waits for people."""
    run_tokens: Count = 200_000
    handoffs: Count = 4
    queue_per_conversation: Count = 20
    events_per_minute_per_conversation: Count = 60
    parallel_runs: Count = 32
    message_chars: Count = 16_000
    membership_every: Duration = parse_duration("5m")
    """How often a platform that does not say so (Slack) is asked whether we were removed from a chat."""


class ArchiveLimits(Section):
    """Bounds of one uploaded skill archive."""

    zip_mb: Count = 25
    entries: Count = 500
    total_mb: Count = 25
    file_mb: Count = 10
    ratio: Count = 100
    depth: Count = 8
    path: Count = 200


class SkillsConfig(Section):
    dir: Path = Path("data/skills")
    limits: ArchiveLimits = ArchiveLimits()


SomeChannel = SlackConfig | TelegramConfig | WebConfig
AnyChannel = Annotated[SomeChannel, Field(discriminator="type")]


class Config(Section):
    data_dir: Path = Path("data")
    database: Database = DatabaseUrl("sqlite:///./data/askfirst.db")
    http: HttpConfig = HttpConfig()
    models: Annotated[dict[Name, ModelConfig], AfterValidator(_some)]
    channels: Annotated[dict[ChannelName, AnyChannel], AfterValidator(_some)]
    personas: Annotated[dict[Name, PersonaConfig], AfterValidator(_some)]
    grants: tuple[GrantConfig, ...] = ()
    admins: tuple[Person, ...] = ()
    approvals: ApprovalsConfig = ApprovalsConfig()
    limits: LimitsConfig = LimitsConfig()
    mcp_servers: Annotated[dict[ServerName, McpServerConfig], Field(alias="mcpServers")] = Field(default_factory=dict)
    """By name, with `${NAME}` as it was written: see `filled`."""
    skills: SkillsConfig = SkillsConfig()

    _warnings: tuple[Mistake, ...] = PrivateAttr(())
    _environ: Mapping[str, str] = PrivateAttr(default_factory=lambda: os.environ)

    @property
    def environ(self) -> Mapping[str, str]:
        """Where `${NAME}` of MCP servers is filled in from, right before one is connected."""
        return self._environ

    @property
    def warnings(self) -> tuple[Mistake, ...]:
        """What may be meant, and had better be looked at."""
        return self._warnings
