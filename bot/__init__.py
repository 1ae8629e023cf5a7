"""The service: personas that act in chats, and ask before they write."""
