"""The kinds of value that requests hold, with their bounds in the document."""

from typing import Annotated

from pydantic import Field

NO_NUL = r"^[^\x00]*$"
"""PostgreSQL stores no text that holds it."""

PersonaId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
DisplayName = Annotated[str, Field(min_length=1, max_length=64, pattern=NO_NUL)]
Name = Annotated[str, Field(min_length=1, max_length=128, pattern=NO_NUL)]
Instructions = Annotated[str, Field(max_length=100_000, pattern=NO_NUL)]
Reason = Annotated[str, Field(max_length=500, pattern=NO_NUL)]
CapabilityId = Annotated[str, Field(pattern=r"^(builtin|mcp|skill)/[^\s\x00]{1,200}$")]
Person = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}:[^\s\x00:]{1,128}$")]
"""`<channel>:<platform user id>`, such as `tg:4242`."""
