"""What was shown is what runs: a digest over everything that makes a call what it is."""

import hashlib
import json
from typing import Any


def canonical(arguments: dict[str, Any]) -> str:
    """The one way to write these arguments: sorted keys, no spaces, characters as they are."""
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def fingerprint(name: str, description: str, schema: dict[str, Any], flags: tuple[bool, ...]) -> str:
    """Of a tool's definition: another description, schema or flag gives another one."""
    return _sha256(canonical({"name": name, "description": description, "schema": schema, "flags": list(flags)}))


def call_digest(capability_id: str, definition: str, arguments: str) -> str:
    """Of a call: capability, the fingerprint of its definition, and its canonical arguments."""
    return _sha256(canonical({"capability": capability_id, "definition": definition, "arguments": arguments}))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
