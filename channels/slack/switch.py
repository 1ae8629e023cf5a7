"""Which channel serves which workspace, where several share one app: Slack sends what concerns an app to any of its
sockets, and to its one address."""

from collections.abc import Mapping

from channels.fields import Json
from channels.slack.dispatch import Take


class Switch:
    def __init__(self) -> None:
        self._takers: dict[tuple[str, str], Take] = {}

    def join(self, app: str, team: str, take: Take) -> None:
        """`app` names the app among all others in this process; `team` is the workspace, or the organisation."""
        self._takers[app, team] = take

    def leave(self, app: str, team: str) -> None:
        self._takers.pop((app, team), None)

    def count(self, app: str) -> int:
        """How many channels share this app."""
        return sum(1 for key in self._takers if key[0] == app)

    def find(self, app: str, teams: tuple[str, ...]) -> Take | None:
        """Who serves one of these; None if nobody does."""
        return next((self._takers[app, team] for team in teams if (app, team) in self._takers), None)


def teams(body: Json) -> tuple[str, ...]:
    """The workspaces and organisations that a delivery is for, the likeliest first.

    In a channel shared with others, `authorizations` names the installation that it is delivered for.
    """
    said = body if isinstance(body, Mapping) else {}
    granted = said.get("authorizations")
    first = granted[0] if isinstance(granted, list) and granted else None
    found = [
        each.get(name) for each in (first, said) if isinstance(each, Mapping) for name in ("team_id", "enterprise_id")
    ]
    found += [each.get("id") for name in ("team", "enterprise") if isinstance(each := said.get(name), Mapping)]
    return tuple(dict.fromkeys(each for each in found if isinstance(each, str) and each))
