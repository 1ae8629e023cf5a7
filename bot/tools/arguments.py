"""The kinds of values that tools take, with their bounds in the schema, so that a model can read them."""

from typing import Annotated

from pydantic import AfterValidator, Field

from bot.tools.spec import ToolInput

NOT_BLANK = r"\S"

MOST_ID = 2**53 - 1
"""The largest whole number that every reader of JSON keeps exactly."""


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold the character NUL")
    return text


Id = Annotated[int, Field(ge=1, le=MOST_ID)]
NoteText = Annotated[str, Field(min_length=1, max_length=2_000, pattern=NOT_BLANK), AfterValidator(_storable)]
MemoryText = Annotated[str, Field(min_length=1, max_length=2_000, pattern=NOT_BLANK), AfterValidator(_storable)]
Title = Annotated[str, Field(min_length=1, max_length=200, pattern=NOT_BLANK), AfterValidator(_storable)]
DocumentText = Annotated[str, Field(min_length=1, max_length=100_000, pattern=NOT_BLANK), AfterValidator(_storable)]
Query = Annotated[str, Field(min_length=1, max_length=500, pattern=NOT_BLANK), AfterValidator(_storable)]


class Nothing(ToolInput):
    """No arguments."""
