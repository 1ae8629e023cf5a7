"""reactions.add and reactions.remove."""

import re

from tests.fakes.slack.args import needed
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import Json, refused, wrong
from tests.fakes.slack.world import Channel, Install, Message

_NAME = re.compile(r"[a-z0-9_+'-]+(::skin-tone-[2-6])?")


def _target(desk: Desk, install: Install, args: Json) -> tuple[Channel, Message, str]:
    channel = desk.channel(install, args)
    name = needed(args, "name")
    if not _NAME.fullmatch(name):
        raise wrong("invalid_name", f"{name!r} is no emoji's name")
    return channel, desk.message(channel, needed(args, "timestamp")), name


def add(desk: Desk, install: Install, args: Json) -> Json:
    channel, message, name = _target(desk, install, args)
    if channel.archived:
        raise refused("is_archived")
    users = message.reactions.setdefault(name, [])
    if install.bot.id in users:
        raise refused("already_reacted")
    if len(message.reactions) > 23:
        raise refused("too_many_emoji")
    users.append(install.bot.id)
    desk.world.changed()
    return {}


def remove(desk: Desk, install: Install, args: Json) -> Json:
    _, message, name = _target(desk, install, args)
    users = message.reactions.get(name, [])
    if install.bot.id not in users:
        raise refused("no_reaction")
    users.remove(install.bot.id)
    if not users:
        del message.reactions[name]
    desk.world.changed()
    return {}
