"""What time it is."""

from datetime import UTC, datetime, tzinfo
from gettext import gettext as _
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from bot.tools.answers import quoted
from bot.tools.spec import ToolContext, ToolFailure, ToolInput, ToolSpec

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Zone = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_+\-/]+$")]


class CurrentTime(ToolInput):
    timezone: Zone = Field(default="UTC", description="The IANA name of a time zone, such as Europe/Berlin.")


async def _tell(context: ToolContext, arguments: CurrentTime) -> str:
    here = datetime.fromtimestamp(context.now, _zone(arguments.timezone))
    return f"{DAYS[here.weekday()]}, {here.isoformat(sep=' ', timespec='seconds')} ({arguments.timezone})"


def _zone(name: str) -> tzinfo:
    if name == "UTC":  # known without a database of time zones
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # OSError: the name of a folder, such as Europe
        raise ToolFailure(
            "invalid_arguments",
            _("There is no time zone {name}. Use a name like Europe/Berlin or Asia/Shanghai.").format(
                name=quoted(name)
            ),
        ) from error


current_time = ToolSpec(
    name="current_time",
    specialist="assistant_worker",
    description="Tells the date, the day of the week and the time, in UTC or in a time zone.",
    input=CurrentTime,
    handler=_tell,
    idempotent=True,
)
