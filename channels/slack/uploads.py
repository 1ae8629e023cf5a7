"""The bytes of a file that we send: posted to the address that Slack names for them, if that is its own."""

import io

import aiohttp

from channels.errors import NotSent, RateLimited, Refused
from channels.slack.downloads import trusted

UPLOAD_S = 120.0
"""How long Slack may be silent meanwhile: 20 MB at a megabit and a half per second."""
_WAIT_S = 5.0


async def put(http: aiohttp.ClientSession, address: str, api_url: str, content: bytes) -> None:
    """The address is the secret, so no token goes with it. Nobody sees anything yet, so that whatever goes wrong can be
    done again: raises NotSent, RateLimited, or Refused for an address that is not Slack's."""
    if not trusted(address, api_url):
        raise Refused("Slack names an address for the file that is not its own, so it was not sent.")
    timeout = aiohttp.ClientTimeout(connect=10.0, sock_read=UPLOAD_S)
    headers = {"Content-Type": "application/octet-stream"}
    try:
        async with http.post(
            address, data=io.BytesIO(content), headers=headers, timeout=timeout, allow_redirects=False
        ) as response:
            _check(response.status)
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise NotSent(f"Slack did not take the file ({type(error).__name__}).") from None


def _check(status: int) -> None:
    if status == 429:
        raise RateLimited(_WAIT_S)
    if status == 413:
        raise Refused("The file is larger than Slack takes.")
    if status != 200:
        raise NotSent(f"Slack did not take the file ({status}).")
