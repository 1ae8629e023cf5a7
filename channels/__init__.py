"""Channels speak to platforms: each room parses what one platform says and renders what we say."""
