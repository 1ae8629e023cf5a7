"""Who did it, and from where: by Slack's ids alone.

Whoever comes from another workspace is external, whatever else is said of them; in an app of a whole organisation its
workspaces are one. A payload that names no workspace tells nothing, and users.info decides, as this workspace sees them.
"""

from dataclasses import dataclass

from channels.errors import ChannelError
from channels.events import Sender
from channels.fields import Fields
from channels.slack.people import Known, Me, People, PersonId

SLACKBOT = "USLACKBOT"
"""Reminders and canned answers: a bot that is not marked as one."""


class UnknownSender(ChannelError):
    """Who sent this could not be looked up: offer it again."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A person as a payload names them. `enterprise` is the organisation that the payload itself belongs to; either is
    empty where nothing is said."""

    user: str
    team: str
    enterprise: str


def of_message(body: Fields, message: Fields) -> Origin:
    """The body's own workspace is the one that a message in a shared channel comes from."""
    told = [message.maybe_text(name) for name in ("user_team", "team", "source_team")]
    team = next((team for team in told if team), "") or body.maybe_text("team_id")
    return Origin(message.text("user"), team, body.maybe_text("enterprise_id"))


def of_interaction(body: Fields) -> Origin:
    person, team = body.inside("user"), body.maybe("team")
    enterprise = team.maybe_text("enterprise_id") if team else ""
    return Origin(person.text("id"), person.maybe_text("team_id"), enterprise)


def of_command(body: Fields) -> Origin:
    return Origin(body.text("user_id"), body.maybe_text("team_id"), body.maybe_text("enterprise_id"))


def sender(channel: str, me: Me, origin: Origin, people: People) -> Sender | None:
    """None for one whom Slack does not know. Raises UnknownSender for one who was not looked up."""
    if origin.user not in people:
        raise UnknownSender("Who sent this could not be looked up.")
    known = people[origin.user]
    if known is None:
        return None
    if _is_ours(me, origin, known):
        return Sender(channel, str(PersonId(origin.user)), known.name, known.standing)
    return Sender(channel, str(PersonId(origin.user, origin.team)), known.name, "external")


def _is_ours(me: Me, origin: Origin, known: Known) -> bool:
    if origin.team in ("", me.team, me.enterprise):
        return True
    ours = origin.enterprise in ("", me.enterprise)
    return me.org_wide and ours and known.standing != "external"
