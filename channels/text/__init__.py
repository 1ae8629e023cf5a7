"""Model markdown → the document of `channels.outgoing` → what a platform can show. Pure."""
