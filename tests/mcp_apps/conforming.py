"""A server with the tools, resources and prompts that the conformance suite asks for by their names. Each says what the suite
prescribes; what is under test is the bridge in front of it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as t
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

Context = ServerRequestContext[Any, Any]
Content = list[t.ContentBlock]
Act = Callable[[Context, dict[str, Any]], Awaitable[Content]]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
STEP_S = 0.05
"""The pause between two notifications, as the suite prescribes it."""

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMA_2020: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def text(said: str) -> t.TextContent:
    return t.TextContent(type="text", text=said)


def embedded(uri: str, said: str, kind: str = "text/plain") -> t.EmbeddedResource:
    return t.EmbeddedResource(type="resource", resource=t.TextResourceContents(uri=uri, mime_type=kind, text=said))


IMAGE = t.ImageContent(type="image", data=PIXEL, mime_type="image/png")
AUDIO = t.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")


def fixed(*content: t.ContentBlock) -> Act:
    async def act(_context: Context, _arguments: dict[str, Any]) -> Content:
        return list(content)

    return act


async def logging(context: Context, _arguments: dict[str, Any]) -> Content:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        note = t.LoggingMessageNotificationParams(level="info", data=said)
        await context.session.send_notification(t.LoggingMessageNotification(params=note), context.request_id)
        await asyncio.sleep(STEP_S)
    return [text("Tool with logging executed successfully")]


async def progress(context: Context, _arguments: dict[str, Any]) -> Content:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(STEP_S)
    return [text("Tool with progress executed successfully")]


async def failing(_context: Context, _arguments: dict[str, Any]) -> Content:
    raise MCPError(t.INTERNAL_ERROR, "This tool intentionally returns an error for testing")


async def sampling(context: Context, arguments: dict[str, Any]) -> Content:
    asked = t.SamplingMessage(role="user", content=text(arguments["prompt"]))
    request = t.CreateMessageRequest(params=t.CreateMessageRequestParams(messages=[asked], max_tokens=100))
    beside = ServerMessageMetadata(related_request_id=context.request_id)
    answer = await context.session.send_request(request, t.CreateMessageResult, metadata=beside)
    said = answer.content.text if isinstance(answer.content, t.TextContent) else "no text"
    return [text(f"LLM response: {said}")]


def eliciting(message: str, properties: dict[str, Any], required: list[str]) -> Act:
    async def act(context: Context, arguments: dict[str, Any]) -> Content:
        schema = {"type": "object", "properties": properties, "required": required}
        asked = arguments.get("message", message)
        answer = await context.session.elicit_form(asked, schema, context.request_id)
        said = json.dumps(answer.content or {})
        return [text(f"Elicitation completed: action={answer.action}, content={said}")]

    return act


ONE, TWO = ["option1", "option2", "option3"], ["value1", "value2", "value3"]
CHOICES = [{"const": value, "title": value.title()} for value in TWO]
USER = {"username": {"type": "string"}, "email": {"type": "string"}}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
ENUMS = {
    "untitledSingle": {"type": "string", "enum": ONE},
    "titledSingle": {"type": "string", "oneOf": CHOICES},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ONE}},
    "titledMulti": {"type": "array", "items": {"anyOf": CHOICES}},
}

TOOLS: dict[str, tuple[Act, dict[str, Any]]] = {
    "test_simple_text": (fixed(text("This is a simple text response for testing.")), NOTHING),
    "test_image_content": (fixed(IMAGE), NOTHING),
    "test_audio_content": (fixed(AUDIO), NOTHING),
    "test_embedded_resource": (fixed(embedded("test://embedded-resource", "An embedded resource.")), NOTHING),
    "test_multiple_content_types": (
        fixed(text("Several:"), IMAGE, embedded("test://mixed-content-resource", '{"a":1}', "application/json")),
        NOTHING,
    ),
    "test_tool_with_logging": (logging, NOTHING),
    "test_tool_with_progress": (progress, NOTHING),
    "test_error_handling": (failing, NOTHING),
    "test_sampling": (sampling, {"type": "object", "properties": {"prompt": {"type": "string"}}}),
    "test_elicitation": (
        eliciting("Please provide your information", USER, ["username", "email"]),
        {"type": "object", "properties": {"message": {"type": "string"}}},
    ),
    "test_elicitation_sep1034_defaults": (eliciting("Defaults", DEFAULTS, []), NOTHING),
    "test_elicitation_sep1330_enums": (eliciting("Choices", ENUMS, []), NOTHING),
    "json_schema_2020_12_tool": (fixed(text("ok")), SCHEMA_2020),
}

PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def prompt(name: str, given: dict[str, str]) -> list[t.ContentBlock]:
    """What the suite wants to read of each."""
    if name == "test_simple_prompt":
        return [text("This is a simple prompt for testing.")]
    if name == "test_prompt_with_arguments":
        return [text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
    if name == "test_prompt_with_embedded_resource":
        return [embedded(given["resourceUri"], "Embedded resource content for testing."), text("Please process it.")]
    return [IMAGE, text("Please analyze the image above.")]


def resource(uri: str) -> t.TextResourceContents | t.BlobResourceContents:
    """Raises MCPError for one that there is not."""
    if uri == "test://static-binary":
        return t.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    if uri in ("test://static-text", "test://watched-resource"):
        said = "This is the content of the static text resource."
        return t.TextResourceContents(uri=uri, mime_type="text/plain", text=said)
    if uri.startswith("test://template/"):
        said = json.dumps({"id": uri.split("/")[3], "templateTest": True, "data": "Data for ID: " + uri.split("/")[3]})
        return t.TextResourceContents(uri=uri, mime_type="application/json", text=said)
    raise MCPError(t.INVALID_PARAMS, f"Resource not found: {uri}", {"uri": uri})


async def _list_tools(_context: Context, _params: Any) -> t.ListToolsResult:
    tools = [t.Tool(name=name, description=name, input_schema=schema) for name, (_act, schema) in TOOLS.items()]
    return t.ListToolsResult(tools=tools)


async def _call_tool(context: Context, params: t.CallToolRequestParams) -> t.CallToolResult:
    if params.name not in TOOLS:
        raise MCPError(t.INVALID_PARAMS, f"Unknown tool: {params.name}")
    act, _schema = TOOLS[params.name]
    try:
        return t.CallToolResult(content=await act(context, params.arguments or {}))
    except MCPError as error:
        return t.CallToolResult(content=[text(error.message)], is_error=True)


async def _list_resources(_context: Context, _params: Any) -> t.ListResourcesResult:
    names = ("static-text", "static-binary", "watched-resource")
    kinds = {"static-binary": "image/png"}
    found = [t.Resource(uri=f"test://{n}", name=n, mime_type=kinds.get(n, "text/plain")) for n in names]
    return t.ListResourcesResult(resources=found)


async def _list_templates(_context: Context, _params: Any) -> t.ListResourceTemplatesResult:
    template = t.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
    return t.ListResourceTemplatesResult(resource_templates=[template])


async def _read_resource(_context: Context, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
    return t.ReadResourceResult(contents=[resource(str(params.uri))])


async def _subscribe(_context: Context, _params: Any) -> t.EmptyResult:
    return t.EmptyResult()


async def _list_prompts(_context: Context, _params: Any) -> t.ListPromptsResult:
    def arguments(names: tuple[str, ...]) -> list[t.PromptArgument]:
        return [t.PromptArgument(name=name, required=True) for name in names]

    found = [t.Prompt(name=name, description=name, arguments=arguments(names)) for name, names in PROMPTS.items()]
    return t.ListPromptsResult(prompts=found)


async def _get_prompt(_context: Context, params: t.GetPromptRequestParams) -> t.GetPromptResult:
    said = prompt(params.name, dict(params.arguments or {}))
    return t.GetPromptResult(messages=[t.PromptMessage(role="user", content=each) for each in said])


async def _complete(_context: Context, _params: t.CompleteRequestParams) -> t.CompleteResult:
    return t.CompleteResult(completion=t.Completion(values=[], total=0, has_more=False))


def conforming() -> Server[Any]:
    server: Server[Any] = Server(
        "conforming",
        version="1",
        get_tool_input_schema=lambda name: TOOLS[name][1] if name in TOOLS else None,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscribe_resource=_subscribe,
        on_unsubscribe_resource=_subscribe,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
    )
    server.add_request_handler("logging/setLevel", t.SetLevelRequestParams, _subscribe)
    return server
