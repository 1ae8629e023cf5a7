"""The whole service in a process of its own, platform to platform."""
