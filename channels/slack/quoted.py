"""What a message says, and what it brings with it beside its words: messages that it shares, and files."""

from channels.fields import Fields
from channels.slack.people import People
from channels.slack.words import Words, decoded

_NAME = 100
"""Characters of a file's name that are worth saying."""


def content(event: Fields, said: Words, people: People) -> tuple[str, str | None, bool] | None:
    """The text, what is quoted beside it, and whether it is a forward. None if there is nothing at all."""
    shares, names = _shared(event, people), _files(event)
    quotes = [f"{author}: {text}" if author else text for author, text in shares]
    if said.text and (shares or not said.bare):
        carried = [f"Sent with this, which cannot be read here: {names}"] if names else []
        return said.text, "\n".join([*quotes, *carried]) or None, False
    if shares:
        authors = ", ".join(dict.fromkeys(author for author, _ in shares if author))
        return "\n\n".join(text for _, text in shares), f"Forwarded from {authors or 'elsewhere'}", True
    return ("", None, False) if said.bare or names else None


def _shared(message: Fields, people: People) -> tuple[tuple[str, str], ...]:
    """Author and words of each message that it shares. What Slack shows of a linked page is none."""
    shares = [one for one in message.each("attachments") if one.flag("is_share") or one.flag("is_msg_unfurl")]
    found = [(_one_line(one.maybe_text("author_name")), _words(one, people)) for one in shares]
    return tuple((author, words) for author, words in found if words)


def _words(share: Fields, people: People) -> str:
    return decoded(share.maybe_text("text") or share.maybe_text("fallback"), people).strip()


def _files(message: Fields) -> str:
    """The names of its files; empty if there are none."""
    return ", ".join(_file(one) for one in message.each("files"))


def _file(file: Fields) -> str:
    """Of a file from another organisation not even the name is told."""
    name = _one_line(file.maybe_text("name") or file.maybe_text("title"))
    return name[:_NAME] or "a file"


def _one_line(text: str) -> str:
    return " ".join(text.split())
