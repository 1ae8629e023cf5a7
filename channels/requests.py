"""Reading a request of which nobody vouches for the size."""

from aiohttp import web

_CHUNK = 1 << 16


async def body_of(request: web.Request, most: int) -> bytes | None:
    """None if it has more than `most` bytes; the rest of it is not read then."""
    body = bytearray()
    async for piece in request.content.iter_chunked(_CHUNK):
        body += piece
        if len(body) > most:
            return None
    return bytes(body)
