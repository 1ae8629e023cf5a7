"""The browser chat: the embedded default, a channel like the others."""
