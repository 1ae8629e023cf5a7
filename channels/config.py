"""What the configuration says of every channel, and how a section of the file is read. Each room adds keys of its own."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SecretStr,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from channels.events import Standing

MASK = "********"

STANDINGS: Mapping[str, Standing] = {"workspace": "member", "guests": "guest", "externals": "external"}
"""Words of `talk.allow`, and whom of a workspace they let in."""

_PERSON = re.compile(r"[a-z][a-z0-9_-]{0,31}:[^\s:]+")
_GROUP = re.compile(r"group:[^\s:]+")


def wrong(what: str, remedy: str) -> PydanticCustomError:
    """An error for a validator to raise: `what` goes on after the key ("is empty"), `remedy` is a sentence of its own.

    Neither may hold the value of a secret.
    """
    return PydanticCustomError("wrong", "{what}", {"what": what, "remedy": remedy})


class Written(str):
    """A text of the configuration file with its variables filled in.

    `literal` is what would be left of it without the environment: variables empty, their defaults filled in.
    """

    literal: str

    def __new__(cls, text: str, literal: str) -> "Written":
        self = super().__new__(cls, text)
        self.literal = literal
        return self


class Section(BaseModel):
    """A mapping in the file: unknown keys are refused, and a key without a value counts as not given."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        known = {field.alias or name for name, field in cls.model_fields.items()}
        return {key: value for key, value in data.items() if value is not None or key not in known}


class Masked(SecretStr):
    def _display(self) -> str:
        return MASK


def _from_environment(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, Written) and value.literal:
        name = re.sub(r"\W", "_", info.field_name or "secret").upper()
        raise wrong(
            "is a secret that stands in the file itself",
            f"Put it into the environment or into .env beside the file, and write ${{{name}}} here.",
        )
    return value


def _hidden(value: SecretStr) -> SecretStr:
    if not value.get_secret_value():
        raise wrong("is empty", "Give its variable a value in the environment or in .env beside the file.")
    return Masked(value.get_secret_value())


def _empty_is_none(value: Any) -> Any:
    return None if isinstance(value, str) and not value else value


def _mask(_value: Any) -> str:
    return MASK


Secret = Annotated[
    SecretStr,
    BeforeValidator(_from_environment),
    AfterValidator(_hidden),
    PlainSerializer(_mask, return_type=str, when_used="json"),
]
"""A secret: shown as `********` wherever it is printed, refused where it stands in the file."""

OptionalSecret = Annotated[Secret | None, BeforeValidator(_empty_is_none)]
"""A secret that may be left out; an empty one counts as left out."""


def is_person(text: str) -> bool:
    """Whether it is written like one: `<channel>:<platform user id>`."""
    return _PERSON.fullmatch(text) is not None


def _person(value: str) -> str:
    if not is_person(value):
        raise wrong(
            f"holds {value!r}, which is not a person",
            'People are written "<channel>:<the platform\'s id of the person>", such as "tg:4242".',
        )
    return value


def _spaced(value: Any) -> Any:
    """`tg: 4242` in a list is a mapping to YAML: say so, instead of that a text is wanted."""
    if isinstance(value, dict) and len(value) == 1:
        [(key, item)] = value.items()
        raise wrong(
            f"holds {key}: {item} with a space in it", f'Write it without the space, in quotes: "{key}:{item}".'
        )
    return value


Person = Annotated[str, BeforeValidator(_spaced), AfterValidator(_person)]
"""`<channel>:<platform user id>`."""


def _talker(value: str) -> str:
    if value == "anyone" or value in STANDINGS or _GROUP.fullmatch(value) or is_person(value):
        return value
    if re.fullmatch(r"-\d+", value):
        raise wrong(f"holds {value}, the bare id of a group", f'Write "group:{value}".')
    if value.isdigit():
        raise wrong(f"holds {value}, an id without its channel", f'Write "<name of this channel>:{value}".')
    raise wrong(
        f"holds {value!r}, which is neither a person nor a group",
        'Write people as "tg:4242", groups as "group:-1001", or one of the words workspace, guests, externals, anyone.',
    )


Talker = Annotated[str, BeforeValidator(_spaced), AfterValidator(_talker)]
"""A person, `group:<id>`, or one of the words; `workspace`, `guests` and `externals` mean something on Slack alone."""


class Talk(Section):
    allow: tuple[Talker, ...] = ()
    """Beside those whom the channel lets talk by itself (see the channel) and whom admins let in."""
    knock: bool = True
    """A stranger's first words bring the admins a card *Let in / Ignore*."""

    @property
    def anyone(self) -> bool:
        return "anyone" in self.allow


class ChannelConfig(Section):
    persona: str
    """Who answers on this channel."""
    talk: Talk = Field(default_factory=Talk)
    switching: bool = False
    """Whether the command `persona` may put another persona into a conversation."""
