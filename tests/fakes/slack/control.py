"""What tests say to the fake: the table of verbs, each a model and a function."""

from aiohttp import web
from pydantic import ValidationError

from tests.fakes.slack.crowd_control import CROWD
from tests.fakes.slack.errors import ApiError, BrokenFake, Impossible
from tests.fakes.slack.fake import Fake
from tests.fakes.slack.mischief_control import MISCHIEF
from tests.fakes.slack.verb import Verb
from tests.fakes.slack.watch_control import WATCH

VERBS: tuple[Verb, ...] = (*CROWD, *MISCHIEF, *WATCH)


class Control:
    def __init__(self, fake: Fake) -> None:
        self.fake = fake
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
