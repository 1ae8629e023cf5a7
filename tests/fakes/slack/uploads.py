"""Files: their bytes come and go at addresses of their own."""

from aiohttp import web

from tests.fakes.slack.desk import Desk

_SIGN_IN = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>"


async def take(desk: Desk, request: web.BaseRequest, path: str) -> web.Response:
    """The bytes of a file that files.getUploadURLExternal gave an address for."""
    upload = next((upload for upload in desk.uploads.values() if upload.path == path), None)
    if upload is None:
        return web.Response(status=404, text="not found")
    if request.method != "POST":
        return web.Response(status=405, text="method not allowed")
    if upload.shared:
        return web.Response(status=403, text="it was shared already")
    if request.content_type == "multipart/form-data":
        form = await request.post()
        part = next(iter(form.values()), b"")
        upload.content = part.file.read() if isinstance(part, web.FileField) else bytes(str(part), "utf-8")
    else:
        upload.content = await request.read()
    return web.Response(text=f"OK - {len(upload.content)}")


def fetch(desk: Desk, request: web.BaseRequest) -> web.Response:
    """The bytes of a file that someone sent. Whoever may not have them gets a page to sign in, with 200, as from Slack."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    install = desk.world.by_token(token)
    content = desk.files.get(request.path)
    if install is None or not install.alive or "files:read" not in install.scopes or content is None:
        return web.Response(text=_SIGN_IN, content_type="text/html")
    return web.Response(body=content, content_type="application/octet-stream")
