"""Slack's room: payloads, blocks and forms."""
