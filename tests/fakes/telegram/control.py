"""What tests say to the fake: the table of verbs, each a model and a function."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.fakes.telegram.acts.crowd import Crowd
from tests.fakes.telegram.acts.mischief import Mischief
from tests.fakes.telegram.acts.watch import Watch
from tests.fakes.telegram.errors import ApiError
from tests.fakes.telegram.fake import Fake
from tests.fakes.telegram.people import Impossible
from tests.fakes.telegram.updates import BrokenFake
from tests.fakes.telegram.verbs import crowd, mischief, watch

M = TypeVar("M", bound=BaseModel)
_anything: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass(frozen=True, slots=True)
class Verb:
    name: str
    run: Callable[["Control", str], Awaitable[bytes]]


def verb(model: type[M], act: Callable[["Control", M], object]) -> Verb:
    async def run(control: "Control", body: str) -> bytes:
        result = act(control, model.model_validate_json(body))
        if isawaitable(result):
            result = await result
        return _anything.dump_json(result)

    return Verb(model.__name__, run)


class Control(Crowd, Mischief, Watch):
    def __init__(self, fake: Fake) -> None:
        super().__init__(fake)
        self._verbs = {entry.name: entry for entry in VERBS}

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        entry = self._verbs.get(request.path.strip("/"))
        if entry is None:
            return web.Response(status=404, text=f"there is no verb {request.path!r}")
        try:
            return web.Response(body=await entry.run(self, await request.text()), content_type="application/json")
        except (Impossible, ValidationError, KeyError, BrokenFake) as error:
            text = f"no such thing: {error}" if isinstance(error, KeyError) else str(error)
            return web.Response(status=400, text=text)
        except ApiError as error:
            return web.Response(status=400, text=error.reason)


VERBS = (
    verb(crowd.AddUser, Control.add_user),
    verb(crowd.AddPrivate, Control.add_private),
    verb(crowd.AddGroup, Control.add_group),
    verb(crowd.AddTopic, Control.add_topic),
    verb(crowd.ChangeTopic, Control.change_topic),
    verb(crowd.SetStanding, Control.set_standing),
    verb(crowd.Write, Control.write),
    verb(crowd.Edit, Control.edit),
    verb(crowd.SendFile, Control.send_file),
    verb(crowd.Press, Control.press),
    verb(crowd.SetBot, Control.set_bot),
    verb(crowd.Deactivate, Control.deactivate),
    verb(crowd.Remove, Control.remove),
    verb(crowd.Migrate, Control.migrate),
    verb(crowd.React, Control.react),
    verb(crowd.StopDraft, Control.stop_draft),
    verb(mischief.Inject, Control.inject),
    verb(mischief.Repeat, Control.repeat),
    verb(mischief.Order, Control.order),
    verb(mischief.Load, Control.load),
    verb(mischief.Plant, Control.plant),
    verb(mischief.Unplant, Control.unplant),
    verb(mischief.Release, Control.release),
    verb(mischief.Refuse, Control.refuse),
    verb(mischief.Settings, Control.settings),
    verb(mischief.Advance, Control.advance),
    verb(watch.Messages, Control.messages),
    verb(watch.WaitMessage, Control.wait_message),
    verb(watch.Calls, Control.calls),
    verb(watch.WaitCalls, Control.wait_calls),
    verb(watch.WaitHeld, Control.wait_held),
    verb(watch.WaitAnswer, Control.wait_answer),
    verb(watch.WaitConfirmed, Control.wait_confirmed),
    verb(watch.Actions, Control.actions),
    verb(watch.Drafts, Control.drafts),
    verb(watch.Commands, Control.commands),
    verb(watch.Violations, Control.violations),
    verb(watch.Latencies, Control.latencies),
    verb(watch.Reset, Control.reset),
    verb(watch.Forget, Control.forget),
)
