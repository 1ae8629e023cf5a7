"""What docs/mcp.md says of the servers that we offer."""

import re

from bot.mcp_apps.apps import APPS
from bot.mcp_apps.bridge import BODY
from bot.mcp_apps.spec import McpAppSpec
from tests.house.files import ROOT

TEXT = (ROOT / "docs/mcp.md").read_text("utf-8")


def test_the_document_names_every_app_with_its_tools() -> None:
    rows = re.findall(r"^\| `/mcp/([a-z-]+)` \| (.+) \|$", TEXT, re.MULTILINE)
    told = {name: re.findall(r"`([a-z_]+)`", tools) for name, tools in rows}
    assert told == {app.name: [spec.name for spec in app.specs] for app in APPS}


def test_the_tool_that_it_shows_is_one() -> None:
    [block] = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    shown: dict[str, object] = {}
    exec(block, shown)
    app = shown["EXAMPLE"]
    assert isinstance(app, McpAppSpec)
    [spec] = app.specs
    assert (spec.name, spec.mutates_data) == ("list_items", False)
    assert set(spec.schema()["properties"]) == {"scope"}


def test_the_bounds_that_it_names_are_those_that_hold() -> None:
    assert f"over {BODY >> 20} MiB" in TEXT
