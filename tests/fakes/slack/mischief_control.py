"""The verbs about installation, deliveries, faults, settings, and the clock."""

import asyncio
import json
import time

from tests.fakes.slack import answers as p
from tests.fakes.slack import mischief_verbs as v
from tests.fakes.slack.codes import allowed, every
from tests.fakes.slack.errors import Impossible
from tests.fakes.slack.events import SCOPES
from tests.fakes.slack.fake import Fake
from tests.fakes.slack.faults import Fault
from tests.fakes.slack.posts import signature
from tests.fakes.slack.verb import verb
from tests.fakes.slack.world import Install


def _install(fake: Fake, team: str | None) -> Install:
    return fake.world.install_in(team or fake.team.id)


def uninstall(fake: Fake, wanted: v.Uninstall) -> p.Told:
    """Tokens are revoked with it; Slack tells both, in either order."""
    install = _install(fake, wanted.team)
    install.uninstalled = True
    tokens = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [install.bot.id]}}
    told = [
        fake.desk.events.concerns(install, "tokens_revoked", tokens),
        fake.desk.events.concerns(install, "app_uninstalled", {"type": "app_uninstalled"}),
    ]
    for channel in fake.world.channels.values():
        channel.members.pop(install.bot.id, None)
    return p.Told(event_ids=tuple(number for number in told if number))


def revoke_tokens(fake: Fake, wanted: v.RevokeTokens) -> p.Told:
    install = _install(fake, wanted.team)
    install.revoked = True
    tokens = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [install.bot.id]}}
    number = fake.desk.events.concerns(install, "tokens_revoked", tokens)
    return p.Told(event_ids=(number,) if number else ())


def set_scopes(fake: Fake, wanted: v.SetScopes) -> p.Done:
    install = _install(fake, wanted.team)
    if wanted.scopes is not None:
        install.scopes = set(wanted.scopes)
    install.scopes |= set(wanted.add)
    install.scopes -= set(wanted.remove)
    return p.Done()


def use_socket(fake: Fake, wanted: v.UseSocket) -> p.Done:
    fake.deliveries.transport = fake.sockets
    fake.deliveries.ring()
    return p.Done()


def use_http(fake: Fake, wanted: v.UseHttp) -> p.Done:
    fake.posts.events_url = wanted.events
    fake.posts.interactions_url = wanted.interactions or wanted.events
    fake.posts.commands_url = wanted.commands or wanted.events
    fake.deliveries.transport = fake.posts
    fake.deliveries.ring()
    return p.Done()


async def forge(fake: Fake, wanted: v.Forge) -> p.Replied:
    body = (wanted.body if wanted.body is not None else _ordinary_event(fake)).encode()
    timestamp = wanted.timestamp if wanted.timestamp is not None else str(int(time.time() - wanted.age))
    headers = {"Content-Type": wanted.content_type, "X-Slack-Request-Timestamp": timestamp}
    if wanted.signature != "none":
        secret = fake.app.signing_secret if wanted.signature == "good" else "not the secret"
        headers["X-Slack-Signature"] = signature(secret, timestamp, body)
    status, text = await fake.posts.post(wanted.url or fake.posts.events_url, body, headers)
    return p.Replied(status=status, text=text)


def _ordinary_event(fake: Fake) -> str:
    event = {
        "type": "message",
        "channel": "D0000000000",
        "channel_type": "im",
        "user": "U0000000000",
        "text": "forged",
        "ts": "1700000000.000100",
    }
    body = {"token": "x", "team_id": fake.team.id, "api_app_id": fake.app.id, "type": "event_callback", "event": event}
    return json.dumps({**body, "event_id": "EvFORGED", "event_time": int(time.time())})


def inject(fake: Fake, wanted: v.Inject) -> str:
    return fake.desk.events.put_raw(dict(wanted.body))


def inject_event(fake: Fake, wanted: v.InjectEvent) -> str:
    return fake.desk.events.put_wrapped(_install(fake, wanted.team), dict(wanted.event))


def repeat(fake: Fake, wanted: v.Repeat) -> p.Done:
    fake.deliveries.repeat(wanted.event_id)
    return p.Done()


