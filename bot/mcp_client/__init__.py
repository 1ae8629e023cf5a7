"""The MCP servers that we use: their processes and connections, what they offer, and calls of it. Knows of nothing else."""
