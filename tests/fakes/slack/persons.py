"""users.*, bots.info, team.info, auth.test, apps.connections.open, oauth.v2.access."""

import secrets

from tests.fakes.slack.args import text
from tests.fakes.slack.desk import Desk, page
from tests.fakes.slack.errors import Json, refused, wrong
from tests.fakes.slack.shapes import bot_profile, team_json, user_json
from tests.fakes.slack.world import Install


def auth_test(desk: Desk, install: Install, args: Json) -> Json:
    team = desk.world.teams[install.teams[0]]
    shown: Json = {
        "url": f"https://{team.domain}.slack.com/",
        "team": team.name,
        "user": install.bot.name,
        "team_id": team.id,
        "user_id": install.bot.id,
        "bot_id": install.bot.bot_id,
        "is_enterprise_install": install.enterprise is not None,
    }
    if install.enterprise is not None:
        shown["enterprise_id"] = install.enterprise
    return shown


def auth_teams(desk: Desk, install: Install, args: Json) -> Json:
    """The workspaces that one installation serves."""
    teams = [desk.world.teams[number] for number in install.teams]
    return page([{"id": team.id, "name": team.name} for team in teams], args, "teams")


def api_test(desk: Desk, install: Install, args: Json) -> Json:
    return {"args": args}


def users_info(desk: Desk, install: Install, args: Json) -> Json:
    return {"user": user_json(desk.world, desk.user(args), install)}


def users_list(desk: Desk, install: Install, args: Json) -> Json:
    if install.enterprise is not None and not text(args, "team_id"):
        raise wrong("missing_argument", "a token for many workspaces needs team_id")
    teams = (text(args, "team_id"),) if text(args, "team_id") else install.teams
    people = [user_json(desk.world, user, install) for user in desk.world.users.values() if user.team in teams]
    return {**page(people, args, "members"), "cache_ts": int(desk.world.clock.now())}


def bots_info(desk: Desk, install: Install, args: Json) -> Json:
    bot = desk.world.bot_by_id(text(args, "bot"))
    if bot is None:
        raise refused("bot_not_found")
    shown = bot_profile(desk.world, bot)
    shown.pop("team_id")
    return {"bot": shown}


def team_info(desk: Desk, install: Install, args: Json) -> Json:
    wanted = text(args, "team") or install.teams[0]
    connected = {team for channel in desk.world.channels.values() for team in channel.teams}
    if wanted not in desk.world.teams or (wanted not in install.teams and wanted not in connected):
        raise refused("team_not_found")
    return {"team": team_json(desk.world.teams[wanted])}


def connections_open(desk: Desk, args: Json) -> Json:
    """With the app's own token; the address serves once."""
    host = desk.base_url.removeprefix("http://")
    return {"url": f"ws://{host}/link/?ticket={desk.sockets.ticket()}&app_id={desk.world.app.id}"}


def oauth_access(desk: Desk, args: Json) -> Json:
    app = desk.world.app
    if text(args, "client_id") != app.client_id:
        raise refused("invalid_client_id")
    if text(args, "client_secret") != app.client_secret:
        raise refused("bad_client_secret")
    teams = desk.codes.pop(text(args, "code"), None)
    if teams is None:
        raise refused("invalid_code")
    known = next((i for i in desk.world.installs if i.teams == teams and i.alive), None)
    install = known or desk.world.install(teams)
    team = desk.world.teams[teams[0]]
    return {
        "access_token": install.token,
        "token_type": "bot",
        "scope": ",".join(sorted(install.scopes)),
        "bot_user_id": install.bot.id,
        "app_id": app.id,
        "team": {"id": team.id, "name": team.name},
        "enterprise": None,
        "is_enterprise_install": install.enterprise is not None,
        "authed_user": {"id": f"U{secrets.token_hex(4).upper()}"},
    }
