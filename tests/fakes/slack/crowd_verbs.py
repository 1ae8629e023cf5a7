"""The control API, one model per verb (POST /<Name>): people, places, and what people do there."""

from typing import Any, Literal

from tests.fakes.slack.answers import Frozen

# People and places.


class AddWorkspace(Frozen):
    """With `code` the app is not installed: oauth.v2.access does it, given that code."""

    name: str
    installed: bool = True
    code: str = ""


class AddOrganisation(Frozen):
    """The app is installed for all of its workspaces at once: one token."""

    name: str
    workspaces: tuple[str, ...]


class AddUser(Frozen):
    name: str
    real_name: str = ""
    team: str | None = None
    is_bot: bool = False


class SetUser(Frozen):
    """What is not None is changed."""

    user: str
    display_name: str | None = None
    is_restricted: bool | None = None
    is_ultra_restricted: bool | None = None
    is_stranger: bool | None = None
    deleted: bool | None = None


class OpenIm(Frozen):
    user: str
    team: str | None = None


class AddChannel(Frozen):
    name: str
    kind: Literal["public", "private", "mpim"]
    members: tuple[str, ...] = ()
    bot: bool = True
    teams: tuple[str, ...] = ()


class Join(Frozen):
    """`user` None: the bot."""

    chat: str
    user: str | None = None
    inviter: str | None = None


class Leave(Frozen):
    """No event tells the bot of its own removal."""

    chat: str
    user: str | None = None


class Archive(Frozen):
    chat: str
    archived: bool = True


# What people do.


class Write(Frozen):
    chat: str
    user: str
    text: str
    thread: str | None = None
    broadcast: bool = False
    subtype: str | None = None


class Edit(Frozen):
    chat: str
    message: str
    text: str


class Delete(Frozen):
    chat: str
    message: str


class SendFile(Frozen):
    """`content` is hex."""

    chat: str
    user: str
    name: str
    mime: str
    content: str
    caption: str = ""
    thread: str | None = None


class Topic(Frozen):
    chat: str
    user: str
    topic: str


class Pin(Frozen):
    chat: str
    user: str
    message: str


class React(Frozen):
    chat: str
    user: str
    message: str
    name: str


class Press(Frozen):
    """By label or data, in `row` where several fit; with `forged` the data need not be there, nor the presser a member.

    `option`: what is chosen, where the control is a list.
    """

    chat: str
    user: str
    message: str
    label: str | None = None
    data: str | None = None
    row: int | None = None
    option: str | None = None
    action_id: str | None = None
    forged: bool = False


class PressInView(Frozen):
    view: str
    label: str | None = None
    data: str | None = None
    option: str | None = None


class Submit(Frozen):
    """`values` by label, block_id or action_id; what is not named keeps its value. `forged`: no checks of the client."""

    view: str
    values: dict[str, Any]
    forged: bool = False


class CloseView(Frozen):
    view: str
    everything: bool = False


class Command(Frozen):
    chat: str
    user: str
    command: str
    text: str


class StartThread(Frozen):
    user: str
    context: dict[str, Any]


class ChangeContext(Frozen):
    user: str
    thread: str
    context: dict[str, Any]


class OpenHome(Frozen):
    user: str
    tab: Literal["home", "messages"] = "home"


class StopStream(Frozen):
    chat: str
    message: str
