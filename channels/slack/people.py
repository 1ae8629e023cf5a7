"""Who is who in a workspace, as far as one must know to read what they say."""

from collections.abc import Mapping
from dataclasses import dataclass

from channels.events import Standing


@dataclass(frozen=True, slots=True)
class Me:
    """The app in its workspace, as auth.test says. `org_wide`: installed in a whole organisation, whose workspaces are
    all ours."""

    team: str
    user: str
    bot: str
    name: str
    enterprise: str | None = None
    org_wide: bool = False


@dataclass(frozen=True, slots=True)
class PersonId:
    """Slack's id of a person; ids are unique within an organisation, so `team` is where they come from, None for ours."""

    user: str
    team: str | None = None

    def __str__(self) -> str:
        """As people are written behind the channel's name: `U0123`, or `T0456/U0123` for someone of elsewhere."""
        return self.user if self.team is None else f"{self.team}/{self.user}"


@dataclass(frozen=True, slots=True)
class Known:
    """What users.info says of a person. `name` is shown and never matched."""

    name: str
    standing: Standing


People = Mapping[str, Known | None]
"""By Slack's id of the user: None for one that Slack does not know; absent for one that could not be looked up."""
