"""The bytes of a file: asked for with the bot token, and that only of Slack."""

from urllib.parse import SplitResult, urlsplit

import aiohttp

from channels.errors import FileGone, FileTooLarge, OutcomeUnknown, Refused
from channels.slack.refusals import lacking, unanswered

_SLACK = "slack.com"
_PIECE = 1 << 16


async def fetch(http: aiohttp.ClientSession, address: str, api_url: str, token: str, at_most: int) -> bytes:
    """Raises Refused for an address that is not Slack's, MissingScope, FileGone, FileTooLarge or OutcomeUnknown."""
    if not trusted(address, api_url):
        raise Refused("Slack names an address for the file that is not its own, so it was not fetched.")
    headers = {"Authorization": f"Bearer {token}"}
    content = bytearray()
    try:
        async with http.get(address, headers=headers, allow_redirects=False) as response:
            _check(response)
            async for piece in response.content.iter_chunked(_PIECE):
                content += piece
                if len(content) > at_most:
                    raise FileTooLarge("The file is larger than it was said to be.")
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise unanswered(type(error).__name__) from None
    return bytes(content)


def trusted(address: str, api_url: str) -> bool:
    """Whether the token may be sent there: to Slack by https, or to the server that the calls go to."""
    try:
        there, api = urlsplit(address), urlsplit(api_url)
        if _place(there) == _place(api):
            return True
    except ValueError:
        return False
    host = there.hostname or ""
    homes = (_SLACK, api.hostname or _SLACK)
    return there.scheme == "https" and any(host == home or host.endswith(f".{home}") for home in homes)


def _place(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port


def _check(response: aiohttp.ClientResponse) -> None:
    """Whoever may not have a file gets a page to sign in, or is sent to one, as if all were well."""
    if response.status in (404, 410):
        raise FileGone("Slack does not have the file any more.")
    if response.status >= 400:
        raise OutcomeUnknown(f"Slack did not give the file ({response.status}).")
    if response.status >= 300 or response.content_type == "text/html":
        raise lacking("the file", "files:read")
