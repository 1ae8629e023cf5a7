"""Slack: its payloads parsed, our messages rendered, its limits in a table."""
