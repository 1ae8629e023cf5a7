"""How people, channels and messages look in Slack's JSON; pure."""

from tests.fakes.slack.errors import Json
from tests.fakes.slack.world import Channel, Install, Message, Team, User, World


def user_json(world: World, user: User, install: Install) -> Json:
    """As the app of `install` sees this person."""
    names = {
        "real_name": user.real_name,
        "real_name_normalized": user.real_name,
        "display_name": user.display_name,
        "display_name_normalized": user.display_name,
    }
    profile: Json = {**names, "team": user.team, "avatar_hash": "g0", "status_text": "", "status_emoji": ""}
    if user.bot_id:
        profile.update(bot_id=user.bot_id, api_app_id=world.app.id, always_active=True)
    shown: Json = {
        "id": user.id,
        "team_id": user.team,
        "name": user.name,
        "deleted": user.deleted,
        "profile": profile,
        "is_bot": user.is_bot,
        "updated": 1_700_000_000,
        "is_app_user": False,
    }
    if user.deleted:
        return shown
    shown.update(
        real_name=user.real_name,
        tz="Europe/Amsterdam",
        tz_label="Central European Time",
        tz_offset=3600,
        is_admin=False,
        is_owner=False,
        is_primary_owner=False,
        is_restricted=user.is_restricted,
        is_ultra_restricted=user.is_ultra_restricted,
        is_email_confirmed=not user.is_bot,
        who_can_share_contact_card="EVERYONE",
    )
    if (enterprise := world.teams[user.team].enterprise) is not None:
        grid = {"id": user.id, "enterprise_id": enterprise, "enterprise_name": "Org", "teams": [user.team]}
        shown["enterprise_user"] = {**grid, "is_admin": False, "is_owner": False}
    if user.team not in install.teams:
        shared = any(user.id in c.members and install.bot.id in c.members for c in world.channels.values())
        shown["is_stranger"] = not shared if user.is_stranger is None else user.is_stranger
    return shown


def team_json(team: Team) -> Json:
    shown: Json = {
        "id": team.id,
        "name": team.name,
        "domain": team.domain,
        "url": f"https://{team.domain}.slack.com/",
        "email_domain": "",
        "icon": {"image_default": True},
    }
    if team.enterprise:
        shown["enterprise_id"] = team.enterprise
    return shown


def channel_json(world: World, channel: Channel, install: Install, *, with_count: bool = False) -> Json:
    shown: Json = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.archived,
        "is_im": channel.kind == "im",
        "is_org_shared": False,
        "context_team_id": channel.teams[0],
    }
    if channel.kind == "im":
        others = [member for member in channel.members if member != install.bot.id]
        return {**shown, "user": others[0] if others else "", "is_user_deleted": False, "priority": 0}
    shared = len(channel.teams) > 1
    shown.update(
        name=channel.name,
        name_normalized=channel.name,
        is_channel=channel.kind == "public",
        is_group=channel.kind == "private",
        is_mpim=channel.kind == "mpim",
        is_private=channel.kind != "public",
        is_general=False,
        is_shared=shared,
        is_ext_shared=shared,
        is_pending_ext_shared=False,
        pending_shared=[],
        creator=channel.creator,
        is_member=install.bot.id in channel.members,
        unlinked=0,
        topic={"value": channel.topic, "creator": channel.creator if channel.topic else "", "last_set": 0},
        purpose={"value": "", "creator": "", "last_set": 0},
        previous_names=[],
        updated=channel.created * 1000,
    )
    if shared:
        shown.update(shared_team_ids=channel.teams, connected_team_ids=channel.teams[1:], internal_team_ids=[])
    if with_count:
        shown["num_members"] = len(channel.members)
    return shown


def bot_profile(world: World, bot: User) -> Json:
    return {
        "id": bot.bot_id,
        "deleted": False,
        "name": bot.real_name,
        "updated": 1_700_000_000,
        "app_id": world.app.id,
        "user_id": bot.id,
        "icons": {"image_36": "", "image_48": "", "image_72": ""},
        "team_id": bot.team,
    }


def message_json(world: World, channel: Channel, message: Message) -> Json:
    shown: Json = {"type": "message", "user": message.user, "ts": message.ts, "text": message.text}
    shown.update(message.extra)
    if message.subtype:
        shown["subtype"] = message.subtype
    if message.team:
        shown["team"] = message.team
    bot = world.bot_by_id(message.bot_id)
    if message.bot_id:
        shown["bot_id"] = message.bot_id
    if bot is not None and message.subtype != "bot_message":
        shown.update(app_id=world.app.id, bot_profile=bot_profile(world, bot))
    for name, value in (
        ("blocks", message.blocks),
        ("attachments", message.attachments),
        ("files", message.files),
        ("metadata", message.metadata),
    ):
        if value:
            shown[name] = value
    if message.edited_ts:
        shown["edited"] = {"user": message.edited_by, "ts": message.edited_ts}
    if message.reactions:
        shown["reactions"] = [
            {"name": name, "users": users, "count": len(users)} for name, users in message.reactions.items()
        ]
    if message.stream:
        shown["streaming_state"] = "in_progress" if message.stream == "live" else "completed"
    return {**shown, **_thread_json(channel, message)}


def _thread_json(channel: Channel, message: Message) -> Json:
    if message.thread is not None:
        parent = channel.messages.get(message.thread)
        return {"thread_ts": message.thread, "parent_user_id": parent.user if parent else ""}
    if message.ephemeral_to is not None:
        return {}
    replies = list(channel.replies(message.ts))
    if not replies:
        return {}
    users = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts,
        "reply_users": users,
        "is_locked": False,
        "subscribed": True,
    }
