"""Servers that stand in for outside parties, each in a process of its own."""
