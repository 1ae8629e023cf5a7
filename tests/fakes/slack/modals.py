"""views.open, push, update, publish."""

from tests.fakes.slack.args import text
from tests.fakes.slack.desk import Desk
from tests.fakes.slack.errors import Json, refused, wrong
from tests.fakes.slack.interactions import Interaction
from tests.fakes.slack.view_rules import checked
from tests.fakes.slack.world import Install


def _trigger(desk: Desk, install: Install, args: Json) -> Interaction:
    trigger = text(args, "trigger_id") or text(args, "interactivity_pointer")
    if not trigger:
        raise wrong("invalid_arguments", "trigger_id is missing")
    return desk.interactions.take_trigger(trigger, install)


def open_(desk: Desk, install: Install, args: Json) -> Json:
    body = checked(args.get("view"), desk.check, "modal")
    begun = _trigger(desk, install, args)
    view = desk.views.open(begun.user, install, body, begun.channel.id if begun.channel else "")
    return {"view": desk.views.json(view)}


def push(desk: Desk, install: Install, args: Json) -> Json:
    body = checked(args.get("view"), desk.check, "modal")
    begun = _trigger(desk, install, args)
    below = desk.views.all.get(begun.view)
    if below is None or not below.open:
        raise refused("not_found")
    view = desk.views.open(begun.user, install, body, below.channel, below)
    return {"view": desk.views.json(view)}


def update(desk: Desk, install: Install, args: Json) -> Json:
    body = checked(args.get("view"), desk.check, "modal", "home")
    view = desk.views.find(install, text(args, "view_id"), text(args, "external_id"))
    return {"view": desk.views.json(desk.views.change(view, body, text(args, "hash")))}


def publish(desk: Desk, install: Install, args: Json) -> Json:
    body = checked(args.get("view"), desk.check, "home")
    user = desk.world.users.get(text(args, "user_id"))
    if user is None:
        raise wrong("invalid_arguments", "user_id names nobody")
    return {"view": desk.views.json(desk.views.publish(user, install, body, text(args, "hash")))}
