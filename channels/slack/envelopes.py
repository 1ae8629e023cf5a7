"""An envelope of a socket → what Bolt says of its payload."""

import json
from collections.abc import Mapping

from channels.fields import Json
from channels.slack.dispatch import Dispatch
from channels.slack.socket import Handle


def handled(dispatch: Dispatch) -> Handle:
    async def handle(envelope: Mapping[str, Json]) -> Mapping[str, Json] | None:
        payload = envelope.get("payload")
        if not isinstance(payload, Mapping):
            return {}  # nothing that could be read, however often it comes
        said = await dispatch.by_socket(payload)
        if said.status != 200:
            return None
        return _object(said.body)

    return handle


def _object(body: str) -> Mapping[str, Json]:
    try:
        found = json.loads(body or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
