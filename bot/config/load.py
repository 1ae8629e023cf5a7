"""Reads config.yaml, and `.env` beside it."""

import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.config.crosscheck import Draft, Finding, Reference, findings
from bot.config.database import sqlite
from bot.config.environment import Filler, parse_dotenv
from bot.config.mistakes import ConfigError, Mistake
from bot.config.models import (
    AnyChannel,
    ApprovalsConfig,
    Config,
    GrantConfig,
    HttpConfig,
    ModelConfig,
    PersonaConfig,
    SomeChannel,
)
from bot.config.places import Places, dotted, read
from bot.config.wording import mistake

T = TypeVar("T")


def load(
    path: Path, environ: Mapping[str, str], now: datetime | None = None, builtin: frozenset[str] = frozenset()
) -> Config:
    """The configuration in `path`, its variables filled in from `environ`, and from `.env` beside it where that is silent.

    Relative paths in it start at its own directory. `now` (None: the clock's) is what `until` of a grant is held against,
    `builtin` what its capability is (empty: not looked at).
    Raises ConfigError with every mistake.
    """
    text = _text(path, path.name, "Run `askfirst init` to write one, or name another with --config.")
    beside, mistakes, warnings = _dotenv(path.with_name(".env"))
    around = {**beside, **environ}
    filler = Filler(around)
    places = read(text, lambda part, key, line: part if _kept(key) else filler(part, key, line))
    _look_at_servers(places, filler)
    mistakes += places.mistakes + filler.mistakes
    if _not_a_mapping(places):
        mistakes.append(Mistake("", 1, "holds no keys", "Copy config.example.yaml, or run `askfirst init`."))
    if places.value is None or not isinstance(places.value, dict):
        raise ConfigError(path.name, mistakes)

    config, found = _validated(places)
    draft = _draft(places.value, builtin)
    noted = [(finding.kind, _placed(finding, places)) for finding in findings(draft, now or datetime.now(UTC))]
    warnings += [one for kind, one in noted if kind == "warning"]
    found += [one for kind, one in noted if kind == "mistake" and not _above(one, found)]
    # A value that could not be taken says all there is to say about its key, and about what stands above it.
    untaken = filler.mistakes + [one for one in places.mistakes if one.key in places.unread]
    known = {one.key for one in untaken}
    mistakes += [one for one in dict.fromkeys(found) if one.key not in known and not _above(one, untaken)]
    if mistakes or config is None:
        raise ConfigError(path.name, mistakes)
    config = _rooted(config, path.absolute().parent)
    config._warnings = tuple(warnings)
    config._environ = around
    return config


def _text(path: Path, name: str, remedy: str) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(name, [Mistake("", 0, f"is not there: {path}", remedy)]) from None
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise ConfigError(
            name, [Mistake("", 0, what, "Mend its permissions, or name another with --config.")]
        ) from error
    except UnicodeDecodeError:
        raise ConfigError(name, [Mistake("", 0, "is not a text in UTF-8", "Save it as UTF-8.")]) from None


def _dotenv(path: Path) -> tuple[dict[str, str], list[Mistake], list[Mistake]]:
    if not path.exists():
        return {}, [], []
    values, mistakes = parse_dotenv(_text(path, path.name, "Write it anew, or remove it."))
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return values, mistakes, [Mistake(".env", 0, "can be read by others on this machine", "Run `chmod 600 .env`.")]
    return values, mistakes, []


def _kept(key: str) -> bool:
    """MCP servers keep `${NAME}` until they are connected: what is read here is stored."""
    return key.startswith("mcpServers.")


def _look_at_servers(places: Places, filler: Filler) -> None:
    """Tell now which variables will be missing, of the servers that are to be connected."""
    servers = places.value.get("mcpServers") if isinstance(places.value, dict) else None
    for name, server in servers.items() if isinstance(servers, dict) else ():
        if isinstance(server, dict) and str(server.get("enabled")).lower() not in ("false", "no", "off", "0", "f", "n"):
            for path, text in _texts(server, ("mcpServers", name)):
                filler(text, dotted(path), places.line(path))


def _texts(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, str):
        yield path, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in parts:
        yield from _texts(inner, (*path, key))


def _not_a_mapping(places: Places) -> bool:
    return not places.mistakes and not isinstance(places.value, dict)


