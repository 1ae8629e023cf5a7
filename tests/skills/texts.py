"""Random texts, values and files for the tests of skills."""

import string

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

fuzz = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
"""No time limits of hypothesis' own: the machine may be busy, and pytest's catches what never ends."""

_TRICKY = "-:#'\"\\\n\t [],{}&*!|>%@`~=<?$ éß你👩\u200d💻\u2028\u0085\u00a0\u3000\u200b\ufeff"
_WORDS = [
    "---",
    "null",
    "true",
    "~",
    "1.10",
    "012",
    "- a",
    "a: b",
    "#",
    "${{task_token}}",
    "'",
    '"',
    "",
    "\n\n",
    "...",
    "<<",
    "=",
]

_loose = st.text(string.ascii_letters + string.digits + _TRICKY, max_size=40)
texts = (_loose | st.lists(st.sampled_from(_WORDS) | _loose, max_size=4).map(" ".join)).filter(
    lambda text: "\u0085" not in text
)
"""Texts that hold nothing that is refused (U+0085 is a control character)."""

values: st.SearchStrategy[object] = st.recursive(
    st.none() | texts | st.booleans() | st.integers(-9, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)

_KEYS = [
    "description",
    "allowed-tools",
    "tool-names",
    "metadata",
    "version",
    "mcpServers",
    "x",
    "license",
    "tags",
    "author",
]
_FORMS = [
    "a",
    "a b, c",
    "'a: b'",
    '"a \\u00e9"',
    "|\n  a\n  b: c",
    ">-\n  a\n\n  b",
    "[a, 'b c']",
    "{a: b}",
    "",
    "null",
    "a: b",
]
_RARE = ["*a", "&a b", "!!str a", "- a", "  more: here", "  more", "---", "\tx", "[", "'"]
_values = st.sampled_from(_FORMS) | st.sampled_from(_FORMS) | st.sampled_from(_RARE) | _loose
_keys = st.dictionaries(st.sampled_from(_KEYS), _values, max_size=5)


def _file(keys: dict[str, str], body: str) -> bytes:
    lines = [f"{key}: {value}" for key, value in ({"description": "Reads."} | keys).items()]
    return "\n".join(["---", "name: folder", *lines, "---", body]).encode()


documents = st.builds(_file, _keys, texts) | st.binary(max_size=60)
"""Files that look like a SKILL.md, and some that do not."""
