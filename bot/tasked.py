"""MCP servers that take our own tokens: `${{backend_url}}` and `${{task_token}}` in their configuration, as skills write them.

The token is another one for each run, so it is filled in where a call is made and stored nowhere; what such a server offers
is looked at with a token that can call nothing.
"""

from bot.config.mcp import McpServerConfig

BACKEND = "${{backend_url}}"
TOKEN = "${{task_token}}"  # noqa: S105  where one is put in


def takes_tokens(spec: McpServerConfig) -> bool:
    return TOKEN in spec.model_dump_json()


def leads_to_us(spec: str) -> bool:
    """Of a configuration as it is stored."""
    return BACKEND in spec or TOKEN in spec


def filled_in(spec: McpServerConfig, backend_url: str, token: str) -> McpServerConfig:
    """With the address of this service and a token. What is reached at that address is ours, wherever it lies."""
    ours = spec.url.startswith(f"{BACKEND}/")
    text = spec.model_dump_json().replace(BACKEND, backend_url).replace(TOKEN, token)
    return McpServerConfig.model_validate_json(text).model_copy(update={"allow_private": spec.allow_private or ours})
