"""Whether a token may call a method: what kind of token it is, and which scopes it has been granted."""

from tests.fakes.slack.args import text
from tests.fakes.slack.codes import scopes
from tests.fakes.slack.errors import ApiError, Json, refused, wrong
from tests.fakes.slack.world import Install, World

_PREFIX = {"public": "channels", "private": "groups", "im": "im", "mpim": "mpim"}
_TYPES = {"public_channel": "channels", "private_channel": "groups", "im": "im", "mpim": "mpim"}


def install_of(world: World, token: str) -> Install:
    """Raises ApiError for any token but a living bot token."""
    if not token:
        raise wrong("not_authed", "no token came along")
    if token == world.app.token:
        raise wrong("not_allowed_token_type", "the app's own token is for apps.connections.open")
    install = world.by_token(token)
    if install is None:
        raise refused("invalid_auth")
    if install.revoked:
        raise refused("token_revoked")
    if install.uninstalled:
        raise refused("account_inactive")
    return install


def check_app_token(world: World, token: str) -> None:
    if not token:
        raise wrong("not_authed", "no token came along")
    if token == world.app.token:
        return
    if token.startswith("xoxb-"):
        raise wrong("not_allowed_token_type", "this needs the app's own token (xapp-…)")
    raise refused("invalid_auth")


def check_scopes(world: World, install: Install, method: str, args: Json) -> None:
    """Raises ApiError with what is needed and what was granted."""
    for options in _needed(world, method, args):
        if options and not install.scopes & set(options):
            fields = {"needed": ",".join(options), "provided": ",".join(sorted(install.scopes))}
            raise ApiError("missing_scope", fields=fields)


def _needed(world: World, method: str, args: Json) -> list[tuple[str, ...]]:
    """Each of these lists must have one scope that was granted."""
    options = scopes(method)
    if method in ("conversations.list", "users.conversations"):
        wanted = (text(args, "types") or "public_channel").replace(" ", "").split(",")
        return [(f"{_TYPES[name]}:read",) for name in wanted if name in _TYPES]
    if method == "conversations.open" and "users" in args:
        return [("mpim:write",) if "," in text(args, "users") else ("im:write",)]
    channel = world.channels.get(text(args, "channel"))
    if method.startswith("conversations.") and channel is not None:
        fitting = tuple(scope for scope in options if scope.startswith(_PREFIX[channel.kind]))
        return [fitting or options]
    return [options]
