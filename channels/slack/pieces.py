"""Styled words → the smallest pieces of rich_text: texts and links, and nothing that mentions anybody. Pure.

Slack refuses empty ones, so none are made.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from channels.outgoing import Span
from channels.slack.limits import URL
from channels.slack.plain import Built
from channels.text.characters import clean
from channels.text.flatten import Flat
from channels.text.links import safe

_SCHEMES = ("http://", "https://", "mailto:")


def styled(spans: Sequence[Span], *, links: bool = True) -> list[Built]:
    """Empty where nothing of it can be seen."""
    if not clean("".join(span.text for span in spans)).strip():
        return []
    made: list[Built] = []
    for span in spans:
        append(made, _piece(clean(span.text), frozenset(span.styles), span.href if links else None))
    return made


def bold(spans: Sequence[Span]) -> tuple[Span, ...]:
    return tuple(Span(span.text, span.styles | {"bold"}, span.href) for span in spans)


def linkable(href: str | None) -> bool:
    """Whether Slack may be given it as a link."""
    return href is not None and href.lower().startswith(_SCHEMES) and safe(href) and len(href) <= URL


def flattened(flat: Flat, *, links: bool) -> list[Built]:
    """A quote holds lines and nothing else: what is in it is flattened, code is shown in its type."""
    places = sorted({0, len(flat.text), *(place for one in flat.stretches for place in (one.start, one.end))})
    made: list[Built] = []
    for start, end in pairwise(places):
        over = [one for one in flat.stretches if one.start <= start and end <= one.end]
        styles = frozenset(
            "code" if one.kind == "pre" else one.kind for one in over if one.kind not in ("quote", "link")
        )
        href = next((one.detail for one in over if one.kind == "link"), None)
        append(made, _piece(flat.text[start:end], styles, href if links else None))
    return made


def _piece(text: str, styles: Iterable[str], href: str | None) -> list[Built]:
    if not text:
        return []
    made: Built = {"type": "text", "text": text}
    if linkable(href) and text.strip():
        made = {"type": "link", "url": href, "text": text}
    if on := dict.fromkeys(sorted(styles), True):
        made["style"] = on
    return [made]


def literal(words: str) -> Built:
    return {"type": "text", "text": words}


def append(to: list[Built], pieces: Iterable[Built]) -> None:
    """Neighbours of one look become one."""
    for piece in pieces:
        last = to[-1] if to else None
        if last and {**last, "text": ""} == {**piece, "text": ""}:
            to[-1] = {**last, "text": last["text"] + piece["text"]}
        else:
            to.append(piece)
