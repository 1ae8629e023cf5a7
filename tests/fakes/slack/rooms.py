"""conversations.*: which channels there are, who is in them, what was written."""

from tests.fakes.slack.args import needed, text
from tests.fakes.slack.desk import Desk, page
from tests.fakes.slack.errors import Json, refused, wrong
from tests.fakes.slack.shapes import channel_json, message_json
from tests.fakes.slack.world import Channel, Install, Message, User

_TYPES = {"public_channel": "public", "private_channel": "private", "mpim": "mpim", "im": "im"}


def info(desk: Desk, install: Install, args: Json) -> Json:
    channel = desk.channel(install, args)
    count = args.get("include_num_members") is True
    return {"channel": channel_json(desk.world, channel, install, with_count=count)}


def members(desk: Desk, install: Install, args: Json) -> Json:
    channel = desk.channel(install, args)
    return page(list(channel.members), args, "members")  # type: ignore[arg-type]  # pages of ids are cut the same way


def open_(desk: Desk, install: Install, args: Json) -> Json:
    if "channel" in args:
        return _opened(desk, install, desk.channel(install, args), args, was_open=True)
    users = [name for name in text(args, "users").split(",") if name]
    if not users:
        raise wrong("users_list_not_supplied", "neither channel nor users")
    if len(users) > 8:
        raise wrong("too_many_users", f"{len(users)} people where eight are allowed")
    people = [_person(desk, install, name) for name in users]
    if len(people) == 1:
        known = {channel.id for channel in desk.world.channels.values()}
        channel = desk.world.im(install, people[0])
        return _opened(desk, install, channel, args, was_open=channel.id in known)
    return _opened(desk, install, _mpim(desk, install, people), args, was_open=False)


def _person(desk: Desk, install: Install, name: str) -> User:
    user = desk.user({"user": name})
    if user.deleted:
        raise refused("user_disabled")
    if user.is_bot:
        raise refused("user_not_visible" if user.id != install.bot.id else "invalid_user_combination")
    return user


def _mpim(desk: Desk, install: Install, people: list[User]) -> Channel:
    wanted = {install.bot.id, *(person.id for person in people)}
    for channel in desk.world.channels.values():
        if channel.kind == "mpim" and set(channel.members) == wanted:
            return channel
    name = f"mpdm-{'--'.join(person.name for person in people)}-1"
    channel = desk.world.add_channel("mpim", name, [install.teams[0]], install.bot.id)
    channel.members = dict.fromkeys((*(person.id for person in people), install.bot.id))
    return channel


def _opened(desk: Desk, install: Install, channel: Channel, args: Json, *, was_open: bool) -> Json:
    shown: Json = {"id": channel.id}
    if args.get("return_im") is True:
        shown = channel_json(desk.world, channel, install)
    return {"channel": shown, "no_op": was_open, "already_open": was_open}


def list_(desk: Desk, install: Install, args: Json) -> Json:
    """Public ones, and those with the bot."""
    kinds = _kinds(args)
    seen = [
        channel_json(desk.world, channel, install, with_count=True)
        for channel in desk.world.channels.values()
        if channel.kind in kinds and desk.world.sees(install, channel) and _wanted(channel, install, args)
    ]
    return page(seen, args, "channels")


def mine(desk: Desk, install: Install, args: Json) -> Json:
    """users.conversations: those of one person (or the bot) that the bot sees."""
    kinds = _kinds(args)
    who = text(args, "user") or install.bot.id
    if who not in desk.world.users:
        raise refused("missing_argument")
    seen = [
        _listed(channel_json(desk.world, channel, install))
        for channel in desk.world.channels.values()
        if channel.kind in kinds
        and who in channel.members
        and desk.world.sees(install, channel)
        and _wanted(channel, install, args)
    ]
    return page(seen, args, "channels")


def _listed(channel: Json) -> Json:
    """This list says less of a shared channel than others do."""
    return {name: value for name, value in channel.items() if name != "connected_team_ids"}


def _kinds(args: Json) -> set[str]:
    wanted = (text(args, "types") or "public_channel").replace(" ", "").split(",")
    if unknown := [name for name in wanted if name not in _TYPES]:
        raise wrong("invalid_types", f"there are no channels of type {unknown}")
    return {_TYPES[name] for name in wanted}


def _wanted(channel: Channel, install: Install, args: Json) -> bool:
    """Raises ApiError when an organisation's token does not say which workspace it means."""
    team = text(args, "team_id")
    if install.enterprise is not None and not team:
        raise wrong("missing_argument", "a token for many workspaces needs team_id")
    return (not team or team in channel.teams) and not (args.get("exclude_archived") is True and channel.archived)


def history(desk: Desk, install: Install, args: Json) -> Json:
    """Newest first; replies are not in it unless they were broadcast."""
    channel = desk.channel(install, args)
    if install.bot.id not in channel.members:
        raise refused("not_in_channel")
    shown = [m for m in _between(channel, args) if m.thread is None or m.broadcast]
    return _messages(desk, channel, list(reversed(shown)), args)


def replies(desk: Desk, install: Install, args: Json) -> Json:
    """The first message of a thread and its replies, oldest first."""
    channel = desk.channel(install, args)
    first = channel.messages.get(needed(args, "ts"))
    if first is None or first.deleted:
        raise refused("thread_not_found")
    if first.thread is not None:
        return _messages(desk, channel, [first], args)
    later = [m for m in _between(channel, args) if m.thread == first.ts]
    return _messages(desk, channel, [first, *later], args)


def _between(channel: Channel, args: Json) -> list[Message]:
    oldest, latest = text(args, "oldest") or "0", text(args, "latest") or "9999999999"
    for name, value in (("oldest", oldest), ("latest", latest)):
        if not value.replace(".", "", 1).isdigit():
            raise wrong(f"invalid_ts_{name}", f"{value!r} is no ts")
    inclusive = args.get("inclusive") is True
    low, high = float(oldest), float(latest)
    return [
        message
        for message in channel.messages.values()
        if not message.deleted and (low < float(message.ts) < high or (inclusive and float(message.ts) in (low, high)))
    ]


def _messages(desk: Desk, channel: Channel, found: list[Message], args: Json) -> Json:
    shown = [message_json(desk.world, channel, message) for message in found]
    if args.get("include_all_metadata") is not True:
        shown = [{name: value for name, value in each.items() if name != "metadata"} for each in shown]
    answer = page(shown, args, "messages")
    return {**answer, "has_more": bool(answer["response_metadata"]["next_cursor"])}