def _validated(places: Places) -> tuple[Config | None, list[Mistake]]:
    try:
        return Config.model_validate(places.value), []
    except ValidationError as error:
        return None, [mistake(one, places) for one in error.errors(include_url=False)]


def _draft(value: dict[str, Any], builtin: frozenset[str]) -> Draft:
    """The parts that can be read, each by itself, so that one broken part does not hide what is wrong with another."""
    adapter: TypeAdapter[SomeChannel] = TypeAdapter(AnyChannel)
    given = value.get("channels")
    channels = (
        {name: _channel_part(adapter, name, part) for name, part in given.items()} if isinstance(given, dict) else {}
    )
    grants = value.get("grants")
    admins = value.get("admins")
    return Draft(
        http=_part(TypeAdapter(HttpConfig), value.get("http") or {}),
        models=_parts(TypeAdapter(ModelConfig), value.get("models")),
        channels=channels,
        personas=_parts(TypeAdapter(PersonaConfig), value.get("personas")),
        grants=tuple(_part(TypeAdapter(GrantConfig), one) for one in grants) if isinstance(grants, list) else (),
        admins=tuple(one if isinstance(one, str) else "" for one in admins) if isinstance(admins, list) else (),
        approvals=_part(TypeAdapter(ApprovalsConfig), value.get("approvals") or {}),
        references=tuple(_references(value)),
        reached=tuple(_reached(given)),
        builtin=builtin,
    )


def _reached(channels: object) -> Iterator[tuple[str, str]]:
    for name, part in channels.items() if isinstance(channels, dict) else ():
        if isinstance(part, dict) and part.get("mode") in ("webhook", "http"):
            yield str(name), str(part["mode"])


def _references(value: dict[str, Any]) -> Iterator[Reference]:
    for section, key, kind in (("channels", "persona", "persona"), ("personas", "model", "model")):
        parts = value.get(section)
        for name, part in parts.items() if isinstance(parts, dict) else ():
            if isinstance(part, dict) and isinstance(part.get(key), str):
                yield Reference((section, name, key), kind, part[key])
    grants = value.get("grants")
    for index, grant in enumerate(grants if isinstance(grants, list) else ()):
        if isinstance(grant, dict) and isinstance(grant.get("persona"), str) and grant["persona"] != "*":
            yield Reference(("grants", index, "persona"), "persona", grant["persona"])


def _parts(kind: TypeAdapter[T], value: object) -> dict[str, T | None]:
    if not isinstance(value, dict):
        return {}
    return {name: _part(kind, part) for name, part in value.items()}


def _part(kind: TypeAdapter[T], value: object) -> T | None:
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        broken = {part for one in error.errors(include_url=False) for part in one["loc"]}
    if not isinstance(value, dict) or not broken & value.keys():
        return None
    return _part(kind, {key: part for key, part in value.items() if key not in broken})


def _channel_part(adapter: TypeAdapter[SomeChannel], name: str, value: object) -> SomeChannel | None:
    """A channel is looked at even where its token is missing: with one that no other channel has."""
    part = _part(adapter, value)
    if part is None and isinstance(value, dict):
        made_up = {"bot_token": f"xoxb-{name}", "app_token": f"xapp-{name}", "mode": "socket"}
        return _part(adapter, {**value, **(made_up if value.get("type") == "slack" else {"token": f"0:{name}"})})
    return part


def _placed(finding: Finding, places: Places) -> Mistake:
    return Mistake(dotted(finding.path), places.line(finding.path), finding.what, finding.remedy)


def _above(one: Mistake, others: list[Mistake]) -> bool:
    """What stands above a broken key was looked at without it, so nothing that was found there is sure."""
    return any(other.key.startswith((f"{one.key}.", f"{one.key}[")) for other in others)


def _rooted(config: Config, root: Path) -> Config:
    """Relative paths made absolute; what is not given lies in `data_dir`."""
    data = root / config.data_dir
    given = config.database.sqlite_path
    database = config.database if given is None else sqlite(root / given)
    skills = root / config.skills.dir
    if "database" not in config.model_fields_set:
        database = sqlite(data / "askfirst.db")
    if "dir" not in config.skills.model_fields_set:
        skills = data / "skills"
    moved = config.skills.model_copy(update={"dir": skills})
    return config.model_copy(update={"data_dir": data, "database": database, "skills": moved})
