"""The way to say nothing."""

from typing import Annotated

from pydantic import Field

from bot.domain.run import SILENT_EXIT
from bot.tools.spec import ToolContext, ToolInput, ToolSpec


class SilentExit(ToolInput):
    reason: Annotated[str, Field(max_length=500)] | None = Field(
        default=None, description="Why no reply is needed. It is kept in the log and shown to nobody."
    )


async def _leave(_context: ToolContext, _arguments: SilentExit) -> str:
    return "The run ends without a reply."


silent_exit = ToolSpec(
    name=SILENT_EXIT,
    specialist="assistant_worker",
    description="Ends the run without a reply, when the message was not meant for you or needs no answer.",
    input=SilentExit,
    handler=_leave,
    idempotent=True,
)
