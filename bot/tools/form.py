"""Asking the requester for details, in a form."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from bot.domain.question import Blank, Inquiry, Option
from bot.domain.secrecy import named_like_a_secret
from bot.tools.spec import ToolContext, ToolFailure, ToolInput, ToolSpec

MOST_FIELDS = 10
MOST_OPTIONS = 20
_LINE = r"^[^\r\n]*\S[^\r\n]*$"

Line = Annotated[str, Field(min_length=1, max_length=75, pattern=_LINE)]


class FormOption(ToolInput):
    value: Line = Field(description="What you get when it is chosen.")
    label: Line | None = Field(default=None, description="What the person sees; the value if left out.")


class FormField(ToolInput):
    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")] = Field(
        description="Under this name you get the answer, such as delivery_date."
    )
    label: Annotated[str, Field(min_length=1, max_length=120, pattern=_LINE)] = Field(
        description="What the person sees: the question in a few words."
    )
    kind: Literal["text", "number", "integer", "yes_no", "choice", "choices"] = Field(
        default="text", description="choice: one of the options; choices: any of them."
    )
    options: Annotated[list[FormOption], Field(max_length=MOST_OPTIONS)] = Field(
        default=[], description="For choice and choices alone: what can be chosen."
    )
    required: bool = Field(default=True, description="False: it may be left out.")
    hint: Annotated[str, Field(max_length=200)] = Field(default="", description="What kind of answer, with an example.")

    @model_validator(mode="after")
    def _sound(self) -> "FormField":
        chooses = self.kind in ("choice", "choices")
        if chooses != bool(self.options):
            raise ValueError("options belong to choice and choices, and these need some")
        called = [option.label or option.value for option in self.options]
        if len({each.casefold() for each in called}) < len(called):
            raise ValueError("two options look the same")
        if len({option.value for option in self.options}) < len(self.options):
            raise ValueError("two options have the same value")
        if named_like_a_secret(self.name.replace("_", " ")) or named_like_a_secret(self.label):
            raise ValueError("never ask for passwords, keys or other secrets: a chat is no place for them")
        return self


class AskForm(ToolInput):
    message: Annotated[str, Field(min_length=1, max_length=600)] = Field(
        description="Why you ask, in a sentence or two. The fields are shown below it."
    )
    fields: Annotated[list[FormField], Field(min_length=1, max_length=MOST_FIELDS)] = Field(
        description="What to ask for, the most important first."
    )

    @model_validator(mode="after")
    def _told_apart(self) -> "AskForm":
        if len({field.name for field in self.fields}) < len(self.fields):
            raise ValueError("two fields have the same name")
        return self


def _inquiry(asked: AskForm) -> Inquiry:
    return Inquiry(asked.message.strip(), tuple(_blank(field) for field in asked.fields))


def _blank(field: FormField) -> Blank:
    options = tuple(Option(option.value, option.label or option.value) for option in field.options)
    hint = " ".join(field.hint.split())
    return Blank(field.name, field.label.strip(), field.kind, options, field.required, hint)


async def _unasked(_context: ToolContext, _arguments: AskForm) -> str:
    """Nobody comes here: the answer to the question is the result of the call."""
    raise ToolFailure("unavailable", "The question was not asked.")


ask_form = ToolSpec(
    name="ask_form",
    specialist="assistant_worker",
    server="interactive-form",
    description="Asks the person you work for to fill in a form in this chat, and waits for the answer. Use it when you need "
    "one or more details that you do not know: single values, numbers, yes or no, or a choice. Only that person can answer, or "
    "decline. Never ask for secrets.",
    input=AskForm,
    handler=_unasked,
    question=_inquiry,
)
