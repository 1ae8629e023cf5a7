"""assistant.threads.*: what is shown while an assistant works, and what it offers."""

from tests.fakes.slack.args import needed, text
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import Json, refused, wrong
from tests.fakes.slack.world import Channel, Install

STATUS_LIFE = 120.0
_PROMPTS = 4
_LOADING = 10
_LOADING_LENGTH = 50


def current(status: Json, now: float) -> Json:
    """A status that nothing followed for two minutes is gone."""
    gone = bool(status.get("status")) and now - status["at"] > STATUS_LIFE
    return {**status, "status": ""} if gone else status


def _thread(desk: Desk, install: Install, args: Json) -> tuple[Channel, Json]:
    channel = desk.channel(install, args, "channel_id")
    thread = text(args, "thread_ts")
    root = channel.messages.get(thread)
    if root is None or root.deleted or root.thread is not None:
        raise refused("invalid_thread_ts")
    empty: Json = {"status": "", "history": [], "title": "", "prompts": [], "at": 0.0}
    return channel, channel.status.setdefault(thread, empty)


def set_status(desk: Desk, install: Install, args: Json) -> Json:
    """An empty status clears it."""
    loading = args.get("loading_messages") or []
    if len(loading) > _LOADING or any(not 0 < len(each) <= _LOADING_LENGTH for each in loading):
        raise wrong("invalid_arguments", "loading_messages are 1 to 10 of at most 50 characters")
    _, status = _thread(desk, install, args)
    status["status"] = text(args, "status")
    status["history"].append(status["status"])
    status["at"] = desk.world.clock.now()
    desk.world.changed()
    return {}


def set_title(desk: Desk, install: Install, args: Json) -> Json:
    title = needed(args, "title")
    _, status = _thread(desk, install, args)
    status["title"] = title
    desk.world.changed()
    return {}


def set_prompts(desk: Desk, install: Install, args: Json) -> Json:
    prompts = args.get("prompts") or []
    if not 0 < len(prompts) <= _PROMPTS:
        raise wrong("invalid_arguments", f"there are 1 to {_PROMPTS} prompts")
    _, status = _thread(desk, install, args)
    status["prompts"] = prompts
    desk.world.changed()
    return {}
