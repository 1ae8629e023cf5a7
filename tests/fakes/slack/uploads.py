"""Files: the bytes arrive at an address of their own, between two methods of the Web API."""

from aiohttp import web

from tests.fakes.slack.desk import Desk


async def take(desk: Desk, request: web.BaseRequest, path: str) -> web.Response:
    """The bytes of a file that files.getUploadURLExternal gave an address for."""
    upload = next((upload for upload in desk.uploads.values() if upload.path == path), None)
    if upload is None:
        return web.Response(status=404, text="not found")
    if request.content_type == "multipart/form-data":
        form = await request.post()
        part = next(iter(form.values()), b"")
        upload.content = part.file.read() if isinstance(part, web.FileField) else bytes(str(part), "utf-8")
    else:
        upload.content = await request.read()
    return web.Response(text=f"OK - {len(upload.content)}")
