"""How calls are decided: who may, how many must agree, where they are asked, and how long it waits."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class Rules:
    """`approvers`: `requester`, `admins`, `members` (whoever may talk where it is asked), or people such as `tg:4242`;
    `needed` of them must agree, one is enough to reject. `place`: the conversation in which it is asked, None for where
    the run is. Times in seconds; `escalate_before`: so long before its end the admins are asked, None for never.
    """

    approvers: tuple[str, ...] = ("requester", "admins")
    deny_self: bool = False
    needed: int = 1
    place: str | None = None
    expire_after: float = 24 * 3600.0
    remind_before: float = 3600.0
    escalate_before: float | None = None

    @property
    def json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """What `json` made."""
        said = json.loads(text)
        return cls(**{**said, "approvers": tuple(said["approvers"])} if said else {})

    def remind_at(self, created_at: float) -> float:
        """Of a wait that is shorter than twice the lead it is reminded of at half its time."""
        return created_at + self.expire_after - min(self.remind_before, self.expire_after / 2)

    def escalate_at(self, created_at: float) -> float | None:
        if self.escalate_before is None:
            return None
        return created_at + self.expire_after - min(self.escalate_before, self.expire_after / 2)


@dataclass(frozen=True, slots=True)
class Policies:
    """The rules of the house, and those of capabilities that have their own: by id, by `mcp/<server>/*`, or `*`."""

    default: Rules = field(default_factory=Rules)
    own: Mapping[str, Rules] = field(default_factory=dict)

    def of(self, capability_id: str) -> Rules:
        """The most exact that there are."""
        source, _, rest = capability_id.partition("/")
        server = f"mcp/{rest.partition('/')[0]}/*" if source == "mcp" else capability_id
        return self.own.get(capability_id) or self.own.get(server) or self.own.get("*") or self.default
