"""The pages for admins: server-rendered, in the words of the chat commands."""
