"""What can go wrong with a platform, in words of our own: raised by adapters `from` the library's error.

The courier decides by these classes alone; a message may hold no secret and no address with a token.
"""


class ChannelError(Exception):
    """Something went wrong between us and a platform."""


class NotSent(ChannelError):
    """The platform was not reached, or answered that it did nothing: it is safe to send again."""


class NotStored(ChannelError):
    """What was delivered to us could not be stored: do not acknowledge it, and let it be offered again."""


class OutcomeUnknown(ChannelError):
    """The request left, the answer did not come: the message may or may not be there."""


class RateLimited(ChannelError):
    """The platform asks to wait. `whole_channel`: it concerns every conversation, not only this one."""

    def __init__(self, retry_after: float, *, whole_channel: bool = False) -> None:
        super().__init__(f"the platform asks to wait {retry_after:g} s")
        self.retry_after = retry_after
        self.whole_channel = whole_channel


class Refused(ChannelError):
    """The platform will not take this message, however often it is sent."""


class CannotEdit(ChannelError):
    """The message is gone, too old, or not ours: what it should say must be sent anew."""


class FileTooLarge(ChannelError):
    """A file is larger than may be fetched, so it was not kept. The message says how large it may be."""


class FileGone(ChannelError):
    """A file is not there (any more), or not in the hands of this process."""


class ThreadGone(ChannelError):
    """The topic or thread does not exist any more; the chat around it does."""


class ConversationGone(ChannelError):
    """We were removed from this chat or blocked by the person."""


class ConversationMoved(ChannelError):
    """The chat goes on under another id."""

    def __init__(self, chat: str) -> None:
        super().__init__("the chat has another id now")
        self.chat = chat


class ChannelGone(ChannelError):
    """The account itself is not usable any more: its token was revoked or the app was uninstalled."""


class Misconfigured(ChannelError):
    """The channel cannot work as configured. The message says what is wrong and how to mend it."""
