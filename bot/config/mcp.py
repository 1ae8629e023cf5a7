"""The MCP servers that we use, as the standard `mcpServers` block says it: in the file, in a skill, and through the API.

The model keeps `${NAME}` as it was written, so that no secret gets to where it is stored; `filled` puts values in right
before a server is connected.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from bot.config.environment import Filler
from bot.domain.capability import is_server_name
from bot.domain.secrecy import named_like_a_secret
from bot.errors import AskfirstError
from channels.config import Section, wrong

Transport = Literal["stdio", "sse", "streamable_http"]

_TRANSPORTS: Mapping[str, Transport] = {
    "stdio": "stdio",
    "sse": "sse",
    "streamable_http": "streamable_http",
    "streamable-http": "streamable_http",
    "streamableHttp": "streamable_http",
    "http": "streamable_http",
}
"""As it is spelled in configurations for other programs, and what we call it."""


def _server_name(value: str) -> str:
    if not is_server_name(value):
        raise wrong(
            "is not a name that an MCP server can have", "Use up to 64 letters, digits, _ or -; no dots, no spaces."
        )
    return value


def _transport(value: Any) -> Any:
    known = _TRANSPORTS.get(value) if isinstance(value, str) else None
    if known is None:
        raise wrong("is not a way of reaching an MCP server", "Write stdio, streamable_http or sse.")
    return known


ServerName = Annotated[str, AfterValidator(_server_name)]
Text = Annotated[str, Field(max_length=8_192)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Pairs = dict[Annotated[str, Field(min_length=1, max_length=256)], Text]


class TimeoutsConfig(Section):
    """How long one server may take, in seconds."""

    start_s: Seconds = 60
    """To be connected, with its tools listed."""
    idle_s: Seconds = 60
    """A call without an answer and without a sign of progress."""
    call_s: Seconds = 300
    """A call, whatever progress it reports."""


def _timeouts(value: Any) -> Any:
    """The bare number of other programs: how long a call may take."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return {"idle_s": value, "call_s": value}
    return value


class McpServerConfig(Section):
    model_config = ConfigDict(**Section.model_config, coerce_numbers_to_str=True)

    transport: Annotated[Transport, BeforeValidator(_transport)] = "stdio"
    """Left out: stdio where there is a command, streamable_http where there is a url. Also read as `type`."""
    command: Text = ""
    """A program on our PATH, or the absolute path of one."""
    args: Annotated[tuple[Text, ...], Field(max_length=256)] = ()
    env: Pairs = Field(default_factory=dict)
    """Beside HOME, LOGNAME, PATH, SHELL, TERM and USER: the process gets no other variable of ours."""
    cwd: Text = ""
    url: Text = ""
    headers: Pairs = Field(default_factory=dict)
    """Sent with each request, to this server and to nobody else."""
    enabled: bool = True
    """false: not contacted at all."""
    description: Text = ""
    trust_hints: bool = True
    """Whether a tool that says it only reads is believed; else each of its calls asks."""
    allow_private: bool = False
    """Whether the url may lead to a private or loopback address."""
    protocol: Literal["auto", "legacy"] = "auto"
    """legacy: begin with `initialize`, for a server that does not survive being asked for the newer protocol."""
    timeouts: Annotated[TimeoutsConfig, BeforeValidator(_timeouts)] = TimeoutsConfig()
    """Also read as `timeout`, a number of seconds for a call."""

    @model_validator(mode="before")
    @classmethod
    def _as_others_spell_it(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        given = {key: value for key, value in data.items() if value is not None}
        for other, ours in (("type", "transport"), ("timeout", "timeouts")):
            if other not in given:
                continue
            if ours in given:
                raise wrong(f"says both {other} and {ours}", f"Keep {ours}.")
            given[ours] = given.pop(other)
        if "transport" not in given and given.get("url") and not given.get("command"):
            given["transport"] = "streamable_http"
        return given

    @model_validator(mode="after")
    def _fits_its_transport(self) -> Self:
        if self.transport == "stdio":
            if self.url or self.headers:
                raise wrong(
                    "has a url or headers, and is reached over stdio",
                    "Take them out, or write transport: streamable_http and take the command out.",
                )
            if not self.command:
                raise wrong(
                    "names no command to start", "Add `command: …`, or the url of a server that runs elsewhere."
                )
            return self
        if self.command or self.args or self.cwd or self.env:
            raise wrong(
                f"has command, args, env or cwd, and is reached over {self.transport}",
                "Take them out, or write transport: stdio and take the url out.",
            )
        if not _readable(self.url):
            raise wrong(
                "has a url that cannot be read", "Write https://host/path, a host of numbers in one pair of [ ]."
            )
        if not self.url:
            raise wrong("names no url", "Add `url: https://…`, or a command to start and transport: stdio.")
        return self


def _readable(url: str) -> bool:
    try:
        urlsplit(url)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Filled:
    """A server's configuration with its variables filled in, and what of it must be shown to nobody. `keys`: those of the
    secrets that surely are some, by the name that they go by; others may be a folder or a word, as results hold them."""

    spec: McpServerConfig
    secrets: tuple[str, ...]
    keys: tuple[str, ...]


class Unfilled(AskfirstError):
    """A variable that a server's configuration names is not set, so the server was not contacted. The text names both."""


def filled(spec: McpServerConfig, environ: Mapping[str, str]) -> Filled:
    """With each `${NAME}` and `${NAME:-default}` replaced. Raises Unfilled."""
    filler = Filler(environ)
    secrets: list[str] = []
    keys: list[str] = []

    def fill(text: str, key: str) -> str:
        value = filler(text, key, 0)
        names = Filler.references(text)
        if value != value.literal:
            secrets.append(str(value))
            secrets.extend(part for name in names if (part := environ.get(name)))
        keys.extend(part for name in names if named_like_a_secret(name) and (part := environ.get(name)))
        return str(value)

    env = {name: fill(value, f"env.{name}") for name, value in spec.env.items()}
    headers = {name: fill(value, f"headers.{name}") for name, value in spec.headers.items()}
    done = spec.model_copy(
        update={
            "command": fill(spec.command, "command"),
            "args": tuple(fill(value, f"args[{index}]") for index, value in enumerate(spec.args)),
            "env": env,
            "cwd": fill(spec.cwd, "cwd"),
            "url": fill(spec.url, "url"),
            "headers": headers,
        }
    )
    if filler.mistakes:
        raise Unfilled(" ".join(f"{one.key} {one.what}. {one.remedy}" for one in filler.mistakes))
    for given in (env, headers):
        keys += [value for name, value in given.items() if named_like_a_secret(name)]
    keys += [value.split(None, 1)[1] for value in headers.values() if len(value.split(None, 1)) == 2]
    secrets += [*env.values(), *headers.values(), *keys]
    return Filled(done, _once(secrets), _once(keys))


def _once(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
