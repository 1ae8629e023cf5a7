"""The browser chat, as configured. By default those may talk who are signed in; on loopback the visitor is."""

from typing import Literal

from channels.config import ChannelConfig


class WebConfig(ChannelConfig):
    type: Literal["web"]
