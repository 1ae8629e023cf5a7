"""Errors whose text a person may read. Each is raised `from` its cause; the cause goes to the log, never to a chat."""


class AskfirstError(Exception):
    """Something went wrong."""


class StoreUnavailable(AskfirstError):
    """The database cannot be used just now, so nothing was stored."""


class Fenced(AskfirstError):
    """Another driver has taken this run over, or it has ended: nothing more may be written for it."""


class Impossible(AskfirstError):
    """What was asked for cannot be done; the text says why and what to do instead, and nothing has changed.

    `code` stays the same whatever the words are; `field` is the one of the request that is at fault, "" for none.
    """

    def __init__(self, message: str, code: str = "impossible", field: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.field = field


class Unknown(Impossible):
    """What was named does not exist."""


class Taken(Impossible):
    """Something of this name exists already."""


class InUse(Impossible):
    """Something that stays relies on it."""


class Protected(Impossible):
    """It comes with the house, or something hangs on it: it stays."""
