"""Errors whose text a person may read. Each is raised `from` its cause; the cause goes to the log, never to a chat."""


class AskfirstError(Exception):
    """Something went wrong."""


class StoreUnavailable(AskfirstError):
    """The database cannot be used just now, so nothing was stored."""


class Fenced(AskfirstError):
    """Another driver has taken this run over, or it has ended: nothing more may be written for it."""
