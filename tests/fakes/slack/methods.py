"""The table of the Web API's methods: what each does lives in the file of its subject."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.fakes.slack import assistants, chat, files, modals, persons, reactions, rooms, streams
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import Json
from tests.fakes.slack.message_rules import content
from tests.fakes.slack.view_rules import checked as checked_view
from tests.fakes.slack.world import Install


@dataclass(frozen=True, slots=True)
class Method:
    """`rules`: the checks that need no state, for the exact code when the schema refuses."""

    name: str
    apply: Callable[[Desk, Install, Json], Json]
    rules: Callable[[Desk, Json], object] = lambda desk, args: None


def _content(method: str) -> Callable[[Desk, Json], object]:
    return lambda desk, args: content(method, args, desk.check)


def _pieces(method: str) -> Callable[[Desk, Json], object]:
    return lambda desk, args: streams.pieces_of(method, desk, args)


def _view(*kinds: str) -> Callable[[Desk, Json], object]:
    return lambda desk, args: checked_view(args.get("view"), desk.check, *kinds)


METHODS = (
    Method("api.test", persons.api_test),
    Method("auth.test", persons.auth_test),
    Method("auth.teams.list", persons.auth_teams),
    Method("chat.postMessage", chat.post_message, _content("chat.postMessage")),
    Method("chat.postEphemeral", chat.post_ephemeral, _content("chat.postEphemeral")),
    Method("chat.update", chat.update, _content("chat.update")),
    Method("chat.delete", chat.delete),
    Method("chat.getPermalink", chat.get_permalink),
    Method("chat.startStream", streams.start, _pieces("chat.startStream")),
    Method("chat.appendStream", streams.append, _pieces("chat.appendStream")),
    Method("chat.stopStream", streams.stop, _pieces("chat.stopStream")),
    Method("assistant.threads.setStatus", assistants.set_status),
    Method("assistant.threads.setTitle", assistants.set_title),
    Method("assistant.threads.setSuggestedPrompts", assistants.set_prompts),
    Method("conversations.info", rooms.info),
    Method("conversations.list", rooms.list_),
    Method("conversations.members", rooms.members),
    Method("conversations.history", rooms.history),
    Method("conversations.replies", rooms.replies),
    Method("conversations.open", rooms.open_),
    Method("users.conversations", rooms.mine),
    Method("users.info", persons.users_info),
    Method("users.list", persons.users_list),
    Method("bots.info", persons.bots_info),
    Method("team.info", persons.team_info),
    Method("views.open", modals.open_, _view("modal")),
    Method("views.push", modals.push, _view("modal")),
    Method("views.update", modals.update, _view("modal", "home")),
    Method("views.publish", modals.publish, _view("home")),
    Method("files.getUploadURLExternal", files.upload_url),
    Method("files.completeUploadExternal", files.complete),
    Method("files.info", files.info),
    Method("reactions.add", reactions.add),
    Method("reactions.remove", reactions.remove),
)
"""All that a bot's token is for."""

APP_METHODS: dict[str, Callable[[Desk, Json], Json]] = {
    "apps.connections.open": persons.connections_open,
    "oauth.v2.access": persons.oauth_access,
}
"""The first takes the app's token, the second none at all."""

NAMES = (*(method.name for method in METHODS), *APP_METHODS)
