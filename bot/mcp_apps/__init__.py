"""The MCP servers that we offer: our own tools, to programs that hold a task token."""
