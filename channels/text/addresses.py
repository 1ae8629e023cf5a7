"""Web addresses that stand in a text bare, or with a label as Slack writes them: they stay byte for byte, whatever stars
and underscores they hold."""

import re

from markdown_it.rules_inline import StateInline

from channels.text.links import safe

_SCHEME = re.compile(r"(?<![A-Za-z0-9])https?$", re.IGNORECASE)
# Up to white space, and to what ends an address in markdown. A backslash is there only to escape.
_REST = re.compile(r"://(?:\\[!-/:-@\[-`{-~]|[^\s<>\"\[\]`\\])+")
_ESCAPED = re.compile(r"\\(.)")
_AFTER = ".,;:!?'*_~|"
_LABELLED = re.compile(r"<((?:https?://|mailto:)[^\s<>|]+)\|([^<>\n]*)>", re.IGNORECASE)


def bare(state: StateInline, silent: bool) -> bool:
    """A rule for markdown-it: at the colon behind a scheme, take the whole address."""
    scheme = _SCHEME.search(state.src[max(0, state.pos - 6) : state.pos])
    rest = _REST.match(state.src, state.pos, state.posMax)
    if scheme is None or rest is None:
        return False
    taken = _trimmed(rest[0])
    address = scheme[0] + _ESCAPED.sub(r"\1", taken)
    if len(taken) <= len("://") or not safe(address):
        return False
    if not silent:
        if not state.pending.endswith(scheme[0]):
            return False
        state.pending = state.pending.removesuffix(scheme[0])
        _push(state, address)
    state.pos += len(taken)
    return True


def labelled(state: StateInline, silent: bool) -> bool:
    """A rule for markdown-it: `<https://a.example|label>`, which models write where they have seen Slack's marks."""
    found = _LABELLED.match(state.src, state.pos, state.posMax)
    if found is None or not safe(found[1]):
        return False
    if not silent:
        _push(state, found[1], found[2].strip())
    state.pos = found.end()
    return True


def _trimmed(rest: str) -> str:
    """Without the marks that belong to the sentence around it."""
    while rest and (rest[-1] in _AFTER or (rest[-1] == ")" and rest.count(")") > rest.count("("))):
        rest = rest[:-1]
        if rest.endswith("\\"):
            rest = rest[:-1]
    return rest


def _push(state: StateInline, address: str, label: str = "") -> None:
    linked = state.linkLevel == 0
    if linked:
        state.push("link_open", "a", 1).attrs = {"href": address}
    state.push("text", "", 0).content = label or address
    if linked:
        state.push("link_close", "a", -1)