def order(fake: Fake, wanted: v.Order) -> p.Done:
    if wanted.reversed_once is not None:
        fake.deliveries.reversed_once = wanted.reversed_once
    if wanted.paused is not None:
        fake.deliveries.paused = wanted.paused
        fake.deliveries.ring()
    return p.Done()


async def load(fake: Fake, wanted: v.Load) -> p.Count:
    world = fake.world
    people = [world.add_user(fake.team.id, f"Guest {number}") for number in range(1, wanted.chats + 1)]
    chats = [(world.im(fake.install, person), person) for person in people]
    loop = asyncio.get_running_loop()
    start = loop.time()
    for number in range(wanted.count):
        if wanted.per_second is not None:
            await asyncio.sleep(max(0.0, start + number / wanted.per_second - loop.time()))
        chat, person = chats[number % len(chats)]
        fake.people.write(chat, person, wanted.text)
    return p.Count(count=wanted.count)


async def disconnect(fake: Fake, wanted: v.Disconnect) -> p.Count:
    return p.Count(count=await fake.sockets.disconnect(wanted.reason, wanted.socket))


def cut(fake: Fake, wanted: v.Cut) -> p.Count:
    return p.Count(count=fake.sockets.cut(wanted.socket))


def deafen(fake: Fake, wanted: v.Deafen) -> p.Count:
    return p.Count(count=fake.sockets.deafen(wanted.socket, wanted.deaf, swallow=wanted.swallow))


def plant(fake: Fake, wanted: v.Plant) -> p.Planted:
    """Only codes that the method can answer with: a test is not to prove what cannot happen."""
    known = every() if wanted.method in ("*", "response_url") else allowed(wanted.method)
    if wanted.error and wanted.error not in known:
        raise Impossible(f"{wanted.method} never answers with {wanted.error!r}")
    return p.Planted(fault=fake.faults.plant(Fault(0, **wanted.model_dump())))


def unplant(fake: Fake, wanted: v.Unplant) -> p.Done:
    fake.faults.remove(wanted.fault)
    return p.Done()


def release(fake: Fake, wanted: v.Release) -> p.Count:
    return p.Count(count=fake.faults.release(wanted.call, wanted.method, discard=wanted.discard))


async def refuse(fake: Fake, wanted: v.Refuse) -> p.Done:
    await fake.door.refuse(wanted.seconds)
    return p.Done()


def settings(fake: Fake, wanted: v.Settings) -> p.Done:
    events = fake.desk.events
    if wanted.ack_within is not None:
        fake.sockets.ack_within = fake.posts.ack_within = wanted.ack_within
    if wanted.strict_rate is not None:
        fake.desk.strict_rate = wanted.strict_rate
    if wanted.mention_first is not None:
        events.mention_first = wanted.mention_first
    if wanted.mention_gap is not None:
        events.mention_gap = wanted.mention_gap
    if wanted.unsubscribed is not None:
        if unknown := set(wanted.unsubscribed) - set(SCOPES):
            raise Impossible(f"there is no subscription {sorted(unknown)}")
        events.subscribed = set(SCOPES) - set(wanted.unsubscribed)
    if wanted.lose_unheard is not None:
        fake.deliveries.lose_unheard = wanted.lose_unheard
    if wanted.escape_commands is not None:
        fake.desk.escape_commands = wanted.escape_commands
    return p.Done()


def advance(fake: Fake, wanted: v.Advance) -> p.Done:
    fake.clock.advance(wanted.seconds)
    return p.Done()


MISCHIEF = (
    verb(v.Uninstall, uninstall),
    verb(v.RevokeTokens, revoke_tokens),
    verb(v.SetScopes, set_scopes),
    verb(v.UseSocket, use_socket),
    verb(v.UseHttp, use_http),
    verb(v.Forge, forge),
    verb(v.Inject, inject),
    verb(v.InjectEvent, inject_event),
    verb(v.Repeat, repeat),
    verb(v.Order, order),
    verb(v.Load, load),
    verb(v.Disconnect, disconnect),
    verb(v.Cut, cut),
    verb(v.Deafen, deafen),
    verb(v.Plant, plant),
    verb(v.Unplant, unplant),
    verb(v.Release, release),
    verb(v.Refuse, refuse),
    verb(v.Settings, settings),
    verb(v.Advance, advance),
)
