"""Methods that the generated data lacks, each after its page."""

from tests.fakes.slack.errors import Json

_PAGE: Json = {"type": "object", "properties": {"next_cursor": {"type": "string"}}, "additionalProperties": False}
_TEAM: Json = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
    "required": ["id", "name"],
    "additionalProperties": False,
}

# https://docs.slack.dev/reference/methods/auth.teams.list
REQUESTS: Json = {
    "auth.teams.list": {
        "type": "object",
        "properties": {
            "cursor": {"type": "string"},
            "include_icon": {"type": "boolean"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
            "token": {"type": "string"},
        },
        "additionalProperties": False,
    }
}
RESPONSES: Json = {
    "auth.teams.list": {
        "type": "object",
        "properties": {
            "ok": {"const": True},
            "teams": {"type": "array", "items": _TEAM},
            "response_metadata": _PAGE,
        },
        "required": ["ok", "teams"],
        "additionalProperties": False,
    }
}
CODES: Json = {"auth.teams.list": {"errors": ["invalid_cursor", "invalid_limit"], "bot_scopes": []}}
