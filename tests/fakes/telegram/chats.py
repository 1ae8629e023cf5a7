"""Methods about chats and who is in them."""

from tests.fakes.telegram.arguments import Args, chat_of
from tests.fakes.telegram.errors import Json, refused
from tests.fakes.telegram.world import World


def get_chat(world: World, args: Args) -> Json:
    chat = world.reachable(chat_of(args))
    gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
    return {
        **world.chat_json(chat),
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(gifts, True),
    }


def get_chat_member(world: World, args: Args) -> Json:
    chat = world.reachable(chat_of(args))
    return world.member_json(chat, world.known(args.integer("user_id")))


def get_chat_administrators(world: World, args: Args) -> list[Json]:
    chat = world.reachable(chat_of(args))
    if chat.kind == "private":
        raise refused("there are no administrators in the private chat")
    return [
        world.member_json(chat, world.users[number])
        for number, standing in chat.members.items()
        if standing in ("creator", "administrator") and number != world.bot.id
    ]


def get_chat_member_count(world: World, args: Args) -> int:
    chat = world.reachable(chat_of(args))
    return sum(standing in ("creator", "administrator", "member") for standing in chat.members.values())


def leave_chat(world: World, args: Args) -> bool:
    chat = world.reachable(chat_of(args))
    if chat.kind == "private":
        raise refused("chat is not a group or a channel")
    chat.members[world.bot.id] = "left"
    world.changed()
    return True
