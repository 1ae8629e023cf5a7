from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.client import Slack, connected, slack_process
from tests.fakes.slack.raw import Api, raw_api


@pytest.fixture(scope="session")
def slack_server() -> Iterator[Mapping[str, Any]]:
    with slack_process() as ready:
        yield ready


@pytest.fixture
async def slack(slack_server: Mapping[str, Any]) -> AsyncIterator[Slack]:
    async with connected(slack_server) as started:
        yield started


@pytest.fixture
async def api(slack: Slack) -> AsyncIterator[Api]:
    async with raw_api(slack) as made:
        yield made


@pytest.fixture
async def sdk(slack: Slack) -> AsyncIterator[AsyncWebClient]:
    """Slack's own client, without its habit of repeating what may have arrived."""
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(slack.bot_token, base_url=slack.api_url, session=session, retry_handlers=[])
