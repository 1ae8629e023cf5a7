"""MCP servers with faults, in processes of their own, of both eras: written by hand, so that they can say what no SDK would."""
