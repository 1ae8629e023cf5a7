"""A Telegram Bot API server for tests: strict, faithful, and driven by a control API.

`client.py` starts it and speaks for the people in its chats; `python -m tests.fakes.telegram` runs it alone.
"""
