"""What the configuration says of approvals → the rules by which calls are decided."""

from datetime import timedelta

from bot.config.models import ApprovalsConfig, PolicyConfig
from bot.domain.policy import Policies, Rules


def policies(config: ApprovalsConfig) -> Policies:
    default = Rules(
        approvers=config.approvers,
        deny_self=config.deny_self,
        expire_after=config.expire_after.total_seconds(),
        remind_before=config.remind_before.total_seconds(),
    )
    return Policies(default, {each.capability: _rules(each, default) for each in config.policies})


def _rules(config: PolicyConfig, default: Rules) -> Rules:
    return Rules(
        approvers=default.approvers if config.approvers is None else config.approvers,
        deny_self=default.deny_self if config.deny_self is None else config.deny_self,
        needed=config.needed,
        place=config.place,
        expire_after=_seconds(config.expire_after, default.expire_after),
        remind_before=_seconds(config.remind_before, default.remind_before),
        escalate_before=None if config.escalate_before is None else config.escalate_before.total_seconds(),
    )


def _seconds(given: timedelta | None, default: float) -> float:
    return default if given is None else given.total_seconds()
