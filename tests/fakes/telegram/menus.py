"""Methods about the menu of commands, kept by scope and language."""

import re

from tests.fakes.telegram.arguments import Args
from tests.fakes.telegram.errors import Json, wrong
from tests.fakes.telegram.world import World

_COMMAND = re.compile(r"[a-z0-9_]{1,32}")


def scope_key(scope: object) -> str:
    """One text for a scope: `default`, `chat:-100…`, `chat_member:-100…:42`. Raises ApiError."""
    if scope is None:
        return "default"
    if not isinstance(scope, dict) or "type" not in scope:
        raise wrong("can't parse BotCommandScope: expected an Object")
    parts = [str(scope["type"])]
    if parts[0] in ("chat", "chat_administrators", "chat_member"):
        parts.append(str(scope.get("chat_id", "")))
    if parts[0] == "chat_member":
        parts.append(str(scope.get("user_id", "")))
    return ":".join(parts)


def commands_of(world: World, args: Args) -> list[Json]:
    commands = args.json("commands")
    if not isinstance(commands, list):
        raise wrong("can't parse commands: expected an Array of BotCommand")
    if len(commands) > 100:
        raise wrong("BOT_COMMANDS_TOO_MUCH", f"{len(commands)} commands where 100 are allowed")
    for command in commands:
        if not isinstance(command, dict):
            raise wrong("can't parse BotCommand: expected an Object")
        name, description = command.get("command"), command.get("description")
        if not isinstance(name, str) or not _COMMAND.fullmatch(name.removeprefix("/")):
            raise wrong("BOT_COMMAND_INVALID", f"{name!r} is not 1-32 of a-z0-9_")
        if not isinstance(description, str) or not 1 <= len(description) <= 256:
            raise wrong("BOT_COMMAND_DESCRIPTION_INVALID", f"the description of {name!r} has 1-256 characters")
    return commands


def _scope(world: World, args: Args) -> tuple[str, str]:
    scope = args.json("scope")
    key = scope_key(scope)
    if isinstance(scope, dict) and "chat_id" in scope:
        world.reachable(scope["chat_id"])
    return key, args.text("language_code")


def set_my_commands(world: World, args: Args) -> bool:
    commands = commands_of(world, args)
    world.commands[_scope(world, args)] = commands
    world.changed()
    return True


def get_my_commands(world: World, args: Args) -> list[Json]:
    return world.commands.get(_scope(world, args), [])


def delete_my_commands(world: World, args: Args) -> bool:
    world.commands.pop(_scope(world, args), None)
    world.changed()
    return True
