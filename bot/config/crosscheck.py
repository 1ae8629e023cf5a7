"""What no section can know alone: names that must exist elsewhere, and settings that fit together. Pure."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Literal
from urllib.parse import urlsplit

from bot.config.models import ApprovalsConfig, GrantConfig, HttpConfig, ModelConfig, PersonaConfig, SomeChannel
from bot.config.values import loopback
from bot.domain.capability import AUTO_AT_MOST_S
from channels.config import STANDINGS
from channels.slack.config import SlackConfig
from channels.telegram.config import TelegramConfig
from channels.web.config import WebConfig

RULES = ("requester", "admins", "members")
"""Words for who may decide, beside people."""

_SLACK_USER = re.compile(r"(?:[TE][A-Z0-9]{2,31}/)?[UW][A-Z0-9]{2,31}")
_SLACK_CHANNEL = re.compile(r"[CG][A-Z0-9]{2,31}")


@dataclass(frozen=True, slots=True)
class Reference:
    """The value at `path` is the name of a persona or model."""

    path: tuple[str | int, ...]
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A configuration of which parts may be broken: those are None, and their names still count as given."""

    http: HttpConfig | None
    models: Mapping[str, ModelConfig | None]
    channels: Mapping[str, SomeChannel | None]
    personas: Mapping[str, PersonaConfig | None]
    grants: tuple[GrantConfig | None, ...] = ()
    admins: tuple[str, ...] = ()
    approvals: ApprovalsConfig | None = field(default_factory=ApprovalsConfig)
    references: tuple[Reference, ...] = ()
    reached: tuple[tuple[str, str], ...] = ()
    """Channels that say mode: webhook or http, whatever else is wrong with them, and which of the two."""
    builtin: frozenset[str] = frozenset()
    """The built-in capabilities there are; empty: not known here, so not looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    path: tuple[str | int, ...]
    what: str
    remedy: str
    kind: Literal["mistake", "warning"] = "mistake"


def findings(draft: Draft, now: datetime) -> Iterator[Finding]:
    yield from _names(draft)
    yield from _people(draft)
    yield from _channels(draft)
    yield from _tokens(draft)
    yield from _grants(draft, now)
    yield from _http(draft)


def _names(draft: Draft) -> Iterator[Finding]:
    for reference in draft.references:
        known = draft.personas if reference.kind == "persona" else draft.models
        if reference.name not in known:
            yield _unknown(reference.path, reference.name, reference.kind, known)


def _unknown(path: tuple[str | int, ...], name: str, kind: str, known: Mapping[str, object]) -> Finding:
    names = f"Write one of: {', '.join(known)}." if known else f"Add it under {kind}s."
    return Finding(path, f"names the {kind} {name!r}, which is not in this file", names)


def _people(draft: Draft) -> Iterator[Finding]:
    for index, person in enumerate(draft.admins):
        yield from _person(draft, ("admins", index), person)
    if draft.approvals is not None:
        yield from _policies(draft, draft.approvals)
        deciders = [person for person in draft.approvals.approvers if person not in RULES]
        for person in deciders:
            yield from _person(draft, ("approvals", "approvers", draft.approvals.approvers.index(person)), person)
        alone = draft.approvals.deny_self or "requester" not in draft.approvals.approvers
        if alone and not deciders and not draft.admins:
            yield Finding(
                ("approvals", "approvers"),
                "leaves nobody who may decide",
                "Name an admin under admins, or a person here.",
            )
    for name, channel in draft.channels.items():
        for index, talker in enumerate(channel.talk.allow if channel else ()):
            yield from _talker(draft, name, ("channels", name, "talk", "allow", index), talker)


def _policies(draft: Draft, approvals: ApprovalsConfig) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for index, policy in enumerate(approvals.policies):
        path = ("approvals", "policies", index)
        first = seen.setdefault(policy.capability, index)
        if first != index:
            yield Finding(path, f"is for the same capability as policies[{first}]", "Keep the one that you mean.")
        for place, person in enumerate(policy.approvers or ()):
            if person not in RULES:
                yield from _person(draft, (*path, "approvers", place), person)
        channel = (policy.place or "").partition(":")[0]
        if channel and channel not in draft.channels:
            yield _unknown((*path, "place"), channel, "channel", draft.channels)
        named = policy.approvers or approvals.approvers
        if policy.needed > len(named) and not {"admins", "members"} & set(named):
            what = f"wants {policy.needed} to agree, and names fewer who may"
            yield Finding((*path, "needed"), what, "Name more people, or ask for fewer.")


def _person(draft: Draft, path: tuple[str | int, ...], person: str) -> Iterator[Finding]:
    name, _, user = person.partition(":")
    if ":" not in person:
        return  # not a person at all: told where it was read
    if name not in draft.channels:
        yield _unknown(path, name, "channel", draft.channels)
    elif isinstance(draft.channels[name], TelegramConfig) and not user.isdigit():
        yield Finding(
            path, f"holds {user!r}: Telegram knows people by number", "Write the number of the account, not its @name."
        )
    elif isinstance(draft.channels[name], SlackConfig) and not _SLACK_USER.fullmatch(user):
        yield Finding(
            path,
            f"holds {user!r}: Slack knows people by member id",
            "Write the id from the person's profile (Copy member ID), such as U0123ABCD.",
        )


def _talker(draft: Draft, channel: str, path: tuple[str | int, ...], talker: str) -> Iterator[Finding]:
    if talker == "anyone":
        what = "lets anyone talk who finds this channel, at your expense"
        yield Finding(path, what, "Name people or groups instead, if that is not meant.", "warning")
    elif talker in STANDINGS:
        if not isinstance(draft.channels[channel], SlackConfig):
            yield Finding(path, f"says {talker}, which only Slack has", "Name people or groups, or write anyone.")
    elif talker.startswith("group:"):
        yield from _group(draft, channel, path, talker.removeprefix("group:"))
    elif talker.partition(":")[0] != channel:
        yield Finding(path, f"names a person of another channel than {channel}", f'Write "{channel}:<id>".')
    else:
        yield from _person(draft, path, talker)


def _group(draft: Draft, channel: str, path: tuple[str | int, ...], group: str) -> Iterator[Finding]:
    if isinstance(draft.channels[channel], WebConfig):
        yield Finding(path, "names a group, which the browser chat has not", "Remove it.")
    elif isinstance(draft.channels[channel], SlackConfig):
        if not _SLACK_CHANNEL.fullmatch(group):
            yield Finding(path, f"holds {group!r}, not the id of a Slack channel", 'Write it as "group:C0123ABCD".')
    elif not (group.startswith("-") and group[1:].isdigit()):
        yield Finding(
            path, f"holds {group!r}, not the id of a Telegram group", 'Write it with its minus: "group:-1001".'
        )


def _channels(draft: Draft) -> Iterator[Finding]:
    for name, mode in draft.reached:
        if draft.http is not None and not _reachable(draft.http.public_url):
            who, instead = ("Telegram", "polling") if mode == "webhook" else ("Slack", "socket")
            what = f"needs http.public_url, an https address where {who} reaches this service"
            yield Finding(("channels", name, "mode"), what, f"Set http.public_url, or write mode: {instead}.")
    for name, channel in draft.channels.items():
        if not isinstance(channel, TelegramConfig):
            continue
        if not channel.talk.allow and not any(person.startswith(f"{name}:") for person in draft.admins):
            what = "lets nobody talk: it has no admin and allows no one"
            yield Finding(("channels", name), what, f'Add "{name}:<your id>" to admins or to talk.allow.', "warning")


def _reachable(public_url: str) -> bool:
    parts = urlsplit(public_url)
    return parts.scheme == "https" or (parts.scheme == "http" and loopback(parts.hostname or ""))


def _tokens(draft: Draft) -> Iterator[Finding]:
    """Two channels of one bot throw each other out, or share its events. Compared by hash, so that no token lives on in
    here."""
    first: dict[bytes, str] = {}
    for name, channel in draft.channels.items():
        if channel is None or isinstance(channel, WebConfig):
            continue
        key, secret = ("bot_token", channel.bot_token) if isinstance(channel, SlackConfig) else ("token", channel.token)
        other = first.setdefault(hashlib.sha256(secret.get_secret_value().encode()).digest(), name)
        if other != name:
            what = f"is the token of the channel {other} as well"
            yield Finding(("channels", name, key), what, "Give each channel a bot of its own.")


def _grants(draft: Draft, now: datetime) -> Iterator[Finding]:
    seen: dict[tuple[str, str], int] = {}
    for index, grant in enumerate(draft.grants):
        if grant is None:
            continue
        first = seen.setdefault((grant.persona, grant.capability), index)
        if first != index:
            what = f"is for the same persona and capability as grants[{first}], so one of the two would be ignored"
            yield Finding(("grants", index), what, "Keep the one that you mean.")
        if draft.builtin and grant.capability.startswith("builtin/") and grant.capability not in draft.builtin:
            near = get_close_matches(grant.capability, draft.builtin, 1) or sorted(draft.builtin)
            what = f"names a built-in tool that does not exist: {grant.capability}"
            yield Finding(("grants", index, "capability"), what, f"Did you mean {near[0]}?")
        if grant.effect == "auto" and grant.until is None:
            what = "lets a capability be used without asking, and has no end"
            yield Finding(("grants", index), what, "Add `until: …`, at most 24 hours ahead, or write effect: allow.")
        elif (
            grant.effect == "auto" and grant.until is not None and grant.until > now + timedelta(seconds=AUTO_AT_MOST_S)
        ):
            what = "is more than 24 hours ahead, too long to use a capability without asking"
            yield Finding(("grants", index, "until"), what, "Choose an earlier end, or write effect: allow.")
        if grant.until is not None and grant.until <= now:
            yield Finding(
                ("grants", index, "until"), "has passed", "Remove the grant, or give it a new end.", "warning"
            )


def _http(draft: Draft) -> Iterator[Finding]:
    if draft.http is None:
        return
    if not loopback(draft.http.host) and not draft.http.public_url:
        what = "lets other machines in, but http.public_url does not say by which name"
        yield Finding(("http", "host"), what, "Set http.public_url, or write host: 127.0.0.1.", "warning")
    token = draft.http.admin_token
    if token is not None and len(token.get_secret_value()) < 16:
        what = "is short enough to be guessed"
        yield Finding(("http", "admin_token"), what, "Use 16 characters or more, made by chance.", "warning")
