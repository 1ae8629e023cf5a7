"""`@mcp_tool`: a function with annotations becomes a tool, in the one shape that all tools have."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any, get_type_hints

from pydantic import ValidationError

from bot.clock import new_id
from bot.mcp_apps.serialising import as_text
from bot.mcp_apps.signature import BadTool, McpInput, Signature, read
from bot.store.database import Tx
from bot.supervisor import Crash, attempt
from bot.tools.spec import ToolContext, ToolFailure, ToolSpec

INJECTED = "token_info"

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class TaskTokenInfo:
    """On whose behalf a tool is called. `run_id`: the run of this call; `user`: a person (`tg:4242`).

    `scope` bounds what is remembered: `user:<person>`, or `chat:<channel>:<chat>` for a group.
    """

    run_id: str
    persona_id: str
    user: str
    scope: str
    conversation: str
    channel: str


@dataclass(frozen=True, slots=True)
class McpTool:
    """`function` is what was decorated, `spec` what the house makes of it. It is offered by the app that lists it."""

    server: str
    function: Function
    spec: ToolSpec[Any]


def mcp_tool(
    name: str,
    description: str,
    server: str,
    exclude_params: Sequence[str] = (INJECTED,),
    param_descriptions: Mapping[str, str] | None = None,
    param_renames: Mapping[str, str] | None = None,
    *,
    mutates_data: bool = True,
    requires_confirmation: bool = False,
    idempotent: bool = False,
    destructive: bool = False,
    untrusted: bool = False,
    confirmation: Callable[[Tx, ToolContext, Any], str] | None = None,
) -> Callable[[Function], McpTool]:
    """A tool of the server `server`. Its first parameter is `token_info: TaskTokenInfo`, which no caller gives.

    param_renames: what a parameter is called outside, by its name here; param_descriptions: by its name here.
    exclude_params: those that no caller gives either; each has a default. The flags are those of ToolSpec: a tool writes,
    and so asks, unless it says that it does not. A ValueError is told to the caller as it is; what else is raised is
    logged under a reference, and the caller is told only that. Raises BadTool for mistakes in all this.
    """

    def decorate(function: Function) -> McpTool:
        _check(name, description, server, function)
        signature = read(
            name,
            function,
            frozenset({INJECTED, *exclude_params}),
            dict(param_descriptions or {}),
            dict(param_renames or {}),
        )
        spec = ToolSpec(
            name=name,
            specialist=f"{server.replace('-', '_')}_worker",
            description=description,
            input=signature.model,
            handler=_handler(name, function, signature, writes=mutates_data),
            confirmation=confirmation,
            mutates_data=mutates_data,
            requires_confirmation=requires_confirmation,
            idempotent=idempotent,
            destructive=destructive,
            untrusted=untrusted,
        )
        return McpTool(server, function, spec)

    return decorate


def _check(name: str, description: str, server: str, function: Function) -> None:
    for what, given in (("name", name), ("description", description), ("server", server)):
        if not given.strip():
            raise BadTool(f"{function.__qualname__}: its {what} is empty")
    first = next(iter(inspect.signature(function).parameters), None)
    if first != INJECTED or get_type_hints(function).get(INJECTED) is not TaskTokenInfo:
        raise BadTool(f"{name}: its first parameter is {INJECTED}: TaskTokenInfo")


def _handler(
    name: str, function: Function, signature: Signature, *, writes: bool
) -> Callable[[ToolContext, McpInput], Awaitable[str]]:
    async def handle(context: ToolContext, given: McpInput) -> str:
        reference = new_id("err")
        done = await attempt(f"tool {name}, {reference}", _done(function, _info(context), signature.arguments(given)))
        if isinstance(done, ToolFailure):
            raise done
        if not isinstance(done, Crash):
            return done
        if writes:
            words = _(
                "The tool broke off: it may or may not have happened. An admin finds the cause under {reference}."
            )
            raise ToolFailure("unknown_outcome", words.format(reference=reference))
        words = _("The tool broke off. Nothing was changed. An admin finds the cause under {reference}.")
        raise ToolFailure("unavailable", words.format(reference=reference))

    return handle


async def _done(function: Function, info: TaskTokenInfo, arguments: dict[str, Any]) -> str | ToolFailure:
    """What it returns, as text, or what it refuses."""
    try:
        if inspect.iscoroutinefunction(function):
            returned = await function(info, **arguments)
        else:
            returned = await asyncio.to_thread(function, info, **arguments)
    except ToolFailure as failure:
        return failure
    except ValidationError:  # a ValueError, but of models that the caller knows nothing of, and it shows their values
        raise
    except ValueError as error:
        return ToolFailure("unavailable", str(error) or _("It was not done."))
    return as_text(returned)


def _info(context: ToolContext) -> TaskTokenInfo:
    return TaskTokenInfo(
        run_id=context.run_id,
        persona_id=context.persona_id,
        user=context.user,
        scope=context.scope,
        conversation=context.conversation,
        channel=context.channel,
    )
